package org.keyline.stores.duckdb.rewrite;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.digest.ReservedWords;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;
import org.keyline.stores.duckdb.translate.StatementText;
import org.keyline.stores.duckdb.translate.TokenPosition;

/** The tokens of a statement that is rewritten. Confined to one thread. */
final class Tokens extends TokenPosition {
    private final StatementText text;

    Tokens(StatementText text) {
        super(text.source(), text.tokens());
        this.text = text;
    }

    StatementText text() {
        return text;
    }

    /**
     * Reads {@code a}, {@code a.b} or {@code a.b.c}, each with or without Doris's catalog before
     * it.
     */
    List<String> path(String what) {
        List<String> parts = new ArrayList<>();
        do {
            if (parts.size() == 4) {
                throw error(what);
            }
            parts.add(name(what));
        } while (takeSymbol("."));
        return parts;
    }

    /** Reads {@code AS name} or {@code name}; returns null if neither follows. */
    @Nullable
    String alias() {
        boolean as = take("AS");
        boolean name = token().type() == TokenType.QUOTED
                || (token().type() == TokenType.WORD && !ReservedWords.contains(token().text()));
        if (!name && as) {
            throw error("an alias");
        }
        return name ? next().name() : null;
    }

    int slot(int i) {
        return text.slotAt(at(i).start());
    }

    /** Returns the index after the parenthesis that closes the parenthesis at {@code open}. */
    int behind(int open) {
        int depth = 0;
        for (int i = open; at(i).type() != TokenType.END; i++) {
            TokenType type = at(i).type();
            depth += type == TokenType.LEFT_PARENTHESIS ? 1 : type == TokenType.RIGHT_PARENTHESIS ? -1 : 0;
            if (depth == 0) {
                return i + 1;
            }
        }
        throw error(text.length(), "')'");
    }

    /**
     * Returns the index of the first of these words from {@code from} on, within the same
     * parentheses; -1 if none of them occurs.
     */
    int find(int from, String... words) {
        int depth = 0;
        for (int i = from; at(i).type() != TokenType.END && depth >= 0; i++) {
            Token token = at(i);
            TokenType type = token.type();
            depth += type == TokenType.LEFT_PARENTHESIS ? 1 : type == TokenType.RIGHT_PARENTHESIS ? -1 : 0;
            if (depth != 0 || type != TokenType.WORD || at(i - 1).type() == TokenType.DOT) {
                continue;
            }
            for (String word : words) {
                if (token.is(word)) {
                    return i;
                }
            }
        }
        return -1;
    }

    String written(int from, int to) {
        return text.text(at(from).start(), at(to - 1).end());
    }

    /** Reads names in parentheses; returns null, without moving, if no parenthesis follows. */
    @Nullable
    List<String> names(String what) {
        if (!takeSymbol("(")) {
            return null;
        }
        List<String> names = new ArrayList<>();
        do {
            names.add(name(what));
        } while (takeSymbol(","));
        expectSymbol(")");
        return names;
    }
}
