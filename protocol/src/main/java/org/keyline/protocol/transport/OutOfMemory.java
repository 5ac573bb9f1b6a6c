package org.keyline.protocol.transport;

/**
 * Passes {@link OutOfMemoryError}s that a handler has caught to the uncaught-exception handler of
 * their thread. A program that exits on such errors sets that handler.
 */
public final class OutOfMemory {
    private static final int MAX_CAUSES = 16;

    private OutOfMemory() {}

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

    public static void report(Throwable thrown) {
        if (caused(thrown)) {
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
        }
    }
}
