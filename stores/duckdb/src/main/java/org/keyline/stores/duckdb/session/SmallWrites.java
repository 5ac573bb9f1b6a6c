package org.keyline.stores.duckdb.session;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableModel;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.duckdb.translate.StatementText;
import org.keyline.stores.duckdb.translate.Translated;

/**
 * Which writes may share a commit: those that touch few rows. A wrong guess costs time, never correctness, so the text decides:
 * an INSERT of few values, an UPDATE or DELETE that sets every key column equal to values after WHERE.
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

    /** Whether the condition sets every key column equal to values, as far as the text shows it. */
    static boolean namesKey(@Nullable TableDefinition table, StatementText text) {
        if (table == null || table.model() != TableModel.UNIQUE) {
            return false;
        }
        String shape = text.shape().toLowerCase(Locale.ROOT);
        int where = shape.lastIndexOf("where");
        if (where < 0 || shape.indexOf(" or ", where) >= 0) {
            return false;
        }
        for (int key : table.keyColumns()) {
            if (!isBound(shape, table.columns().get(key).name().toLowerCase(Locale.ROOT), where)) {
                return false;
            }
        }
        return true;
    }

    /** Whether {@code column = value} or {@code column IN (value} stands behind an offset. */
    private static boolean isBound(String shape, String column, int from) {
        for (int at = shape.indexOf(column, from); at >= 0; at = shape.indexOf(column, at + 1)) {
            int end = at + column.length();
            if (Character.isJavaIdentifierPart(shape.charAt(at - 1))) {
                continue;
            }
            int next = skip(shape, end, " `");
            if (shape.startsWith("=", next) && isValue(shape, skip(shape, next + 1, " "))) {
                return true;
            }
            if (next > end && shape.startsWith("in", next) && isValue(shape, skip(shape, next + 2, " ("))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isValue(String shape, int at) {
        return at < shape.length() && (shape.charAt(at) == '?' || shape.charAt(at) == StatementText.LITERAL);
    }

    private static int skip(String shape, int from, String characters) {
        int at = from;
        while (at < shape.length() && characters.indexOf(shape.charAt(at)) >= 0) {
            at++;
        }
        return at;
    }
}
