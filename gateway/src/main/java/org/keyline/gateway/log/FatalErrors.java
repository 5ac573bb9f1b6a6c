package org.keyline.gateway.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;

/**
 * Ends the process on an {@link OutOfMemoryError}, in any thread: it would leave half of it alive. Whoever catches what a task or a handler throws
 * logs it, Netty's event loops too: so this looks at every event for such an error, whatever its level. Does nothing before {@link #arm}, so
 * that a gateway within another program does not end that. Thread-safe.
 */
public final class FatalErrors extends TurboFilter {
    private static final int MAX_CAUSES = 16;
    private static final int MAX_TELL_MS = 200;

    private static final org.slf4j.Logger LAST_LOGGER = org.slf4j.LoggerFactory.getLogger(FatalErrors.class);

    /** The exit status of {@code -XX:+ExitOnOutOfMemoryError}. */
    private static final int STATUS = 3;

    private static final String MESSAGE = "out of memory, the process ends; see limits.memory";

    /** Set last by {@link #arm}. */
    private static volatile boolean armed;

    private static volatile @Nullable Thread lastWords;

    /** Guarded by the class. */
    private static boolean ending;

    /**
     * From now on, the process ends.
     *
     * @param tell tells the operator, in a thread of its own; may block
     */
    public static void arm(Consumer<String> tell) {
        // Made ahead: there may be no memory for a thread when it is needed.
        Thread teller = new Thread(
                () -> {
                    try {
                        awaitEnd();
                        tell.accept(MESSAGE);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "keyline-last-words");
        teller.setDaemon(true);
        teller.start();
        lastWords = teller;
        Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> {
            check(thrown);
            LAST_LOGGER.error("thread {} ended", thread.getName(), thrown);
        });
        armed = true;
    }

    private static void awaitEnd() throws InterruptedException {
        synchronized (FatalErrors.class) {
            while (!ending) {
                FatalErrors.class.wait();
            }
        }
    }

    /** Ends the process if this is, or comes from, such an error. */
    public static void check(@Nullable Throwable thrown) {
        if (armed && thrown != null && isOutOfMemory(thrown)) {
            end();
        }
    }

    static boolean isOutOfMemory(Throwable thrown) {
        Throwable cause = thrown;
        for (int i = 0; i < MAX_CAUSES && cause != null; i++) {
            if (cause instanceof OutOfMemoryError) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }

    private static void end() {
        Thread teller = lastWords;
        try {
            synchronized (FatalErrors.class) {
                ending = true;
                FatalErrors.class.notifyAll();
            }
            if (teller != null) {
                teller.join(MAX_TELL_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            Runtime.getRuntime().halt(STATUS);
        }
    }

    @Override
    public FilterReply decide(
            @Nullable Marker marker,
            Logger logger,
            Level level,
            @Nullable String format,
            Object @Nullable [] arguments,
            @Nullable Throwable thrown) {
        if (armed) {
            check(thrown);
            if (arguments != null
                    && arguments.length > 0
                    && arguments[arguments.length - 1] instanceof Throwable last) {
                check(last);
            }
        }
        return FilterReply.NEUTRAL;
    }
}
