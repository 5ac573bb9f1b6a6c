package org.keyline.stores.duckdb.calcite;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlWith;
import org.apache.calcite.sql.SqlWithItem;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.translate.Conversion;
import org.keyline.stores.duckdb.translate.ParserText;
import org.keyline.stores.duckdb.translate.SqlType;
import org.keyline.stores.duckdb.translate.ValueSlot;

/** Queries: SELECT, set operations, WITH, VALUES, with ORDER BY and LIMIT. */
final class QueryTranslator {

    private final Translation translation;
    private final Map<String, List<Source.Column>> ctes;

    QueryTranslator(Translation translation) {
        this(translation, Map.of());
    }

    private QueryTranslator(Translation translation, Map<String, List<Source.Column>> ctes) {
        this.translation = translation;
        this.ctes = ctes;
    }

    /**
     * A query of DuckDB's.
     *
     * @param columns labels and types of the output
     */
    record Result(SqlNode node, List<Source.Column> columns) {
        Result {
            columns = List.copyOf(columns);
        }
    }

    static boolean isQuery(SqlNode node) {
        return switch (node.getKind()) {
            case SELECT, UNION, INTERSECT, EXCEPT, ORDER_BY, WITH, VALUES -> true;
            default -> false;
        };
    }

    Translation translation() {
        return translation;
    }

    @Nullable
    List<Source.Column> cte(String name) {
        return ctes.get(NameScope.key(name));
    }

    /** A query within an expression or a FROM clause. */
    Result nested(SqlNode node, ParserText text, @Nullable NameScope outer) {
        return translate(node, text, outer);
    }

    Result translate(SqlNode node, ParserText text, @Nullable NameScope outer) {
        return switch (node.getKind()) {
            case SELECT -> new SelectTranslator(this, text, outer).select((SqlSelect) node, null);
            case ORDER_BY -> ordered((SqlOrderBy) node, text, outer);
            case UNION, INTERSECT, EXCEPT -> combined((SqlBasicCall) node, text, outer);
            case WITH -> with((SqlWith) node, null, text, outer);
            case VALUES -> values((SqlCall) node, text, outer);
            default -> throw StatementRefusedException.unsupported("the query " + node.getKind());
        };
    }

    private Result ordered(SqlOrderBy node, ParserText text, @Nullable NameScope outer) {
        if (node.query instanceof SqlSelect select) {
            return new SelectTranslator(this, text, outer).select(select, node);
        }
        if (node.query instanceof SqlWith with) {
            return with(with, node, text, outer);
        }
        Result query = translate(node.query, text, outer);
        SqlNode body = node.query.getKind() == SqlKind.ORDER_BY ? inParentheses(query.node()) : query.node();
        List<SqlNode> parts = new ArrayList<>(List.of(body));
        List<SqlNode> keys = new ArrayList<>();
        for (SqlNode key : node.orderList) {
            keys.add(outputKey(key, query.columns(), text));
        }
        if (!keys.isEmpty()) {
            parts.add(Duck.around("ORDER BY ", ", ", "", keys.toArray(new SqlNode[0])));
        }
        limit(node, text, parts);
        return new Result(joined(parts), query.columns());
    }

    static SqlNode inParentheses(SqlNode node) {
        return Duck.around("(", "", ")", node);
    }

    static SqlNode joined(List<SqlNode> parts) {
        return Duck.around("", " ", "", parts.toArray(new SqlNode[0]));
    }

    /** A key of an ORDER BY that sees output columns alone. */
    private SqlNode outputKey(SqlNode key, List<Source.Column> columns, ParserText text) {
        boolean descending = key.getKind() == SqlKind.DESCENDING;
        SqlNode operand = descending ? ((SqlCall) key).operand(0) : key;
        int ordinal = ordinal(operand, text, columns.size(), "order clause");
        if (ordinal == 0 && operand instanceof SqlIdentifier id && id.isSimple()) {
            String name = text.name(id.getSimple());
            for (int i = 0; i < columns.size() && ordinal == 0; i++) {
                ordinal = columns.get(i).name().equalsIgnoreCase(name) ? i + 1 : 0;
            }
            if (ordinal == 0) {
                throw new StatementRefusedException(1054, "42S22", "Unknown column '" + name + "' in 'order clause'");
            }
        }
        if (ordinal == 0) {
            throw StatementRefusedException.unsupported("ORDER BY an expression after UNION");
        }
        return ExpressionTranslator.ordered(Duck.number(ordinal), descending);
    }

    /** The position that an integer literal names; 0 if the node is none. */
    int ordinal(SqlNode node, ParserText text, int columns, String clause) {
        if (!(node instanceof SqlDynamicParam param)) {
            return 0;
        }
        @Nullable
        ValueSlot slot = translation.literal(translation.value(text.values().get(param.getIndex())));
        if (slot == null || !(slot.value() instanceof Long position)) {
            return 0;
        }
        if (position < 1 || position > columns) {
            throw new StatementRefusedException(1054, "42S22", "Unknown column '" + position + "' in '" + clause + "'");
        }
        return position.intValue();
    }

    /** Adds LIMIT and OFFSET. */
    void limit(SqlOrderBy node, ParserText text, List<SqlNode> parts) {
        if (node.fetch != null) {
            parts.add(Duck.around("LIMIT ", "", "", count(node.fetch, text)));
        }
        if (node.offset != null) {
            parts.add(Duck.around("OFFSET ", "", "", count(node.offset, text)));
        }
    }

    private SqlNode count(SqlNode node, ParserText text) {
        if (node instanceof SqlDynamicParam param) {
            Typed value = translation.value(text.values().get(param.getIndex()));
            return value.converted(Conversion.INTEGER, SqlType.INTEGER).node();
        }
        throw StatementRefusedException.syntax("You have an error in your SQL syntax near LIMIT: expected a number");
    }

    private Result combined(SqlBasicCall node, ParserText text, @Nullable NameScope outer) {
        Result left = translate(node.operand(0), text, outer);
        Result right = translate(node.operand(1), text, outer);
        if (left.columns().size() != right.columns().size()) {
            throw new StatementRefusedException(
                    1222, "21000", "The used SELECT statements have a different number of columns");
        }
        List<Source.Column> columns = new ArrayList<>();
        for (int i = 0; i < left.columns().size(); i++) {
            Source.Column a = left.columns().get(i);
            Source.Column b = right.columns().get(i);
            SqlNode none = Duck.raw("NULL");
            SqlType common = Coercions.common(List.of(Typed.of(none, a.type()), Typed.of(none, b.type())));
            columns.add(new Source.Column(a.name(), common, a.nullable() || b.nullable(), null));
        }
        String operator = node.getOperator().getName();
        return new Result(
                Duck.around("", " " + operator + " ", "", inParentheses(left.node()), inParentheses(right.node())),
                columns);
    }

    private Result with(SqlWith with, @Nullable SqlOrderBy order, ParserText text, @Nullable NameScope outer) {
        Map<String, List<Source.Column>> known = new HashMap<>(ctes);
        List<SqlNode> items = new ArrayList<>();
        boolean recursive = false;
        for (SqlNode node : with.withList) {
            SqlWithItem item = (SqlWithItem) node;
            String name = text.name(item.name.getSimple());
            boolean itemRecursive = item.recursive.booleanValue();
            recursive |= itemRecursive;
            if (itemRecursive && item.query instanceof SqlBasicCall union && union.getKind() == SqlKind.UNION) {
                Result anchor = new QueryTranslator(translation, known).translate(union.operand(0), text, outer);
                known.put(NameScope.key(name), named(anchor.columns(), item, text));
            }
            Result query = new QueryTranslator(translation, known).translate(item.query, text, outer);
            List<Source.Column> columns = named(query.columns(), item, text);
            known.put(NameScope.key(name), columns);
            SqlNode[] names =
                    columns.stream().map(column -> Duck.name(column.name())).toArray(SqlNode[]::new);
            items.add(Duck.around(
                    "",
                    " AS (",
                    ")",
                    Duck.around("", "(", ")", Duck.name(name), Duck.around("", ", ", "", names)),
                    query.node()));
        }
        QueryTranslator inner = new QueryTranslator(translation, known);
        Result body = order == null
                ? inner.translate(with.body, text, outer)
                : inner.translate(
                        new SqlOrderBy(
                                order.getParserPosition(), with.body, order.orderList, order.offset, order.fetch),
                        text,
                        outer);
        SqlNode list = Duck.around(recursive ? "WITH RECURSIVE " : "WITH ", ", ", "", items.toArray(new SqlNode[0]));
        return new Result(joined(List.of(list, body.node())), body.columns());
    }

    private static List<Source.Column> named(List<Source.Column> columns, SqlWithItem item, ParserText text) {
        if (item.columnList == null) {
            return columns;
        }
        return FromTranslator.renamed(
                columns,
                item.columnList.getList().stream()
                        .map(id -> text.name(((SqlIdentifier) id).getSimple()))
                        .toList());
    }

    private Result values(SqlCall node, ParserText text, @Nullable NameScope outer) {
        ExpressionTranslator expressions = new ExpressionTranslator(
                translation, text, new NameScope(outer, List.of()), "field list", this, false, false);
        List<SqlNode> rows = new ArrayList<>();
        List<Source.Column> columns = new ArrayList<>();
        for (SqlNode row : node.getOperandList()) {
            List<Typed> cells = expressions.all(((SqlCall) row).getOperandList()).stream()
                    .map(Coercions::output)
                    .toList();
            if (columns.isEmpty()) {
                for (int i = 0; i < cells.size(); i++) {
                    columns.add(new Source.Column("column_" + i, cells.get(i).type(), true, null));
                }
            }
            rows.add(Duck.call("", cells.stream().map(Typed::node).toList()));
        }
        SqlNode[] names =
                columns.stream().map(column -> Duck.name(column.name())).toArray(SqlNode[]::new);
        return new Result(
                Duck.around(
                        "SELECT * FROM (VALUES ",
                        ") AS \"v\"(",
                        ")",
                        Duck.around("", ", ", "", rows.toArray(new SqlNode[0])),
                        Duck.around("", ", ", "", names)),
                columns);
    }
}
