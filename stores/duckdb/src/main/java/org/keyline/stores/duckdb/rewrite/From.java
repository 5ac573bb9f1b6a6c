package org.keyline.stores.duckdb.rewrite;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.digest.ReservedWords;
import org.keyline.planner.digest.TokenType;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.duckdb.translate.DuckDdl;
import org.keyline.stores.duckdb.translate.OutputColumn;
import org.keyline.stores.duckdb.translate.Relations.Relation;
import org.keyline.stores.duckdb.translate.Tokens;

/**
 * A FROM clause: tables, subqueries and joins.
 *
 * @param visible the columns of {@code *}, in order
 * @param merged for each column that USING joins, the source to which its unqualified name refers
 */
record From(Sql sql, List<Source> sources, List<Visible> visible, Map<String, Source> merged) {

    /** A column that {@code *} selects. */
    record Visible(Source source, OutputColumn column) {}

    NameScope scope(@Nullable NameScope outer) {
        NameScope scope = new NameScope(outer, sources);
        scope.merge(merged);
        return scope;
    }

    /** Returns the columns of {@code t.*}. Throws error 1051 if no table has the name. */
    List<Visible> of(List<String> table) {
        List<String> parts = new ArrayList<>(table);
        parts.add("*");
        List<Visible> found = new ArrayList<>();
        sources.stream()
                .filter(source -> NameScope.qualifies(parts, source))
                .forEach(source -> source.columns().forEach(column -> found.add(new Visible(source, column))));
        if (found.isEmpty()) {
            throw new StatementRefusedException(1051, "42S02", "Unknown table '" + table.get(table.size() - 1) + "'");
        }
        return found;
    }

    static From read(Queries queries, @Nullable NameScope outer) {
        From from = new Reader(queries, outer).tables();
        Set<String> names = new HashSet<>();
        for (Source source : from.sources()) {
            if (!names.add(NameScope.key(source.alias()))) {
                throw new StatementRefusedException(1066, "42000", "Not unique table/alias: '" + source.alias() + "'");
            }
        }
        return from;
    }

    /** Returns a copy with nullable columns, for the side of an outer join that can have no row. */
    private From nullable() {
        Map<Source, Source> changed = new HashMap<>();
        sources.forEach(source -> changed.put(source, source.madeNullable()));
        List<Visible> columns = visible.stream()
                .map(v -> new Visible(
                        changed.getOrDefault(v.source(), v.source()), v.column().madeNullable()))
                .toList();
        Map<String, Source> joined = new HashMap<>();
        merged.forEach((column, source) -> joined.put(column, changed.getOrDefault(source, source)));
        return new From(sql, sources.stream().map(Source::madeNullable).toList(), columns, joined);
    }

    private Visible find(String name) {
        return visible.stream()
                .filter(column -> column.column().name().equalsIgnoreCase(name))
                .findFirst()
                .orElseThrow(() -> Rewriting.unknownColumn(name, "from clause"));
    }

    private static final class Reader {
        private final Queries queries;
        private final Rewriting rewriting;
        private final Tokens tokens;
        private final @Nullable NameScope outer;

        Reader(Queries queries, @Nullable NameScope outer) {
            this.queries = queries;
            this.rewriting = queries.rewriting();
            this.tokens = queries.tokens();
            this.outer = outer;
        }

        From tables() {
            From from = joins();
            while (tokens.takeSymbol(",")) {
                from = joined(from, joins(), " CROSS JOIN ", null);
            }
            return from;
        }

        private From joins() {
            From left = factor();
            while (true) {
                String side = side();
                if (side.isEmpty() && !tokens.isAny("JOIN", "STRAIGHT_JOIN")) {
                    return left;
                }
                if (!tokens.take("STRAIGHT_JOIN")) {
                    tokens.expect("JOIN");
                }
                left = join(left, factor(), side);
            }
        }

        /** Reads LEFT, RIGHT, INNER or CROSS before JOIN; returns an empty text if none follows. */
        private String side() {
            if (tokens.isAny("LEFT", "RIGHT")) {
                boolean outerJoin = tokens.token(1).is("OUTER");
                if (!tokens.token(outerJoin ? 2 : 1).is("JOIN")) {
                    throw tokens.error("JOIN");
                }
                String side = tokens.next().text().toUpperCase(Locale.ROOT);
                tokens.take("OUTER");
                return side;
            }
            return tokens.isAny("INNER", "CROSS") ? tokens.next().text().toUpperCase(Locale.ROOT) : "";
        }

        private From join(From first, From second, String side) {
            boolean outerJoin = side.equals("LEFT") || side.equals("RIGHT");
            From left = side.equals("RIGHT") ? first.nullable() : first;
            From right = side.equals("LEFT") ? second.nullable() : second;
            String words = outerJoin ? " " + side + " JOIN " : " JOIN ";
            if (tokens.take("USING")) {
                @Nullable List<String> names = tokens.names("a column name");
                if (names == null) {
                    throw tokens.error("'('");
                }
                return merged(left, right, side, names);
            }
            if (!tokens.take("ON")) {
                if (outerJoin) {
                    throw tokens.error("ON or USING after JOIN");
                }
                return joined(left, right, " CROSS JOIN ", null);
            }
            NameScope scope = joined(left, right, words, null).scope(outer);
            Sql condition = new Expressions(queries, scope, "on clause", Expressions.Aliases.NONE).truth();
            return joined(left, right, words, condition);
        }

        private static From joined(From left, From right, String words, @Nullable Sql condition) {
            List<Source> sources = new ArrayList<>(left.sources());
            sources.addAll(right.sources());
            List<Visible> visible = new ArrayList<>(left.visible());
            visible.addAll(right.visible());
            Map<String, Source> merged = new HashMap<>(left.merged());
            merged.putAll(right.merged());
            Sql sql = condition == null
                    ? Sql.of("({}" + words + "{})", left.sql(), right.sql())
                    : Sql.of("({}" + words + "{} ON {})", left.sql(), right.sql(), condition);
            return new From(sql, sources, visible, merged);
        }

        private static From merged(From left, From right, String side, List<String> using) {
            boolean fromRight = side.equals("RIGHT");
            List<Source> sources = new ArrayList<>(left.sources());
            sources.addAll(right.sources());
            Map<String, Source> merged = new HashMap<>(left.merged());
            merged.putAll(right.merged());
            List<Visible> visible = new ArrayList<>();
            List<Sql> names = new ArrayList<>();
            for (String name : using) {
                Visible column = (fromRight ? right : left).find(name);
                (fromRight ? left : right).find(name);
                merged.put(NameScope.key(name), column.source());
                visible.add(column);
                names.add(Sql.name(column.column().name()));
            }
            for (From part : List.of(left, right)) {
                part.visible().stream()
                        .filter(column -> using.stream()
                                .noneMatch(name ->
                                        name.equalsIgnoreCase(column.column().name())))
                        .forEach(visible::add);
            }
            String words = side.equals("LEFT") || fromRight ? " " + side + " JOIN " : " JOIN ";
            Sql sql = Sql.of("({}" + words + "{} USING ({}))", left.sql(), right.sql(), Sql.list(names));
            return new From(sql, sources, visible, merged);
        }

        private From factor() {
            if (!tokens.isSymbol("(")) {
                return table();
            }
            if (!queries.isQuery(tokens.index())) {
                tokens.next();
                From tables = tables();
                tokens.expectSymbol(")");
                return tables;
            }
            Queries.Result query = queries.parenthesised(outer);
            @Nullable String alias = tokens.alias();
            if (alias == null) {
                throw new StatementRefusedException(1248, "42000", "Every derived table must have its own alias");
            }
            refuseDuplicates(query.columns());
            queries.refuseNames();
            return source(Sql.of("({})", query.sql()), new Source(alias, null, query.columns()), true);
        }

        private static void refuseDuplicates(List<OutputColumn> columns) {
            Set<String> seen = new HashSet<>();
            for (OutputColumn column : columns) {
                if (!seen.add(NameScope.key(column.name()))) {
                    throw new StatementRefusedException(1060, "42S21", "Duplicate column name '" + column.name() + "'");
                }
            }
        }

        private From table() {
            if (tokens.token().type() == TokenType.WORD
                    && ReservedWords.contains(tokens.token().text())) {
                throw tokens.error("a table");
            }
            List<String> parts = tokens.path("a table name");
            String name = parts.get(parts.size() - 1);
            @Nullable String written = tokens.alias();
            String alias = written == null ? name : written;
            @Nullable List<OutputColumn> cte = parts.size() == 1 ? queries.cte(name) : null;
            if (cte != null) {
                rewriting.joins();
                return source(Sql.name(name), new Source(alias, null, cte), false);
            }
            if (tokens.isSymbol("(") && written == null) {
                throw StatementRefusedException.unsupported("the table function " + name);
            }
            if (tokens.isSymbol("(")) {
                throw tokens.error("the end of the table: only a derived table can have column names");
            }
            Relation relation = rewriting.relation(parts, true);
            keyHint(relation);
            return source(Sql.name(relation.duckSchema(), relation.duckTable()), Source.of(relation, alias), false);
        }

        /** Reads a hint to use unique keys, as go-ycsb gives it. DuckDB chooses indexes itself. */
        private void keyHint(Relation relation) {
            TableDefinition definition = relation.definition();
            if (definition == null
                    || !tokens.isAny("USE", "FORCE")
                    || !tokens.token(1).is("INDEX")) {
                return;
            }
            int hint = tokens.index();
            tokens.go(hint + 2);
            List<String> names = tokens.names("an index");
            if (names == null || !DuckDdl.uniqueKeys(definition).keySet().containsAll(names)) {
                // The clause that follows a table refuses the hint by name.
                tokens.go(hint);
            }
        }

        private From source(Sql sql, Source source, boolean nameColumns) {
            rewriting.columns(source.columns().size(), 0);
            List<Visible> visible = source.columns().stream()
                    .map(column -> new Visible(source, column))
                    .toList();
            Sql named = Sql.of("{} AS {}", sql, Sql.name(source.alias()));
            if (nameColumns) {
                List<Sql> names = source.columns().stream()
                        .map(column -> Sql.name(column.name()))
                        .toList();
                named = Sql.of("{}({})", named, Sql.list(names));
            }
            return new From(named, List.of(source), visible, Map.of());
        }
    }
}
