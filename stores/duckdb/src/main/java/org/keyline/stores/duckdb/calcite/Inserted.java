package org.keyline.stores.duckdb.calcite;

import java.util.List;
import org.keyline.planner.StatementRefusedException;

/** VALUES(column) of ON DUPLICATE KEY UPDATE: the value that would have been inserted. */
final class Inserted {

    /** How DuckDB names the row that would have been inserted. */
    static final String ALIAS = "excluded";

    private Inserted() {}

    static Typed column(FunctionCall call, NameScope scope) {
        String column = call.arity(1, 1).word(0);
        Typed found = scope.own(List.of(ALIAS, column), "field list");
        if (found == null) {
            throw new StatementRefusedException(1054, "42S22", "Unknown column '" + column + "' in 'field list'");
        }
        return found;
    }
}
