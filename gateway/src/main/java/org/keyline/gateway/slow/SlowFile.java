package org.keyline.gateway.slow;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends lines of JSON to a file, each by one write. Whoever rotates it need tell nobody: before each line the file that has the name is
 * looked at, and where that is another one, or there is none, it is opened anew. Used by one thread at a time.
 */
final class SlowFile extends AppenderBase<ILoggingEvent> {
    private static final Logger LOG = LoggerFactory.getLogger(SlowFile.class);

    private final Path path;
    private @Nullable OutputStream out;
    private @Nullable Object file;
    private long lost;

    SlowFile(Path path) {
        this.path = path;
    }

    @Override
    protected void append(ILoggingEvent event) {
        try {
            current().write((line(event) + "\n").getBytes(UTF_8));
        } catch (IOException e) {
            close();
            if (lost++ == 0) {
                LOG.warn("the slow log {} cannot be written: {}", path, e.toString());
            }
            return;
        }
        if (lost > 0) {
            LOG.info("the slow log {} is written again; {} lines were lost", path, lost);
            lost = 0;
        }
    }

    private OutputStream current() throws IOException {
        OutputStream open = out;
        Object named = named();
        if (open != null && named != null && named.equals(file)) {
            return open;
        }
        close();
        open = Files.newOutputStream(path, CREATE, APPEND);
        out = open;
        file = named();
        return open;
    }

    /** What tells the file of the name from others; null if there is none. */
    private @Nullable Object named() throws IOException {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private static String line(ILoggingEvent event) {
        ObjectNode line = JsonNodeFactory.instance.objectNode();
        Object[] arguments = event.getArgumentArray();
        if (arguments == null || !(arguments[0] instanceof SlowStatement slow)) {
            // How many lines came faster than they could be written.
            line.put("time", Instant.ofEpochMilli(event.getTimeStamp()).toString());
            line.put("message", event.getFormattedMessage());
            return line.toString();
        }
        Spent spent = slow.spent();
        line.put("time", slow.ended().toString())
                .put("id", slow.id())
                .put("user", slow.user())
                .put("host", slow.host())
                .put("schema_name", slow.schema())
                .put("text", slow.text())
                .put("outcome", slow.outcome())
                .put("reason", slow.reason())
                .put("total_us", micros(spent.totalNanos()))
                .put("queue_us", micros(spent.queueNanos()))
                .put("load_us", micros(spent.loadNanos()))
                .put("store_us", micros(spent.storeNanos()))
                .put("write_us", micros(spent.writeNanos()))
                .put("row_count", slow.rows())
                .put("byte_count", slow.bytes())
                .put("error", slow.error());
        if (arguments.length > 1 && arguments[1] instanceof Integer dropped && dropped > 0) {
            line.put("dropped", dropped);
        }
        return line.toString();
    }

    private static long micros(long nanos) {
        return TimeUnit.NANOSECONDS.toMicros(nanos);
    }

    private void close() {
        OutputStream open = out;
        out = null;
        try {
            if (open != null) {
                open.close();
            }
        } catch (IOException e) {
            LOG.warn("the slow log {} was not closed: {}", path, e.toString());
        }
    }

    @Override
    public void stop() {
        super.stop();
        close();
    }
}
