package org.keyline.gateway.store.duckdb.session;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableModel;
import org.keyline.planner.ddl.TableDefinition;
import org.keyline.planner.translate.StatementText;
import org.keyline.planner.translate.Translated;

/**
 * Which writes may share a commit: those that touch few rows. A wrong guess costs time, never correctness, so the text decides:
 * an INSERT of few values, an UPDATE or DELETE that names every key column after WHERE.
 */
final class SmallWrites {
    private static final int MAX_VALUES = 1_000;

    private SmallWrites() {}

    static boolean isSmall(Translated translated, StatementText text) {
        if (!translated.reads().isEmpty() || text.slots().size() > MAX_VALUES) {
            return false;
        }
        return switch (translated.kind()) {
            case SELECT -> false;
            case INSERT -> true;
            case UPDATE, DELETE -> namesKey(translated.target(), text);
        };
    }

    private static boolean namesKey(@Nullable TableDefinition table, StatementText text) {
        if (table == null || table.model() != TableModel.UNIQUE) {
            return false;
        }
        String shape = text.shape().toLowerCase(Locale.ROOT);
        int where = shape.lastIndexOf("where");
        if (where < 0 || shape.indexOf(" or ", where) >= 0) {
            return false;
        }
        List<Integer> keys = table.keyColumns();
        for (int key : keys) {
            if (shape.indexOf(table.columns().get(key).name().toLowerCase(Locale.ROOT), where) < 0) {
                return false;
            }
        }
        return true;
    }
}
