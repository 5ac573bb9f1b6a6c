package org.keyline.planner.calcite;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.KeyPart;

/** Helpers for parsed conditions. */
final class Chain {
    private Chain() {}

    /** Returns the operands of a chain of ANDs, or of ORs, in text order. */
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

    /** Returns a placeholder, optionally with a minus sign; null for any other node. */
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
