package org.keyline.planner.calcite;

import java.util.List;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.keyline.planner.ForwardReason;
import org.keyline.planner.Order;

/** Reads ORDER BY clauses that order rows by their key. */
final class KeyOrder {
    private KeyOrder() {}

    /**
     * @param keyColumns the clause must order by exactly this many leading key columns
     * @param ones receives the slot of {@code ORDER BY 1}, which must be the literal 1
     */
    static Order read(
            List<SqlNode> orderBy,
            Scope scope,
            KeyBinding binding,
            List<ProjectedItem> items,
            int keyColumns,
            List<Integer> ones)
            throws Refusal {
        int next = varying(binding, 0, keyColumns);
        Order order = Order.NONE;
        for (SqlNode item : orderBy) {
            boolean descending = item.getKind() == SqlKind.DESCENDING;
            SqlNode column = descending ? ((SqlCall) item).operand(0) : item;
            int ordinal;
            if (column instanceof SqlDynamicParam first) {
                ones.add(first.getIndex());
                ordinal = items.get(0).ordinal();
            } else if (column instanceof SqlIdentifier name && !name.isStar()) {
                ordinal = scope.ordinal(name);
                checkNotShadowed(name, ordinal, items);
            } else {
                throw new Refusal(ForwardReason.ORDER_NOT_BY_KEY);
            }
            if (binding.atMostOneRow()) {
                continue;
            }
            int position = scope.table().keyPosition(ordinal);
            if (position >= 0 && binding.isConstant(position)) {
                continue;
            }
            Order direction = descending ? Order.DESC : Order.ASC;
            if (position < 0
                    || position >= keyColumns
                    || position != next
                    || (order != Order.NONE && order != direction)) {
                throw new Refusal(ForwardReason.ORDER_NOT_BY_KEY);
            }
            order = direction;
            next = varying(binding, next + 1, keyColumns);
        }
        if (order != Order.NONE && next < keyColumns) {
            throw new Refusal(ForwardReason.ORDER_NOT_BY_KEY);
        }
        return order;
    }

    private static int varying(KeyBinding binding, int from, int keyColumns) {
        int position = from;
        while (position < keyColumns && binding.isConstant(position)) {
            position++;
        }
        return position;
    }

    /**
     * Refuses a name that is also an alias of a projected item. In ORDER BY, the alias takes
     * precedence over the column.
     */
    private static void checkNotShadowed(SqlIdentifier name, int ordinal, List<ProjectedItem> items) throws Refusal {
        for (ProjectedItem item : items) {
            String alias = item.alias();
            if (name.isSimple()
                    && alias != null
                    && alias.equalsIgnoreCase(name.getSimple())
                    && item.ordinal() != ordinal) {
                throw new Refusal(ForwardReason.ORDER_NOT_BY_KEY);
            }
        }
    }
}
