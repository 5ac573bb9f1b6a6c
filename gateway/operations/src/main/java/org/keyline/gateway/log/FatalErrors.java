package org.keyline.gateway.log;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.transport.OutOfMemory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stops the process on an {@link OutOfMemoryError}, because the error may have stopped threads that
 * the gateway needs. The error may be uncaught, passed on by a channel handler
 * ({@link OutOfMemory}), or logged ({@link BoundedLog}). Does nothing before {@link #arm}, so that
 * an embedded gateway never stops its host program. Thread-safe.
 */
public final class FatalErrors {
    /** The exit status of {@code -XX:+ExitOnOutOfMemoryError}, which misses errors of Java code. */
    public static final int STATUS = 3;

    private static final Logger LOG = LoggerFactory.getLogger(FatalErrors.class);
    private static final int MAX_REPORT_MS = 200;

    /** Reports the error. Created by {@link #arm}, because later the memory may be missing. */
    private static volatile @Nullable Thread reporter;

    /** Guarded by the class. */
    private static boolean ending;

    private FatalErrors() {}

    /**
     * Makes an {@link OutOfMemoryError} stop the process from now on.
     *
     * @param report reports the error to the operator, on its own thread; may block
     */
    public static void arm(Consumer<String> report) {
        Thread writer = new Thread(
                () -> {
                    try {
                        awaitEnd();
                        report.accept("out of memory: the process stops; see limits.memory");
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "keyline-fatal-error");
        writer.setDaemon(true);
        writer.start();
        reporter = writer;
        Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> {
            check(thrown);
            LOG.error("Thread {} stopped because of an error in Keyline. Please report it.", thread.getName(), thrown);
        });
    }

    private static void awaitEnd() throws InterruptedException {
        synchronized (FatalErrors.class) {
            while (!ending) {
                FatalErrors.class.wait();
            }
        }
    }

    static void check(Throwable thrown) {
        Thread writer = reporter;
        if (writer == null || !OutOfMemory.caused(thrown)) {
            return;
        }
        try {
            synchronized (FatalErrors.class) {
                ending = true;
                FatalErrors.class.notifyAll();
            }
            writer.join(MAX_REPORT_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            Runtime.getRuntime().halt(STATUS);
        }
    }
}
