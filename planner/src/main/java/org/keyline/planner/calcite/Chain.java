package org.keyline.planner.calcite;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.fun.SqlBetweenOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.KeyPart;

final class Chain {
    private Chain() {}

    static List<SqlNode> operands(SqlKind chain, SqlNode node) {
        List<SqlNode> operands = new ArrayList<>();
        Deque<SqlNode> left = new ArrayDeque<>();
        left.push(node);
        while (!left.isEmpty()) {
            SqlNode next = left.pop();
            if (next.getKind() == chain) {
                List<SqlNode> parts = ((SqlCall) next).getOperandList();
                for (int i = parts.size() - 1; i >= 0; i--) {
                    left.push(parts.get(i));
                }
            } else {
                operands.add(next);
            }
        }
        return operands;
    }

    /**
     * Replaces each BETWEEN among the conjuncts by the equality with its lower end.
     *
     * @param ends receives both ends of each BETWEEN
     */
    static void equate(SqlNode node, List<KeyPart> ends) {
        SqlNode query = node instanceof SqlOrderBy ordered ? ordered.query : node;
        if (!(query instanceof SqlSelect select) || select.getWhere() == null) {
            return;
        }
        SqlNode all = null;
        for (SqlNode conjunct : operands(SqlKind.AND, select.getWhere())) {
            SqlNode next = equated(conjunct, ends);
            all = all == null ? next : SqlStdOperatorTable.AND.createCall(SqlParserPos.ZERO, all, next);
        }
        select.setWhere(all);
    }

    private static SqlNode equated(SqlNode conjunct, List<KeyPart> ends) {
        if (!(conjunct instanceof SqlCall call)
                || !(call.getOperator() instanceof SqlBetweenOperator between)
                || between.isNegated()
                || between.flag != SqlBetweenOperator.Flag.ASYMMETRIC) {
            return conjunct;
        }
        KeyPart low = value(call.operand(1));
        KeyPart high = value(call.operand(2));
        if (low == null || high == null) {
            return conjunct;
        }
        ends.add(low);
        ends.add(high);
        return SqlStdOperatorTable.EQUALS.createCall(SqlParserPos.ZERO, call.operand(0), call.operand(1));
    }

    /** Returns the value of a placeholder, which may have a minus sign; null for any other node. */
    static @Nullable KeyPart value(SqlNode node) {
        if (node instanceof SqlDynamicParam parameter) {
            return KeyPart.of(parameter.getIndex());
        }
        return node.getKind() == SqlKind.MINUS_PREFIX
                        && ((SqlCall) node).operand(0) instanceof SqlDynamicParam parameter
                ? new KeyPart(parameter.getIndex(), true)
                : null;
    }
}
