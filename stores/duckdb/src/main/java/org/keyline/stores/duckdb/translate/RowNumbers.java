package org.keyline.stores.duckdb.translate;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;

/**
 * Finds the row of VALUES that contains a literal or placeholder, for errors that name the row or
 * its key. Used by one thread at a time.
 */
public final class RowNumbers {
    private static final String FIRST = " at row 1";

    private final StatementText text;
    /** The result of {@link #starts(List)}; null until an error needs it. */
    private int @Nullable [] starts;

    RowNumbers(StatementText text) {
        this.text = text;
    }

    /** Returns the same error with the number of the row that contains this slot. */
    StatementRefusedException named(StatementRefusedException error, int slot) {
        String message = String.valueOf(error.getMessage());
        int row = slot < 0 || !message.endsWith(FIRST)
                ? 1
                : row(text.slots().get(slot).start());
        return row == 1
                ? error
                : new StatementRefusedException(
                        error.code(), error.sqlState(), message.substring(0, message.length() - 1) + row);
    }

    /**
     * Returns for each row of an INSERT the values that literals and placeholders give to its
     * columns, as DuckDB's literals. NULL and values that the store generates are not among them.
     */
    public static List<Map<String, String>> cells(Step insert, StatementText text) {
        RowNumbers rows = new RowNumbers(text);
        Map<Integer, Map<String, String>> cells = new TreeMap<>();
        for (Parameter parameter : insert.parameters()) {
            ColumnSchema column = parameter.column();
            if (column == null || parameter.slot() < 0) {
                continue;
            }
            ValueSlot slot = text.slots().get(parameter.slot());
            @Nullable Object value = Values.of(slot, parameter);
            boolean generates = parameter.source() == Parameter.Source.AUTO_INCREMENT
                    && Long.valueOf(0).equals(value);
            if (value != null && !generates) {
                cells.computeIfAbsent(rows.row(slot.start()), row -> new HashMap<>())
                        .putIfAbsent(column.name(), DuckLiterals.text(value));
            }
        }
        return List.copyOf(cells.values());
    }

    private int row(int offset) {
        if (starts == null) {
            starts = starts(text.tokens());
        }
        int found = Arrays.binarySearch(starts, offset);
        int row = found < 0 ? -found - 1 : found + 1;
        // The values after ON DUPLICATE KEY belong to no row; row 1 is named.
        return Math.max(1, row == starts.length ? 1 : row);
    }

    /** Returns the byte offset at which each row begins, followed by the end of the rows. */
    private static int[] starts(List<Token> tokens) {
        int[] starts = new int[tokens.size() + 1];
        int rows = 0;
        int depth = 0;
        boolean values = false;
        int end = Integer.MAX_VALUE;
        for (Token token : tokens) {
            if (token.type() == TokenType.LEFT_PARENTHESIS) {
                if (depth == 0 && values) {
                    starts[rows++] = token.start();
                }
                depth++;
            } else if (token.type() == TokenType.RIGHT_PARENTHESIS) {
                depth--;
            } else if (depth == 0 && !values) {
                values = token.is("VALUES") || token.is("VALUE");
            } else if (depth == 0 && token.is("ON")) {
                end = token.start();
                break;
            }
        }
        starts[rows] = end;
        return Arrays.copyOf(starts, rows + 1);
    }
}
