package org.keyline.gateway.views;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import org.keyline.planner.statement.KeylineViews;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.codec.ExecuteParameters;

/**
 * A read of views, as a client wrote it. Immutable.
 *
 * @param reads what it reads, and where its placeholders are
 */
public record ViewRead(String sql, KeylineViews.Views reads) {
    /** Placeholders of the text. */
    public int parameters() {
        return reads.placeholders().size();
    }

    /** The text with values in place of its placeholders. */
    public ViewRead bound(ExecuteParameters values) {
        byte[] text = sql.getBytes(UTF_8);
        StringBuilder bound = new StringBuilder();
        List<Integer> places = reads.placeholders();
        int from = 0;
        for (int i = 0; i < places.size(); i++) {
            int at = places.get(i);
            bound.append(new String(text, from, at - from, UTF_8)).append(literal(values, i));
            from = at + 1;
        }
        bound.append(new String(text, from, text.length - from, UTF_8));
        return new ViewRead(bound.toString(), reads);
    }

    private static String literal(ExecuteParameters values, int i) {
        if (values.isNull(i)) {
            return "NULL";
        }
        String text = values.text(i, UTF_8);
        return switch (values.type(i)) {
            case ColumnType.TINY,
                    ColumnType.SHORT,
                    ColumnType.INT24,
                    ColumnType.LONG,
                    ColumnType.LONGLONG,
                    ColumnType.YEAR,
                    ColumnType.FLOAT,
                    ColumnType.DOUBLE -> text;
            default -> quoted(text);
        };
    }

    /** A string literal of MySQL. */
    static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'";
    }
}
