package org.keyline.planner.digest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.keyline.planner.Seeds;

/** A text that is joined from tokens is read as those tokens, whatever separates them. */
final class LexerPropertyTest {
    private static final int TEXTS = 20_000;
    private static final String[] OPERATORS =
            ": := = < <= <=> <> << > >= >> ! != + - -> ->> * / % ^ ~ | || & && { } [ ]".split(" ");
    private static final String[] LETTERS = {"a", "B", "k", "Z", "_", "$", "é", "名", "𝕏"};
    private static final String[] CHARACTERS = {"a", " ", "\n", "é", "名", "--", "/*", "#", ";", "?", "1"};
    private static final String[] COMMENTS = {
        "/**/",
        "/* c */",
        "/* it's \"`*/",
        "/* ** / */",
        "/*c!*/",
        "-- c\n",
        "-- 'c\n",
        "--\tc\n",
        "--\n",
        "# c\n",
        "#\r\n"
    };
    /** Comments that stores interpret differently. */
    private static final String[] AMBIGUOUS = {
        "/* /* */", "-- c\rd\n", "-- c\0d\n", "# c\\\n",
    };

    /** A text being built, with its tokens. */
    private static final class Text {
        final SplittableRandom random;
        final SqlMode mode;
        final StringBuilder sql = new StringBuilder();
        final List<Token> tokens = new ArrayList<>();
        boolean commented;
        boolean ambiguous;
        /** The first comment for the gateway, without its delimiters. */
        String directive = "";

        Text(SplittableRandom random) {
            this.random = random;
            this.mode = new SqlMode(random.nextBoolean(), random.nextBoolean(), false);
            for (int count = 1 + random.nextInt(12); count > 0; count--) {
                append();
            }
        }

        private String any(String... texts) {
            return texts[random.nextInt(texts.length)];
        }

        private String some(int most, String... texts) {
            StringBuilder some = new StringBuilder();
            for (int count = random.nextInt(most + 1); count > 0; count--) {
                some.append(any(texts));
            }
            return some.toString();
        }

        private void add(TokenType type, String text) {
            int start = sql.toString().getBytes(UTF_8).length;
            sql.append(text);
            tokens.add(new Token(type, text, start, start + text.getBytes(UTF_8).length));
        }

        private void space() {
            sql.append(any(" ", "\n", "\t", "\r\n", "  ", "\f", "\u000b"));
            if (random.nextInt(5) == 0) {
                sql.append(any(COMMENTS)).append(' ');
                commented = true;
            } else if (random.nextInt(30) == 0) {
                sql.append(any(AMBIGUOUS)).append(' ');
                commented = true;
                ambiguous = true;
            } else if (random.nextInt(30) == 0) {
                String text = any("keyline_max_staleness=1s ", "keyline_", "keyline_x * / y");
                sql.append(any("/*", "/* ", "/*\n\t")).append(text).append("*/ ");
                commented = true;
                directive = directive.isEmpty() ? text : directive;
            }
        }

        private void append() {
            switch (random.nextInt(19)) {
                case 0, 1 -> add(TokenType.WORD, word());
                case 2 -> add(TokenType.QUOTED, mode.ansiQuotes() && random.nextBoolean() ? quoted("\"") : quoted("`"));
                case 3 -> add(TokenType.STRING, string());
                case 4 -> add(TokenType.INTEGER, digits());
                case 5 -> add(TokenType.DECIMAL, decimal());
                case 6 -> add(TokenType.FLOAT, any(digits(), decimal()) + any("e", "E") + any("", "+", "-") + digits());
                case 7 -> add(TokenType.HEX, any("0x1F", "0xa", "x'1f'", "X''"));
                case 8 -> add(TokenType.BIT, any("0b101", "b'1'", "B''"));
                case 9 -> add(TokenType.OPERATOR, any(OPERATORS));
                case 10 -> mark();
                case 11 ->
                    add(TokenType.USER_VARIABLE, "@" + any(word(), "a.b", quoted("`"), quoted("'"), quoted("\"")));
                case 12 -> add(TokenType.SYSTEM_VARIABLE, "@@" + any("a", "global.a", "`a b`", "session.`a`"));
                case 13 -> {
                    commented = true;
                    if (random.nextBoolean()) {
                        add(TokenType.HINT, "/*+ H() */");
                    } else {
                        add(TokenType.EXECUTABLE_COMMENT, any("/*! X */", "/*!80000 X*/", "/*M! Y */", "/*m!1 Z*/"));
                    }
                }
                case 14 -> name();
                case 15 -> add(TokenType.ERROR, any("x'1'", "X'1F2'", "1.5e", "1.e", "\\", "`a\0"));
                case 16 -> minuses();
                case 17 -> add(TokenType.WORD, any("0X1F", "0B1", "0x", "0b2", "0x1g", "1e", "2e_", "1ex"));
                default -> introduced();
            }
            if (random.nextInt(4) == 0) {
                mark();
            } else {
                space();
            }
        }

        /** Adds a string with its character set; a name if the quotes are those of names. */
        private void introduced() {
            if (random.nextInt(3) == 0) {
                add(TokenType.INTRODUCER, any("N", "n"));
                add(TokenType.STRING, quoted("'"));
                return;
            }
            boolean names = mode.ansiQuotes() && random.nextBoolean();
            String quote = names ? "\"" : mode.ansiQuotes() ? "'" : any("'", "\"");
            add(names ? TokenType.WORD : TokenType.INTRODUCER, any("_utf8mb4", "_latin1"));
            sql.append(any("", " ", "\n"));
            add(names ? TokenType.QUOTED : TokenType.STRING, quoted(quote));
        }

        /** Adds two minus signs, which are no comment in MySQL. */
        private void minuses() {
            add(TokenType.OPERATOR, "-");
            add(TokenType.OPERATOR, "-");
            add(TokenType.INTEGER, digits());
            ambiguous = true;
        }

        /** Adds a token that merges with no other, and so needs no space around it. */
        private void mark() {
            switch (random.nextInt(5)) {
                case 0 -> add(TokenType.COMMA, ",");
                case 1 -> add(TokenType.LEFT_PARENTHESIS, "(");
                case 2 -> add(TokenType.RIGHT_PARENTHESIS, ")");
                case 3 -> add(TokenType.SEMICOLON, ";");
                default -> add(TokenType.PLACEHOLDER, "?");
            }
        }

        /**
         * Adds a name with its schema: a word next to the dot is a name, whatever its beginning.
         */
        private void name() {
            add(TokenType.WORD, word());
            add(TokenType.DOT, ".");
            if (random.nextInt(8) == 0) {
                add(TokenType.WORD, any("x", "b", "N"));
                add(TokenType.STRING, quoted("'"));
                return;
            }
            if (random.nextBoolean()) {
                add(TokenType.WORD, any("1", "1e5", "0x1F", word()));
            } else {
                add(TokenType.QUOTED, quoted("`"));
            }
        }

        private String word() {
            String word = any("a", "B", "$", "é", "名", "7k") + some(3, LETTERS) + some(1, "0", "17");
            // Before a quote these have another meaning, but here no quote follows.
            return any(word, "x", "b", "SELECT");
        }

        private String digits() {
            return any("0", "7", "42", "007", "18446744073709551616");
        }

        private String decimal() {
            return any(digits() + "." + digits(), "." + digits(), digits() + ".");
        }

        private String string() {
            return mode.ansiQuotes() || random.nextBoolean() ? quoted("'") : quoted("\"");
        }

        /** Returns a quoted text, with quotes doubled, and with backslash escapes in a string. */
        private String quoted(String quote) {
            StringBuilder text = new StringBuilder(quote);
            for (int count = random.nextInt(5); count > 0; count--) {
                if (random.nextInt(4) == 0) {
                    text.append(quote).append(quote);
                } else if (!quote.equals("`") && !mode.ansiQuotes() && random.nextInt(4) == 0) {
                    text.append('\\').append(mode.noBackslashEscapes() ? any("", "n") : any("\\", "n", quote));
                } else {
                    text.append(any(CHARACTERS));
                }
            }
            return text.append(quote).toString();
        }
    }

    private static Lexer read(String sql, SqlMode mode) {
        byte[] bytes = sql.getBytes(UTF_8);
        Lexer lexer = new Lexer();
        lexer.reset(bytes, 0, bytes.length, mode);
        while (lexer.next() != TokenType.END) {}
        return lexer;
    }

    @Test
    void tokens_areReadAsTheyWereWritten() {
        Seeds.forEach(1, TEXTS, random -> {
            Text text = new Text(random);
            String sql = text.sql.toString();
            assertThat(Lexer.tokens(sql, text.mode)).as(sql).isEqualTo(text.tokens);
            Lexer lexer = read(sql, text.mode);
            assertThat(lexer.comments()).as(sql).isEqualTo(text.commented);
            assertThat(lexer.ambiguous() || lexer.dashes()).as(sql).isEqualTo(text.ambiguous);
            byte[] bytes = sql.getBytes(UTF_8);
            assertThat(new String(bytes, lexer.directiveStart(), lexer.directiveEnd() - lexer.directiveStart(), UTF_8))
                    .as(sql)
                    .isEqualTo(text.directive);
        });
    }

    /** A cut text has the same tokens before its last byte as the whole text. */
    @Test
    void cutText_hasTheTokensBeforeTheCut() {
        Seeds.forEach(TEXTS + 1, TEXTS, random -> {
            Text text = new Text(random);
            String sql = text.sql.toString();
            String cut =
                    sql.substring(0, sql.offsetByCodePoints(0, random.nextInt(sql.codePointCount(0, sql.length()))));
            int bytes = cut.getBytes(UTF_8).length;
            List<Token> before = new ArrayList<>();
            for (int i = 0; i < text.tokens.size() && text.tokens.get(i).end() < bytes; i++) {
                if (text.tokens.get(i + needs(text.tokens, i)).start() < bytes) {
                    before.add(text.tokens.get(i));
                }
            }
            assertThat(Lexer.tokens(cut, text.mode).stream().limit(before.size()))
                    .as(cut)
                    .containsExactlyElementsOf(before);
        });
    }

    /** Returns how many tokens after this one must begin for it to be recognised. */
    private static int needs(List<Token> tokens, int index) {
        Token token = tokens.get(index);
        if (token.type() == TokenType.INTRODUCER) {
            return 1;
        }
        boolean minuses = token.isSymbol("-")
                && index + 1 < tokens.size()
                && tokens.get(index + 1).isSymbol("-")
                && tokens.get(index + 1).start() == token.end();
        return minuses ? 2 : 0;
    }
}
