package org.keyline.stores.duckdb.translate;

import java.util.ArrayList;
import java.util.List;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;

/** A place in a statement that is taken apart into its clauses. What is not there is error 1064, near the place. Used once. */
final class FormCursor {
    final StatementText text;
    final List<Token> tokens;
    /** Index after the last token; a semicolon at the end does not count. */
    final int end;

    int position;

    FormCursor(StatementText text) {
        this.text = text;
        this.tokens = text.tokens();
        int last = tokens.size();
        while (last > 0 && tokens.get(last - 1).type() == TokenType.SEMICOLON) {
            last--;
        }
        this.end = last;
    }

    Token peek() {
        return at(position);
    }

    Token at(int index) {
        return index < end ? tokens.get(index) : new Token(TokenType.END, "", 0, 0);
    }

    boolean atType(TokenType type) {
        return peek().type() == type;
    }

    boolean take(String word) {
        if (peek().is(word)) {
            position++;
            return true;
        }
        return false;
    }

    boolean takeSymbol(String symbol) {
        if (peek().isSymbol(symbol)) {
            position++;
            return true;
        }
        return false;
    }

    void expect(String word) {
        if (!take(word)) {
            throw text.error(position, word);
        }
    }

    void expectSymbol(String symbol) {
        if (!takeSymbol(symbol)) {
            throw text.error(position, "'" + symbol + "'");
        }
    }

    String name(String what) {
        if (!peek().type().isName()) {
            throw text.error(position, what);
        }
        return tokens.get(position++).name();
    }

    List<String> dottedName(String what) {
        List<String> parts = new ArrayList<>();
        do {
            if (parts.size() == 3) {
                throw text.error(position, what);
            }
            parts.add(name(what));
        } while (takeSymbol("."));
        return parts;
    }

    ParserText query(int from, int to) {
        return new ParserTextWriter(text).tokens(from, to).written();
    }

    /** Index of the first token from {@code from} on, outside of parentheses, that is one of the words; the end if none is. */
    int find(int from, String... words) {
        int depth = 0;
        for (int i = from; i < end; i++) {
            Token token = tokens.get(i);
            if (token.type() == TokenType.LEFT_PARENTHESIS) {
                depth++;
            } else if (token.type() == TokenType.RIGHT_PARENTHESIS) {
                depth--;
            } else if (depth == 0
                    && token.type() == TokenType.WORD
                    && !at(Math.max(i - 1, 0)).isSymbol(".")) {
                for (String word : words) {
                    if (token.is(word)) {
                        return i;
                    }
                }
            }
        }
        return end;
    }

    /** Index of the comma or the end of the list item that begins at {@code from}. */
    int itemEnd(int from, int to) {
        int depth = 0;
        for (int i = from; i < to; i++) {
            TokenType type = tokens.get(i).type();
            if (depth == 0 && (type == TokenType.COMMA || type == TokenType.RIGHT_PARENTHESIS)) {
                return i;
            }
            depth += type == TokenType.LEFT_PARENTHESIS ? 1 : type == TokenType.RIGHT_PARENTHESIS ? -1 : 0;
        }
        return to;
    }

    /** {@code a = expression, …} up to {@code to}. */
    void assignments(int to, List<List<String>> targets, List<int[]> ranges) {
        do {
            targets.add(dottedName("a column name"));
            if (!takeSymbol(":=")) {
                expectSymbol("=");
            }
            int itemEnd = itemEnd(position, to);
            if (itemEnd == position) {
                throw text.error(position, "an expression");
            }
            ranges.add(new int[] {position, itemEnd});
            position = itemEnd;
        } while (takeSymbol(","));
    }

    /** SELECT of the items that begin and end at these indexes; what follows them may be added. */
    ParserTextWriter items(List<int[]> ranges) {
        ParserTextWriter writer = new ParserTextWriter(text).raw("SELECT ");
        for (int i = 0; i < ranges.size(); i++) {
            writer.raw(i > 0 ? ", " : "").tokens(ranges.get(i)[0], ranges.get(i)[1]);
        }
        return writer;
    }
}
