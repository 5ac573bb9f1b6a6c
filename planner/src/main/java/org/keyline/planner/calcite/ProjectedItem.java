package org.keyline.planner.calcite;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ForwardReason;
import org.keyline.planner.PointRead;

/**
 * An item of a SELECT list.
 *
 * @param ordinal the column's ordinal; {@link PointRead#ONE} for a literal
 * @param alias the alias; null if there is none
 */
record ProjectedItem(int ordinal, @Nullable String alias) {
    /** @param constants receives the placeholders of literals among the items, in text order */
    static List<ProjectedItem> read(SqlNodeList list, Scope scope, List<Integer> constants) throws Refusal {
        List<ProjectedItem> items = new ArrayList<>();
        for (SqlNode item : list) {
            if (item instanceof SqlIdentifier name && name.isStar()) {
                scope.checkStar(name);
                for (int ordinal = 0; ordinal < scope.table().columns().size(); ordinal++) {
                    items.add(new ProjectedItem(ordinal, null));
                }
            } else if (item instanceof SqlIdentifier name) {
                items.add(new ProjectedItem(scope.ordinal(name), null));
            } else {
                items.add(aliased(item, scope, constants));
            }
        }
        return items;
    }

    private static ProjectedItem aliased(SqlNode item, Scope scope, List<Integer> constants) throws Refusal {
        if (item instanceof SqlDynamicParam constant) {
            constants.add(constant.getIndex());
            return new ProjectedItem(PointRead.ONE, null);
        }
        if (item instanceof SqlBasicCall as
                && as.getKind() == SqlKind.AS
                && as.operandCount() == 2
                && as.operand(0) instanceof SqlDynamicParam constant
                && as.operand(1) instanceof SqlIdentifier alias) {
            constants.add(constant.getIndex());
            return new ProjectedItem(PointRead.ONE, alias.getSimple());
        }
        if (item instanceof SqlBasicCall as
                && as.getKind() == SqlKind.AS
                && as.operandCount() == 2
                && as.operand(0) instanceof SqlIdentifier column
                && as.operand(1) instanceof SqlIdentifier alias
                && !column.isStar()) {
            return new ProjectedItem(scope.ordinal(column), alias.getSimple());
        }
        throw new Refusal(ForwardReason.EXPRESSION);
    }
}
