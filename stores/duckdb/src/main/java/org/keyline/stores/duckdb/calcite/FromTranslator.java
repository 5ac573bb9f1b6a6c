package org.keyline.stores.duckdb.calcite;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.sql.JoinConditionType;
import org.apache.calcite.sql.JoinType;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlHint;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.translate.ParserText;
import org.keyline.stores.duckdb.translate.PartitionConditions;
import org.keyline.stores.duckdb.translate.Relations.Relation;
import org.keyline.stores.duckdb.translate.TextEdits;
import org.keyline.stores.duckdb.translate.ViewQuery;

/** FROM clauses: tables, subqueries and joins. */
final class FromTranslator {

    private final QueryTranslator queries;
    private final ParserText text;
    private final @Nullable NameScope outer;

    FromTranslator(QueryTranslator queries, ParserText text, @Nullable NameScope outer) {
        this.queries = queries;
        this.text = text;
        this.outer = outer;
    }

    /**
     * A translated FROM clause.
     *
     * @param visible what a star means, in order
     * @param merged columns joined by USING: unqualified they are those of this source
     */
    record From(SqlNode node, List<Source> sources, List<Visible> visible, Map<String, Source> merged) {

        NameScope scope(@Nullable NameScope outer) {
            NameScope scope = new NameScope(outer, sources);
            scope.merge(merged);
            return scope;
        }
    }

    /** A column as a star shows it. */
    record Visible(Source source, Source.Column column) {}

    static boolean isDual(SqlNode node) {
        return node instanceof SqlIdentifier id
                && id.isSimple()
                && id.getSimple().equals("#dual");
    }

    From translate(SqlNode node) {
        From from = factor(node, null, List.of());
        for (int i = 0; i < from.sources().size(); i++) {
            for (int j = 0; j < i; j++) {
                if (from.sources()
                        .get(i)
                        .alias()
                        .equalsIgnoreCase(from.sources().get(j).alias())) {
                    throw new StatementRefusedException(
                            1066,
                            "42000",
                            "Not unique table/alias: '" + from.sources().get(i).alias() + "'");
                }
            }
        }
        return from;
    }

    private From factor(SqlNode node, @Nullable String alias, List<String> columns) {
        if (node instanceof SqlJoin join) {
            return join(join);
        }
        if (node.getKind() == SqlKind.AS) {
            SqlCall as = (SqlCall) node;
            List<String> names = new ArrayList<>();
            for (int i = 2; i < as.operandCount(); i++) {
                names.add(text.name(((SqlIdentifier) as.operand(i)).getSimple()));
            }
            return factor(as.operand(0), text.name(((SqlIdentifier) as.operand(1)).getSimple()), names);
        }
        if (node instanceof SqlIdentifier identifier) {
            return table(identifier, alias, columns, List.of());
        }
        if (node.getKind() == SqlKind.TABLE_REF) {
            SqlCall reference = (SqlCall) node;
            List<String> partitions = new ArrayList<>();
            for (SqlNode hint : (SqlNodeList) reference.operand(1)) {
                ((SqlHint) hint).getOptionList().forEach(option -> partitions.add(text.name(option)));
            }
            return table(reference.operand(0), alias, columns, partitions);
        }
        if (node.getKind() == SqlKind.LATERAL) {
            throw StatementRefusedException.unsupported("LATERAL");
        }
        if (QueryTranslator.isQuery(node)) {
            if (alias == null) {
                throw new StatementRefusedException(1248, "42000", "Every derived table must have its own alias");
            }
            QueryTranslator.Result query = queries.nested(node, text, outer);
            refuseDuplicates(query.columns());
            return source(
                    Duck.around("(", "", ")", query.node()),
                    new Source(alias, null, renamed(query.columns(), columns)),
                    true);
        }
        throw StatementRefusedException.unsupported(node.getKind() + " in FROM");
    }

    private static void refuseDuplicates(List<Source.Column> columns) {
        Map<String, Boolean> seen = new HashMap<>();
        for (Source.Column column : columns) {
            if (seen.put(NameScope.key(column.name()), true) != null) {
                throw new StatementRefusedException(1060, "42S21", "Duplicate column name '" + column.name() + "'");
            }
        }
    }

    static List<Source.Column> renamed(List<Source.Column> columns, List<String> names) {
        if (names.isEmpty()) {
            return columns;
        }
        if (names.size() != columns.size()) {
            throw new StatementRefusedException(
                    1353, "HY000", "The column list and the SELECT list have different column counts");
        }
        List<Source.Column> renamed = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            Source.Column column = columns.get(i);
            renamed.add(new Source.Column(names.get(i), column.type(), column.nullable(), column.origin()));
        }
        return renamed;
    }

    private From table(
            SqlIdentifier identifier, @Nullable String alias, List<String> columns, List<String> partitions) {
        List<String> parts = identifier.names.stream().map(text::name).toList();
        String name = parts.get(parts.size() - 1);
        @Nullable List<Source.Column> cte = parts.size() == 1 ? queries.cte(name) : null;
        if (cte != null) {
            queries.translation().joins();
            return source(
                    Duck.name(name),
                    new Source(alias == null ? name : alias, null, renamed(cte, columns)),
                    !columns.isEmpty());
        }
        Translation translation = queries.translation();
        Relation relation = translation.relation(parts, true);
        if (!columns.isEmpty()) {
            throw StatementRefusedException.syntax(
                    "You have an error in your SQL syntax: only a derived table can have column names after its alias");
        }
        TextEdits edits = translation.edits();
        if (edits != null && parts.size() == 1) {
            int token = text.token(identifier.getParserPosition().getColumnNum());
            edits.table(translation.text(), token, relation.name().schema());
        }
        if (relation.view() != null && partitions.isEmpty()) {
            return view(relation, relation.view(), alias == null ? name : alias);
        }
        Source source = of(relation, alias == null ? name : alias);
        if (partitions.isEmpty()) {
            return source(MergedRows.of(relation), source, false);
        }
        if (relation.definition() == null) {
            throw new StatementRefusedException(1747, "HY000", "PARTITION () clause on non partitioned table");
        }
        SqlNode condition = Duck.raw(PartitionConditions.of(relation.definition(), partitions));
        SqlNode rows = Duck.around("(SELECT * FROM ", " AS \"#all\" WHERE ", ")", MergedRows.of(relation), condition);
        return source(rows, source, false);
    }

    private From view(Relation relation, ViewQuery view, String alias) {
        QueryTranslator.Result query = ViewTranslator.of(view, alias, queries.translation());
        return source(Duck.around("(", "", ")", query.node()), new Source(alias, relation, query.columns()), true);
    }

    /** A table or system view under an alias. */
    static Source of(Relation relation, String alias) {
        return Columns.source(relation, alias);
    }

    private From source(SqlNode node, Source source, boolean nameColumns) {
        queries.translation().columns(source.columns().size(), 0);
        SqlNode as = Duck.around("", " AS ", "", node, Duck.name(source.alias()));
        if (nameColumns) {
            SqlNode[] names = source.columns().stream()
                    .map(column -> Duck.name(column.name()))
                    .toArray(SqlNode[]::new);
            as = Duck.around("", "(", ")", as, Duck.around("", ", ", "", names));
        }
        return new From(as, List.of(source), visible(source), Map.of());
    }

    private static List<Visible> visible(Source source) {
        return source.columns().stream()
                .map(column -> new Visible(source, column))
                .toList();
    }

    private static From nullable(From from) {
        Map<Source, Source> changed = new HashMap<>();
        List<Source> sources = new ArrayList<>();
        for (Source source : from.sources()) {
            Source other = source.madeNullable();
            changed.put(source, other);
            sources.add(other);
        }
        List<Visible> visible = from.visible().stream()
                .map(v -> new Visible(
                        changed.getOrDefault(v.source(), v.source()), v.column().madeNullable()))
                .toList();
        Map<String, Source> merged = new HashMap<>();
        from.merged().forEach((column, source) -> merged.put(column, changed.getOrDefault(source, source)));
        return new From(from.node(), sources, visible, merged);
    }

    private From join(SqlJoin join) {
        From left = factor(join.getLeft(), null, List.of());
        From right = factor(join.getRight(), null, List.of());
        JoinType type = join.getJoinType();
        if (type == JoinType.LEFT) {
            right = nullable(right);
        } else if (type == JoinType.RIGHT) {
            left = nullable(left);
        }
        List<Source> sources = new ArrayList<>(left.sources());
        sources.addAll(right.sources());
        List<String> using = using(join, left, right);
        if (!using.isEmpty()) {
            return merged(join, left, right, sources, using);
        }
        Map<String, Source> merged = new HashMap<>(left.merged());
        merged.putAll(right.merged());
        List<Visible> visible = new ArrayList<>(left.visible());
        visible.addAll(right.visible());
        boolean conditional = join.getConditionType() == JoinConditionType.ON;
        From both = new From(left.node(), sources, visible, merged);
        if (!conditional) {
            if (type == JoinType.LEFT || type == JoinType.RIGHT) {
                if (!join.isNatural()) {
                    throw StatementRefusedException.syntax(
                            "You have an error in your SQL syntax: expected ON or USING after JOIN");
                }
                SqlNode outerJoin =
                        Duck.around("(", " " + type.name() + " JOIN ", " ON TRUE)", left.node(), right.node());
                return new From(outerJoin, sources, visible, merged);
            }
            return new From(Duck.around("(", " CROSS JOIN ", ")", left.node(), right.node()), sources, visible, merged);
        }
        ExpressionTranslator expressions = new ExpressionTranslator(
                queries.translation(), text, both.scope(outer), "on clause", queries, false, false);
        SqlNode condition = expressions.truth(join.getCondition());
        String words = type == JoinType.LEFT ? " LEFT JOIN " : type == JoinType.RIGHT ? " RIGHT JOIN " : " JOIN ";
        SqlNode node = Duck.around("(", " ON ", ")", Duck.around("", words, "", left.node(), right.node()), condition);
        return new From(node, sources, visible, merged);
    }

    private List<String> using(SqlJoin join, From left, From right) {
        List<String> names = new ArrayList<>();
        if (join.isNatural()) {
            for (Visible column : left.visible()) {
                boolean common = right.visible().stream()
                        .anyMatch(other -> other.column()
                                .name()
                                .equalsIgnoreCase(column.column().name()));
                if (common) {
                    names.add(column.column().name());
                }
            }
        } else if (join.getConditionType() == JoinConditionType.USING) {
            for (SqlNode column : (SqlNodeList) join.getCondition()) {
                names.add(text.name(((SqlIdentifier) column).getSimple()));
            }
        }
        return names;
    }

    private static From merged(SqlJoin join, From left, From right, List<Source> sources, List<String> using) {
        JoinType type = join.getJoinType();
        boolean fromRight = type == JoinType.RIGHT;
        Map<String, Source> merged = new HashMap<>(left.merged());
        merged.putAll(right.merged());
        List<Visible> visible = new ArrayList<>();
        List<SqlNode> names = new ArrayList<>();
        for (String name : using) {
            Visible column = find(fromRight ? right : left, name);
            find(fromRight ? left : right, name);
            merged.put(NameScope.key(name), column.source());
            visible.add(column);
            names.add(Duck.name(column.column().name()));
        }
        for (From side : List.of(left, right)) {
            for (Visible column : side.visible()) {
                if (using.stream()
                        .noneMatch(name -> name.equalsIgnoreCase(column.column().name()))) {
                    visible.add(column);
                }
            }
        }
        String words = type == JoinType.LEFT ? " LEFT JOIN " : type == JoinType.RIGHT ? " RIGHT JOIN " : " JOIN ";
        SqlNode node = Duck.around(
                "(",
                " USING (",
                "))",
                Duck.around("", words, "", left.node(), right.node()),
                Duck.around("", ", ", "", names.toArray(new SqlNode[0])));
        return new From(node, sources, visible, merged);
    }

    private static Visible find(From from, String name) {
        return from.visible().stream()
                .filter(column -> column.column().name().equalsIgnoreCase(name))
                .findFirst()
                .orElseThrow(() ->
                        new StatementRefusedException(1054, "42S22", "Unknown column '" + name + "' in 'from clause'"));
    }
}
