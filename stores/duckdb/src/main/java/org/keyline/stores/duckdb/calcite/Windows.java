package org.keyline.stores.duckdb.calcite;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlWindow;
import org.keyline.planner.StatementRefusedException;

/** OVER (…) and WINDOW. */
final class Windows {

    private Windows() {}

    /** What stands after OVER: a name, or a specification in parentheses. */
    static SqlNode over(SqlNode window, ExpressionTranslator expressions) {
        return window instanceof SqlIdentifier id
                ? Duck.name(expressions.name(id.getSimple()))
                : Duck.around("(", "", ")", specification((SqlWindow) window, expressions));
    }

    static SqlNode specification(SqlWindow window, ExpressionTranslator expressions) {
        List<SqlNode> parts = new ArrayList<>();
        if (window.getRefName() != null) {
            parts.add(Duck.name(expressions.name(window.getRefName().getSimple())));
        }
        if (!window.getPartitionList().isEmpty()) {
            List<SqlNode> keys = expressions.all(window.getPartitionList().getList()).stream()
                    .map(Typed::node)
                    .toList();
            parts.add(Duck.around("PARTITION BY ", ", ", "", keys.toArray(new SqlNode[0])));
        }
        if (!window.getOrderList().isEmpty()) {
            List<SqlNode> keys = new ArrayList<>();
            window.getOrderList().forEach(key -> keys.add(expressions.ordered(key)));
            parts.add(Duck.around("ORDER BY ", ", ", "", keys.toArray(new SqlNode[0])));
        }
        SqlNode lower = window.getLowerBound();
        SqlNode upper = window.getUpperBound();
        if (lower != null) {
            SqlNode first = bound(lower, expressions);
            String unit = window.isRows() ? "ROWS " : "RANGE ";
            parts.add(
                    upper == null
                            ? Duck.around(unit, "", "", first)
                            : Duck.around(unit + "BETWEEN ", " AND ", "", first, bound(upper, expressions)));
        }
        return Duck.around("", " ", "", parts.toArray(new SqlNode[0]));
    }

    private static SqlNode bound(SqlNode bound, ExpressionTranslator expressions) {
        if (bound instanceof SqlCall call && call.operandCount() == 1 && call.operand(0) instanceof SqlDynamicParam) {
            SqlNode count = Duck.cast(expressions.translate(call.operand(0)).node(), "BIGINT");
            return Duck.around("", "", " " + call.getOperator().getName(), count);
        }
        if (bound instanceof SqlCall) {
            throw StatementRefusedException.unsupported("such a frame of a window");
        }
        return Duck.raw(bound.toString().replace("`", ""));
    }
}
