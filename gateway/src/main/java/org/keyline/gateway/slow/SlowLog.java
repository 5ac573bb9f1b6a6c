package org.keyline.gateway.slow;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.gateway.log.BoundedLog;
import org.keyline.gateway.log.LogBudget;

/**
 * Keeps the last statements that took long, and writes them to a file where there is to be one, on a thread of its own. Statements that
 * lines answered without a load are not shown to it. Thread-safe.
 */
public final class SlowLog implements AutoCloseable {
    /** So many are kept to be looked at. */
    static final int MOST = 500;

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Supplier<GatewayConfig.SlowLog> settings;
    private final Deque<SlowStatement> last = new ArrayDeque<>();
    private final LogBudget lines;
    private final @Nullable Logger file;

    /** @param settings in force; the file is that of the first ones */
    public SlowLog(Supplier<GatewayConfig.SlowLog> settings) {
        this.settings = settings;
        lines = new LogBudget(() -> settings.get().linesPerSecond(), SECOND);
        Path path = settings.get().file();
        file = path == null ? null : logger(path);
    }

    private static Logger logger(Path path) {
        LoggerContext context = new LoggerContext();
        context.setMDCAdapter(new LogbackMDCAdapter());
        SlowFile written = new SlowFile(path);
        written.setContext(context);
        written.start();
        BoundedLog bounded = new BoundedLog();
        bounded.setContext(context);
        bounded.addAppender(written);
        bounded.start();
        Logger logger = context.getLogger(SlowLog.class);
        logger.setLevel(Level.INFO);
        logger.addAppender(bounded);
        return logger;
    }

    /** Whether a statement that took so long is to be told of. */
    public boolean isSlow(long nanos) {
        Duration threshold = settings.get().threshold();
        return threshold != null && nanos >= threshold.toNanos();
    }

    /** Tells of a statement. */
    public void add(SlowStatement slow) {
        synchronized (last) {
            if (last.size() == MOST) {
                last.removeFirst();
            }
            last.addLast(slow);
        }
        if (file != null) {
            int dropped = lines.take(System.nanoTime());
            if (dropped != LogBudget.SPENT) {
                file.info("", slow, dropped);
            }
        }
    }

    /** The last ones, oldest first. */
    public List<SlowStatement> last() {
        synchronized (last) {
            return List.copyOf(last);
        }
    }

    /** Writes what waits, for a second at most. */
    @Override
    public void close() {
        if (file != null) {
            file.getLoggerContext().stop();
        }
    }
}
