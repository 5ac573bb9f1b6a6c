package org.keyline.stores.duckdb.session;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.keyline.stores.duckdb.engine.EngineConnection;
import org.keyline.stores.duckdb.meta.SystemViews;
import org.keyline.stores.duckdb.translate.Relations.Relation;

/** Creates the temporary tables that show a session's state, just before a statement reads them. */
final class SessionTables {
    private final DuckDbState session;

    SessionTables(DuckDbState session) {
        this.session = session;
    }

    void fill(Relation relation, EngineConnection connection) throws SQLException {
        SystemViews.fill(relation, rows(relation.name().table()), connection);
    }

    private List<List<@Nullable Object>> rows(String table) {
        return switch (table) {
            case "PROCESSLIST" -> session.services().sessions().processes();
            case "SESSION_VARIABLES" -> named(session.variables().all(false));
            case "GLOBAL_VARIABLES" -> named(session.variables().all(true));
            case "SESSION_STATUS", "GLOBAL_STATUS" -> named(status());
            default -> diagnostics();
        };
    }

    private List<List<@Nullable Object>> diagnostics() {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (Diagnostics.Condition condition : session.diagnostics().conditions()) {
            rows.add(row((long) rows.size(), condition.level(), condition.code(), condition.message()));
        }
        return rows;
    }

    private static List<List<@Nullable Object>> named(List<Map.Entry<String, String>> entries) {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        entries.forEach(entry -> rows.add(row(entry.getKey(), entry.getValue())));
        return rows;
    }

    private List<Map.Entry<String, String>> status() {
        StoreServices services = session.services();
        return List.of(
                Map.entry("Com_commit", Long.toString(services.writer().commits())),
                Map.entry("Connections", Long.toString(services.sessions().opened())),
                Map.entry("Innodb_page_size", "16384"),
                Map.entry(
                        "Prepared_stmt_count",
                        Integer.toString(services.prepared().get())),
                Map.entry("Queries", Long.toString(services.sessions().statements())),
                Map.entry("Questions", Long.toString(services.sessions().statements())),
                Map.entry("Slow_queries", "0"),
                Map.entry("Ssl_cipher", ""),
                Map.entry("Ssl_version", ""),
                Map.entry(
                        "Threads_connected",
                        Integer.toString(services.sessions().open())),
                Map.entry("Threads_running", "1"),
                Map.entry("Uptime", Long.toString(services.uptimeSeconds())),
                Map.entry("Writes_committed", Long.toString(services.writer().writes())));
    }

    private static List<@Nullable Object> row(@Nullable Object... cells) {
        return Arrays.asList(cells);
    }
}
