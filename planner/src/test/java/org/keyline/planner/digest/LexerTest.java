package org.keyline.planner.digest;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class LexerTest {
    private static final SqlMode ANSI = new SqlMode(true, false, true);

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            a1 $b _c é名                  | WORD[a1] WORD[$b] WORD[_c] WORD[é名]
            `a b` `c``d`                  | QUOTED[`a b`] QUOTED[`c``d`]
            'a''b' 'c\\'d' "e\\"f""g"     | STRING['a''b'] STRING['c\\'d'] STRING["e\\"f""g"]
            1 1.5 .5 1. 1e5 1.5E-3 .5e+1  | INTEGER[1] DECIMAL[1.5] DECIMAL[.5] DECIMAL[1.] FLOAT[1e5] FLOAT[1.5E-3] FLOAT[.5e+1]
            0x1F x'1F' X'' 0b101 b'1'     | HEX[0x1F] HEX[x'1F'] HEX[X''] BIT[0b101] BIT[b'1']
            0X1 0xZ 0x 0b2 1a 1e 12e+x    | WORD[0X1] WORD[0xZ] WORD[0x] WORD[0b2] WORD[1a] WORD[1e] WORD[12e] OPERATOR[+] WORD[x]
            t.1a t.1e5 t.5 t .5           | WORD[t] DOT[.] WORD[1a] WORD[t] DOT[.] WORD[1e5] WORD[t] DOT[.] WORD[5] WORD[t] DECIMAL[.5]
            `t`.5 t.`c` a . b             | QUOTED[`t`] DECIMAL[.5] WORD[t] DOT[.] QUOTED[`c`] WORD[a] DOT[.] WORD[b]
            N'x' n 'x' _utf8'x' _utf8 'x' | INTRODUCER[N] STRING['x'] WORD[n] STRING['x'] INTRODUCER[_utf8] STRING['x'] INTRODUCER[_utf8] STRING['x']
            @a @'b' @`c` @@d @@global.e @@`f`.g | USER_VARIABLE[@a] USER_VARIABLE[@'b'] USER_VARIABLE[@`c`] SYSTEM_VARIABLE[@@d] SYSTEM_VARIABLE[@@global.e] SYSTEM_VARIABLE[@@`f`.g]
            a<=>b<=c<>d!=e:=f             | WORD[a] OPERATOR[<=>] WORD[b] OPERATOR[<=] WORD[c] OPERATOR[<>] WORD[d] OPERATOR[!=] WORD[e] OPERATOR[:=] WORD[f]
            a->>'$' && b << 1             | WORD[a] OPERATOR[->>] STRING['$'] OPERATOR[&&] WORD[b] OPERATOR[<<] INTEGER[1]
            (?,?);                        | LEFT_PARENTHESIS[(] PLACEHOLDER[?] COMMA[,] PLACEHOLDER[?] RIGHT_PARENTHESIS[)] SEMICOLON[;]
            a/**/b/* c */d # e            | WORD[a] WORD[b] WORD[d]
            a -- b                        | WORD[a]
            5--3                          | INTEGER[5] OPERATOR[-] OPERATOR[-] INTEGER[3]
            /*+ H() */ /*! X */ /*M! Y */ | HINT[/*+ H() */] EXECUTABLE_COMMENT[/*! X */] EXECUTABLE_COMMENT[/*M! Y */]
            'a                            | ERROR['a]
            `a                            | ERROR[`a]
            /* a                          | ERROR[/* a]
            x'1 x'123'                    | ERROR[x'1] ERROR[x'123']
            a \\N                         | WORD[a] ERROR[\\] WORD[N]
            1.5ex                         | ERROR[1.5e] WORD[x]
            @@                            | ERROR[@@]
            *a*                           | OPERATOR[*] WORD[a] OPERATOR[*]
            """)
    void next_text_isTokens(String sql, String tokens) {
        assertThat(text(sql.replace("\\\\", "\\"), SqlMode.DEFAULT)).isEqualTo(tokens.replace("\\\\", "\\"));
    }

    @Test
    void next_doubleQuotesUnderAnsiQuotes_areIdentifiers() {
        assertThat(text("\"a\"\"b\" 'c'", ANSI)).isEqualTo("QUOTED[\"a\"\"b\"] STRING['c']");
        assertThat(Lexer.tokens("\"a\"\"b\"", ANSI).get(0).name()).isEqualTo("a\"b");
        assertThat(Lexer.tokens("`a``b`", ANSI).get(0).name()).isEqualTo("a`b");
    }

    @Test
    void next_backslashWithoutEscapes_isACharacter() {
        SqlMode mode = new SqlMode(false, true, false);
        assertThat(text("'a\\' b", mode)).isEqualTo("STRING['a\\'] WORD[b]");
    }

    @Test
    void next_controlCharacters_areErrors() {
        assertThat(text("a\u0000b", SqlMode.DEFAULT)).isEqualTo("WORD[a] ERROR[\u0000] WORD[b]");
        assertThat(text("`a\u0000`", SqlMode.DEFAULT)).startsWith("ERROR");
    }

    @Test
    void next_nameWithMalformedUtf8_isAnError() {
        for (String bytes :
                new String[] {"\u00c3", "\u00c0\u00af", "\u00ed\u00a0\u0080", "\u00f5\u0080\u0080\u0080", "\u0080"}) {
            byte[] sql = ("a" + bytes + "b").getBytes(StandardCharsets.ISO_8859_1);
            Lexer lexer = new Lexer();
            lexer.reset(sql, 0, sql.length, SqlMode.DEFAULT);
            assertThat(lexer.next()).isEqualTo(TokenType.ERROR);
        }
    }

    @Test
    void dashes_withoutWhiteSpaceBehindThem_areSignsOrAComment() {
        for (String sql : new String[] {"5--3", "--x", "5 - -3", "-- x", "a --"}) {
            byte[] bytes = sql.getBytes(StandardCharsets.ISO_8859_1);
            Lexer lexer = new Lexer();
            lexer.reset(bytes, 0, bytes.length, SqlMode.DEFAULT);
            while (lexer.next() != TokenType.END) {}
            assertThat(lexer.dashes()).as(sql).isEqualTo(sql.matches(".*--\\w.*"));
        }
    }

    @Test
    void ambiguous_whatStoresReadDifferently_isReported() {
        for (String sql : new String[] {"/* /* */ */", "-- a\rb", "-- a\\\nb", "# a\u0000b"}) {
            assertThat(ambiguous(sql)).as(sql).isTrue();
        }
        for (String sql : new String[] {"5 - -3", "/* a */ /* b */", "-- a\r\nb", "--\tb", "a --", "'--x' '/*/*'"}) {
            assertThat(ambiguous(sql)).as(sql).isFalse();
        }
    }

    private static boolean ambiguous(String sql) {
        byte[] bytes = sql.getBytes(StandardCharsets.UTF_8);
        Lexer lexer = new Lexer();
        lexer.reset(bytes, 0, bytes.length, SqlMode.DEFAULT);
        while (lexer.next() != TokenType.END) {}
        return lexer.ambiguous();
    }

    private static String text(String sql, SqlMode mode) {
        return Lexer.tokens(sql, mode).stream()
                .map(token -> token.type() + "[" + token.text() + "]")
                .collect(Collectors.joining(" "));
    }
}
