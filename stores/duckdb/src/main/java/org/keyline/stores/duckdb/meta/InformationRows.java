package org.keyline.stores.duckdb.meta;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.keyline.stores.duckdb.engine.EngineConnection;

/**
 * Rows of {@code information_schema} that are to be added, all of one table together: it has over a thousand at every start. Confined to
 * one thread.
 */
final class InformationRows {
    private final Map<String, List<List<@Nullable Object>>> rows = new LinkedHashMap<>();

    void add(String view, @Nullable Object... cells) {
        add(view, Arrays.asList(cells));
    }

    void add(String view, List<@Nullable Object> row) {
        rows.computeIfAbsent(view, first -> new ArrayList<>()).add(row);
    }

    /** Adds them all, in the transaction that is open. */
    void append(EngineConnection connection) throws SQLException {
        for (Map.Entry<String, List<List<@Nullable Object>>> of : rows.entrySet()) {
            String view = of.getKey();
            String table = view.equals("TABLES") ? InformationSchema.TABLES : view;
            SystemViews.append(view, table, of.getValue(), connection);
        }
        rows.clear();
    }
}
