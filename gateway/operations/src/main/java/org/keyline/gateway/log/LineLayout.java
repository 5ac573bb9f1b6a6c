package org.keyline.gateway.log;

import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.LayoutBase;
import ch.qos.logback.core.util.CachingDateFormatter;

/**
 * Formats an event as one line: time, level, simple name of the logger, message. The lines of a
 * stack trace follow, indented. Message and trace are escaped, since they may contain a client's
 * text. Thread-safe.
 */
final class LineLayout extends LayoutBase<ILoggingEvent> {
    private static final int LEVEL_WIDTH = 5;

    private final CachingDateFormatter time = new CachingDateFormatter("yyyy-MM-dd'T'HH:mm:ss.SSSXXX");
    private final Trace trace = new Trace();

    @Override
    public void start() {
        trace.start();
        super.start();
    }

    @Override
    public String doLayout(ILoggingEvent event) {
        String level = event.getLevel().toString();
        String logger = event.getLoggerName();
        return time.format(event.getTimeStamp())
                + ' '
                + level
                + " ".repeat(Math.max(0, LEVEL_WIDTH - level.length()))
                + ' '
                + logger.substring(logger.lastIndexOf('.') + 1)
                + ": "
                + Escape.line(String.valueOf(event.getFormattedMessage()))
                + System.lineSeparator()
                + trace.convert(event);
    }

    private static final class Trace extends ThrowableProxyConverter {
        @Override
        protected String throwableProxyToString(IThrowableProxy thrown) {
            return Escape.trace(super.throwableProxyToString(thrown));
        }
    }
}
