package org.keyline.planner.digest;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A lexer for MySQL's grammar over UTF-8 bytes. It skips white space and comments; all other bytes
 * are tokens. Confined to one thread; reusable, allocates nothing.
 *
 * @see <a href="https://dev.mysql.com/doc/refman/8.4/en/language-structure.html">Language
 * Structure</a>
 */
public final class Lexer {
    /*
     * The lexer reads every byte a bounded number of times, and every call of next() advances. It
     * never throws. Bytes that no statement can have are an ERROR token. An unterminated string or
     * comment is an ERROR token up to the end.
     *
     * Words that begin with digits (1a, t.1e5) follow the rules of the server's scanner
     * (sql/sql_lex.cc). A number is a word if identifier characters follow without a gap. All
     * characters right after the dot of a name are a word.
     *
     * MySQL's "--" begins a comment only before white space, Doris's always does. Doris nests block
     * comments, MySQL does not. The lexer reads such texts as MySQL does, and reports them as
     * ambiguous().
     */

    private static final byte OTHER = 0;
    private static final byte SPACE = 1;
    private static final byte LETTER = 2;
    private static final byte DIGIT = 3;
    private static final byte[] CLASS = classes();
    private static final byte[] NOTHING = new byte[0];
    private static final byte[] DIRECTIVE = "keyline_".getBytes(UTF_8);

    private byte[] sql = NOTHING;
    private int limit;
    private boolean ansiQuotes;
    private boolean backslashEscapes = true;

    private int position;
    private int start;
    private TokenType type = TokenType.END;
    private boolean ambiguous;
    private boolean dashes;
    private boolean comments;
    private int directiveStart;
    private int directiveEnd;
    /** The end of the last token if it is a word that a dot can continue; otherwise -1. */
    private int wordEnd;
    /** The end of a dot that continues a name. A token at this offset is a word. */
    private int dotEnd;

    public Lexer() {}

    /** Begins with another text. Borrows the array until the last {@link #next}. */
    public void reset(byte[] sql, int from, int to, SqlMode mode) {
        if (from < 0 || to < from || to > sql.length) {
            throw new IllegalArgumentException(
                    "range: " + from + ".." + to + " (expected: within 0.." + sql.length + ")");
        }
        this.sql = sql;
        this.limit = to;
        this.ansiQuotes = mode.ansiQuotes();
        this.backslashEscapes = !mode.noBackslashEscapes();
        position = from;
        start = from;
        type = TokenType.END;
        ambiguous = false;
        dashes = false;
        comments = false;
        directiveStart = from;
        directiveEnd = from;
        wordEnd = -1;
        dotEnd = -1;
    }

    /** Returns the tokens of a text, without END. */
    public static List<Token> tokens(String sql, SqlMode mode) {
        return tokens(sql.getBytes(UTF_8), mode);
    }

    /** Returns the tokens of a text, without END. */
    public static List<Token> tokens(byte[] sql, SqlMode mode) {
        Lexer lexer = new Lexer();
        lexer.reset(sql, 0, sql.length, mode);
        List<Token> tokens = new ArrayList<>();
        for (TokenType type = lexer.next(); type != TokenType.END; type = lexer.next()) {
            tokens.add(lexer.token());
        }
        return tokens;
    }

    public Token token() {
        return new Token(type, new String(sql, start, position - start, UTF_8), start, position);
    }

    public TokenType type() {
        return type;
    }

    /** Returns whether the token is this word, ignoring case. */
    public boolean is(String upperCase) {
        if (position - start != upperCase.length()) {
            return false;
        }
        for (int i = 0; i < upperCase.length(); i++) {
            int b = sql[start + i];
            if (b != upperCase.charAt(i) && (b < 'a' || b > 'z' || b - 0x20 != upperCase.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    public int start() {
        return start;
    }

    public int end() {
        return position;
    }

    /** Returns whether stores differ on the end of a skipped comment, {@link #dashes} excluded. */
    public boolean ambiguous() {
        return ambiguous;
    }

    /** Returns whether the text has two dashes that only some stores read as a comment. */
    public boolean dashes() {
        return dashes;
    }

    public boolean comments() {
        return comments;
    }

    /** Returns the start of a keyline_… comment's text; {@link #directiveEnd} if there is none. */
    public int directiveStart() {
        return directiveStart;
    }

    public int directiveEnd() {
        return directiveEnd;
    }

    public TokenType next() {
        type = scan();
        wordEnd = type == TokenType.WORD ? position : -1;
        return type;
    }

    private TokenType scan() {
        while (true) {
            while (position < limit && CLASS[sql[position] & 0xFF] == SPACE) {
                position++;
            }
            start = position;
            if (position >= limit) {
                return TokenType.END;
            }
            int b = sql[position] & 0xFF;
            byte kind = CLASS[b];
            if (kind == LETTER) {
                return letter(b);
            }
            if (kind == DIGIT) {
                return start == dotEnd ? word() : number();
            }
            if (b == '#') {
                lineComment(1);
            } else if (b == '-' && at(1) == '-') {
                if (at(2) > ' ' && at(2) != 0x7F) {
                    dashes = true;
                    return symbol(1);
                }
                lineComment(2);
            } else if (b == '/' && at(1) == '*') {
                TokenType comment = blockComment();
                if (comment != null) {
                    return comment;
                }
            } else {
                return other(b);
            }
        }
    }

    private TokenType letter(int b) {
        if (start != dotEnd && at(1) == '\'') {
            switch (b) {
                case 'n', 'N' -> {
                    return single(TokenType.INTRODUCER);
                }
                case 'x', 'X' -> {
                    return quotedDigits(TokenType.HEX);
                }
                case 'b', 'B' -> {
                    return quotedDigits(TokenType.BIT);
                }
                default -> {}
            }
        }
        TokenType word = word();
        if (b == '_' && word == TokenType.WORD && introduces()) {
            return TokenType.INTRODUCER;
        }
        return word;
    }

    private TokenType other(int b) {
        return switch (b) {
            case '\'' -> string(b, TokenType.STRING);
            case '"' -> ansiQuotes ? quoted(b) : string(b, TokenType.STRING);
            case '`' -> quoted(b);
            case '@' -> variable();
            case '.' -> dot();
            case '?' -> single(TokenType.PLACEHOLDER);
            case ',' -> single(TokenType.COMMA);
            case '(' -> single(TokenType.LEFT_PARENTHESIS);
            case ')' -> single(TokenType.RIGHT_PARENTHESIS);
            case ';' -> single(TokenType.SEMICOLON);
            case '<' -> symbol(at(1) == '=' ? (at(2) == '>' ? 3 : 2) : at(1) == '>' || at(1) == '<' ? 2 : 1);
            case '>' -> symbol(at(1) == '=' || at(1) == '>' ? 2 : 1);
            case '!', ':' -> symbol(at(1) == '=' ? 2 : 1);
            case '-' -> symbol(at(1) == '>' ? (at(2) == '>' ? 3 : 2) : 1);
            case '|', '&' -> symbol(at(1) == b ? 2 : 1);
            case '+', '*', '/', '%', '^', '~', '=', '{', '}', '[', ']' -> symbol(1);
            default -> single(TokenType.ERROR);
        };
    }

    /** Returns the byte at a distance from the position; -1 after the end. */
    private int at(int distance) {
        int index = position + distance;
        return index < limit ? sql[index] & 0xFF : -1;
    }

    private TokenType single(TokenType token) {
        position++;
        return token;
    }

    private TokenType symbol(int length) {
        position += length;
        return TokenType.OPERATOR;
    }

    private TokenType toEnd() {
        position = limit;
        return TokenType.ERROR;
    }

    private TokenType dot() {
        if (wordEnd != position && CLASS[Math.max(at(1), 0)] == DIGIT) {
            return number();
        }
        position++;
        dotEnd = position;
        return TokenType.DOT;
    }

    private TokenType word() {
        boolean ascii = true;
        while (position < limit && CLASS[sql[position] & 0xFF] >= LETTER) {
            ascii &= sql[position] >= 0;
            position++;
        }
        return ascii || Utf8.valid(sql, start, position) ? TokenType.WORD : TokenType.ERROR;
    }

    /** Returns whether a quote follows the word, with or without white space between. */
    private boolean introduces() {
        int index = position;
        while (index < limit && CLASS[sql[index] & 0xFF] == SPACE) {
            index++;
        }
        return index < limit && (sql[index] == '\'' || (sql[index] == '"' && !ansiQuotes));
    }

    private TokenType number() {
        if (at(0) == '0' && (at(1) == 'x' || at(1) == 'b')) {
            boolean hex = at(1) == 'x';
            int end = digits(position + 2, hex ? 16 : 2);
            if (end > position + 2 && (end >= limit || CLASS[sql[end] & 0xFF] < LETTER)) {
                position = end;
                return hex ? TokenType.HEX : TokenType.BIT;
            }
            return word();
        }
        position = digits(position, 10);
        int next = at(0);
        if (next == 'e' || next == 'E') {
            return position > start && exponent() ? TokenType.FLOAT : word();
        }
        if (next >= 0 && CLASS[next] == LETTER) {
            return word();
        }
        if (next != '.') {
            return TokenType.INTEGER;
        }
        position = digits(position + 1, 10);
        next = at(0);
        if (next != 'e' && next != 'E') {
            return TokenType.DECIMAL;
        }
        return exponent() ? TokenType.FLOAT : single(TokenType.ERROR);
    }

    private boolean exponent() {
        int from = at(1) == '+' || at(1) == '-' ? position + 2 : position + 1;
        int end = digits(from, 10);
        if (end == from) {
            return false;
        }
        position = end;
        return true;
    }

    private int digits(int from, int radix) {
        int index = from;
        while (index < limit && Character.digit(sql[index], radix) >= 0) {
            index++;
        }
        return index;
    }

    private TokenType quotedDigits(TokenType token) {
        boolean hex = token == TokenType.HEX;
        int end = digits(position + 2, hex ? 16 : 2);
        boolean whole = !hex || (end - position) % 2 == 0;
        boolean closed = end < limit && sql[end] == '\'';
        position = closed ? end + 1 : end;
        return closed && whole ? token : TokenType.ERROR;
    }

    private TokenType string(int quote, TokenType token) {
        position++;
        while (position < limit) {
            int b = sql[position++];
            if (b == quote) {
                if (position >= limit || sql[position] != quote) {
                    return token;
                }
                position++;
            } else if (b == '\\' && backslashEscapes) {
                position++;
            }
        }
        return toEnd();
    }

    private TokenType quoted(int quote) {
        position++;
        while (position < limit) {
            int b = sql[position++];
            if (b == quote) {
                if (position >= limit || sql[position] != quote) {
                    return Utf8.valid(sql, start, position) ? TokenType.QUOTED : TokenType.ERROR;
                }
                position++;
            } else if (b == 0) {
                return TokenType.ERROR;
            }
        }
        return toEnd();
    }

    private TokenType variable() {
        if (at(1) == '@') {
            return systemVariable();
        }
        position++;
        int quote = at(0);
        if (quote == '\'' || quote == '"') {
            return string(quote, TokenType.USER_VARIABLE);
        }
        if (quote == '`') {
            return quoted(quote) == TokenType.QUOTED ? TokenType.USER_VARIABLE : TokenType.ERROR;
        }
        int from = position;
        while (position < limit && (CLASS[sql[position] & 0xFF] >= LETTER || sql[position] == '.')) {
            position++;
        }
        if (position == from) {
            return TokenType.OPERATOR;
        }
        return Utf8.valid(sql, from, position) ? TokenType.USER_VARIABLE : TokenType.ERROR;
    }

    private TokenType systemVariable() {
        position += 2;
        int from = position;
        while (position < limit) {
            if (sql[position] == '`') {
                if (quoted('`') != TokenType.QUOTED) {
                    return TokenType.ERROR;
                }
            } else if (CLASS[sql[position] & 0xFF] >= LETTER || sql[position] == '.') {
                position++;
            } else {
                break;
            }
        }
        return position > from && Utf8.valid(sql, from, position) ? TokenType.SYSTEM_VARIABLE : TokenType.ERROR;
    }

    private void lineComment(int marker) {
        comments = true;
        position += marker;
        while (position < limit && sql[position] != '\n') {
            // Doris ends the comment at a bare carriage return. MySQL's scanner ends it at NUL.
            ambiguous |= sql[position] == 0 || (sql[position] == '\r' && at(1) != '\n' && at(1) != -1);
            position++;
        }
        // Doris continues the comment if a backslash ends the line.
        ambiguous |= position < limit && sql[position - 1] == '\\';
    }

    /** Reads a comment and returns its type; null for an ordinary comment, which is skipped. */
    private @Nullable TokenType blockComment() {
        comments = true;
        int third = at(2);
        boolean executable = third == '!' || ((third == 'M' || third == 'm') && at(3) == '!');
        // Local variables avoid a write to a field for each byte of a long comment.
        byte[] text = sql;
        int last = limit - 1;
        int from = position + 2;
        for (int at = from; at < last; at++) {
            int b = text[at];
            if (b == '*' && text[at + 1] == '/') {
                directive(from, at);
                position = at + 2;
                return executable ? TokenType.EXECUTABLE_COMMENT : third == '+' ? TokenType.HINT : null;
            }
            ambiguous |= b == '/' && text[at + 1] == '*';
        }
        return toEnd();
    }

    private void directive(int from, int to) {
        int at = from;
        while (at < to && CLASS[sql[at] & 0xFF] == SPACE) {
            at++;
        }
        int end = at + DIRECTIVE.length;
        if (directiveStart == directiveEnd
                && end <= to
                && Arrays.equals(sql, at, end, DIRECTIVE, 0, DIRECTIVE.length)) {
            directiveStart = at;
            directiveEnd = to;
        }
    }

    private static byte[] classes() {
        byte[] classes = new byte[256];
        for (int b = 0; b < 256; b++) {
            if (b == ' ' || (b >= '\t' && b <= '\r')) {
                classes[b] = SPACE;
            } else if (b >= '0' && b <= '9') {
                classes[b] = DIGIT;
            } else if (b >= 0x80 || b == '_' || b == '$' || (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z')) {
                classes[b] = LETTER;
            } else {
                classes[b] = OTHER;
            }
        }
        return classes;
    }
}
