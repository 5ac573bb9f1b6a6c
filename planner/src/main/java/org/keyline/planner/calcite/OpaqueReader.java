package org.keyline.planner.calcite;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.ForwardReason;
import org.keyline.planner.OpaqueCondition;
import org.keyline.planner.statement.OpaqueConjunct;
import org.keyline.planner.statement.OpaqueConjunct.Column;
import org.keyline.planner.statement.OpaqueConjunct.Part;
import org.keyline.planner.statement.OpaqueConjunct.Text;

/** Reads the conjuncts that only the store can evaluate, and resolves their columns. */
final class OpaqueReader {
    private OpaqueReader() {}

    /** Returns the slots of a value or a row of values; empty for another node. */
    static List<Integer> slots(SqlNode node) {
        if (node instanceof SqlDynamicParam parameter) {
            return List.of(parameter.getIndex());
        }
        List<Integer> slots = new ArrayList<>();
        if (node.getKind() == SqlKind.ROW) {
            for (SqlNode value : ((SqlCall) node).getOperandList()) {
                if (!(value instanceof SqlDynamicParam parameter)) {
                    return List.of();
                }
                slots.add(parameter.getIndex());
            }
        }
        return slots;
    }

    static OpaqueCondition read(OpaqueConjunct conjunct, Scope scope) throws Refusal {
        List<String> texts = new ArrayList<>();
        List<Integer> columns = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        for (Part part : conjunct.parts()) {
            boolean first = texts.isEmpty() && text.isEmpty();
            if (part instanceof Text words) {
                // The parenthesis of a function call must follow the function's name without a
                // space.
                boolean apart =
                        !first && !words.text().equals("(") && !words.text().equals(",");
                text.append(apart ? " " : "").append(words.text());
            } else if (part instanceof Column column) {
                int ordinal = scope.ordinal(new SqlIdentifier(column.names(), SqlParserPos.ZERO));
                ColumnSchema schema = scope.table().columns().get(ordinal);
                check(schema, column.date());
                columns.add(ordinal);
                text.append(first ? "`" : " `")
                        .append(schema.name().replace("`", "``"))
                        .append('`');
            } else {
                texts.add(text.append(' ').toString());
                text.setLength(0);
            }
        }
        texts.add(text.toString());
        return new OpaqueCondition(texts, conjunct.values(), columns);
    }

    /** Refuses types that the store converts with warnings, or depending on session settings. */
    private static void check(ColumnSchema column, boolean date) throws Refusal {
        if (column.computed()) {
            throw new Refusal(ForwardReason.COMPUTED_COLUMN);
        }
        ColumnType.Kind kind = column.type().kind();
        boolean fits = date
                ? kind == ColumnType.Kind.DATE || kind == ColumnType.Kind.DATETIME
                : kind == ColumnType.Kind.CHAR || kind == ColumnType.Kind.VARCHAR || kind == ColumnType.Kind.TEXT;
        if (!fits) {
            throw new Refusal(ForwardReason.OTHER_CONDITION);
        }
    }
}
