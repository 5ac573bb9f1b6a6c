package org.keyline.stores.duckdb.translate;

import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.digest.Lexer;
import org.keyline.planner.digest.SqlMode;
import org.keyline.planner.digest.TokenType;

/**
 * Limits the size of statements. The check needs one pass and stores no tokens. It runs before all
 * code that stores tokens, recurses, or takes more than linear time. Confined to one thread.
 */
public final class TextBounds {
    /*
     * The limits are measured. With 1,000 conditions DuckDB's optimizer takes about a second, and
     * the time grows with the square of their number. DuckDB itself refuses a chain of 1,000
     * operators.
     */

    /** The maximum number of tokens, except in INSERT and REPLACE. */
    private static final int MAX_TOKENS = 64 << 10;
    /** The maximum number of tokens of an INSERT or REPLACE, which may have many rows. */
    private static final int MAX_ROW_TOKENS = 1_000_000;

    private static final int MAX_DEPTH = 100;
    /** The maximum number of AND, OR and XOR. */
    private static final int MAX_CONNECTIVES = 1_000;
    /** The maximum number of SELECTs, in subqueries and in set operations. */
    private static final int MAX_QUERIES = 200;
    /** The maximum number of tokens between two commas, connectives or queries of one level. */
    private static final int MAX_TERM = 1_024;

    private final int[] terms = new int[MAX_DEPTH + 1];
    /** For each level, whether a CASE opened it, so that an END closes it. */
    private final boolean[] cases = new boolean[MAX_DEPTH + 1];

    private int depth;
    private int connectives;
    private int queries;
    private int tokens;
    private int mostTokens = MAX_TOKENS;

    private TextBounds() {}

    /**
     * Checks a statement.
     *
     * @throws StatementRefusedException 1436 if it is nested too deeply, 3170 if it exceeds another
     *     limit
     */
    public static void check(byte[] statement, SqlMode mode) {
        if (statement.length <= MAX_DEPTH) {
            // Shorter statements can't exceed any limit.
            return;
        }
        Lexer lexer = new Lexer();
        lexer.reset(statement, 0, statement.length, mode);
        TextBounds bounds = new TextBounds();
        for (TokenType type = lexer.next(); type != TokenType.END; type = lexer.next()) {
            bounds.token(type, lexer);
        }
    }

    private void token(TokenType type, Lexer lexer) {
        tokens++;
        terms[depth]++;
        switch (type) {
            case LEFT_PARENTHESIS -> open(false);
            case RIGHT_PARENTHESIS -> close();
            case COMMA -> terms[depth] = 0;
            case WORD -> word(lexer);
            case OPERATOR -> {
                if (lexer.is("&&") || lexer.is("||")) {
                    connective();
                }
            }
            default -> {}
        }
        if (tokens > mostTokens) {
            throw tooMuch(mostTokens, "words, values and signs");
        }
        if (terms[depth] > MAX_TERM) {
            throw tooMuch(MAX_TERM, "words, values and signs between two commas");
        }
    }

    private void word(Lexer lexer) {
        if (tokens == 1 && (lexer.is("INSERT") || lexer.is("REPLACE"))) {
            mostTokens = MAX_ROW_TOKENS;
        } else if (lexer.is("AND") || lexer.is("OR") || lexer.is("XOR")) {
            connective();
        } else if (lexer.is("CASE")) {
            open(true);
        } else if (lexer.is("END") && cases[depth]) {
            close();
        } else if (cases[depth] && (lexer.is("WHEN") || lexer.is("THEN") || lexer.is("ELSE"))) {
            terms[depth] = 0;
        } else if (lexer.is("SELECT")) {
            terms[depth] = 0;
            if (++queries > MAX_QUERIES) {
                throw tooMuch(MAX_QUERIES, "queries within it");
            }
        }
    }

    private void connective() {
        terms[depth] = 0;
        if (++connectives > MAX_CONNECTIVES) {
            throw tooMuch(MAX_CONNECTIVES, "conditions");
        }
    }

    private void open(boolean isCase) {
        if (depth == MAX_DEPTH) {
            throw new StatementRefusedException(
                    1436, "HY000", "Thread stack overrun: the statement is nested more than " + MAX_DEPTH + " deep");
        }
        depth++;
        terms[depth] = 0;
        cases[depth] = isCase;
    }

    private void close() {
        if (depth > 0) {
            depth--;
        }
    }

    private static StatementRefusedException tooMuch(int most, String what) {
        return new StatementRefusedException(
                3170,
                "HY000",
                "The statement has more than " + most + " " + what + ". Parser bailed out for this query.");
    }
}
