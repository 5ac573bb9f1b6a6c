package org.keyline.stores.duckdb.session;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.keyline.planner.digest.Lexer;
import org.keyline.planner.digest.SqlMode;
import org.keyline.planner.digest.TokenType;
import org.keyline.stores.duckdb.engine.Errors;

/** Splits a text into statements. Drops hints, and unwraps executable comments of this version. */
final class StatementSplitter {
    /** The store's MySQL version, in the form of executable comments: {@code /*!80013 …}. */
    private static final int VERSION = 80_036;

    private static final int MAX_VERSION_DIGITS = 6;
    private static final int MIN_VERSION_DIGITS = 5;
    private static final int MAX_STATEMENTS = 10_000;

    private StatementSplitter() {}

    /**
     * Returns the texts of the statements that are not empty. Throws error 3170 if there are too
     * many.
     */
    static List<byte[]> split(byte[] text, SqlMode mode) {
        byte[] sql = unwrapped(text, mode);
        List<byte[]> statements = new ArrayList<>();
        Lexer lexer = new Lexer();
        lexer.reset(sql, 0, sql.length, mode);
        int from = -1;
        int to = 0;
        for (TokenType type = lexer.next(); ; type = lexer.next()) {
            if (type == TokenType.SEMICOLON || type == TokenType.END) {
                if (from >= 0) {
                    if (statements.size() == MAX_STATEMENTS) {
                        throw Errors.error(
                                3170,
                                "HY000",
                                "The text has more than " + MAX_STATEMENTS
                                        + " statements. Parser bailed out for this query.");
                    }
                    statements.add(Arrays.copyOfRange(sql, from, to));
                }
                from = -1;
                if (type == TokenType.END) {
                    return statements;
                }
            } else {
                from = from < 0 ? lexer.start() : from;
                to = lexer.end();
            }
        }
    }

    /**
     * Returns whether a text without statements has comments. MySQL answers such a text with OK,
     * because dumps contain comments for other versions.
     */
    static boolean isComment(byte[] text) {
        return !new String(text, StandardCharsets.UTF_8).replace(';', ' ').isBlank();
    }

    /** Replaces hints and ignored comments by spaces, and so the marks of other comments. */
    private static byte[] unwrapped(byte[] text, SqlMode mode) {
        if (!hasComment(text)) {
            return text;
        }
        byte[] sql = text.clone();
        Lexer lexer = new Lexer();
        lexer.reset(text, 0, text.length, mode);
        for (TokenType type = lexer.next(); type != TokenType.END; type = lexer.next()) {
            if (type == TokenType.EXECUTABLE_COMMENT || type == TokenType.HINT) {
                int end = lexer.end();
                int content = type == TokenType.HINT ? end : content(text, lexer.start(), end);
                Arrays.fill(sql, lexer.start(), content, (byte) ' ');
                Arrays.fill(sql, end - 2, end, (byte) ' ');
            }
        }
        return sql;
    }

    private static boolean hasComment(byte[] text) {
        for (int i = 0; i + 1 < text.length; i++) {
            if (text[i] == '/' && text[i + 1] == '*') {
                return true;
            }
        }
        return false;
    }

    /** Returns where the content of an executable comment begins; its end if it is ignored. */
    private static int content(byte[] text, int start, int end) {
        int from = start + 3;
        int digits = 0;
        while (digits < MAX_VERSION_DIGITS && Character.isDigit(text[from + digits])) {
            digits++;
        }
        boolean versioned = digits >= MIN_VERSION_DIGITS;
        boolean later =
                versioned && Integer.parseInt(new String(text, from, digits, StandardCharsets.US_ASCII)) > VERSION;
        // Comments with /*M! are for MariaDB only.
        return text[start + 2] != '!' || later ? end : from + (versioned ? digits : 0);
    }
}
