package org.keyline.planner.statement;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.keyline.planner.digest.Hint;
import org.keyline.planner.digest.ReservedWords;
import org.keyline.planner.digest.SettingPrefix;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;

/**
 * A SELECT without the words and hints that change none of its rows. The store has accepted them
 * before any hit, because a hit needs an earlier reply to the whole statement. Immutable.
 *
 * @param tokens the tokens of the SELECT, with all its placeholders
 * @param modifiers the omitted words in upper case. In a store without such a modifier, the word
 * names a column
 * @param anyIndex whether a hint may make the store choose another index, and so another order
 */
public record ReadThrough(List<Token> tokens, Set<String> modifiers, boolean anyIndex) {
    private static final List<String> MODIFIERS = List.of("SQL_NO_CACHE", "SQL_CACHE", "HIGH_PRIORITY", "ALL");

    private static final String PRIMARY = "PRIMARY";

    public ReadThrough {
        tokens = List.copyOf(tokens);
        modifiers = Set.copyOf(modifiers);
    }

    /**
     * Returns the tokens without words and hints that do not matter. Any statement other than a
     * SELECT remains unchanged.
     */
    public static ReadThrough of(List<Token> tokens) {
        SettingPrefix prefix = SettingPrefix.of(tokens);
        int from = prefix.harmless() ? prefix.end() : 0;
        if (from >= tokens.size() || !tokens.get(from).is("SELECT")) {
            return new ReadThrough(tokens, Set.of(), false);
        }
        return new Reader(tokens.subList(from, tokens.size())).read();
    }

    /** Reads the tokens of one statement. Confined to one thread. */
    private static final class Reader {
        private final List<Token> all;
        private final List<Token> retained = new ArrayList<>();
        private final Set<String> modifiers = new HashSet<>();
        private boolean anyIndex;
        private int at;

        Reader(List<Token> all) {
            this.all = all;
        }

        ReadThrough read() {
            while (at < all.size()) {
                Token token = all.get(at);
                keep();
                if (token.is("SELECT")) {
                    head();
                } else if (token.is("FROM")) {
                    table();
                }
            }
            return new ReadThrough(retained, modifiers, anyIndex);
        }

        private Token token() {
            return token(0);
        }

        private Token token(int distance) {
            int index = at + distance;
            return index < all.size() ? all.get(index) : new Token(TokenType.END, "", 0, 0);
        }

        private void keep() {
            retained.add(all.get(at));
            at++;
        }

        private void head() {
            if (token().type() == TokenType.HINT && Hint.isKnown(token())) {
                anyIndex |= Hint.choosesIndex(token());
                at++;
            }
            while (true) {
                if (token().type() == TokenType.EXECUTABLE_COMMENT) {
                    at++;
                } else if (isModifier()) {
                    modifiers.add(token().text().toUpperCase(Locale.ROOT));
                    at++;
                } else if (token().is("DISTINCT")) {
                    keep();
                } else {
                    return;
                }
            }
        }

        /**
         * Returns whether the word is a modifier. If no item follows, the word itself is the item.
         */
        private boolean isModifier() {
            Token next = token(1);
            boolean item = next.type().isName() || next.type().isValue() || next.isSymbol("*");
            return item
                    && !next.is("FROM")
                    && !next.is("AS")
                    && MODIFIERS.stream().anyMatch(token()::is);
        }

        private void table() {
            while (token().type().isName() && token(1).type() == TokenType.DOT) {
                keep();
                keep();
            }
            if (!token().type().isName()) {
                return;
            }
            keep();
            boolean as = token().is("AS");
            if (as) {
                keep();
            }
            boolean alias = token().type().isName()
                    && (as || token().type() == TokenType.QUOTED || !ReservedWords.contains(token().text()));
            if (alias) {
                keep();
            }
            int end = hintEnd();
            while (end > at) {
                at = end;
                end = hintEnd();
            }
        }

        /** Returns the index after an index hint; the current index if no hint is next. */
        private int hintEnd() {
            boolean ignore = token().is("IGNORE");
            boolean hint = (ignore || token().is("USE") || token().is("FORCE"))
                    && (token(1).is("INDEX") || token(1).is("KEY"));
            if (!hint) {
                return at;
            }
            int next = 2;
            boolean forAll = !token(next).is("FOR");
            if (!forAll) {
                next += token(next + 1).is("JOIN") ? 2 : token(next + 2).is("BY") ? 3 : 0;
            }
            if (!token(next).isSymbol("(")) {
                return at;
            }
            next++;
            List<String> names = new ArrayList<>();
            while (token(next).type().isName()) {
                names.add(token(next).name().toUpperCase(Locale.ROOT));
                next += token(next + 1).isSymbol(",") ? 2 : 1;
            }
            if (!token(next).isSymbol(")")) {
                return at;
            }
            boolean byKey = ignore ? !names.contains(PRIMARY) : names.equals(List.of(PRIMARY));
            anyIndex |= !forAll || !byKey;
            return at + next + 1;
        }
    }
}
