package org.keyline.gateway.log;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.transport.OutOfMemory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stops the process on an {@link OutOfMemoryError}, after which some threads would be missing. The
 * error may be uncaught, passed on by a channel handler ({@link OutOfMemory}), or logged
 * ({@link BoundedLog}), as Netty does for tasks of event loops. Does nothing before {@link #arm},
 * so that an embedded gateway never stops its host program. Thread-safe.
 */
public final class FatalErrors {
    /**
     * The exit status of {@code -XX:+ExitOnOutOfMemoryError}. That option ignores errors that Java
     * code throws, such as those for direct memory.
     */
    public static final int STATUS = 3;

    private static final Logger LOG = LoggerFactory.getLogger(FatalErrors.class);
    private static final int MAX_TELL_MS = 200;

    /**
     * Writes the last message; null before {@link #arm}. Created early, because memory for a thread
     * may be missing later.
     */
    private static volatile @Nullable Thread lastWords;

    /** Guarded by the class. */
    private static boolean ending;

    private FatalErrors() {}

    /**
     * Starts to stop the process on such errors.
     *
     * @param report reports the error to the operator, on its own thread; may block
     */
    public static void arm(Consumer<String> report) {
        Thread teller = new Thread(
                () -> {
                    try {
                        awaitEnd();
                        report.accept("out of memory: the process stops; see limits.memory");
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
            LOG.error("thread {} died of an unexpected error", thread.getName(), thrown);
        });
    }

    private static void awaitEnd() throws InterruptedException {
        synchronized (FatalErrors.class) {
            while (!ending) {
                FatalErrors.class.wait();
            }
        }
    }

    /** Stops the process if this is such an error, or was caused by one. */
    static void check(Throwable thrown) {
        Thread teller = lastWords;
        if (teller == null || !OutOfMemory.caused(thrown)) {
            return;
        }
        try {
            synchronized (FatalErrors.class) {
                ending = true;
                FatalErrors.class.notifyAll();
            }
            teller.join(MAX_TELL_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            Runtime.getRuntime().halt(STATUS);
        }
    }
}
