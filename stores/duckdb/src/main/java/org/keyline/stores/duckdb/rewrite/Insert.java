package org.keyline.stores.duckdb.rewrite;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.rewrite.Expressions.Aliases;
import org.keyline.stores.duckdb.translate.DuckDdl;
import org.keyline.stores.duckdb.translate.OutputColumn;
import org.keyline.stores.duckdb.translate.Parameter;
import org.keyline.stores.duckdb.translate.Relations.Relation;
import org.keyline.stores.duckdb.translate.SqlType;
import org.keyline.stores.duckdb.translate.Step;
import org.keyline.stores.duckdb.translate.Tokens;
import org.keyline.stores.duckdb.translate.Translated;

/** Rewrites an INSERT or REPLACE. Used once. */
final class Insert {
    /** DuckDB's name of the row that would have been inserted. */
    static final String EXCLUDED = "excluded";

    /** The alias of that row in the statement's scope. Names without quotes cannot begin with #. */
    static final String VALUES = "#values";

    private static final int MAX_COLUMNS = 4_096;

    private final Rewriting rewriting;
    private final Tokens tokens;
    private final boolean replace;
    private final boolean ignore;
    private final Relation relation;
    private final List<Integer> columns = new ArrayList<>();
    private final int autoIncrement;
    private boolean generates;

    Insert(Rewriting rewriting, Tokens tokens, boolean replace) {
        this.rewriting = rewriting;
        this.tokens = tokens;
        this.replace = replace;
        boolean ignores = false;
        while (tokens.isAny("IGNORE", "LOW_PRIORITY", "DELAYED", "HIGH_PRIORITY")) {
            ignores |= tokens.next().is("IGNORE");
        }
        this.ignore = ignores;
        if (tokens.is("OVERWRITE")) {
            throw StatementRefusedException.unsupported("INSERT OVERWRITE");
        }
        tokens.take("INTO");
        tokens.take("TABLE");
        this.relation = target(tokens.path("a table name"));
        this.autoIncrement = autoIncrementOf(relation);
        if (!ignore) {
            rewriting.failAtZero(relation);
        }
    }

    private Relation target(List<String> name) {
        if (name.get(0).equals("DORIS_INTERNAL_TABLE_ID")) {
            throw StatementRefusedException.unsupported("DORIS_INTERNAL_TABLE_ID(…)");
        }
        Relation target = rewriting.relation(name, false);
        if (target.definition() == null) {
            throw new StatementRefusedException(
                    1288, "HY000", "The target table " + target.name().table() + " of the INSERT is not updatable");
        }
        return target;
    }

    private static int autoIncrementOf(Relation relation) {
        for (int i = 0; i < relation.columns().size(); i++) {
            if (relation.columns().get(i).autoIncrement()) {
                return i;
            }
        }
        return -1;
    }

    static int ordinal(Relation relation, String name) {
        for (int i = 0; i < relation.columns().size(); i++) {
            if (relation.columns().get(i).name().equalsIgnoreCase(name)) {
                return i;
            }
        }
        throw Rewriting.unknownColumn(name, "field list");
    }

    Translated rewrite() {
        if (tokens.isAny("PARTITION", "PARTITIONS")) {
            throw StatementRefusedException.unsupported("INSERT into a partition");
        }
        if (tokens.takeAll("WITH", "LABEL")) {
            throw StatementRefusedException.unsupported("INSERT … WITH LABEL");
        }
        List<Step> steps = rows(columns());
        return rewriting.translated(
                Translated.Kind.INSERT, steps, List.of(), relation.definition(), generates ? autoIncrement : -1);
    }

    /** Reads the list of columns. Returns false if it is missing or empty. */
    private boolean columns() {
        if (!tokens.isSymbol("(") || queries().isQuery(tokens.index()) || tokens.isSymbol(1, "(")) {
            return false;
        }
        if (tokens.isSymbol(1, ")")) {
            tokens.go(tokens.index() + 2);
            return false;
        }
        tokens.next();
        do {
            if (columns.size() == MAX_COLUMNS) {
                throw tokens.error("at most " + MAX_COLUMNS + " columns");
            }
            name(tokens.path("a column name"));
        } while (tokens.takeSymbol(","));
        tokens.expectSymbol(")");
        return true;
    }

    private void name(List<String> path) {
        String name = path.get(path.size() - 1);
        int ordinal = ordinal(relation, name);
        if (columns.contains(ordinal)) {
            throw new StatementRefusedException(1110, "42000", "Column '" + name + "' specified twice");
        }
        columns.add(ordinal);
    }

    private Queries queries() {
        return new Queries(rewriting, tokens);
    }

    private Expressions expressions(NameScope scope) {
        return new Expressions(queries(), scope, "field list", Aliases.NONE);
    }

    private List<Step> rows(boolean named) {
        if (tokens.take("SET")) {
            return written(List.of(set()));
        }
        if (!tokens.take("VALUES") && !tokens.take("VALUE")) {
            if (tokens.atEnd() || tokens.is("ON")) {
                throw tokens.error("VALUES, SET or a query");
            }
            all(named);
            refuseMissing();
            return query();
        }
        boolean empty = tokens.isSymbol("(") && tokens.isSymbol(1, ")");
        all(named || empty);
        refuseMissing();
        List<List<Sql>> rows = new ArrayList<>();
        Expressions expressions = expressions(new NameScope(null, List.of()));
        do {
            tokens.take("ROW");
            tokens.expectSymbol("(");
            List<Sql> row = new ArrayList<>();
            while (!tokens.isSymbol(")")) {
                row.add(
                        row.size() < columns.size()
                                ? inRow(cell(expressions, columns.get(row.size())), rows.size() + 1)
                                : expressions.expression().sql());
                if (!tokens.takeSymbol(",")) {
                    break;
                }
            }
            tokens.expectSymbol(")");
            if (row.size() != columns.size()) {
                throw new StatementRefusedException(
                        1136, "21S01", "Column count doesn't match value count at row " + (rows.size() + 1));
            }
            rows.add(row);
        } while (tokens.takeSymbol(","));
        return written(rows);
    }

    private static Sql inRow(Sql cell, int row) {
        return cell instanceof Sql.Value value ? value.with(value.parameter().inRow(row)) : cell;
    }

    private void all(boolean named) {
        for (int i = 0; !named && i < relation.columns().size(); i++) {
            columns.add(i);
        }
    }

    private List<Sql> set() {
        List<Sql> row = new ArrayList<>();
        Expressions expressions = expressions(new NameScope(null, List.of()));
        do {
            name(tokens.path("a column name"));
            tokens.expectSymbol("=");
            row.add(cell(expressions, columns.get(columns.size() - 1)));
        } while (tokens.takeSymbol(","));
        refuseMissing();
        return row;
    }

    private void refuseMissing() {
        for (int i = 0; i < relation.columns().size(); i++) {
            ColumnSchema column = relation.columns().get(i);
            if (!columns.contains(i) && column.defaultSql() == null && !column.autoIncrement()) {
                AssignedValues.defaultOf(column);
            }
        }
    }

    /**
     * Returns the ordinals of omitted columns that DuckDB cannot fill, because their default is
     * CURRENT_TIMESTAMP or AUTO_INCREMENT.
     */
    private List<Integer> filled() {
        List<Integer> filled = new ArrayList<>();
        for (int i = 0; i < relation.columns().size(); i++) {
            boolean now = DuckDdl.isNow(relation.columns().get(i).defaultSql());
            if (!columns.contains(i) && (now || i == autoIncrement)) {
                filled.add(i);
            }
        }
        return filled;
    }

    private List<Step> written(List<List<Sql>> named) {
        List<Integer> all = new ArrayList<>(columns);
        all.addAll(filled());
        for (List<Sql> row : named) {
            for (int ordinal : all.subList(columns.size(), all.size())) {
                row.add(missing(ordinal));
            }
        }
        if (all.isEmpty()) {
            all.add(0);
            named.forEach(
                    row -> row.add(AssignedValues.defaultOf(relation.columns().get(0))));
        }
        int position = columns.indexOf(autoIncrement);
        boolean generated = position < 0
                || named.stream().allMatch(row -> InsertSteps.probe(row).get(position) == InsertSteps.NO_VALUE);
        return steps(all, generated).rows(named);
    }

    /** @param generated whether every row gets a generated AUTO_INCREMENT value */
    private InsertSteps steps(List<Integer> all, boolean generated) {
        @Nullable String alias = tokens.take("AS") ? tokens.name("a row alias") : null;
        boolean update = tokens.is("ON");
        if (update && replace) {
            throw tokens.error("the end of REPLACE");
        }
        UniqueKey key = UniqueKey.of(
                java.util.Objects.requireNonNull(relation.definition()),
                replace,
                ignore,
                update,
                generated ? autoIncrement : -1);
        Map<Integer, Sql> updates = update ? updates(key, alias) : Map.of();
        tokens.expectEnd();
        return new InsertSteps(relation, key, all, updates, rewriting);
    }

    private Sql cell(Expressions expressions, int ordinal) {
        if (tokens.is("DEFAULT") && !tokens.isSymbol(1, "(")) {
            tokens.next();
            return missing(ordinal);
        }
        ColumnSchema column = relation.columns().get(ordinal);
        Typed value = expressions.expression();
        @Nullable Parameter given = value.parameter();
        if (ordinal == autoIncrement && given != null && given.source() == Parameter.Source.SLOT) {
            generates = true;
            return new Sql.Value(given.generatedIn(column));
        }
        if (value.family() == SqlType.Family.NULL && given == null) {
            if (ordinal == autoIncrement) {
                return missing(ordinal);
            }
            if (!column.nullable()) {
                throw new StatementRefusedException(1048, "23000", "Column '" + column.name() + "' cannot be null");
            }
        }
        return AssignedValues.assigned(value, column, rewriting);
    }

    private Sql missing(int ordinal) {
        if (ordinal != autoIncrement) {
            return AssignedValues.defaultOf(relation.columns().get(ordinal));
        }
        generates = true;
        return new Sql.Value(Parameter.of(Parameter.Source.AUTO_INCREMENT, ""));
    }

    private List<Step> query() {
        Queries.Result result = queries().query(null);
        if (result.columns().size() != columns.size()) {
            throw new StatementRefusedException(1136, "21S01", "Column count doesn't match value count at row 1");
        }
        String alias = rewriting.freshName();
        List<Sql> items = new ArrayList<>();
        List<Integer> all = new ArrayList<>(columns);
        for (int i = 0; i < columns.size(); i++) {
            OutputColumn column = result.columns().get(i);
            Typed value = new Typed(Sql.name(alias, "c" + i), column.type(), column.nullable(), column.origin());
            Sql assigned = AssignedValues.assigned(value, relation.columns().get(columns.get(i)), rewriting);
            boolean generated = columns.get(i) == autoIncrement;
            items.add(generated ? Sql.of("coalesce(nullif({}, 0), {})", assigned, next()) : assigned);
        }
        for (int ordinal : filled()) {
            all.add(ordinal);
            items.add(ordinal == autoIncrement ? next() : missing(ordinal));
        }
        Sql source = Sql.of("SELECT {} FROM {}", Sql.list(items), Sql.derived(result.sql(), alias, columns.size()));
        List<Step> steps = new ArrayList<>();
        if (generates) {
            Sql count = Sql.of("SELECT count(*) FROM {}", Sql.derived(result.sql(), alias, columns.size()));
            steps.add(count.step(Step.Role.ROWS, rewriting.maxText()));
        }
        steps.addAll(steps(all, !columns.contains(autoIncrement)).query(source));
        return steps;
    }

    /** Returns the expression for the AUTO_INCREMENT values of a query's rows. */
    private Sql next() {
        return Sql.of("(row_number() OVER () - 1 + {})", missing(autoIncrement));
    }

    /** Reads ON DUPLICATE KEY UPDATE. Returns the assigned values by the ordinal of the column. */
    private Map<Integer, Sql> updates(UniqueKey key, @Nullable String rowAlias) {
        if (!tokens.takeAll("ON", "DUPLICATE", "KEY", "UPDATE")) {
            throw tokens.error("ON DUPLICATE KEY UPDATE");
        }
        Source table = Source.of(relation, relation.name().table());
        List<Source> sources = new ArrayList<>();
        sources.add(new Source(table.alias(), InsertSteps.ALIAS, relation, table.columns(), false));
        sources.add(new Source(VALUES, EXCLUDED, null, table.columns(), true));
        if (rowAlias != null) {
            sources.add(new Source(rowAlias, EXCLUDED, null, table.columns(), true));
        }
        NameScope scope = new NameScope(null, sources);
        Expressions expressions = expressions(scope);
        Map<Integer, Sql> updates = new LinkedHashMap<>();
        do {
            List<String> path = tokens.path("a column name");
            if (!tokens.takeSymbol(":=")) {
                tokens.expectSymbol("=");
            }
            int ordinal = ordinal(relation, path.get(path.size() - 1));
            ColumnSchema column = relation.columns().get(ordinal);
            boolean ownDefault = tokens.is("DEFAULT") && !tokens.isSymbol(1, "(");
            if (ownDefault) {
                tokens.next();
            }
            Typed value = ownDefault
                    ? Typed.of(AssignedValues.defaultOf(column), Source.typeOf(column.type()))
                    : expressions.expression();
            boolean isKey = key.columns().contains(ordinal);
            if (isColumn(value, InsertSteps.ALIAS, column) || (isKey && isColumn(value, EXCLUDED, column))) {
                // The assignment changes nothing, because the column already has this value.
                continue;
            }
            if (isKey || ordinal == autoIncrement) {
                throw StatementRefusedException.unsupported(
                        "ON DUPLICATE KEY UPDATE of the key column '" + column.name() + "'");
            }
            Sql assigned = ownDefault ? value.sql() : AssignedValues.assigned(value, column, rewriting);
            scope.assign(sources.get(0), column.name(), Typed.of(assigned, Source.typeOf(column.type())));
            updates.put(ordinal, assigned);
        } while (tokens.takeSymbol(","));
        return updates;
    }

    private static boolean isColumn(Typed value, String table, ColumnSchema column) {
        return value.sql().isName(table, column.name());
    }
}
