package org.keyline.protocol.transport;

/**
 * An {@link OutOfMemoryError} that a handler has caught. It goes to the uncaught-exception handler of its thread, as if nobody had caught it: a
 * program that ends on such errors sets one.
 */
public final class OutOfMemory {
    private static final int MAX_CAUSES = 16;

    private OutOfMemory() {}

    /** Returns whether this is such an error, or was caused by one. */
    public static boolean caused(Throwable thrown) {
        Throwable cause = thrown;
        for (int i = 0; i < MAX_CAUSES && cause != null; i++) {
            if (cause instanceof OutOfMemoryError) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }

    /** Hands the error on; does nothing for any other. */
    public static void report(Throwable thrown) {
        if (caused(thrown)) {
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
        }
    }
}
