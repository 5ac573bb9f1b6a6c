package org.keyline.planner.calcite;

import java.util.List;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.Catalog;
import org.keyline.planner.ForwardReason;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableSchema;

/**
 * The only table of a statement. Immutable.
 *
 * @param alias the alias, which hides the table's own name; null if there is none
 */
record Scope(TableSchema table, @Nullable String alias) {
    /** Returns the scope of a FROM clause. It must be a single base table with a unique key. */
    static Scope of(@Nullable SqlNode from, String currentSchema, Catalog catalog) throws Refusal {
        if (from == null) {
            throw new Refusal(ForwardReason.NO_TABLE);
        }
        SqlNode source = from;
        String alias = null;
        if (from.getKind() == SqlKind.AS) {
            SqlCall as = (SqlCall) from;
            if (as.operandCount() != 2 || !(as.operand(1) instanceof SqlIdentifier name) || !name.isSimple()) {
                throw new Refusal(ForwardReason.OTHER_CLAUSE);
            }
            source = as.operand(0);
            alias = name.getSimple();
        }
        if (!(source instanceof SqlIdentifier name) || name.isStar()) {
            throw new Refusal(
                    switch (source.getKind()) {
                        case JOIN -> ForwardReason.JOIN;
                        case SELECT, ORDER_BY, VALUES, UNION -> ForwardReason.SUBQUERY;
                        default -> ForwardReason.OTHER_CLAUSE;
                    });
        }
        return new Scope(table(name.names, currentSchema, catalog), alias);
    }

    private static TableSchema table(List<String> names, String currentSchema, Catalog catalog) throws Refusal {
        int parts = names.size();
        if (parts > 2 && (parts > 3 || catalog.ownName() == null)) {
            throw new Refusal(ForwardReason.TABLE_UNKNOWN);
        }
        if (parts > 2 && !names.get(0).equals(catalog.ownName())) {
            throw new Refusal(ForwardReason.OTHER_CATALOG);
        }
        String schema = parts == 1 ? currentSchema : names.get(parts - 2);
        if (schema.isEmpty()) {
            throw new Refusal(ForwardReason.NO_DATABASE);
        }
        TableSchema table = catalog.table(schema, names.get(names.size() - 1));
        if (table == null) {
            throw new Refusal(ForwardReason.TABLE_UNKNOWN);
        }
        if (table.model() != TableModel.UNIQUE) {
            ForwardReason excluded = table.excluded();
            throw new Refusal(excluded != null ? excluded : ForwardReason.NO_UNIQUE_KEY);
        }
        return table;
    }

    /** Returns the ordinal of a column, whose name may be qualified. */
    int ordinal(SqlIdentifier column) throws Refusal {
        List<String> names = column.names;
        checkQualifier(names.subList(0, names.size() - 1));
        int ordinal = table.ordinal(names.get(names.size() - 1));
        if (ordinal < 0) {
            throw new Refusal(ForwardReason.COLUMN_UNKNOWN);
        }
        return ordinal;
    }

    int keyPosition(SqlIdentifier column) throws Refusal {
        int position = table.keyPosition(ordinal(column));
        if (position < 0) {
            throw new Refusal(ForwardReason.VALUE_COLUMN_CONDITION);
        }
        return position;
    }

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
