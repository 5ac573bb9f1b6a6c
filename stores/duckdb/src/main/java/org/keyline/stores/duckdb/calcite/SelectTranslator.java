package org.keyline.stores.duckdb.calcite;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlWindow;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableModel;
import org.keyline.stores.ddl.SqlText;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.duckdb.translate.ParserText;
import org.keyline.stores.duckdb.translate.Relations;
import org.keyline.stores.duckdb.translate.TextEdits;

/** One SELECT. Used once. */
final class SelectTranslator {

    private static final Set<String> AGGREGATES = Set.of(
            "count",
            "sum",
            "avg",
            "min",
            "max",
            "group_concat",
            "std",
            "stddev",
            "stddev_pop",
            "stddev_samp",
            "var_pop",
            "var_samp",
            "variance",
            "bit_and",
            "bit_or",
            "bit_xor",
            "any_value");

    private final QueryTranslator queries;
    private final Translation translation;
    private final ParserText text;
    private final @Nullable NameScope outer;

    private final List<Source.Column> columns = new ArrayList<>();
    private final List<SqlNode> items = new ArrayList<>();

    SelectTranslator(QueryTranslator queries, ParserText text, @Nullable NameScope outer) {
        this.queries = queries;
        this.translation = queries.translation();
        this.text = text;
        this.outer = outer;
    }

    QueryTranslator.Result select(SqlSelect select, @Nullable SqlOrderBy order) {
        boolean inline =
                select.getGroup() != null && select.getGroup().stream().anyMatch(SelectTranslator::isExpression);
        inline |= select.isDistinct()
                && order != null
                && order.orderList.stream().anyMatch(SelectTranslator::isExpression);
        if (inline) {
            translation.beginInlining();
        }
        try {
            return clauses(select, order);
        } finally {
            if (inline) {
                translation.endInlining();
            }
        }
    }

    private static boolean isExpression(SqlNode key) {
        SqlNode operand = key.getKind() == SqlKind.DESCENDING ? ((SqlCall) key).operand(0) : key;
        if (operand.getKind() == SqlKind.ROLLUP) {
            return ((SqlCall) operand).getOperandList().stream().anyMatch(SelectTranslator::isExpression);
        }
        return !(operand instanceof SqlIdentifier) && !(operand instanceof SqlDynamicParam);
    }

    private QueryTranslator.Result clauses(SqlSelect select, @Nullable SqlOrderBy order) {
        FromTranslator.@Nullable From from = null;
        if (select.getFrom() != null && !FromTranslator.isDual(select.getFrom())) {
            from = new FromTranslator(queries, text, outer).translate(select.getFrom());
        }
        NameScope scope = from == null ? new NameScope(outer, List.of()) : from.scope(outer);
        items(select, scope, from);

        List<SqlNode> parts = new ArrayList<>();
        parts.add(Duck.around(
                select.isDistinct() ? "SELECT DISTINCT " : "SELECT ", ", ", "", items.toArray(new SqlNode[0])));
        if (from != null) {
            parts.add(Duck.around("FROM ", "", "", from.node()));
        }
        List<SqlNode> conditions = new ArrayList<>();
        if (select.getWhere() != null) {
            conditions.add(expressions(scope, "where clause", false).truth(select.getWhere()));
        }
        SqlNode having = select.getHaving();
        boolean filters = having != null
                && select.getGroup() == null
                && !aggregates(select.getSelectList())
                && !aggregates(having);
        if (filters && having != null) {
            ExpressionTranslator expressions =
                    new ExpressionTranslator(translation, text, scope, "having clause", queries, true, true);
            conditions.add(expressions.truth(having));
        }
        if (!conditions.isEmpty()) {
            parts.add(Duck.around("WHERE ", "", "", Duck.chain("AND", conditions)));
        }
        if (select.getGroup() != null) {
            parts.add(groupBy(select.getGroup(), scope));
        }
        if (having != null && !filters) {
            ExpressionTranslator expressions =
                    new ExpressionTranslator(translation, text, scope, "having clause", queries, true, true);
            parts.add(Duck.around("HAVING ", "", "", expressions.truth(having)));
        }
        windows(select.getWindowList(), scope, parts);
        if (order != null && !order.orderList.isEmpty()) {
            orderBy(order, scope, parts);
        } else if (from != null && picksRows(select)) {
            inKeyOrder(from, parts);
        }
        if (order != null) {
            queries.limit(order, text, parts);
        }
        return new QueryTranslator.Result(QueryTranslator.joined(parts), columns);
    }

    /** Whether it answers rows of its tables as they are, and an IN list says which. */
    private boolean picksRows(SqlSelect select) {
        return select.getWhere() != null
                && hasList(select.getWhere())
                && !select.isDistinct()
                && select.getGroup() == null
                && select.getHaving() == null
                && !aggregates(select.getSelectList());
    }

    private static boolean hasList(SqlNode condition) {
        if (condition.getKind() == SqlKind.AND) {
            return ((SqlCall) condition).getOperandList().stream().anyMatch(SelectTranslator::hasList);
        }
        return condition.getKind() == SqlKind.IN && ((SqlCall) condition).operand(1) instanceof SqlNodeList;
    }

    /** Rows that an IN list picks come in the order of the key, as from lines. */
    private static void inKeyOrder(FromTranslator.From from, List<SqlNode> parts) {
        Source source = from.sources().get(0);
        Relations.@Nullable Relation relation = source.relation();
        TableDefinition definition = relation == null ? null : relation.definition();
        if (from.sources().size() > 1 || definition == null || definition.model() != TableModel.UNIQUE) {
            return;
        }
        List<SqlNode> keys = new ArrayList<>();
        for (int ordinal : definition.keyColumns()) {
            SqlNode key = Duck.name(
                    source.duckAlias(), definition.columns().get(ordinal).name());
            keys.add(ExpressionTranslator.ordered(key, false));
        }
        parts.add(Duck.around("ORDER BY ", ", ", "", keys.toArray(new SqlNode[0])));
    }

    private ExpressionTranslator expressions(NameScope scope, String clause, boolean aliases) {
        return new ExpressionTranslator(translation, text, scope, clause, queries, aliases, false);
    }

    private void items(SqlSelect select, NameScope scope, FromTranslator.@Nullable From from) {
        ExpressionTranslator expressions = expressions(scope, "field list", false);
        List<Typed> typed = new ArrayList<>();
        for (SqlNode item : select.getSelectList()) {
            if (item instanceof SqlIdentifier id && id.isStar()) {
                star(id, from, typed);
                continue;
            }
            translation.columns(1, columns.size());
            if (item.getKind() == SqlKind.AS) {
                SqlCall as = (SqlCall) item;
                add(
                        expressions.translate(as.operand(0)),
                        text.name(((SqlIdentifier) as.operand(1)).getSimple()),
                        typed);
            } else if (item instanceof SqlIdentifier id) {
                add(expressions.translate(item), text.name(id.names.get(id.names.size() - 1)), typed);
            } else {
                add(expressions.translate(item), "?column?", typed);
            }
        }
        for (int i = 0; i < typed.size(); i++) {
            scope.alias(columns.get(i).name(), typed.get(i));
        }
    }

    private void add(Typed value, String label, List<Typed> typed) {
        Typed output = Coercions.output(value);
        items.add(Duck.as(output.node(), label.isEmpty() ? " " : label));
        columns.add(new Source.Column(label, output.type(), output.nullable(), output.origin()));
        typed.add(value);
    }

    private void star(SqlIdentifier star, FromTranslator.@Nullable From from, List<Typed> typed) {
        if (from == null) {
            throw new StatementRefusedException(1096, "HY000", "No tables used");
        }
        List<FromTranslator.Visible> columnsOfStar = meant(star, from);
        translation.columns(columnsOfStar.size(), columns.size());
        for (FromTranslator.Visible visible : columnsOfStar) {
            add(
                    NameScope.typed(visible.source(), visible.column()),
                    visible.column().name(),
                    typed);
        }
        TextEdits edits = translation.edits();
        if (edits != null) {
            edits.star(
                    translation.text(),
                    text.token(star.getParserPosition().getColumnNum()),
                    text.token(star.getParserPosition().getEndColumnNum()),
                    columnsOfStar.stream().map(SelectTranslator::written).toList());
        }
    }

    private List<FromTranslator.Visible> meant(SqlIdentifier star, FromTranslator.From from) {
        List<String> parts = new ArrayList<>(star.names.stream().map(text::name).toList());
        if (parts.size() == 1) {
            return from.visible();
        }
        List<FromTranslator.Visible> found = new ArrayList<>();
        for (Source source : from.sources()) {
            if (NameScope.qualifies(parts, source)) {
                source.columns().forEach(column -> found.add(new FromTranslator.Visible(source, column)));
            }
        }
        if (found.isEmpty()) {
            throw new StatementRefusedException(1051, "42S02", "Unknown table '" + parts.get(parts.size() - 2) + "'");
        }
        return found;
    }

    private static String written(FromTranslator.Visible visible) {
        return SqlText.name(visible.source().alias())
                + '.'
                + SqlText.name(visible.column().name());
    }

    private boolean aggregates(SqlNode node) {
        if (node instanceof SqlNodeList list) {
            return list.stream().anyMatch(item -> item != null && aggregates(item));
        }
        if (!(node instanceof SqlCall call) || QueryTranslator.isQuery(node) || call.getKind() == SqlKind.OVER) {
            return false;
        }
        return AGGREGATES.contains(call.getOperator().getName().toLowerCase(Locale.ROOT))
                || call.getOperandList().stream().anyMatch(operand -> operand != null && aggregates(operand));
    }

    private SqlNode groupBy(SqlNodeList keys, NameScope scope) {
        ExpressionTranslator expressions = expressions(scope, "group statement", false);
        boolean rollup = keys.size() == 1 && keys.get(0).getKind() == SqlKind.ROLLUP;
        List<SqlNode> written = rollup ? ((SqlCall) keys.get(0)).getOperandList() : keys.getList();
        List<SqlNode> grouped = new ArrayList<>();
        List<Typed> plain = new ArrayList<>();
        for (SqlNode key : written) {
            int ordinal = queries.ordinal(key, text, columns.size(), "group statement");
            if (ordinal == 0 && key instanceof SqlIdentifier id && id.isSimple()) {
                String name = text.name(id.getSimple());
                boolean column = scope.own(List.of(name), "group statement") != null;
                for (int i = 0; i < columns.size() && ordinal == 0 && !column; i++) {
                    ordinal = columns.get(i).name().equalsIgnoreCase(name) ? i + 1 : 0;
                }
            }
            if (ordinal > 0) {
                grouped.add(Duck.number(ordinal));
                plain.add(new Typed(
                        items.get(ordinal - 1),
                        columns.get(ordinal - 1).type(),
                        true,
                        columns.get(ordinal - 1).origin()));
            } else {
                Typed typed = expressions.translate(key);
                // DuckDB takes a bare value for the number of a column.
                grouped.add(typed.node() instanceof ParameterNode ? Duck.cast(typed.node(), "VARCHAR") : typed.node());
                plain.add(typed);
            }
        }
        if (!rollup) {
            addDependent(plain, scope, grouped);
        }
        return Duck.around(
                rollup ? "GROUP BY ROLLUP (" : "GROUP BY ", ", ", rollup ? ")" : "", grouped.toArray(new SqlNode[0]));
    }

    /** Where a table's whole key is grouped by, its other columns depend on it, and may be named as if they were grouped by. */
    private static void addDependent(List<Typed> keys, NameScope scope, List<SqlNode> grouped) {
        for (Source source : scope.sources()) {
            TableDefinition definition =
                    source.relation() == null ? null : source.relation().definition();
            if (definition == null || definition.model() != TableModel.UNIQUE) {
                continue;
            }
            boolean whole = definition.keyColumns().stream()
                    .map(ordinal -> definition.columns().get(ordinal).name())
                    .allMatch(name -> keys.stream().anyMatch(key -> isColumn(key, source, name)));
            if (whole) {
                for (Source.Column column : source.columns()) {
                    if (keys.stream().noneMatch(key -> isColumn(key, source, column.name()))) {
                        grouped.add(Duck.name(source.alias(), column.name()));
                    }
                }
            }
        }
    }

    private static boolean isColumn(Typed key, Source source, String name) {
        return key.origin() != null
                && key.origin().alias().equals(source.alias())
                && key.origin().column().name().equalsIgnoreCase(name);
    }

    private void windows(SqlNodeList windows, NameScope scope, List<SqlNode> parts) {
        if (windows.isEmpty()) {
            return;
        }
        ExpressionTranslator expressions = expressions(scope, "window clause", false);
        List<SqlNode> named = new ArrayList<>();
        for (SqlNode node : windows) {
            SqlWindow window = (SqlWindow) node;
            named.add(Duck.around(
                    "",
                    " AS (",
                    ")",
                    Duck.name(text.name(window.getDeclName().getSimple())),
                    Windows.specification(window, expressions)));
        }
        parts.add(Duck.around("WINDOW ", ", ", "", named.toArray(new SqlNode[0])));
    }

    private void orderBy(SqlOrderBy order, NameScope scope, List<SqlNode> parts) {
        ExpressionTranslator expressions = expressions(scope, "order clause", true);
        List<SqlNode> keys = new ArrayList<>();
        for (SqlNode key : order.orderList) {
            boolean descending = key.getKind() == SqlKind.DESCENDING;
            SqlNode operand = descending ? ((SqlCall) key).operand(0) : key;
            int ordinal = queries.ordinal(operand, text, columns.size(), "order clause");
            if (ordinal == 0 && operand instanceof SqlIdentifier id && id.isSimple()) {
                ordinal = labelled(text.name(id.getSimple()));
            }
            if (ordinal > 0) {
                keys.add(ExpressionTranslator.ordered(Duck.number(ordinal), descending));
            } else if (!(operand instanceof SqlDynamicParam)) {
                keys.add(ExpressionTranslator.ordered(
                        expressions.translate(operand).node(), descending));
            }
        }
        if (!keys.isEmpty()) {
            parts.add(Duck.around("ORDER BY ", ", ", "", keys.toArray(new SqlNode[0])));
        }
    }

    private int labelled(String name) {
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).name().equalsIgnoreCase(name)) {
                return i + 1;
            }
        }
        return 0;
    }
}
