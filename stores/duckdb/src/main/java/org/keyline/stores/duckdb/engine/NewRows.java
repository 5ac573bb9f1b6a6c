package org.keyline.stores.duckdb.engine;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows of bare values that are added to a table, all or none: a row with the key of one that is there, or of another of them, fails.
 *
 * <p>DuckDB takes several rows in one statement for little more than one, so INSERTs of many clients become one statement, or a few of
 * {@link RowCounts}.
 *
 * @param head the statement up to its rows
 * @param rows values as DuckDB takes them; all rows have as many
 */
public record NewRows(String head, List<List<@Nullable Object>> rows) implements Work {
    public NewRows {
        rows = Collections.unmodifiableList(new ArrayList<>(rows));
    }

    /** Whether both add rows to the same columns of the same table. */
    boolean joins(NewRows other) {
        return head.equals(other.head);
    }

    /** One addition of all these rows, in their order. */
    static NewRows joined(List<NewRows> additions) {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        additions.forEach(addition -> rows.addAll(addition.rows));
        return new NewRows(additions.get(0).head, rows);
    }

    @Override
    public long apply(EngineConnection connection) throws SQLException {
        long added = 0;
        for (int from = 0; from < rows.size(); ) {
            int count = RowCounts.of(rows.size() - from);
            List<@Nullable Object> values = new ArrayList<>();
            rows.subList(from, from + count).forEach(values::addAll);
            added += connection.update(insert(count), values);
            from += count;
        }
        return added;
    }

    private String insert(int count) {
        String row = "(?" + ", ?".repeat(rows.get(0).size() - 1) + ")";
        return head + row + (", " + row).repeat(count - 1);
    }
}
