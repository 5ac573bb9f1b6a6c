package org.keyline.stores.duckdb.rewrite;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableModel;
import org.keyline.planner.digest.ReservedWords;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.duckdb.rewrite.Expressions.Aliases;
import org.keyline.stores.duckdb.translate.OutputColumn;
import org.keyline.stores.duckdb.translate.Tokens;
import org.keyline.stores.duckdb.translate.ValueSlot;

/** Reads a SELECT. Reads FROM before the SELECT list, which uses the names of FROM. Used once. */
final class Select {
    private static final int MAX_LABEL = 255;

    /** Keywords that may follow SELECT and do not affect the result. */
    private static final Set<String> MODIFIERS = Set.of("""
        STRAIGHT_JOIN SQL_NO_CACHE SQL_CACHE HIGH_PRIORITY SQL_SMALL_RESULT SQL_BIG_RESULT SQL_BUFFER_RESULT ALL
        """.strip().split(" ", -1));

    /** The words that may follow the SELECT list. */
    private static final String[] AFTER_LIST = {
        "FROM", "WHERE", "GROUP", "HAVING", "WINDOW", "ORDER", "LIMIT", "UNION", "FOR", "LOCK", "INTO"
    };

    private final Queries queries;
    private final Rewriting rewriting;
    private final Tokens tokens;
    private final @Nullable NameScope outer;
    private final List<OutputColumn> columns = new ArrayList<>();
    private final List<Sql> items = new ArrayList<>();
    private final List<Typed> values = new ArrayList<>();

    Select(Queries queries, @Nullable NameScope outer) {
        this.queries = queries;
        this.rewriting = queries.rewriting();
        this.tokens = queries.tokens();
        this.outer = outer;
    }

    /** @param whole whether a following ORDER BY and LIMIT belong to this SELECT */
    Queries.Result read(boolean whole) {
        tokens.expect("SELECT");
        boolean distinct = modifiers();
        int group = tokens.find(tokens.index(), "GROUP", "UNION");
        int order = tokens.find(tokens.index(), "ORDER", "UNION");
        // DuckDB compares these expressions with the SELECT list by their text, and two parameters
        // never match.
        boolean inline =
                tokens.at(group).is("GROUP") || (distinct && tokens.at(order).is("ORDER"));
        if (!inline) {
            return clauses(distinct, whole);
        }
        rewriting.beginInlining();
        try {
            return clauses(distinct, whole);
        } finally {
            rewriting.endInlining();
        }
    }

    private boolean modifiers() {
        boolean distinct = false;
        while (tokens.token().type() == TokenType.WORD) {
            String word = tokens.token().text().toUpperCase(Locale.ROOT);
            boolean isDistinct = word.equals("DISTINCT") || word.equals("DISTINCTROW");
            if (!isDistinct && !MODIFIERS.contains(word)) {
                break;
            }
            distinct |= isDistinct;
            tokens.next();
        }
        return distinct;
    }

    private Queries.Result clauses(boolean distinct, boolean whole) {
        int list = tokens.index();
        int listEnd = tokens.find(list, AFTER_LIST);
        if (tokens.at(tokens.find(list, "INTO", "UNION")).is("INTO")) {
            throw StatementRefusedException.unsupported("SELECT … INTO");
        }
        @Nullable From from = null;
        if (tokens.at(listEnd).is("FROM")) {
            tokens.go(listEnd + 1);
            from = tokens.take("DUAL") ? null : From.read(queries, outer);
        } else if (listEnd >= 0) {
            tokens.go(listEnd);
        }
        int behindFrom = tokens.index();
        NameScope scope = from == null ? new NameScope(outer, List.of()) : from.scope(outer);
        tokens.go(list);
        items(scope, from);
        int listed = tokens.index();
        if (listEnd >= 0 && listed != listEnd) {
            throw tokens.error("',' or FROM");
        }
        boolean aggregates = AggregateFunctions.areIn(tokens, list, listed);
        tokens.go(listEnd < 0 ? listed : behindFrom);

        List<Sql> parts = new ArrayList<>();
        parts.add(Sql.of(distinct ? "SELECT DISTINCT {}" : "SELECT {}", Sql.list(items)));
        if (from != null) {
            parts.add(Sql.of("FROM {}", from.sql()));
        }
        List<Sql> conditions = new ArrayList<>();
        boolean picks = false;
        if (tokens.take("WHERE")) {
            int where = tokens.index();
            conditions.add(expressions(scope, "where clause", Aliases.NONE).truth());
            picks = hasList(where, tokens.index());
        }
        @Nullable Sql grouping = tokens.takeAll("GROUP", "BY") ? groupBy(scope) : null;
        @Nullable Sql having = null;
        boolean condition = tokens.is("HAVING");
        if (tokens.take("HAVING")) {
            int begin = tokens.index();
            having = expressions(scope, "having clause", Aliases.ALL).truth();
            if (grouping == null && !aggregates && !AggregateFunctions.areIn(tokens, begin, tokens.index())) {
                conditions.add(having);
                having = null;
            }
        }
        if (!conditions.isEmpty()) {
            parts.add(Sql.of("WHERE {}", Sql.chain("AND", conditions)));
        }
        if (grouping != null) {
            parts.add(grouping);
        }
        if (having != null) {
            parts.add(Sql.of("HAVING {}", having));
        }
        boolean ordered = whole && tokens.isAny("ORDER", "LIMIT");
        if (whole && tokens.takeAll("ORDER", "BY")) {
            orderBy(scope, parts);
        } else if (picks && from != null && grouping == null && !condition && !distinct && !aggregates) {
            inKeyOrder(from, parts);
        }
        if (whole) {
            queries.limit(parts);
        }
        return new Queries.Result(Sql.joined(" ", parts), columns, ordered);
    }

    /** Returns whether a condition has an IN list, outside of parentheses and not after OR. */
    private boolean hasList(int from, int to) {
        for (int i = from; i < to; i++) {
            if (tokens.at(i).type() == TokenType.LEFT_PARENTHESIS) {
                i = tokens.behind(i) - 1;
            } else if (tokens.at(i).is("OR")) {
                return false;
            } else if (tokens.at(i).is("IN") && !tokens.at(i - 1).is("NOT") && !queries.isQuery(i + 1)) {
                return true;
            }
        }
        return false;
    }

    /** Orders the rows of an IN list by the key, because rows from the cache have this order. */
    private static void inKeyOrder(From from, List<Sql> parts) {
        Source source = from.sources().get(0);
        TableDefinition definition =
                source.relation() == null ? null : source.relation().definition();
        if (from.sources().size() > 1 || definition == null || definition.model() != TableModel.UNIQUE) {
            return;
        }
        List<Sql> keys = definition.keyColumns().stream()
                .map(ordinal -> definition.columns().get(ordinal).name())
                .map(name -> Expressions.ordered(Sql.name(source.duckAlias(), name), false))
                .toList();
        parts.add(Sql.of("ORDER BY {}", Sql.list(keys)));
    }

    private Expressions expressions(NameScope scope, String clause, Aliases aliases) {
        return new Expressions(queries, scope, clause, aliases);
    }

    private void items(NameScope scope, @Nullable From from) {
        Expressions expressions = expressions(scope, "field list", Aliases.NONE);
        do {
            if (!star(from)) {
                item(expressions);
            }
        } while (tokens.takeSymbol(","));
        for (int i = 0; i < values.size(); i++) {
            scope.alias(columns.get(i).name(), values.get(i));
        }
    }

    private void item(Expressions expressions) {
        rewriting.columns(1, columns.size());
        int begin = tokens.index();
        Typed value = expressions.expression();
        int end = tokens.index();
        @Nullable String label = alias();
        add(value, label == null ? label(begin, end) : label);
    }

    private @Nullable String alias() {
        int string = tokens.index() + (tokens.is("AS") ? 1 : 0);
        if (tokens.at(string).type() != TokenType.STRING) {
            return tokens.alias();
        }
        tokens.go(string + 1);
        int slot = tokens.slot(string);
        rewriting.pin(slot);
        return tokens.text().slots().get(slot).value() instanceof String text ? text : "";
    }

    /**
     * Returns the label that MySQL gives an item without an alias: the name of a column, the value
     * of a string, or the item's text.
     */
    private String label(int begin, int end) {
        Token last = tokens.at(end - 1);
        boolean path = true;
        for (int i = begin; i < end; i++) {
            boolean name = (i - begin) % 2 == 0;
            path &= name ? tokens.at(i).type().isName() : tokens.at(i).type() == TokenType.DOT;
        }
        boolean word = end - begin == 1 && last.type() == TokenType.WORD && ReservedWords.contains(last.text());
        if (path && !word && !last.is("LOCALTIME")) {
            return last.name();
        }
        for (int i = begin; i < end; i++) {
            if (tokens.at(i).type().isValue() && tokens.at(i).type() != TokenType.PLACEHOLDER) {
                rewriting.pin(tokens.slot(i));
            }
        }
        if (end - begin == 1 && last.type() == TokenType.STRING) {
            ValueSlot slot = tokens.text().slots().get(tokens.slot(begin));
            return bounded(slot.value() instanceof String text ? text.stripLeading() : "");
        }
        return bounded(tokens.written(begin, end));
    }

    private static String bounded(String label) {
        return label.length() <= MAX_LABEL ? label : label.substring(0, MAX_LABEL);
    }

    private void add(Typed value, String label) {
        Typed output = Coercions.output(value);
        items.add(Sql.of("{} AS {}", output.sql(), Sql.name(label.isEmpty() ? " " : label)));
        columns.add(new OutputColumn(label, output.type(), output.nullable(), output.origin()));
        values.add(value);
    }

    /** Reads {@code *}, {@code t.*} or {@code d.t.*}, if one of them follows. */
    private boolean star(@Nullable From from) {
        int begin = tokens.index();
        int at = begin;
        List<String> parts = new ArrayList<>();
        while (tokens.at(at).type().isName() && tokens.at(at + 1).type() == TokenType.DOT) {
            parts.add(tokens.at(at).name());
            at += 2;
        }
        tokens.go(at);
        if (!tokens.takeSymbol("*")) {
            tokens.go(begin);
            return false;
        }
        if (from == null) {
            throw new StatementRefusedException(1096, "HY000", "No tables used");
        }
        List<From.Visible> meant = parts.isEmpty() ? from.visible() : from.of(parts);
        rewriting.columns(meant.size(), columns.size());
        meant.forEach(visible -> add(
                NameScope.typed(visible.source(), visible.column()),
                visible.column().name()));
        return true;
    }

    private Sql groupBy(NameScope scope) {
        if (tokens.is("GROUPING") && tokens.token(1).is("SETS")) {
            throw StatementRefusedException.unsupported("GROUPING SETS");
        }
        Expressions expressions = expressions(scope, "group statement", Aliases.NONE);
        List<Sql> keys = new ArrayList<>();
        List<Typed> grouped = new ArrayList<>();
        do {
            int ordinal = queries.ordinal(columns.size(), "group statement");
            if (ordinal == 0 && tokens.token().type().isName() && queries.isKey(tokens.token(1))) {
                String name = tokens.token().name();
                boolean column = scope.own(List.of(name), "group statement") != null;
                ordinal = column ? 0 : Queries.labelled(columns, name);
                tokens.go(tokens.index() + (ordinal > 0 ? 1 : 0));
            }
            if (ordinal > 0) {
                OutputColumn column = columns.get(ordinal - 1);
                keys.add(Sql.number(ordinal));
                grouped.add(new Typed(items.get(ordinal - 1), column.type(), true, column.origin()));
            } else {
                Typed key = expressions.expression();
                // DuckDB interprets a value without a cast as the number of a column.
                keys.add(key.isParameter() ? Sql.cast(key.sql(), "VARCHAR") : key.sql());
                grouped.add(key);
            }
            if (!tokens.take("ASC")) {
                tokens.take("DESC");
            }
        } while (tokens.takeSymbol(","));
        addDependent(grouped, scope, keys);
        return Sql.of("GROUP BY {}", Sql.list(keys));
    }

    /**
     * Adds the other columns of a table whose whole key is in GROUP BY. These columns depend on the
     * key, so MySQL lets the query use them like columns of GROUP BY.
     */
    private static void addDependent(List<Typed> grouped, NameScope scope, List<Sql> keys) {
        for (Source source : scope.sources()) {
            TableDefinition definition =
                    source.relation() == null ? null : source.relation().definition();
            if (definition == null || definition.model() != TableModel.UNIQUE) {
                continue;
            }
            boolean whole = definition.keyColumns().stream()
                    .map(ordinal -> definition.columns().get(ordinal).name())
                    .allMatch(name -> grouped.stream().anyMatch(key -> isColumn(key, source, name)));
            for (OutputColumn column : source.columns()) {
                if (whole && grouped.stream().noneMatch(key -> isColumn(key, source, column.name()))) {
                    keys.add(Sql.name(source.alias(), column.name()));
                }
            }
        }
    }

    private static boolean isColumn(Typed key, Source source, String name) {
        return key.origin() != null
                && key.origin().alias().equals(source.alias())
                && key.origin().column().name().equalsIgnoreCase(name);
    }

    private void orderBy(NameScope scope, List<Sql> parts) {
        Expressions expressions = expressions(scope, "order clause", Aliases.AFTER_COLUMNS);
        List<Sql> keys = new ArrayList<>();
        do {
            int ordinal = queries.ordinal(columns.size(), "order clause");
            if (ordinal == 0 && tokens.token().type().isName() && queries.isKey(tokens.token(1))) {
                ordinal = Queries.labelled(columns, tokens.token().name());
                tokens.go(tokens.index() + (ordinal > 0 ? 1 : 0));
            }
            if (ordinal > 0) {
                keys.add(expressions.ordered(Sql.number(ordinal)));
                continue;
            }
            Typed key = expressions.expression();
            Sql ordered = expressions.ordered(key.sql());
            if (!key.isParameter()) {
                keys.add(ordered);
            }
        } while (tokens.takeSymbol(","));
        if (!keys.isEmpty()) {
            parts.add(Sql.of("ORDER BY {}", Sql.list(keys)));
        }
    }
}
