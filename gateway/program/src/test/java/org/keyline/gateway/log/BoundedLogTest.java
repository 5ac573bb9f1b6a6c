package org.keyline.gateway.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import ch.qos.logback.core.encoder.EchoEncoder;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.keyline.gateway.config.ConfigException;
import org.keyline.gateway.config.ConfigLoader;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class BoundedLogTest {
    private static final int LINES = 5_000;

    /** A terminal that accepts nothing until it is released. */
    private static final class Stuck extends UnsynchronizedAppenderBase<ILoggingEvent> {
        final CountDownLatch taken = new CountDownLatch(1);
        final List<String> lines = Collections.synchronizedList(new ArrayList<>());

        @Override
        protected void append(ILoggingEvent line) {
            try {
                taken.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            lines.add(line.getFormattedMessage());
        }
    }

    @Test
    void message_thatIsLong_isCutOffInJsonToo() throws ConfigException {
        LoggerContext context = new LoggerContext();
        context.setMDCAdapter(new LogbackMDCAdapter());
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        OutputStreamAppender<ILoggingEvent> stderr = new OutputStreamAppender<>();
        stderr.setName("stderr");
        stderr.setContext(context);
        stderr.setEncoder(new EchoEncoder<>());
        stderr.setOutputStream(out);
        stderr.start();
        BoundedLog log = new BoundedLog();
        log.setName("bounded");
        log.setContext(context);
        log.addAppender(stderr);
        log.start();
        context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME).addAppender(log);
        new LogSettings(context)
                .apply(new ConfigLoader(Map.of()).set("log.format=json").load());

        context.getLogger("test").info("a statement: {}", "y".repeat(60_000), new IllegalStateException("why"));
        log.stop();

        assertThat(out.toString(StandardCharsets.UTF_8))
                .hasSizeLessThan(20_000)
                .contains("a statement: yyy", "(60013 characters)", "why", "\"test\"");
    }

    @Test
    void append_whileNobodyTakesLines_returnsAndTellsHowManyWereDropped() throws Exception {
        LoggerContext context = new LoggerContext();
        context.setMDCAdapter(new LogbackMDCAdapter());
        Stuck terminal = new Stuck();
        terminal.setContext(context);
        terminal.start();
        BoundedLog log = new BoundedLog();
        log.setContext(context);
        log.addAppender(terminal);
        log.start();
        Logger logger = context.getLogger("test");
        logger.setLevel(Level.INFO);
        logger.addAppender(log);

        for (int i = 0; i < LINES; i++) {
            logger.info("line {}", i);
        }
        terminal.taken.countDown();
        while (log.getNumberOfElementsInQueue() > 0) {
            Thread.onSpinWait();
        }
        logger.info("last");
        log.stop();

        List<String> received =
                terminal.lines.stream().filter(line -> line.contains("dropped")).toList();
        // There is more than one if the writing thread accepted its first lines only after some had
        // been dropped.
        assertThat(received).isNotEmpty();
        int dropped = received.stream()
                .mapToInt(line -> Integer.parseInt(line.split(" ", 2)[0]))
                .sum();
        assertThat(terminal.lines).last().isEqualTo("last");
        assertThat(terminal.lines.size() - received.size() - 1 + dropped).isEqualTo(LINES);
    }
}
