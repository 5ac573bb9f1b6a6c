package org.keyline.gateway.log;

import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.IThrowableProxy;

/** Prints stack traces with escaped text, since a message may come from a client. */
public final class IndentedTrace extends ThrowableProxyConverter {
    @Override
    protected String throwableProxyToString(IThrowableProxy thrown) {
        return Escape.trace(super.throwableProxyToString(thrown));
    }
}
