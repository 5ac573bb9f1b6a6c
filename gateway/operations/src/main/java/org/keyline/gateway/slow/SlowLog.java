package org.keyline.gateway.slow;

import static java.nio.charset.StandardCharsets.UTF_8;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.LayoutBase;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.status.Status;
import ch.qos.logback.core.status.StatusListener;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.config.ConfigKeys;
import org.keyline.gateway.config.ConfigValues;
import org.keyline.gateway.log.BoundedLog;
import org.keyline.gateway.log.LogBudget;
import org.slf4j.LoggerFactory;

/** Logs slow statements, in memory and in a file. Hits without a load never count. Thread-safe. */
public final class SlowLog implements AutoCloseable {
    /** Maximum number of statements in memory. */
    static final int MOST = 500;

    private static final int LINES_PER_SECOND = 20;
    private static final org.slf4j.Logger LOG = LoggerFactory.getLogger(SlowLog.class);
    private static final Set<PosixFilePermission> OWNER_AND_GROUP = PosixFilePermissions.fromString("rw-r-----");

    private final ConfigValues config;
    private final Deque<SlowStatement> last = new ArrayDeque<>();
    private final LogBudget lines = new LogBudget(LINES_PER_SECOND, Duration.ofSeconds(1));
    private final @Nullable Logger file;

    /** Opens the configured file. A later change of its configuration key has no effect. */
    public SlowLog(ConfigValues config) {
        this.config = config;
        Path path = config.find(ConfigKeys.LOG_SLOW_FILE);
        file = path == null ? null : logger(path);
    }

    private static Logger logger(Path path) {
        LoggerContext context = new LoggerContext();
        context.setMDCAdapter(new LogbackMDCAdapter());
        context.getStatusManager().add((StatusListener) status -> {
            if (status.getLevel() >= Status.WARN) {
                LOG.warn(
                        "The slow log {} may miss statements; the view keyline.slow still has the last {}: {}",
                        path,
                        MOST,
                        status.getMessage(),
                        status.getThrowable());
            }
        });
        Lines lines = new Lines();
        lines.setContext(context);
        lines.start();
        LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
        encoder.setContext(context);
        encoder.setCharset(UTF_8);
        encoder.setLayout(lines);
        encoder.start();
        create(path);
        FileAppender<ILoggingEvent> written = new FileAppender<>();
        written.setContext(context);
        written.setFile(path.toString());
        written.setEncoder(encoder);
        written.start();
        BoundedLog bounded = new BoundedLog();
        bounded.setContext(context);
        bounded.addAppender(written);
        bounded.start();
        Logger logger = context.getLogger(SlowLog.class);
        logger.setLevel(Level.INFO);
        logger.addAppender(bounded);
        return logger;
    }

    /** Creates a file that only owner and group can access. An existing file keeps its mode. */
    private static void create(Path path) {
        boolean posix = path.getFileSystem().supportedFileAttributeViews().contains("posix");
        FileAttribute<?>[] mode = posix
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(OWNER_AND_GROUP)}
                : new FileAttribute<?>[0];
        try {
            if (Files.notExists(path)) {
                Files.createFile(path, mode);
                if (posix) {
                    // The umask may have removed the group's permission.
                    Files.setPosixFilePermissions(path, OWNER_AND_GROUP);
                }
            }
        } catch (IOException e) {
            LOG.warn(
                    "The slow log {} cannot be created, so slow statements are only in the view keyline.slow: {}",
                    path,
                    e.toString());
        }
    }

    public boolean isSlow(long nanos) {
        Duration threshold = config.get(ConfigKeys.LOG_SLOW_THRESHOLD).orElse(null);
        return threshold != null && nanos >= threshold.toNanos();
    }

    public void add(SlowStatement slow) {
        synchronized (last) {
            if (last.size() == MOST) {
                last.removeFirst();
            }
            last.addLast(slow);
        }
        if (file != null) {
            int dropped = lines.take(System.nanoTime());
            if (dropped != LogBudget.SPENT) {
                file.info("", slow, dropped);
            }
        }
    }

    /** Returns the statements in memory, the oldest first. */
    public List<SlowStatement> last() {
        synchronized (last) {
            return List.copyOf(last);
        }
    }

    /** Formats a statement as a line of JSON, with the number of statements dropped before it. */
    private static final class Lines extends LayoutBase<ILoggingEvent> {
        private final ObjectMapper json = new ObjectMapper();

        @Override
        public String doLayout(ILoggingEvent event) {
            Object[] arguments = event.getArgumentArray();
            Map<String, Object> fields = new LinkedHashMap<>();
            if (arguments != null && arguments[0] instanceof SlowStatement slow) {
                fields.putAll(slow.fields());
                if (arguments[1] instanceof Integer dropped && dropped > 0) {
                    fields.put("dropped", dropped);
                }
            } else {
                fields.put("time", Instant.ofEpochMilli(event.getTimeStamp()));
                fields.put("message", event.getFormattedMessage());
            }
            fields.replaceAll((name, value) -> value instanceof Instant time ? time.toString() : value);
            try {
                return json.writeValueAsString(fields) + "\n";
            } catch (JsonProcessingException e) {
                throw new IllegalStateException("a statement cannot be written as JSON", e);
            }
        }
    }

    /** Writes the remaining statements. Takes at most a second. */
    @Override
    public void close() {
        if (file != null) {
            file.getLoggerContext().stop();
        }
    }
}
