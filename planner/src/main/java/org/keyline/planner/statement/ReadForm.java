package org.keyline.planner.statement;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.PointRead.Answer;
import org.keyline.planner.PointRead.Function;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;

/**
 * The plain SELECT whose rows a SELECT returns, counts, aggregates or tests. Immutable.
 *
 * @param tokens the tokens of the plain SELECT
 * @param answer how the reply derives from the rows
 * @param distinct whether the SELECT removes duplicates
 * @param functions the aggregates of the reply, in order; empty if it has none. {@code COUNT(*)} is
 * {@link Function#ROWS}; each other function applies to the next projected item of the plain SELECT
 */
public record ReadForm(List<Token> tokens, Answer answer, boolean distinct, List<Function> functions) {
    /** Number of tokens of {@code SELECT EXISTS (}. */
    private static final int EXISTS_HEAD = 3;
    /** Number of tokens of {@code SELECT COUNT ( * )}. */
    private static final int SHORTEST = 5;

    private static final int MAX_FUNCTIONS = 16;

    public ReadForm {
        tokens = List.copyOf(tokens);
        functions = List.copyOf(functions);
    }

    private ReadForm(List<Token> tokens, Answer answer, boolean distinct) {
        this(tokens, answer, distinct, List.of());
    }

    /**
     * Returns the form of a SELECT. Called after {@link ReadThrough} has removed words and hints.
     */
    public static ReadForm of(List<Token> tokens) {
        if (tokens.size() <= SHORTEST || !tokens.get(0).is("SELECT")) {
            return new ReadForm(tokens, Answer.ROWS, false);
        }
        List<Token> asked = insideExists(tokens);
        if (asked != null) {
            ReadForm form = plain(asked);
            return new ReadForm(form.tokens, Answer.EXISTS, form.distinct);
        }
        ReadForm aggregates = aggregates(tokens);
        return aggregates == null ? plain(tokens) : aggregates;
    }

    /**
     * Returns the SELECT within {@code SELECT EXISTS(…) AS name}; null for any other statement.
     * Requires an alias, because the text of the EXISTS would otherwise name the column.
     */
    private static @Nullable List<Token> insideExists(List<Token> tokens) {
        int name = tokens.size() - 1;
        int close = tokens.get(name - 1).is("AS") ? name - 2 : name - 1;
        boolean form = tokens.get(1).is("EXISTS")
                && tokens.get(2).type() == TokenType.LEFT_PARENTHESIS
                && tokens.get(EXISTS_HEAD).is("SELECT")
                && tokens.get(name).type().isName()
                && close > EXISTS_HEAD
                && tokens.get(close).type() == TokenType.RIGHT_PARENTHESIS;
        int depth = 0;
        for (int i = 2; form && i < close; i++) {
            switch (tokens.get(i).type()) {
                case LEFT_PARENTHESIS -> depth++;
                case RIGHT_PARENTHESIS -> depth--;
                default -> {}
            }
            form = depth > 0;
        }
        return form && depth == 1 ? tokens.subList(EXISTS_HEAD, close) : null;
    }

    /** Returns {@code SELECT COUNT(*), MAX(a.b) AS name, … FROM}; null for any other statement. */
    private static @Nullable ReadForm aggregates(List<Token> tokens) {
        List<Function> functions = new ArrayList<>();
        List<Token> plain = new ArrayList<>(List.of(tokens.get(0)));
        int at = 0;
        do {
            Function function = function(tokens, at + 1);
            int open = at + 2;
            int close = function == null ? 0 : closing(tokens, open);
            if (close == 0 || functions.size() == MAX_FUNCTIONS) {
                return null;
            }
            int next = afterName(tokens, at + 1, close);
            List<Token> argument = tokens.subList(open + 1, close);
            // If COUNT(1) has no spaces, the digest retains the 1.
            boolean all = argument.get(0).isSymbol("*") || argument.get(0).type() == TokenType.INTEGER;
            if (next == 0 || (all && (argument.size() > 1 || function != Function.COUNT))) {
                return null;
            }
            functions.add(all ? Function.ROWS : function);
            if (!all) {
                plain.addAll(argument);
                plain.add(new Token(TokenType.COMMA, ",", 0, 0));
            }
            at = next;
        } while (tokens.get(at).type() == TokenType.COMMA);
        if (!tokens.get(at).is("FROM")) {
            return null;
        }
        if (plain.size() > 1) {
            plain.remove(plain.size() - 1);
        } else {
            plain.add(new Token(TokenType.OPERATOR, "*", 0, 0));
        }
        plain.addAll(tokens.subList(at, tokens.size()));
        return new ReadForm(plain(plain).tokens, Answer.AGGREGATES, false, functions);
    }

    /**
     * Returns the aggregate that begins at an index; null if none begins there. A name with a space
     * before the parenthesis is no aggregate.
     */
    private static @Nullable Function function(List<Token> tokens, int at) {
        boolean called = at + 2 < tokens.size()
                && tokens.get(at).type() == TokenType.WORD
                && tokens.get(at + 1).type() == TokenType.LEFT_PARENTHESIS
                && tokens.get(at).end() == tokens.get(at + 1).start();
        if (!called) {
            return null;
        }
        return switch (tokens.get(at).text().toUpperCase(Locale.ROOT)) {
            case "COUNT" -> Function.COUNT;
            case "MIN" -> Function.MIN;
            case "MAX" -> Function.MAX;
            default -> null;
        };
    }

    /** Returns the index after a single column, value or star; 0 for other arguments. */
    private static int closing(List<Token> tokens, int open) {
        int at = open + 1;
        boolean single = tokens.get(at).isSymbol("*")
                || tokens.get(at).type() == TokenType.PLACEHOLDER
                || tokens.get(at).type() == TokenType.INTEGER;
        if (!single) {
            while (at + 2 < tokens.size()
                    && tokens.get(at).type().isName()
                    && tokens.get(at + 1).type() == TokenType.DOT) {
                at += 2;
            }
            if (!tokens.get(at).type().isName()) {
                return 0;
            }
        }
        boolean closes = at + 1 < tokens.size() && tokens.get(at + 1).type() == TokenType.RIGHT_PARENTHESIS;
        return closes ? at + 1 : 0;
    }

    /** Returns the index after an aggregate and its alias; 0 if it has spaces but no alias. */
    private static int afterName(List<Token> tokens, int from, int close) {
        boolean dense = true;
        for (int i = from; i < close; i++) {
            dense &= tokens.get(i).end() == tokens.get(i + 1).start();
        }
        int at = close + 1;
        boolean as = at < tokens.size() && tokens.get(at).is("AS");
        at += as ? 1 : 0;
        boolean named = at + 1 < tokens.size()
                && tokens.get(at).type().isName()
                && (as || !tokens.get(at).is("FROM"));
        return at + 1 < tokens.size() && (named || (dense && !as)) ? at + (named ? 1 : 0) : 0;
    }

    /** Replaces {@code <=>} by {@code =}. The two mean the same if neither side is NULL. */
    private static ReadForm plain(List<Token> tokens) {
        boolean distinct = tokens.get(1).is("DISTINCT");
        List<Token> plain = new ArrayList<>(tokens.size());
        plain.add(tokens.get(0));
        for (Token token : tokens.subList(distinct ? 2 : 1, tokens.size())) {
            boolean same = token.type() == TokenType.OPERATOR && token.isSymbol("<=>");
            plain.add(same ? new Token(TokenType.OPERATOR, "=", token.start(), token.end()) : token);
        }
        return new ReadForm(plain, Answer.ROWS, distinct);
    }
}
