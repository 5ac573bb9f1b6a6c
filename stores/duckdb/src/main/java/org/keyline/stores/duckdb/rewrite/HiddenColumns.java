package org.keyline.stores.duckdb.rewrite;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableModel;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.ddl.TableDefinition.Flavour;
import org.keyline.stores.duckdb.translate.DuckDdl;
import org.keyline.stores.duckdb.translate.Relations;
import org.keyline.stores.duckdb.translate.SqlType;

/** Looks up Doris's hidden columns, which statements may name but {@code *} does not include. */
final class HiddenColumns {
    private static final String PREFIX = "__DORIS_";

    private HiddenColumns() {}

    /**
     * Returns the hidden column of this name; null if the table has none. Throws error 1235 for a
     * column that only Doris can fill.
     */
    static @Nullable Typed of(Source source, String name) {
        Relations.Relation relation = source.relation();
        TableDefinition definition = relation == null ? null : relation.definition();
        String upper = name.toUpperCase(Locale.ROOT);
        if (!upper.startsWith(PREFIX)
                || definition == null
                || definition.flavour() != Flavour.DORIS
                || definition.model() != TableModel.UNIQUE) {
            return null;
        }
        int sequence = DuckDdl.sequenceColumn(definition);
        if (upper.equals("__DORIS_SEQUENCE_COL__") && sequence >= 0) {
            return NameScope.typed(source, source.columns().get(sequence));
        }
        if (!upper.equals("__DORIS_DELETE_SIGN__")) {
            throw refused(upper);
        }
        // Deleted rows do not exist in this store, so the sign of every row is 0.
        return Typed.of(Sql.raw("CAST(0 AS TINYINT)"), new SqlType(SqlType.Family.INTEGER, 3, 0, false), false);
    }

    static void refuse(String name) {
        if (name.toUpperCase(Locale.ROOT).startsWith(PREFIX)) {
            throw refused("writes to " + name);
        }
    }

    private static StatementRefusedException refused(String what) {
        return StatementRefusedException.unsupported(what);
    }
}
