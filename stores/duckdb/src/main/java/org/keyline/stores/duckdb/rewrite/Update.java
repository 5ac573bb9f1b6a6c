package org.keyline.stores.duckdb.rewrite;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableName;
import org.keyline.planner.digest.TokenType;
import org.keyline.stores.ddl.DeclaredColumn;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.ddl.TableDefinition.Flavour;
import org.keyline.stores.duckdb.rewrite.Expressions.Aliases;
import org.keyline.stores.duckdb.translate.Relations.Relation;
import org.keyline.stores.duckdb.translate.Step;
import org.keyline.stores.duckdb.translate.Translated;

/** UPDATE and DELETE. Used once. */
final class Update {
    private final Rewriting rewriting;
    private final Tokens tokens;
    private final Queries queries;

    /** @param tokens after the verb */
    Update(Rewriting rewriting, Tokens tokens) {
        this.rewriting = rewriting;
        this.tokens = tokens;
        this.queries = new Queries(rewriting, tokens);
    }

    /**
     * What is written.
     *
     * @param source the target among the tables
     */
    private record Target(From from, NameScope scope, Source source, Relation relation, TableDefinition definition) {
        boolean single() {
            return from.sources().size() == 1;
        }

        Sql table() {
            return Sql.of("{} AS {}", Sql.name(relation.duckSchema(), relation.duckTable()), Sql.name(source.alias()));
        }

        Sql column(int ordinal) {
            return Sql.name(source.alias(), relation.columns().get(ordinal).name());
        }

        Sql row() {
            return Sql.of("{}.rowid", Sql.name(source.alias()));
        }
    }

    private From from() {
        return From.read(queries, null);
    }

    Translated update() {
        while (tokens.isAny("IGNORE", "LOW_PRIORITY")) {
            tokens.next();
        }
        From from = from();
        NameScope scope = from.scope(null);
        tokens.expect("SET");
        int assignments = tokens.index();
        Target target = target(from, scope, source(from, targets()), "UPDATE");
        refuseDorisRules(target.definition());
        tokens.go(assignments);
        Map<Integer, Sql> values = values(target);
        if (tokens.is("FROM")) {
            throw StatementRefusedException.unsupported("UPDATE … FROM");
        }
        // The condition reads the values before the assignments.
        Target found = new Target(from, from.scope(null), target.source(), target.relation(), target.definition());
        List<Sql> conditions = conditions(found);
        return update(found, values, conditions);
    }

    /** The assigned columns as they are named. */
    private List<List<String>> targets() {
        List<List<String>> targets = new ArrayList<>();
        int at = tokens.index();
        do {
            tokens.go(at);
            targets.add(tokens.path("a column name"));
            at = tokens.index();
            int depth = 0;
            while (!(tokens.at(at).type() == TokenType.END)
                    && !(depth == 0 && tokens.at(at).isSymbol(","))) {
                depth += tokens.at(at).isSymbol("(") ? 1 : tokens.at(at).isSymbol(")") ? -1 : 0;
                if (depth == 0
                        && (tokens.at(at).is("WHERE")
                                || tokens.at(at).is("ORDER")
                                || tokens.at(at).is("LIMIT"))) {
                    return targets;
                }
                at++;
            }
        } while (tokens.at(at++).isSymbol(","));
        return targets;
    }

    private Map<Integer, Sql> values(Target target) {
        Expressions expressions = new Expressions(queries, target.scope(), "field list", Aliases.NONE);
        Map<Integer, Sql> values = new LinkedHashMap<>();
        boolean doris = target.definition().flavour() == Flavour.DORIS;
        do {
            List<String> path = tokens.path("a column name");
            if (!tokens.takeSymbol(":=")) {
                tokens.expectSymbol("=");
            }
            int ordinal = Insert.ordinal(target.relation(), path.get(path.size() - 1));
            ColumnSchema column = target.relation().columns().get(ordinal);
            if (doris && target.definition().keyColumns().contains(ordinal)) {
                throw new StatementRefusedException(
                        1105,
                        "HY000",
                        "Only value columns of unique table could be updated, '" + column.name() + "' is a key column");
            }
            boolean ownDefault = tokens.is("DEFAULT") && !tokens.isSymbol(1, "(");
            if (ownDefault) {
                tokens.next();
            }
            Sql value = ownDefault
                    ? AssignedValues.defaultOf(column)
                    : AssignedValues.assigned(expressions.expression(), column, rewriting);
            values.put(ordinal, value);
            if (!doris) {
                // Later assignments see the new value.
                Typed assigned = Typed.of(value, Source.typeOf(column.type()));
                target.scope().assign(target.source(), column.name(), assigned);
            }
        } while (tokens.takeSymbol(","));
        return values;
    }

    private Translated update(Target target, Map<Integer, Sql> values, List<Sql> conditions) {
        List<Sql> changes = new ArrayList<>();
        values.forEach((ordinal, value) -> changes.add(Sql.infix(target.column(ordinal), "IS DISTINCT FROM", value)));
        Sql changed = Sql.chain("OR", changes);
        List<DeclaredColumn> columns = target.definition().columns();
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).onUpdate() != null && !values.containsKey(i)) {
                Sql now = AssignedValues.now(columns.get(i).schema());
                values.put(i, Sql.of("CASE WHEN {} THEN {} ELSE {} END", changed, now, target.column(i)));
            }
        }
        List<Sql> all = new ArrayList<>(conditions);
        if (!rewriting.context().foundRows()) {
            all.add(changed);
        }
        List<Sql> sets = new ArrayList<>();
        if (isPlain(target)) {
            values.forEach((ordinal, value) -> sets.add(set(target, ordinal, value)));
            Sql statement = Sql.of("UPDATE {} SET {}", target.table(), Sql.list(sets));
            return rewritten(Translated.Kind.UPDATE, where(statement, all), target);
        }
        List<Sql> items = new ArrayList<>(List.of(Sql.of("{} AS \"#row\"", target.row())));
        values.forEach((ordinal, value) -> {
            String name = "v" + sets.size();
            items.add(Sql.of("{} AS {}", value, Sql.name(name)));
            sets.add(set(target, ordinal, Sql.name("#found", name)));
        });
        Sql statement = Sql.of(
                "UPDATE {} SET {} FROM ({}) AS \"#found\" WHERE {} = \"#found\".\"#row\"",
                target.table(),
                Sql.list(sets),
                rows(target, items, all),
                target.row());
        return rewritten(Translated.Kind.UPDATE, statement, target);
    }

    private static Sql set(Target target, int ordinal, Sql value) {
        return Sql.of(
                "{} = {}", Sql.name(target.relation().columns().get(ordinal).name()), value);
    }

    private static Sql where(Sql statement, List<Sql> conditions) {
        return conditions.isEmpty() ? statement : Sql.of("{} WHERE {}", statement, Sql.chain("AND", conditions));
    }

    /** Whether the rows of one table are written, whatever their order. */
    private boolean isPlain(Target target) {
        boolean plain = target.single() && !tokens.isAny("ORDER", "LIMIT");
        if (plain) {
            tokens.expectEnd();
        }
        return plain;
    }

    private List<Sql> conditions(Target target) {
        return tokens.take("WHERE")
                ? List.of(new Expressions(queries, target.scope(), "where clause", Aliases.NONE).truth())
                : List.of();
    }

    /** The query that finds the rows, in the order and up to the limit that were asked for. */
    private Sql rows(Target target, List<Sql> items, List<Sql> conditions) {
        List<Sql> parts = new ArrayList<>();
        parts.add(
                where(Sql.of("SELECT {} FROM {}", Sql.list(items), target.from().sql()), conditions));
        if (tokens.takeAll("ORDER", "BY")) {
            Expressions expressions = new Expressions(queries, target.scope(), "order clause", Aliases.NONE);
            parts.add(Sql.of("ORDER BY {}", expressions.orderKeys()));
        }
        if (tokens.is("LIMIT") && (tokens.isSymbol(2, ",") || tokens.token(2).is("OFFSET"))) {
            throw StatementRefusedException.syntax(
                    "You have an error in your SQL syntax: LIMIT of UPDATE and DELETE has no offset");
        }
        queries.limit(parts);
        tokens.expectEnd();
        return Sql.joined(" ", parts);
    }

    Translated delete() {
        while (tokens.isAny("LOW_PRIORITY", "QUICK", "IGNORE")) {
            tokens.next();
        }
        List<List<String>> named = tokens.is("FROM") ? List.of() : tables();
        tokens.expect("FROM");
        if (named.isEmpty() && isUsing()) {
            named = tables();
            tokens.expect("USING");
            refuseWithoutTarget(named.get(0));
        }
        From from = from();
        if (named.size() > 1) {
            throw StatementRefusedException.unsupported("DELETE from more than one table");
        }
        if (named.isEmpty() && from.sources().size() > 1) {
            throw StatementRefusedException.syntax(
                    "You have an error in your SQL syntax: DELETE of several tables must name its target");
        }
        Source source = named.isEmpty() ? from.sources().get(0) : named(named.get(0), from);
        Target target = target(from, from.scope(null), source, "DELETE");
        List<Sql> conditions = conditions(target);
        if (isPlain(target)) {
            Sql statement = where(Sql.of("DELETE FROM {}", target.table()), conditions);
            return rewritten(Translated.Kind.DELETE, statement, target);
        }
        Sql rows = rows(target, List.of(target.row()), conditions);
        Sql statement = Sql.of("DELETE FROM {} WHERE rowid IN ({})", target.table(), rows);
        return rewritten(Translated.Kind.DELETE, statement, target);
    }

    private boolean isUsing() {
        return tokens.at(tokens.find(tokens.index(), "USING", "WHERE", "JOIN")).is("USING");
    }

    /** {@code a, d.b.*}. */
    private List<List<String>> tables() {
        List<List<String>> tables = new ArrayList<>();
        do {
            List<String> parts = new ArrayList<>(List.of(tokens.name("a table name")));
            while (tokens.takeSymbol(".")) {
                if (!tokens.takeSymbol("*")) {
                    parts.add(tokens.name("a table name"));
                }
            }
            tables.add(parts);
        } while (tokens.takeSymbol(","));
        return tables;
    }

    /** The tables of USING have the one that rows go from in MySQL, and not in Doris. */
    private void refuseWithoutTarget(List<String> target) {
        String name = target.get(target.size() - 1);
        int end = tokens.find(tokens.index(), "WHERE", "ORDER", "LIMIT");
        for (int i = tokens.index(); tokens.at(i).type() != TokenType.END && i != end; i++) {
            if (tokens.at(i).type().isName() && tokens.at(i).name().equalsIgnoreCase(name)) {
                return;
            }
        }
        throw StatementRefusedException.unsupported("DELETE … USING that names the table once, as Doris has it");
    }

    private Translated rewritten(Translated.Kind kind, Sql statement, Target target) {
        List<TableName> reads = new ArrayList<>(rewriting.reads());
        if (target.single()) {
            reads.remove(target.definition().name());
        }
        return new Translated(
                kind,
                List.of(statement.step(Step.Role.RESULT, rewriting.maxText())),
                List.of(),
                target.definition(),
                -1,
                reads,
                rewriting.pinned(),
                rewriting.reusable(),
                null);
    }

    /** The one source that has all assigned columns. */
    private static Source source(From from, List<List<String>> targets) {
        @Nullable Source target = null;
        for (List<String> parts : targets) {
            List<Source> fitting = from.sources().stream()
                    .filter(source -> source.column(parts.get(parts.size() - 1)) != null
                            && (parts.size() == 1 || NameScope.qualifies(parts, source)))
                    .toList();
            String name = String.join(".", parts);
            if (fitting.size() > 1) {
                throw new StatementRefusedException(1052, "23000", "Column '" + name + "' in field list is ambiguous");
            }
            if (fitting.isEmpty()) {
                throw Rewriting.unknownColumn(name, "field list");
            }
            if (target != null && !target.equals(fitting.get(0))) {
                throw StatementRefusedException.unsupported("UPDATE of more than one table");
            }
            target = fitting.get(0);
        }
        if (target == null) {
            throw new IllegalStateException("no assignments");
        }
        return target;
    }

    private static Source named(List<String> parts, From from) {
        String name = parts.get(parts.size() - 1);
        return from.sources().stream()
                .filter(source -> source.alias().equalsIgnoreCase(name))
                .findFirst()
                .orElseThrow(() ->
                        new StatementRefusedException(1109, "42S02", "Unknown table '" + name + "' in MULTI DELETE"));
    }

    private static Target target(From from, NameScope scope, Source source, String statement) {
        Relation relation = source.relation();
        TableDefinition definition = relation == null ? null : relation.definition();
        if (relation == null || definition == null) {
            throw new StatementRefusedException(
                    1288, "HY000", "The target table " + source.alias() + " of the " + statement + " is not updatable");
        }
        return new Target(from, scope, source, relation, definition);
    }

    private static void refuseDorisRules(TableDefinition definition) {
        if (definition.flavour() == Flavour.DORIS && definition.model() != TableModel.UNIQUE) {
            throw new StatementRefusedException(1105, "HY000", "Only unique table could be updated");
        }
    }
}
