package org.keyline.gateway.tier;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;

/** Rows that were written and are in memory no more. */
sealed interface Drop {
    /** All rows of all tables. */
    record Everything() implements Drop {}

    /** All rows of a table. */
    record Table(TableName table) implements Drop {}

    /**
     * The rows of a table under a prefix.
     *
     * @param definition id of the definition by which the key bytes were made
     * @param key key bytes of the first key columns
     */
    record Rows(TableName table, long definition, byte[] key) implements Drop {
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Rows that
                    && table.equals(that.table)
                    && definition == that.definition
                    && Arrays.equals(key, that.key);
        }

        @Override
        public int hashCode() {
            return 31 * table.hashCode() + Arrays.hashCode(key);
        }
    }
}
