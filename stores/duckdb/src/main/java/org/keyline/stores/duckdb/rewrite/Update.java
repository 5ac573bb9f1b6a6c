package org.keyline.stores.duckdb.rewrite;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableModel;
import org.keyline.stores.ddl.DeclaredColumn;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.ddl.TableDefinition.Flavour;
import org.keyline.stores.duckdb.rewrite.Expressions.Aliases;
import org.keyline.stores.duckdb.translate.Relations.Relation;
import org.keyline.stores.duckdb.translate.Step;
import org.keyline.stores.duckdb.translate.Tokens;
import org.keyline.stores.duckdb.translate.Translated;

/** Rewrites UPDATE and DELETE of one table. Used once. */
final class Update {
    private final Rewriting rewriting;
    private final Tokens tokens;
    private final Queries queries;

    Update(Rewriting rewriting, Tokens tokens) {
        this.rewriting = rewriting;
        this.tokens = tokens;
        this.queries = new Queries(rewriting, tokens);
    }

    private record Target(From from, Source source, Relation relation, TableDefinition definition) {
        /** Returns a scope in which each column has its value before the statement. */
        NameScope scope() {
            return from.scope(null);
        }

        Sql table() {
            return Sql.of("{} AS {}", Sql.name(relation.duckSchema(), relation.duckTable()), Sql.name(source.alias()));
        }

        Sql column(int ordinal) {
            return Sql.name(source.alias(), relation.columns().get(ordinal).name());
        }
    }

    private Target target(String statement) {
        From from = From.read(queries, null);
        if (from.sources().size() > 1) {
            throw StatementRefusedException.unsupported(statement + " of joined tables");
        }
        Source source = from.sources().get(0);
        Relation relation = source.relation();
        TableDefinition definition = relation == null ? null : relation.definition();
        if (relation == null || definition == null) {
            throw new StatementRefusedException(
                    1288, "HY000", "The target table " + source.alias() + " of the " + statement + " is not updatable");
        }
        rewriting.writes(relation);
        return new Target(from, source, relation, definition);
    }

    Translated update() {
        tokens.take("LOW_PRIORITY");
        Target target = target("UPDATE");
        rewriting.failAtZero(target.relation());
        refuseDorisRules(target.definition());
        tokens.expect("SET");
        Map<Integer, Sql> values = values(target);
        if (tokens.is("FROM")) {
            throw StatementRefusedException.unsupported("UPDATE … FROM");
        }
        List<Sql> conditions = conditions(target, "UPDATE");
        boolean reads = rewriting.reads().contains(target.relation().name());
        if (values.size() > 1 && target.definition().flavour() == Flavour.MYSQL && reads) {
            // In MariaDB, later assignments read the old values if a subquery reads the target too,
            // and the new values if no subquery does.
            throw new StatementRefusedException(
                    1093,
                    "HY000",
                    "You can't specify target table '" + target.source().alias() + "' for update in FROM clause");
        }
        return update(target, values, conditions);
    }

    private Map<Integer, Sql> values(Target target) {
        NameScope scope = target.scope();
        Expressions expressions = new Expressions(queries, scope, "field list", Aliases.NONE);
        Map<Integer, Sql> values = new LinkedHashMap<>();
        boolean doris = target.definition().flavour() == Flavour.DORIS;
        do {
            List<String> path = tokens.path("a column name");
            if (!tokens.takeSymbol(":=")) {
                tokens.expectSymbol("=");
            }
            if (path.size() > 1 && !NameScope.qualifies(path, target.source())) {
                throw Rewriting.unknownColumn(String.join(".", path), "field list");
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
                scope.assign(target.source(), column.name(), assigned);
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
        List<Sql> unequal = rewriting.context().foundRows() ? List.of() : List.of(changed);
        List<Sql> sets = new ArrayList<>();
        List<Sql> all = new ArrayList<>(conditions);
        // Without CASE, DuckDB could fail on values of rows that the condition does not select.
        unequal.forEach(differs -> all.add(
                conditions.isEmpty()
                        ? differs
                        : Sql.of("CASE WHEN {} THEN {} ELSE FALSE END", conditions.get(0), differs)));
        values.forEach((ordinal, value) -> sets.add(set(target, ordinal, value)));
        Sql statement = Sql.of("UPDATE {} SET {}", target.table(), Sql.list(sets));
        return rewritten(Translated.Kind.UPDATE, where(statement, all), target);
    }

    private static Sql set(Target target, int ordinal, Sql value) {
        return Sql.of(
                "{} = {}", Sql.name(target.relation().columns().get(ordinal).name()), value);
    }

    private static Sql where(Sql statement, List<Sql> conditions) {
        return conditions.isEmpty() ? statement : Sql.of("{} WHERE {}", statement, Sql.chain("AND", conditions));
    }

    private List<Sql> conditions(Target target, String statement) {
        List<Sql> conditions = tokens.take("WHERE")
                ? List.of(new Expressions(queries, target.scope(), "where clause", Aliases.NONE).truth())
                : List.of();
        if (tokens.isAny("ORDER", "LIMIT")) {
            throw StatementRefusedException.unsupported(
                    statement + " … " + tokens.token().text().toUpperCase(Locale.ROOT));
        }
        tokens.expectEnd();
        return conditions;
    }

    /** Reads {@code DELETE FROM t …}, or {@code DELETE a FROM t AS a …} as Hibernate writes it. */
    Translated delete() {
        while (tokens.isAny("LOW_PRIORITY", "QUICK", "IGNORE")) {
            tokens.next();
        }
        int named = tokens.index();
        int from = tokens.find(named, "FROM");
        tokens.go(Math.max(named, from));
        tokens.expect("FROM");
        Target target = target("DELETE");
        if (tokens.is("USING")) {
            throw StatementRefusedException.unsupported("DELETE … USING");
        }
        boolean same = from - named == 1
                && tokens.at(named).name().equalsIgnoreCase(target.source().alias());
        if (from > named && !same) {
            throw StatementRefusedException.unsupported("DELETE of another table than the one after FROM");
        }
        Sql statement = where(Sql.of("DELETE FROM {}", target.table()), conditions(target, "DELETE"));
        return rewritten(Translated.Kind.DELETE, statement, target);
    }

    private Translated rewritten(Translated.Kind kind, Sql statement, Target target) {
        Step step = statement.step(Step.Role.RESULT, rewriting.maxText());
        return rewriting.translated(kind, List.of(step), List.of(), target.definition(), -1);
    }

    private static void refuseDorisRules(TableDefinition definition) {
        if (definition.flavour() == Flavour.DORIS && definition.model() != TableModel.UNIQUE) {
            throw new StatementRefusedException(1105, "HY000", "Only unique table could be updated");
        }
    }
}
