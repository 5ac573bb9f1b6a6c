package org.keyline.planner.calcite;

import java.util.List;
import org.apache.calcite.sql.SqlIdentifier;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ForwardReason;
import org.keyline.planner.TableSchema;

/**
 * The one table that a statement's columns belong to. Immutable.
 *
 * @param alias null if the table has none; hides the table's own name
 */
record Scope(TableSchema table, @Nullable String alias) {
    /** The ordinal of a column, which may be qualified. */
    int ordinal(SqlIdentifier column) throws Refusal {
        List<String> names = column.names;
        checkQualifier(names.subList(0, names.size() - 1));
        int ordinal = table.ordinal(names.get(names.size() - 1));
        if (ordinal < 0) {
            throw new Refusal(ForwardReason.COLUMN_UNKNOWN);
        }
        return ordinal;
    }

    /** The position in the key of a column that a condition is on. */
    int keyPosition(SqlIdentifier column) throws Refusal {
        int position = table.keyPosition(ordinal(column));
        if (position < 0) {
            throw new Refusal(ForwardReason.VALUE_COLUMN_CONDITION);
        }
        return position;
    }

    /** Refuses a star that is not this table's. */
    void checkStar(SqlIdentifier star) throws Refusal {
        checkQualifier(star.names.subList(0, star.names.size() - 1));
    }

    private void checkQualifier(List<String> qualifier) throws Refusal {
        boolean own = switch (qualifier.size()) {
            case 0 -> true;
            case 1 ->
                qualifier
                        .get(0)
                        .equalsIgnoreCase(alias != null ? alias : table.name().table());
            case 2 ->
                alias == null
                        && qualifier.get(0).equalsIgnoreCase(table.name().schema())
                        && qualifier.get(1).equalsIgnoreCase(table.name().table());
            default -> false;
        };
        if (!own) {
            throw new Refusal(ForwardReason.COLUMN_UNKNOWN);
        }
    }
}
