package org.keyline.gateway.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.Encoder;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.config.ConfigKeys;
import org.keyline.gateway.config.GatewayConfig;

/** Changes the level and the format of the log at run time. Thread-safe. */
public final class LogSettings {
    /** The names of the appenders. */
    static final String BOUNDED = "bounded";

    static final String WRITER = "stderr";

    private final Logger root;
    private final @Nullable OutputStreamAppender<ILoggingEvent> out;
    private final @Nullable Encoder<ILoggingEvent> text;
    /** The last configured level; at first the default. */
    private Level level = Level.INFO;

    /**
     * @param context the loggers. Unless {@link LogConfigurator} has set them up, their format
     * stays, and their level follows only changes of the configured level
     */
    public LogSettings(LoggerContext context) {
        root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        Appender<ILoggingEvent> writer =
                root.getAppender(BOUNDED) instanceof BoundedLog bounded ? bounded.getAppender(WRITER) : null;
        out = writer instanceof OutputStreamAppender<ILoggingEvent> stream ? stream : null;
        text = out == null ? null : out.getEncoder();
    }

    public synchronized void apply(GatewayConfig config) {
        Level configured = Level.toLevel(config.get(ConfigKeys.LOG_LEVEL).name());
        if (out != null || !configured.equals(level)) {
            root.setLevel(configured);
        }
        level = configured;
        if (out == null) {
            return;
        }
        boolean json = out.getEncoder() instanceof JsonEncoder;
        if (json == config.get(ConfigKeys.LOGS_TEXT)) {
            out.setEncoder(json ? text : json());
        }
    }

    private JsonEncoder json() {
        JsonEncoder json = new JsonEncoder();
        json.setContext(root.getLoggerContext());
        json.setWithSequenceNumber(false);
        json.setWithNanoseconds(false);
        json.setWithContext(false);
        json.setWithMarkers(false);
        json.setWithMDC(false);
        json.setWithKVPList(false);
        json.setWithMessage(false);
        json.setWithArguments(false);
        json.setWithFormattedMessage(true);
        json.start();
        return json;
    }
}
