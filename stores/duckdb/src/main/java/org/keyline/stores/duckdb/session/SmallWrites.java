package org.keyline.stores.duckdb.session;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableModel;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.duckdb.translate.StatementText;
import org.keyline.stores.duckdb.translate.Translated;

/**
 * Decides whether a write changes few rows, so that it may share a commit. A wrong decision costs
 * time, never correctness.
 */
final class SmallWrites {
    private static final int MAX_VALUES = 1_000;

    private SmallWrites() {}

    /**
     * Returns whether a write may share a commit: an INSERT of few values, or an UPDATE or DELETE
     * that compares every key column with values.
     */
    static boolean has(Translated translated, StatementText text) {
        boolean few = translated.kind() == Translated.Kind.INSERT || namesKey(translated.target(), text.tokens());
        return few
                && translated.writes()
                && translated.reads().isEmpty()
                && text.slots().size() <= MAX_VALUES;
    }

    /**
     * Returns whether tokens after WHERE compare all key columns with values by {@code =} or IN.
     */
    private static boolean namesKey(@Nullable TableDefinition table, List<Token> tokens) {
        int where = tokens.size() - 1;
        while (where >= 0
                && !tokens.get(where).is("WHERE")
                && !tokens.get(where).is("OR")) {
            where--;
        }
        if (table == null
                || table.model() != TableModel.UNIQUE
                || where < 0
                || tokens.get(where).is("OR")) {
            return false;
        }
        Set<String> bound = new HashSet<>();
        for (int i = where + 1; i + 2 < tokens.size(); i++) {
            Token name = tokens.get(i);
            Token operator = tokens.get(i + 1);
            boolean equal = operator.type() == TokenType.OPERATOR && operator.isSymbol("=");
            boolean in = operator.is("IN") && tokens.get(i + 2).type() == TokenType.LEFT_PARENTHESIS;
            Token value = tokens.get(Math.min(i + (in ? 3 : 2), tokens.size() - 1));
            if (name.type().isName() && (equal || in) && value.type().isValue()) {
                bound.add(name.name().toLowerCase(Locale.ROOT));
            }
        }
        return table.keyColumns().stream()
                .map(key -> table.columns().get(key).name().toLowerCase(Locale.ROOT))
                .allMatch(bound::contains);
    }
}
