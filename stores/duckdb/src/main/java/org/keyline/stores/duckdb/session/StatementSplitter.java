package org.keyline.stores.duckdb.session;

import java.io.ByteArrayOutputStream;
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

    private static byte[] unwrapped(byte[] text, SqlMode mode) {
        if (!hasComment(text)) {
            return text;
        }
        Lexer lexer = new Lexer();
        lexer.reset(text, 0, text.length, mode);
        ByteArrayOutputStream out = null;
        int copied = 0;
        for (TokenType type = lexer.next(); type != TokenType.END; type = lexer.next()) {
            if (type == TokenType.EXECUTABLE_COMMENT || type == TokenType.HINT) {
                out = out == null ? new ByteArrayOutputStream(text.length) : out;
                out.write(text, copied, lexer.start() - copied);
                out.write(' ');
                if (type == TokenType.EXECUTABLE_COMMENT) {
                    byte[] inner = inner(text, lexer.start(), lexer.end());
                    out.write(inner, 0, inner.length);
                    out.write(' ');
                }
                copied = lexer.end();
            }
        }
        if (out == null) {
            return text;
        }
        out.write(text, copied, text.length - copied);
        return out.toByteArray();
    }

    private static boolean hasComment(byte[] text) {
        for (int i = 0; i + 1 < text.length; i++) {
            if (text[i] == '/' && text[i + 1] == '*') {
                return true;
            }
        }
        return false;
    }

    /** Returns the content of an executable comment; empty if this version ignores the comment. */
    private static byte[] inner(byte[] text, int start, int end) {
        if (text[start + 2] != '!') {
            // Comments with /*M! are for MariaDB only.
            return new byte[0];
        }
        int at = start + 3;
        int digits = 0;
        while (digits < MAX_VERSION_DIGITS && at + digits < end && Character.isDigit(text[at + digits])) {
            digits++;
        }
        if (digits >= MIN_VERSION_DIGITS) {
            int version = Integer.parseInt(new String(text, at, digits, StandardCharsets.US_ASCII));
            if (version > VERSION) {
                return new byte[0];
            }
            at += digits;
        }
        return Arrays.copyOfRange(text, at, end - 2);
    }
}
