package org.keyline.stores.duckdb.calcite;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableName;
import org.keyline.stores.ddl.DeclaredColumn;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.ddl.TableDefinition.Flavour;
import org.keyline.stores.duckdb.translate.ParserText;
import org.keyline.stores.duckdb.translate.Relations.Relation;
import org.keyline.stores.duckdb.translate.StatementForm;
import org.keyline.stores.duckdb.translate.Step;
import org.keyline.stores.duckdb.translate.Translated;

/** UPDATE and DELETE. Used once. */
final class UpdateTranslator {

    private final Translation translation;
    private final QueryTranslator queries;

    UpdateTranslator(Translation translation) {
        this.translation = translation;
        this.queries = new QueryTranslator(translation);
    }

    /** The parts of the query that finds the rows. */
    private record Found(SqlSelect select, @Nullable SqlOrderBy order, FromTranslator.From from, NameScope scope) {
        boolean single() {
            return from.sources().size() == 1;
        }
    }

    private Found find(ParserText text) {
        translation.pin(text);
        if (text.sql().contains("`" + ParserText.PARTITIONS + "`")) {
            throw StatementRefusedException.unsupported("UPDATE and DELETE of a PARTITION (…)");
        }
        SqlNode node = QueryParser.parse(text, translation.text());
        @Nullable SqlOrderBy order = node instanceof SqlOrderBy by ? by : null;
        SqlNode query = order == null ? node : order.query;
        if (!(query instanceof SqlSelect select) || select.getFrom() == null || select.getGroup() != null) {
            throw StatementRefusedException.syntax(
                    "You have an error in your SQL syntax: expected tables and a condition");
        }
        FromTranslator.From from = new FromTranslator(queries, text, null).translate(select.getFrom());
        return new Found(select, order, from, from.scope(null));
    }

    private ExpressionTranslator expressions(ParserText text, Found found, String clause) {
        return new ExpressionTranslator(translation, text, found.scope(), clause, queries, false, false);
    }

    Translated update(StatementForm.Update update) {
        ParserText text = update.query();
        Found found = find(text);
        Source target = target(update.targets(), found);
        Relation relation = writable(target, "UPDATE");
        TableDefinition definition = definitionOf(relation);
        refuseDorisRules(definition);
        ExpressionTranslator expressions = expressions(text, found, "field list");
        List<SqlNode> conditions = conditions(text, found);
        Map<Integer, SqlNode> values = new LinkedHashMap<>();
        for (int i = 0; i < update.targets().size(); i++) {
            List<String> parts = update.targets().get(i);
            int ordinal = InsertTranslator.ordinal(relation, parts.get(parts.size() - 1));
            ColumnSchema column = relation.columns().get(ordinal);
            if (definition.flavour() == Flavour.DORIS && definition.keyColumns().contains(ordinal)) {
                throw new StatementRefusedException(
                        1105,
                        "HY000",
                        "Only value columns of unique table could be updated, '" + column.name() + "' is a key column");
            }
            SqlNode value = value(expressions, found.select().getSelectList().get(i), column);
            values.put(ordinal, value);
            if (definition.flavour() == Flavour.MYSQL) {
                found.scope().assign(target, column.name(), Typed.of(value, Columns.type(column.type())));
            }
        }
        return print(text, found, target, relation, definition, conditions, values);
    }

    private SqlNode value(ExpressionTranslator expressions, SqlNode node, ColumnSchema column) {
        if (node instanceof SqlCall call
                && call.getOperator().getName().equals("#default")
                && call.operandCount() == 0) {
            String value = column.defaultSql();
            if (value == null && !column.nullable()) {
                throw new StatementRefusedException(
                        1364, "HY000", "Field '" + column.name() + "' doesn't have a default value");
            }
            return value == null
                    ? Duck.raw("NULL")
                    : AssignedValues.isNow(value)
                            ? AssignedValues.now(column)
                            : Duck.raw(org.keyline.stores.duckdb.translate.DuckDdl.defaultValue(column));
        }
        return AssignedValues.assigned(expressions.translate(node), column, translation);
    }

    private Translated print(
            ParserText text,
            Found found,
            Source target,
            Relation relation,
            TableDefinition definition,
            List<SqlNode> conditions,
            Map<Integer, SqlNode> values) {
        List<SqlNode> changes = new ArrayList<>();
        values.forEach((ordinal, value) ->
                changes.add(Duck.infix(column(target, relation, ordinal), "IS DISTINCT FROM", value)));
        SqlNode changed = Duck.chain("OR", changes);
        for (int i = 0; i < definition.columns().size(); i++) {
            DeclaredColumn column = definition.columns().get(i);
            if (column.onUpdate() != null && !values.containsKey(i)) {
                values.put(
                        i,
                        Duck.around(
                                "CASE WHEN ",
                                " ELSE ",
                                " END",
                                Duck.around("", " THEN ", "", changed, AssignedValues.now(column.schema())),
                                column(target, relation, i)));
            }
        }
        List<SqlNode> all = new ArrayList<>(conditions);
        if (!translation.context().foundRows()) {
            all.add(changed);
        }
        SqlNode table = Duck.around(
                "", " AS ", "", Duck.name(relation.duckSchema(), relation.duckTable()), Duck.name(target.alias()));
        SqlNode statement;
        if (found.single() && found.order() == null) {
            List<SqlNode> sets = new ArrayList<>();
            values.forEach((ordinal, value) -> sets.add(set(relation, ordinal, value)));
            statement = Duck.around("UPDATE ", " SET ", "", table, list(sets));
            statement = all.isEmpty() ? statement : Duck.around("", " WHERE ", "", statement, Duck.chain("AND", all));
        } else {
            List<SqlNode> sets = new ArrayList<>();
            List<SqlNode> items = new ArrayList<>();
            items.add(Duck.around("", "", ".rowid AS \"#row\"", Duck.name(target.alias())));
            int next = 0;
            for (Map.Entry<Integer, SqlNode> value : values.entrySet()) {
                String name = "v" + next++;
                items.add(Duck.as(value.getValue(), name));
                sets.add(set(relation, value.getKey(), Duck.name("#found", name)));
            }
            SqlNode rows = rows(text, found, items, all);
            statement = Duck.around(
                    "UPDATE ",
                    " FROM ",
                    "",
                    Duck.around("", " SET ", "", table, list(sets)),
                    Duck.around(
                            "(",
                            ") AS \"#found\" WHERE ",
                            ".rowid = \"#found\".\"#row\"",
                            rows,
                            Duck.name(target.alias())));
        }
        return translated(Translated.Kind.UPDATE, statement, definition, found.single());
    }

    private static SqlNode list(List<SqlNode> nodes) {
        return Duck.around("", ", ", "", nodes.toArray(new SqlNode[0]));
    }

    private static SqlNode set(Relation relation, int ordinal, SqlNode value) {
        return Duck.around(
                "", " = ", "", Duck.name(relation.columns().get(ordinal).name()), value);
    }

    private static SqlNode column(Source target, Relation relation, int ordinal) {
        return Duck.name(target.alias(), relation.columns().get(ordinal).name());
    }

    private List<SqlNode> conditions(ParserText text, Found found) {
        List<SqlNode> conditions = new ArrayList<>();
        if (found.select().getWhere() != null) {
            conditions.add(expressions(text, found, "where clause")
                    .truth(found.select().getWhere()));
        }
        return conditions;
    }

    /** The query that finds the rows, in the order and up to the limit that were asked for. */
    private SqlNode rows(ParserText text, Found found, List<SqlNode> items, List<SqlNode> conditions) {
        List<SqlNode> parts = new ArrayList<>();
        parts.add(Duck.around("SELECT ", ", ", "", items.toArray(new SqlNode[0])));
        parts.add(Duck.around("FROM ", "", "", found.from().node()));
        if (!conditions.isEmpty()) {
            parts.add(Duck.around("WHERE ", "", "", Duck.chain("AND", conditions)));
        }
        if (found.order() != null) {
            ExpressionTranslator expressions = expressions(text, found, "order clause");
            List<SqlNode> keys = new ArrayList<>();
            found.order().orderList.forEach(key -> keys.add(expressions.ordered(key)));
            if (!keys.isEmpty()) {
                parts.add(Duck.around("ORDER BY ", ", ", "", keys.toArray(new SqlNode[0])));
            }
            if (found.order().offset != null) {
                throw StatementRefusedException.syntax(
                        "You have an error in your SQL syntax: LIMIT of UPDATE and DELETE has no offset");
            }
            queries.limit(found.order(), text, parts);
        }
        return QueryTranslator.joined(parts);
    }

    Translated delete(StatementForm.Delete delete) {
        ParserText text = delete.query();
        Found found = find(text);
        if (delete.targets().size() > 1) {
            throw StatementRefusedException.unsupported("DELETE from more than one table");
        }
        Source target = delete.targets().isEmpty()
                ? found.from().sources().get(0)
                : named(delete.targets().get(0), found);
        if (delete.targets().isEmpty() && !found.single()) {
            throw StatementRefusedException.syntax(
                    "You have an error in your SQL syntax: DELETE of several tables must name its target");
        }
        Relation relation = writable(target, "DELETE");
        if (definitionOf(relation).model() == TableModel.AGGREGATE) {
            return deleteKeys(found, target, relation, text);
        }
        List<SqlNode> conditions = conditions(text, found);
        SqlNode table = Duck.around(
                "", " AS ", "", Duck.name(relation.duckSchema(), relation.duckTable()), Duck.name(target.alias()));
        SqlNode statement;
        if (found.single() && found.order() == null) {
            statement = conditions.isEmpty()
                    ? Duck.around("DELETE FROM ", "", "", table)
                    : Duck.around("DELETE FROM ", " WHERE ", "", table, Duck.chain("AND", conditions));
        } else {
            SqlNode item = Duck.around("", "", ".rowid", Duck.name(target.alias()));
            SqlNode rows = rows(text, found, List.of(item), conditions);
            statement = Duck.around("DELETE FROM ", " WHERE rowid IN (", ")", table, rows);
        }
        return translated(Translated.Kind.DELETE, statement, definitionOf(relation), found.single());
    }

    /** The rows of an AGGREGATE KEY table are merged when they are read, so that only their keys tell which of them go. */
    private Translated deleteKeys(Found found, Source target, Relation relation, ParserText text) {
        TableDefinition definition = definitionOf(relation);
        if (!found.single() || found.order() != null) {
            throw StatementRefusedException.unsupported(
                    "DELETE from an AGGREGATE KEY table with a join, ORDER BY or LIMIT");
        }
        List<Source.Column> keys =
                definition.keyColumns().stream().map(target.columns()::get).toList();
        NameScope scope = new NameScope(null, List.of(new Source(target.alias(), relation, keys)));
        SqlNode statement = Duck.around(
                "DELETE FROM ",
                " AS ",
                "",
                Duck.name(relation.duckSchema(), relation.duckTable()),
                Duck.name(target.alias()));
        if (found.select().getWhere() != null) {
            ExpressionTranslator expressions =
                    new ExpressionTranslator(translation, text, scope, "where clause", queries, false, false);
            SqlNode condition = expressions.truth(found.select().getWhere());
            statement = Duck.around("", " WHERE ", "", statement, condition);
        }
        return translated(Translated.Kind.DELETE, statement, definition, true);
    }

    /** @param single whether FROM names the target and nothing else */
    private Translated translated(Translated.Kind kind, SqlNode statement, TableDefinition target, boolean single) {
        List<TableName> reads = new ArrayList<>(translation.reads());
        if (single) {
            reads.remove(target.name());
        }
        return new Translated(
                kind,
                List.of(StepPrinter.step(translation, statement, Step.Role.RESULT)),
                List.of(),
                target,
                -1,
                reads,
                translation.pinned(),
                translation.reusable());
    }

    /** The one source that has all assigned columns. */
    private static Source target(List<List<String>> targets, Found found) {
        @Nullable Source target = null;
        for (List<String> parts : targets) {
            @Nullable Source source = null;
            for (Source candidate : found.from().sources()) {
                boolean fits = parts.size() == 1
                        ? candidate.column(parts.get(0)) != null
                        : NameScope.qualifies(parts, candidate)
                                && candidate.column(parts.get(parts.size() - 1)) != null;
                if (fits && source != null) {
                    throw new StatementRefusedException(
                            1052, "23000", "Column '" + String.join(".", parts) + "' in field list is ambiguous");
                }
                source = fits ? candidate : source;
            }
            if (source == null) {
                throw new StatementRefusedException(
                        1054, "42S22", "Unknown column '" + String.join(".", parts) + "' in 'field list'");
            }
            if (target != null && !target.equals(source)) {
                throw StatementRefusedException.unsupported("UPDATE of more than one table");
            }
            target = source;
        }
        if (target == null) {
            throw new IllegalStateException("no assignments");
        }
        return target;
    }

    private static Source named(List<String> parts, Found found) {
        for (Source source : found.from().sources()) {
            if (source.alias().equalsIgnoreCase(parts.get(parts.size() - 1))) {
                return source;
            }
        }
        throw new StatementRefusedException(
                1109, "42S02", "Unknown table '" + parts.get(parts.size() - 1) + "' in MULTI DELETE");
    }

    private static Relation writable(Source target, String statement) {
        Relation relation = target.relation();
        if (relation == null || relation.definition() == null) {
            throw new StatementRefusedException(
                    1288, "HY000", "The target table " + target.alias() + " of the " + statement + " is not updatable");
        }
        return relation;
    }

    private static TableDefinition definitionOf(Relation relation) {
        TableDefinition definition = relation.definition();
        if (definition == null) {
            throw new IllegalStateException(relation.name() + " has no definition");
        }
        return definition;
    }

    private static void refuseDorisRules(TableDefinition definition) {
        if (definition.flavour() == Flavour.DORIS && definition.model() != TableModel.UNIQUE) {
            throw new StatementRefusedException(1105, "HY000", "Only unique table could be updated");
        }
    }
}
