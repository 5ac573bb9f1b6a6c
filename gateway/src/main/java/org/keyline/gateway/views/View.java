package org.keyline.gateway.views;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One view: its columns, and its rows as of the moment when they are asked for. Thread-safe.
 *
 * @param rows of an asker; each as wide as {@code columns}, of Long, Double and String, or null
 */
public record View(String name, List<Column> columns, Function<Asker, List<List<@Nullable Object>>> rows) {
    public View {
        columns = List.copyOf(columns);
    }

    /** Kinds of cells. */
    public enum Type {
        INTEGER("BIGINT"),
        NUMBER("DOUBLE"),
        TEXT("VARCHAR(8192)"),
        /** To the millisecond, in UTC. */
        TIME("DATETIME(3)");

        final String declared;

        Type(String declared) {
            this.declared = declared;
        }
    }

    /** A column. */
    public record Column(String name, Type type) {}

    /** Who asks: {@code last} is what KEYLINE LAST would tell that session, as a row of the view of that name. */
    public record Asker(List<@Nullable Object> last) {}

    /** A view whose columns are written {@code name TYPE}. */
    static View of(String name, Function<Asker, List<List<@Nullable Object>>> rows, String... columns) {
        return new View(name, List.of(columns).stream().map(View::column).toList(), rows);
    }

    private static Column column(String written) {
        int space = written.indexOf(' ');
        return new Column(
                written.substring(0, space),
                Type.valueOf(written.substring(space + 1).toUpperCase(Locale.ROOT)));
    }

    /** The place of a column; negative if there is none of the name. */
    int indexOf(String column) {
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).name().equalsIgnoreCase(column)) {
                return i;
            }
        }
        return -1;
    }
}
