package org.keyline.planner.digest;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

final class LexerTest {
    private static final SqlMode ANSI = new SqlMode(true, false, true);

    @ParameterizedTest
    @CsvFileSource(resources = "LexerTest.next_text_isTokens.txt", delimiter = '|', quoteCharacter = '~')
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
