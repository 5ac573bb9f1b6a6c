package org.keyline.gateway.views;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A view with its columns. Each request computes the rows anew. Thread-safe.
 *
 * @param rows returns the rows for a reader. Each row has one cell per column: a Long, Double,
 * String or null
 */
public record View(String name, List<Column> columns, Function<Asker, List<List<@Nullable Object>>> rows) {
    public View {
        columns = List.copyOf(columns);
    }

    public enum Type {
        INTEGER("bigint", "a number"),
        NUMBER("double", "a number"),
        TEXT("varchar(8192)", "a string"),
        /** A time in UTC, to the millisecond. */
        TIME("datetime(3)", "a time such as '2026-11-28 10:00:00'");

        final String declared;
        /** The operands that a comparison allows, in words, for error messages. */
        final String operands;

        Type(String declared, String operands) {
            this.declared = declared;
            this.operands = operands;
        }
    }

    public record Column(String name, Type type) {}

    /**
     * The session that reads the view.
     *
     * @param last the session's row of the view {@code last}
     */
    public record Asker(List<@Nullable Object> last) {}

    /** @param columns the columns in the form {@code name TYPE, …} */
    static View of(String name, String columns, Function<Asker, List<List<@Nullable Object>>> rows) {
        return new View(
                name,
                Stream.of(columns.strip().split(",\\s+")).map(View::column).toList(),
                rows);
    }

    private static Column column(String written) {
        int space = written.indexOf(' ');
        return new Column(
                written.substring(0, space),
                Type.valueOf(written.substring(space + 1).toUpperCase(Locale.ROOT)));
    }

    /** Returns the index of a column; a negative number if the name is unknown. */
    int indexOf(String column) {
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).name().equalsIgnoreCase(column)) {
                return i;
            }
        }
        return -1;
    }
}
