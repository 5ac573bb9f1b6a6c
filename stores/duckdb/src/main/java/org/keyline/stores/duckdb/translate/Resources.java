package org.keyline.stores.duckdb.translate;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;

/**
 * Reads text files of the jar, which list the store's functions, SHOW statements, system views and
 * variables.
 */
public final class Resources {
    private Resources() {}

    /** Returns the text of a file in the package of a class. */
    public static String text(Class<?> beside, String name) {
        try (InputStream in = Objects.requireNonNull(beside.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the lines of the file that are not empty and do not begin with {@code #}. */
    public static List<String> lines(Class<?> beside, String name) {
        return text(beside, name)
                .lines()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .toList();
    }
}
