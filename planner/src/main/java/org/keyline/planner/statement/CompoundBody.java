package org.keyline.planner.statement;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;

/** Finds the BEGIN … END block of a CREATE TRIGGER, PROCEDURE, FUNCTION or EVENT. */
final class CompoundBody {
    /*
     * BEGIN and END may also be names. So each BEGIN must stand where a statement begins, and each
     * END there or at the end of a CASE. If not, the text counts as several statements.
     */

    /** First words of bodies without a block, in which BEGIN can be a name. */
    private static final String[] STATEMENTS = {"RETURN", "SELECT", "INSERT", "REPLACE", "UPDATE", "DELETE", "CALL"};

    private CompoundBody() {}

    /**
     * Returns the index of the first token after a definition that has a block; 0 if the tokens
     * might not be such a definition.
     */
    static int end(List<Token> tokens) {
        Cursor at = Cursor.of(tokens);
        if (!at.accept("CREATE")) {
            return 0;
        }
        at.acceptAll("OR", "REPLACE");
        if (at.accept("DEFINER")) {
            at.acceptSymbol("=");
            at.advance();
            at.acceptParenthesised();
            if (at.token().type() == TokenType.USER_VARIABLE) {
                // Skips the host in DEFINER, such as @localhost.
                at.advance();
            }
        }
        boolean blockFollows = switch (at.token().text().toUpperCase(Locale.ROOT)) {
            case "TRIGGER" -> passesTrigger(at);
            case "PROCEDURE", "FUNCTION" -> passesRoutine(at);
            case "EVENT" -> passesUntil(at, "DO") && at.accept("DO");
            default -> false;
        };
        return blockFollows && at.at("BEGIN") ? blockEnd(tokens, at.index()) : 0;
    }

    private static boolean passesTrigger(Cursor at) {
        at.advance();
        at.acceptAll("IF", "NOT", "EXISTS");
        boolean row = at.name() != null
                && at.accept("BEFORE", "AFTER")
                && at.accept("INSERT", "UPDATE", "DELETE")
                && at.accept("ON")
                && at.name() != null
                && at.acceptAll("FOR", "EACH", "ROW");
        if (row && at.accept("FOLLOWS", "PRECEDES")) {
            at.name();
        }
        return row;
    }

    private static boolean passesRoutine(Cursor at) {
        at.advance();
        at.acceptAll("IF", "NOT", "EXISTS");
        return at.name() != null && at.acceptParenthesised() && passesUntil(at, "BEGIN");
    }

    /** Skips to the word. Returns false if a statement or expression can begin before the word. */
    private static boolean passesUntil(Cursor at, String word) {
        while (!at.atEnd() && !at.at(word)) {
            if (at.token().type() == TokenType.SEMICOLON || at.accept(STATEMENTS)) {
                return false;
            }
            if (!at.acceptParenthesised()) {
                at.advance();
            }
        }
        return !at.atEnd();
    }

    private static int blockEnd(List<Token> tokens, int begin) {
        Deque<String> open = new ArrayDeque<>();
        open.push("BEGIN");
        for (int i = begin + 1; i < tokens.size(); i++) {
            Token token = tokens.get(i);
            if (token.is("BEGIN")) {
                if (!beginsStatement(tokens.get(i - 1))) {
                    return 0;
                }
                open.push("BEGIN");
            } else if (token.is("CASE")) {
                open.push("CASE");
            } else if (token.is("END")) {
                Token next = i + 1 < tokens.size() ? tokens.get(i + 1) : token;
                if (next.is("IF") || next.is("LOOP") || next.is("REPEAT") || next.is("WHILE")) {
                    continue;
                }
                boolean ofCase = next.is("CASE") || !beginsStatement(tokens.get(i - 1));
                if (!open.pop().equals(ofCase ? "CASE" : "BEGIN")) {
                    return 0;
                }
                if (open.isEmpty()) {
                    return behindSemicolons(tokens, i + 1);
                }
                i += next.is("CASE") ? 1 : 0;
            }
        }
        return 0;
    }

    private static int behindSemicolons(List<Token> tokens, int from) {
        int at = from;
        while (at < tokens.size() && tokens.get(at).type() == TokenType.SEMICOLON) {
            at++;
        }
        return at;
    }

    private static boolean beginsStatement(Token before) {
        return before.type() == TokenType.SEMICOLON
                || before.isSymbol(":")
                || before.is("BEGIN")
                || before.is("THEN")
                || before.is("ELSE")
                || before.is("DO")
                || before.is("LOOP")
                || before.is("REPEAT");
    }
}
