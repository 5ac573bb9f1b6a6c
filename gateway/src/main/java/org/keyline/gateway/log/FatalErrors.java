package org.keyline.gateway.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;

/**
 * Ends the process on an error that would leave half of it alive, in any thread: when memory is exhausted, or when a class cannot be loaded since
 * the program's file was overwritten. Whoever catches what a task or a handler throws logs it, Netty's event loops too: so this looks at every
 * event for such an error, whatever its level. Does nothing before {@link #arm}, so that a gateway within another program does not end that.
 * Thread-safe.
 */
public final class FatalErrors extends TurboFilter {
    private static final int MAX_CAUSES = 16;
    private static final int MAX_TELL_MS = 200;

    private static final org.slf4j.Logger LAST_LOGGER = org.slf4j.LoggerFactory.getLogger(FatalErrors.class);

    /** Set last by {@link #arm}. */
    private static volatile @Nullable BooleanSupplier overwritten;

    private static volatile @Nullable Thread lastWords;

    /** Guarded by the class: why the process ends. */
    private static @Nullable Fatal told;

    /** Why a process ends by itself. */
    public enum Fatal {
        /** With the exit status of {@code -XX:+ExitOnOutOfMemoryError}. */
        MEMORY(3, "out of memory, the process ends; see limits.memory"),
        PROGRAM(4, "a class cannot be loaded, since the program's file was overwritten; the process ends");

        private final int status;
        private final String message;

        Fatal(int status, String message) {
            this.status = status;
            this.message = message;
        }

        /** The exit status of the process. */
        public int status() {
            return status;
        }
    }

    /**
     * From now on, the process ends.
     *
     * @param tell tells the operator, in a thread of its own; may block
     * @param fileOverwritten whether the program's file is another one than that which it was started from; asked in any thread
     */
    public static void arm(Consumer<String> tell, BooleanSupplier fileOverwritten) {
        // Made ahead: there may be no memory for a thread when it is needed.
        Thread teller = new Thread(
                () -> {
                    try {
                        tell.accept(await().message);
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
        // A rehearsal: when it is needed, no class can be loaded any more.
        for (Throwable thrown : new Throwable[] {new OutOfMemoryError(), new LinkageError()}) {
            Fatal unused = find(thrown, fileOverwritten);
        }
        overwritten = fileOverwritten;
    }

    private static Fatal await() throws InterruptedException {
        synchronized (FatalErrors.class) {
            Fatal now = told;
            while (now == null) {
                FatalErrors.class.wait();
                now = told;
            }
            return now;
        }
    }

    /** Ends the process if this is, or comes from, such an error. */
    public static void check(@Nullable Throwable thrown) {
        BooleanSupplier armed = overwritten;
        if (armed != null && thrown != null) {
            Fatal fatal = find(thrown, armed);
            if (fatal != null) {
                end(fatal);
            }
        }
    }

    static @Nullable Fatal find(Throwable thrown, BooleanSupplier fileOverwritten) {
        Throwable cause = thrown;
        for (int i = 0; i < MAX_CAUSES && cause != null; i++) {
            if (cause instanceof OutOfMemoryError) {
                return Fatal.MEMORY;
            }
            // Libraries try for classes that are not there; that is no reason.
            if ((cause instanceof LinkageError || cause instanceof ClassNotFoundException)
                    && fileOverwritten.getAsBoolean()) {
                return Fatal.PROGRAM;
            }
            cause = cause.getCause();
        }
        return null;
    }

    private static void end(Fatal fatal) {
        Thread teller = lastWords;
        try {
            synchronized (FatalErrors.class) {
                told = fatal;
                FatalErrors.class.notifyAll();
            }
            if (teller != null) {
                teller.join(MAX_TELL_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            Runtime.getRuntime().halt(fatal.status());
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
        if (overwritten != null) {
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
