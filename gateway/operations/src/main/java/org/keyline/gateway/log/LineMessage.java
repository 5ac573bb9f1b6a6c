package org.keyline.gateway.log;

import ch.qos.logback.classic.pattern.ClassicConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;

/** Formats the message of an event as one line. Thread-safe. */
public final class LineMessage extends ClassicConverter {
    @Override
    public String convert(ILoggingEvent event) {
        return Escape.line(String.valueOf(event.getFormattedMessage()));
    }
}
