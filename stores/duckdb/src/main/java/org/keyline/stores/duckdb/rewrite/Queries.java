package org.keyline.stores.duckdb.rewrite;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;
import org.keyline.stores.duckdb.translate.Conversion;
import org.keyline.stores.duckdb.translate.OutputColumn;
import org.keyline.stores.duckdb.translate.Parameter;
import org.keyline.stores.duckdb.translate.SqlType;
import org.keyline.stores.duckdb.translate.Tokens;
import org.keyline.stores.duckdb.translate.ValueSlot;

/** Reads queries: SELECT, UNION and WITH, with ORDER BY and LIMIT. */
final class Queries {
    /** The words that can follow an operand of a set operation in parentheses. */
    private static final String[] AFTER_OPERAND = {"UNION", "ORDER", "LIMIT"};

    /** The words that can follow a key of ORDER BY or GROUP BY. */
    private static final Set<String> AFTER_KEY =
            Set.of("ASC DESC LIMIT WITH HAVING ORDER UNION FOR LOCK".split(" ", -1));

    private final Rewriting rewriting;
    private final Tokens tokens;
    private final Map<String, List<OutputColumn>> ctes;

    Queries(Rewriting rewriting, Tokens tokens) {
        this(rewriting, tokens, Map.of());
    }

    private Queries(Rewriting rewriting, Tokens tokens, Map<String, List<OutputColumn>> ctes) {
        this.rewriting = rewriting;
        this.tokens = tokens;
        this.ctes = ctes;
    }

    /**
     * A query of DuckDB.
     *
     * @param columns labels and types of the output
     * @param ordered whether the query ends with ORDER BY or LIMIT, so that it needs parentheses in
     *     a set operation
     */
    record Result(Sql sql, List<OutputColumn> columns, boolean ordered) {
        Result {
            columns = List.copyOf(columns);
        }
    }

    Rewriting rewriting() {
        return rewriting;
    }

    Tokens tokens() {
        return tokens;
    }

    @Nullable
    List<OutputColumn> cte(String name) {
        return ctes.get(NameScope.key(name));
    }

    /** Returns whether a query in parentheses begins at a token index. */
    boolean isQuery(int open) {
        if (tokens.at(open).type() != TokenType.LEFT_PARENTHESIS) {
            return false;
        }
        Token first = tokens.at(open + 1);
        if (first.is("SELECT") || first.is("WITH")) {
            return true;
        }
        if (!isQuery(open + 1)) {
            return false;
        }
        Token after = tokens.at(tokens.behind(open + 1));
        boolean operand = after.type() == TokenType.RIGHT_PARENTHESIS;
        for (String word : AFTER_OPERAND) {
            operand |= after.is(word);
        }
        return operand;
    }

    Result parenthesised(@Nullable NameScope outer) {
        tokens.expectSymbol("(");
        Result result = query(outer);
        tokens.expectSymbol(")");
        return result;
    }

    /** Reads a query up to the first token that cannot belong to it. */
    Result query(@Nullable NameScope outer) {
        rewriting.step();
        if (tokens.is("WITH")) {
            return with(outer);
        }
        Result result = combined(outer);
        return tokens.isAny("ORDER", "LIMIT") ? ordered(result) : result;
    }

    private Result combined(@Nullable NameScope outer) {
        Result left = operand(outer, true);
        while (tokens.is("UNION")) {
            if (left.ordered()) {
                throw tokens.error("the end of the query after ORDER BY or LIMIT");
            }
            tokens.next();
            boolean all = tokens.take("ALL");
            if (!all) {
                tokens.take("DISTINCT");
            }
            left = combined(left, all ? "UNION ALL" : "UNION", operand(outer, false));
        }
        return left;
    }

    /** @param whole whether an ORDER BY or LIMIT that follows a SELECT belongs to this SELECT */
    private Result operand(@Nullable NameScope outer, boolean whole) {
        if (tokens.isSymbol("(")) {
            Result result = parenthesised(outer);
            return new Result(Sql.of("({})", result.sql()), result.columns(), false);
        }
        if (tokens.is("VALUES")) {
            throw StatementRefusedException.unsupported("VALUES as a query");
        }
        return new Select(this, outer).read(whole);
    }

    private static Result combined(Result left, String operator, Result right) {
        if (left.columns().size() != right.columns().size()) {
            throw new StatementRefusedException(
                    1222, "21000", "The used SELECT statements have a different number of columns");
        }
        Sql none = Sql.raw("NULL");
        List<OutputColumn> columns = new ArrayList<>();
        for (int i = 0; i < left.columns().size(); i++) {
            OutputColumn a = left.columns().get(i);
            OutputColumn b = right.columns().get(i);
            SqlType common = Coercions.common(List.of(Typed.of(none, a.type()), Typed.of(none, b.type())));
            columns.add(new OutputColumn(a.name(), common, a.nullable() || b.nullable(), null));
        }
        return new Result(Sql.of("({}) " + operator + " ({})", left.sql(), right.sql()), columns, false);
    }

    /**
     * Reads the ORDER BY and LIMIT of a UNION or of a query in parentheses. Only output columns can
     * be keys.
     */
    private Result ordered(Result query) {
        List<Sql> parts = new ArrayList<>(List.of(query.sql()));
        if (tokens.takeAll("ORDER", "BY")) {
            List<Sql> keys = new ArrayList<>();
            do {
                keys.add(outputKey(query.columns()));
            } while (tokens.takeSymbol(","));
            parts.add(Sql.of("ORDER BY {}", Sql.list(keys)));
        }
        limit(parts);
        return new Result(Sql.joined(" ", parts), query.columns(), true);
    }

    private Sql outputKey(List<OutputColumn> columns) {
        int ordinal = ordinal(columns.size(), "order clause");
        if (ordinal == 0 && tokens.token().type().isName() && isKey(tokens.token(1))) {
            String name = tokens.next().name();
            ordinal = labelled(columns, name);
            if (ordinal == 0) {
                throw Rewriting.unknownColumn(name, "order clause");
            }
        }
        if (ordinal == 0) {
            throw StatementRefusedException.unsupported("ORDER BY an expression after UNION");
        }
        boolean descending = tokens.take("DESC");
        tokens.take("ASC");
        return Expressions.ordered(Sql.number(ordinal), descending);
    }

    /** Returns the position of the column with this name, counted from 1; 0 if no column has it. */
    static int labelled(List<OutputColumn> columns, String name) {
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).name().equalsIgnoreCase(name)) {
                return i + 1;
            }
        }
        return 0;
    }

    /** Returns whether a key of ORDER BY or GROUP BY ends before this token. */
    boolean isKey(Token after) {
        return switch (after.type()) {
            case COMMA, RIGHT_PARENTHESIS, END, SEMICOLON -> true;
            case WORD -> AFTER_KEY.contains(after.text().toUpperCase(Locale.ROOT));
            default -> false;
        };
    }

    /**
     * Reads a key that is an integer literal, and returns the literal as the position of a column.
     * For any other key, returns 0 and does not move.
     */
    int ordinal(int columns, String clause) {
        if (tokens.token().type() != TokenType.INTEGER || !isKey(tokens.token(1))) {
            return 0;
        }
        int slot = tokens.slot(tokens.index());
        @Nullable ValueSlot literal = rewriting.literal(rewriting.value(Parameter.slot(slot, Conversion.NONE)));
        if (literal == null || !(literal.value() instanceof Long position)) {
            return 0;
        }
        if (position < 1 || position > columns) {
            throw Rewriting.unknownColumn(String.valueOf(position), clause);
        }
        tokens.next();
        return position.intValue();
    }

    void limit(List<Sql> parts) {
        if (!tokens.take("LIMIT")) {
            return;
        }
        Sql count = count();
        Sql offset = null;
        if (tokens.takeSymbol(",")) {
            offset = count;
            count = count();
        } else if (tokens.take("OFFSET")) {
            offset = count();
        }
        parts.add(Sql.of("LIMIT {}", count));
        if (offset != null) {
            parts.add(Sql.of("OFFSET {}", offset));
        }
    }

    private Sql count() {
        TokenType type = tokens.token().type();
        if (type != TokenType.INTEGER && type != TokenType.PLACEHOLDER && type != TokenType.USER_VARIABLE) {
            throw tokens.error("a number");
        }
        Expressions expressions =
                new Expressions(this, new NameScope(null, List.of()), "limit clause", Expressions.Aliases.NONE);
        return expressions
                .operand()
                .converted(Conversion.INTEGER, SqlType.INTEGER)
                .sql();
    }

    void refuseNames() {
        if (tokens.isSymbol("(")) {
            throw StatementRefusedException.unsupported("names of the columns of a query in FROM or WITH");
        }
    }

    private Result with(@Nullable NameScope outer) {
        tokens.expect("WITH");
        Map<String, List<OutputColumn>> known = new HashMap<>(ctes);
        List<Sql> items = new ArrayList<>();
        do {
            String name = tokens.name("a name");
            refuseNames();
            tokens.expect("AS");
            Result query = new Queries(rewriting, tokens, known).parenthesised(outer);
            known.put(NameScope.key(name), query.columns());
            List<Sql> labels = query.columns().stream()
                    .map(column -> Sql.name(column.name()))
                    .toList();
            items.add(Sql.of("{}({}) AS ({})", Sql.name(name), Sql.list(labels), query.sql()));
        } while (tokens.takeSymbol(","));
        Result body = new Queries(rewriting, tokens, known).query(outer);
        Sql list = Sql.of("WITH {}", Sql.list(items));
        return new Result(Sql.joined(" ", List.of(list, body.sql())), body.columns(), body.ordered());
    }
}
