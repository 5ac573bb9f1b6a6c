package org.keyline.gateway.read;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.table.CachedTable;
import org.keyline.planner.PlannedStatement;
import org.keyline.planner.PointRead;
import org.keyline.planner.digest.Lexer;
import org.keyline.planner.digest.SqlMode;
import org.keyline.planner.digest.Token;

/**
 * The templates of shapes whose statements have IN lists. Shapes that differ only in the length of
 * these lists share templates, because the length affects only the rows of a reply. Thread-safe.
 */
final class ShapeFamilies {
    /**
     * @param definition the id of the table's definition
     * @param text the statement's text, with each IN list truncated to its first value
     */
    private record Family(long definition, String text) {}

    /** Templates by family. An entry is removed when no shape references its map. */
    private final Cache<Family, ConcurrentMap<ReadScope, Template>> families =
            Caffeine.newBuilder().weakValues().executor(Runnable::run).build();

    ConcurrentMap<ReadScope, Template> templates(PlannedStatement statement, CachedTable table) {
        boolean several = statement.plan() instanceof PointRead read
                && (read.ranges().size() > 1 || !read.conditions().isEmpty());
        String text = several ? anyLength(statement.text()) : null;
        return text == null
                ? new ConcurrentHashMap<>()
                : families.get(new Family(table.schema().id(), text), family -> new ConcurrentHashMap<>());
    }

    void clear() {
        families.invalidateAll();
    }

    /**
     * Returns the text with each IN list truncated to its first value; null if the text has no IN
     * list. A list of tuples is truncated after its first tuple, so that texts with tuples of
     * different widths stay different.
     */
    static @Nullable String anyLength(String normalised) {
        List<Token> tokens = Lexer.tokens(normalised, SqlMode.DEFAULT);
        StringBuilder text = new StringBuilder();
        boolean cut = false;
        for (int i = 0; i < tokens.size(); i++) {
            append(text, tokens.get(i));
            if (!tokens.get(i).is("IN")
                    || i + 1 >= tokens.size()
                    || !tokens.get(i + 1).isSymbol("(")) {
                continue;
            }
            append(text, tokens.get(++i));
            int width = valueWidth(tokens, i + 1);
            if (width == 0) {
                continue;
            }
            int from = i + 1;
            int to = from + width;
            for (int at = from; at < to; at++) {
                append(text, tokens.get(at));
            }
            while (to < tokens.size() && tokens.get(to).isSymbol(",") && same(tokens, from, to + 1, width)) {
                to += 1 + width;
                cut = true;
            }
            i = to - 1;
        }
        return cut ? text.toString() : null;
    }

    /** Returns the number of tokens of a placeholder or a tuple of them; 0 for other tokens. */
    private static int valueWidth(List<Token> tokens, int at) {
        if (at >= tokens.size() || tokens.get(at).isSymbol("?")) {
            return at < tokens.size() ? 1 : 0;
        }
        if (!tokens.get(at).isSymbol("(")) {
            return 0;
        }
        for (int end = at + 1; end < tokens.size(); end++) {
            if (tokens.get(end).isSymbol(")")) {
                return end - at + 1;
            }
            if (!tokens.get(end).isSymbol("?") && !tokens.get(end).isSymbol(",")) {
                return 0;
            }
        }
        return 0;
    }

    private static boolean same(List<Token> tokens, int one, int other, int width) {
        for (int i = 0; i < width; i++) {
            if (other + i >= tokens.size()
                    || !tokens.get(one + i).text().equals(tokens.get(other + i).text())) {
                return false;
            }
        }
        return true;
    }

    private static void append(StringBuilder text, Token token) {
        text.append(text.isEmpty() ? "" : " ").append(token.text());
    }
}
