package org.keyline.stores.duckdb.session;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableModel;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.duckdb.translate.StatementText;
import org.keyline.stores.duckdb.translate.Translated;

/**
 * Decides by a statement's text whether it changes few rows and may share a commit. Such statements
 * are INSERTs of few values, and UPDATEs and DELETEs that compare every key column with values. A
 * wrong decision costs time, never correctness.
 */
final class SmallWrites {
    private static final int MAX_VALUES = 1_000;

    private SmallWrites() {}

    static boolean isSmall(Translated translated, StatementText text) {
        if (!translated.reads().isEmpty() || text.slots().size() > MAX_VALUES) {
            return false;
        }
        return switch (translated.kind()) {
            case SELECT, SELECT_FOR_UPDATE -> false;
            case INSERT -> true;
            case UPDATE, DELETE -> namesKey(translated.target(), text.tokens());
        };
    }

    /**
     * Returns whether tokens after WHERE compare all key columns with values by {@code =} or IN.
     */
    static boolean namesKey(@Nullable TableDefinition table, List<Token> tokens) {
        if (table == null || table.model() != TableModel.UNIQUE) {
            return false;
        }
        int where = tokens.size() - 1;
        while (where >= 0 && !tokens.get(where).is("WHERE")) {
            if (tokens.get(where).is("OR")) {
                return false;
            }
            where--;
        }
        if (where < 0) {
            return false;
        }
        for (int key : table.keyColumns()) {
            if (!isBound(table.columns().get(key).name(), tokens, where)) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether {@code column = value} or {@code column IN (value} follows an index. */
    private static boolean isBound(String column, List<Token> tokens, int from) {
        for (int i = from + 1; i + 2 < tokens.size(); i++) {
            Token name = tokens.get(i);
            Token operator = tokens.get(i + 1);
            Token value = tokens.get(i + 2);
            if (!name.type().isName() || !name.name().equalsIgnoreCase(column)) {
                continue;
            }
            if (operator.is("IN") && value.type() == TokenType.LEFT_PARENTHESIS && i + 3 < tokens.size()) {
                value = tokens.get(i + 3);
            } else if (operator.type() != TokenType.OPERATOR || !operator.isSymbol("=")) {
                continue;
            }
            if (value.type().isValue()) {
                return true;
            }
        }
        return false;
    }
}
