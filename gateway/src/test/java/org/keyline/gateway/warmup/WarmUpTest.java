package org.keyline.gateway.warmup;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.lang.management.CompilationMXBean;
import java.util.concurrent.TimeUnit;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.warmup.WarmUp.Outcome;
import org.keyline.protocol.fixtures.LeakCheck;
import org.slf4j.LoggerFactory;

/** The gateway's conversations with itself: that they run the paths which clients take, and leave nothing. */
@ExtendWith(LeakCheck.class)
final class WarmUpTest {
    private static final int CONVERSATIONS = 64;
    /** Of a conversation, all but what nobody has read yet, or somebody has written. */
    private static final int HITS = 15;
    /** So many that nothing but the compiler keeps it going. */
    private static final int MANY = 100_000;

    private static final long MOST_MS = 1_000;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void run_conversations_areMostlyHitsAndHaveLoadsAndFences(boolean remote) {
        Outcome outcome = WarmUp.run(remote, said -> said < CONVERSATIONS);

        assertThat(outcome.conversations()).isEqualTo(CONVERSATIONS);
        assertThat(outcome.hits()).isGreaterThan(CONVERSATIONS * HITS);
        assertThat(outcome.loads()).isGreaterThan(CONVERSATIONS);
        assertThat(outcome.fences()).isGreaterThan(CONVERSATIONS);
    }

    @Test
    void run_said_logsNothing() {
        Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        ListAppender<ILoggingEvent> logged = new ListAppender<>();
        logged.start();
        root.addAppender(logged);
        try {
            WarmUp.run(true, said -> said < CONVERSATIONS);
        } finally {
            root.detachAppender(logged);
        }

        assertThat(logged.list).noneMatch(event -> event.getLevel().isGreaterOrEqual(Level.INFO));
    }

    @Test
    void compiling_nothingLeftToCompile_ends() {
        CompilationMXBean settled = new Compiler(0);
        CompilationMXBean busy = new Compiler(1_000);

        long whole = turns(new WarmUp.Compiling(busy), MANY);

        assertThat(turns(new WarmUp.Compiling(settled), MANY)).isLessThan(whole);
        assertThat(turns(new WarmUp.Compiling(settled), 1)).isGreaterThanOrEqualTo(whole);
    }

    /** How long it goes on, in milliseconds. */
    private static long turns(WarmUp.Compiling compiling, int conversations) {
        long begin = System.nanoTime();
        long took = 0;
        while (compiling.test(conversations) && took < MOST_MS) {
            took = Math.min(MOST_MS, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin));
            Thread.onSpinWait();
        }
        return took;
    }

    /** A compiler that has compiled so many milliseconds longer each time that it is asked. */
    private static final class Compiler implements CompilationMXBean {
        private final long more;
        private long total;

        private Compiler(long more) {
            this.more = more;
        }

        @Override
        public long getTotalCompilationTime() {
            total += more;
            return total;
        }

        @Override
        public String getName() {
            return "fake";
        }

        @Override
        public boolean isCompilationTimeMonitoringSupported() {
            return true;
        }

        @Override
        public ObjectName getObjectName() {
            throw new UnsupportedOperationException();
        }
    }
}
