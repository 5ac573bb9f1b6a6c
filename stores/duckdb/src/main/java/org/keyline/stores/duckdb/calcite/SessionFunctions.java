package org.keyline.stores.duckdb.calcite;

import java.util.Map;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.calcite.Functions.Function;
import org.keyline.stores.duckdb.translate.Parameter.Source;
import org.keyline.stores.duckdb.translate.SqlType;

/** What a session knows: each is a parameter, so that translations can be shared between sessions. */
final class SessionFunctions {

    private SessionFunctions() {}

    static void register(Map<String, Function> all) {
        put(all, "database", Source.DATABASE, SqlType.STRING);
        put(all, "schema", Source.DATABASE, SqlType.STRING);
        put(all, "user", Source.USER, SqlType.STRING);
        put(all, "session_user", Source.USER, SqlType.STRING);
        put(all, "system_user", Source.USER, SqlType.STRING);
        put(all, "current_user", Source.CURRENT_USER, SqlType.STRING);
        put(all, "connection_id", Source.CONNECTION_ID, SqlType.INTEGER);
        put(all, "row_count", Source.ROW_COUNT, SqlType.INTEGER);
        put(all, "found_rows", Source.FOUND_ROWS, SqlType.INTEGER);
        put(all, "version", Source.VERSION, SqlType.STRING);
        all.put("last_insert_id", c -> {
            if (c.size() > 0) {
                throw StatementRefusedException.unsupported("LAST_INSERT_ID with an argument");
            }
            return session(c, Source.LAST_INSERT_ID, SqlType.INTEGER);
        });
        for (String name :
                new String[] {"sleep", "benchmark", "get_lock", "release_lock", "load_file", "is_free_lock"}) {
            all.put(name, c -> {
                throw StatementRefusedException.unsupported("the function " + c.name());
            });
        }
    }

    private static void put(Map<String, Function> all, String name, Source source, SqlType type) {
        all.put(name, c -> session(c.arity(0, 0), source, type));
    }

    private static Typed session(FunctionCall c, Source source, SqlType type) {
        String cast = type.family() == SqlType.Family.STRING ? "VARCHAR" : "BIGINT";
        return Typed.of(Duck.cast(c.translation().session(source, type).node(), cast), type, source == Source.DATABASE);
    }
}
