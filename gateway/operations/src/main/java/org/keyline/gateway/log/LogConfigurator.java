package org.keyline.gateway.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.spi.ContextAwareBase;

/**
 * Configures Logback to write lines to standard error. A configuration file would need an XML
 * parser, which makes the start slower. {@code -Dlogback.configurationFile} names a file to use
 * instead.
 */
public final class LogConfigurator extends ContextAwareBase implements Configurator {
    private static final String FILE = "logback.configurationFile";

    @Override
    public ExecutionStatus configure(LoggerContext context) {
        if (System.getProperty(FILE) != null) {
            return ExecutionStatus.NEUTRAL;
        }
        LineLayout layout = new LineLayout();
        layout.setContext(context);
        layout.start();
        LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
        encoder.setContext(context);
        encoder.setLayout(layout);
        encoder.start();
        ConsoleAppender<ILoggingEvent> stderr = new ConsoleAppender<>();
        stderr.setContext(context);
        stderr.setName(LogSettings.WRITER);
        stderr.setTarget("System.err");
        stderr.setEncoder(encoder);
        stderr.start();
        BoundedLog bounded = new BoundedLog();
        bounded.setContext(context);
        bounded.setName(LogSettings.BOUNDED);
        bounded.addAppender(stderr);
        bounded.start();
        context.getLogger("io.netty").setLevel(Level.WARN);
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.INFO);
        root.addAppender(bounded);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }
}
