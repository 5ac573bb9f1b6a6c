package org.keyline.planner.statement;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.PointRead.Answer;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;

/**
 * A SELECT without what changes nothing about the rows that it finds: what is left is the plain SELECT whose rows it answers, counts
 * or asks for. Immutable.
 *
 * @param tokens of the plain SELECT
 * @param answer what becomes of its rows
 * @param distinct whether it removes duplicates
 */
public record ReadForm(List<Token> tokens, Answer answer, boolean distinct) {
    /** SELECT EXISTS ( */
    private static final int EXISTS_HEAD = 3;
    /** SELECT COUNT ( * ) */
    private static final int COUNT_HEAD = 5;

    public ReadForm {
        tokens = List.copyOf(tokens);
    }

    /** The form of a statement, of whatever kind it is. */
    public static ReadForm of(List<Token> tokens) {
        if (tokens.size() <= COUNT_HEAD || !tokens.get(0).is("SELECT")) {
            return new ReadForm(tokens, Answer.ROWS, false);
        }
        List<Token> asked = insideExists(tokens);
        if (asked != null) {
            ReadForm form = plain(asked);
            return new ReadForm(form.tokens, Answer.EXISTS, form.distinct);
        }
        int from = behindCount(tokens);
        if (from > 0) {
            List<Token> counted = new ArrayList<>(List.of(tokens.get(0), tokens.get(EXISTS_HEAD)));
            counted.addAll(tokens.subList(from, tokens.size()));
            return new ReadForm(plain(counted).tokens, Answer.COUNT, false);
        }
        return plain(tokens);
    }

    /** The SELECT within {@code SELECT EXISTS(…) AS name}; null for anything else. Without a name, its text would be the column's. */
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

    /** Where FROM is in {@code SELECT COUNT(*) name FROM}; 0 for anything else. With spaces inside, it is another column's name or an error. */
    private static int behindCount(List<Token> tokens) {
        boolean count = tokens.get(1).is("COUNT")
                && tokens.get(2).type() == TokenType.LEFT_PARENTHESIS
                && tokens.get(EXISTS_HEAD).isSymbol("*")
                && tokens.get(COUNT_HEAD - 1).type() == TokenType.RIGHT_PARENTHESIS
                && tokens.get(1).end() + 2 == tokens.get(COUNT_HEAD - 1).start();
        int at = COUNT_HEAD;
        if (count && tokens.get(at).is("AS")) {
            at++;
        }
        boolean named = at + 1 < tokens.size()
                && tokens.get(at).type().isName()
                && !tokens.get(at).is("FROM");
        if (named) {
            at++;
        }
        boolean complete = at < tokens.size() && tokens.get(at).is("FROM") && (named || at == COUNT_HEAD);
        return count && complete ? at : 0;
    }

    /** Without modifiers that change nothing, and with {@code <=>} as an equals sign, which it is where neither side is NULL. */
    private static ReadForm plain(List<Token> tokens) {
        boolean distinct = false;
        int at = 1;
        while (at < tokens.size()
                && (tokens.get(at).is("SQL_NO_CACHE")
                        || (!distinct && tokens.get(at).is("DISTINCT")))) {
            distinct |= tokens.get(at).is("DISTINCT");
            at++;
        }
        List<Token> plain = new ArrayList<>(tokens.size());
        plain.add(tokens.get(0));
        for (Token token : tokens.subList(at, tokens.size())) {
            boolean same = token.type() == TokenType.OPERATOR && token.isSymbol("<=>");
            plain.add(same ? new Token(TokenType.OPERATOR, "=", token.start(), token.end()) : token);
        }
        return new ReadForm(plain, Answer.ROWS, distinct);
    }
}
