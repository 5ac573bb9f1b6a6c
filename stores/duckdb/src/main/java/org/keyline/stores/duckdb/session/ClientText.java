package org.keyline.stores.duckdb.session;

import java.io.ByteArrayOutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.digest.Lexer;
import org.keyline.planner.digest.SqlMode;
import org.keyline.planner.digest.TokenType;
import org.keyline.protocol.Collation;
import org.keyline.stores.duckdb.engine.Errors;
import org.keyline.stores.duckdb.reply.Latin1Text;

/**
 * Converts statements to UTF-8 for sessions with another character set. A string after an
 * introducer such as {@code _binary} is in the introducer's character set, and binary strings
 * retain their bytes.
 */
final class ClientText {
    private ClientText() {}

    /** @param charset the client's character set, a superset of ASCII */
    static byte[] inUtf8(byte[] text, Charset charset, SqlMode mode) {
        if (isAscii(text)) {
            return text;
        }
        Lexer lexer = new Lexer();
        lexer.reset(text, 0, text.length, mode);
        ByteArrayOutputStream out = new ByteArrayOutputStream(text.length + text.length / 2);
        int from = 0;
        String introducer = "";
        for (TokenType type = lexer.next(); type != TokenType.END && type != TokenType.ERROR; type = lexer.next()) {
            if (type == TokenType.STRING && !introducer.isEmpty()) {
                decode(text, from, lexer.start(), charset, out);
                decode(text, lexer.start(), lexer.end(), introduced(introducer), out);
                from = lexer.end();
            }
            // Adjacent strings are one string, to which the introducer applies.
            introducer = type == TokenType.STRING
                    ? introducer
                    : type == TokenType.INTRODUCER
                            ? new String(text, lexer.start(), lexer.end() - lexer.start(), StandardCharsets.ISO_8859_1)
                            : "";
        }
        decode(text, from, text.length, charset, out);
        return out.toByteArray();
    }

    private static boolean isAscii(byte[] text) {
        for (byte b : text) {
            if (b < 0) {
                return false;
            }
        }
        return true;
    }

    /** Returns the character set of an introducer; null if its bytes need no conversion. */
    private static @Nullable Charset introduced(String introducer) {
        String name = introducer.substring(1).toLowerCase(Locale.ROOT);
        // N'…' is utf8mb3.
        if (name.isEmpty() || name.equals("binary")) {
            return null;
        }
        Collation collation = Collation.defaultOf(name);
        Charset charset = collation == null ? null : collation.javaCharset();
        if (charset == null) {
            throw Errors.error(1115, "42000", "Unknown character set: '" + name + "'");
        }
        return charset.equals(StandardCharsets.UTF_8) ? null : charset;
    }

    private static void decode(byte[] text, int from, int to, @Nullable Charset charset, ByteArrayOutputStream out) {
        byte[] part = Arrays.copyOfRange(text, from, to);
        byte[] utf8 = charset == null ? part : Latin1Text.decode(part, charset).getBytes(StandardCharsets.UTF_8);
        out.write(utf8, 0, utf8.length);
    }
}
