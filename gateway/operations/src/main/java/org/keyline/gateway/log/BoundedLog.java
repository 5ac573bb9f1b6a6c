package org.keyline.gateway.log;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;

/**
 * An appender that writes lines on its own thread, so that a terminal or pipe without a reader
 * blocks no event loop. If its queue is full, it drops and counts further lines, and logs the count
 * when the queue has room again. An OutOfMemoryError in a logged event stops the process.
 * Thread-safe.
 */
public final class BoundedLog extends AsyncAppender {
    private static final int MAX_LINES = 512;
    private static final int MAX_FLUSH_MS = 1_000;
    /** The queue places that a line needs: its own, and one for the count of dropped lines. */
    private static final int ROOM = 2;

    private long dropped;

    public BoundedLog() {
        setQueueSize(MAX_LINES);
        setDiscardingThreshold(0);
        setNeverBlock(true);
        setMaxFlushTime(MAX_FLUSH_MS);
    }

    @Override
    protected void append(ILoggingEvent line) {
        if (line.getThrowableProxy() instanceof ThrowableProxy thrown) {
            FatalErrors.check(thrown.getThrowable());
        }
        // Without the lock, another thread could add lines between the check and the append. The
        // writing thread only removes lines.
        synchronized (this) {
            if (getRemainingCapacity() < ROOM) {
                dropped++;
                return;
            }
            if (dropped > 0) {
                super.append(new LoggingEvent(
                        BoundedLog.class.getName(),
                        ((LoggerContext) getContext()).getLogger(BoundedLog.class),
                        Level.WARN,
                        "{} log lines were dropped, because nothing read them from standard error in time",
                        null,
                        new Object[] {dropped}));
                dropped = 0;
            }
            super.append(cut(line));
        }
    }

    /** Truncates a long message, since the JSON encoder would write all of it. */
    private ILoggingEvent cut(ILoggingEvent line) {
        String message = line.getFormattedMessage();
        if (message == null || message.length() <= Escape.MAX_CHARS) {
            return line;
        }
        LoggingEvent shorter = new LoggingEvent(
                BoundedLog.class.getName(),
                ((LoggerContext) getContext()).getLogger(line.getLoggerName()),
                line.getLevel(),
                Escape.cut(message),
                null,
                null);
        shorter.setInstant(line.getInstant());
        shorter.setThreadName(line.getThreadName());
        if (line.getThrowableProxy() instanceof ThrowableProxy thrown) {
            shorter.setThrowableProxy(thrown);
        }
        return shorter;
    }
}
