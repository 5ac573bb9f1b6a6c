package org.keyline.gateway.tier;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;

/** Rows that were written and are in memory no more. */
sealed interface Drop {
    /** Of what an entry says beside names and keys. */
    int OVERHEAD_BYTES = 32;

    /** Most bytes that it takes in an entry. */
    default int weight() {
        return OVERHEAD_BYTES;
    }

    private static int weight(TableName table) {
        // A character takes three bytes at most.
        return OVERHEAD_BYTES + 3 * (table.schema().length() + table.table().length());
    }

    /** All rows of all tables. */
    record Everything() implements Drop {}

    /** All rows of a table. */
    record Table(TableName table) implements Drop {
        @Override
        public int weight() {
            return Drop.weight(table);
        }
    }

    /**
     * The rows of a table under a prefix. Its definition is that by which the key bytes were made, those of the first key columns.
     */
    final class Rows implements Drop {
        private final TableName table;
        private final long definition;
        private final byte[] key;

        Rows(TableName table, long definition, byte[] key) {
            this.table = table;
            this.definition = definition;
            this.key = key;
        }

        TableName table() {
            return table;
        }

        long definition() {
            return definition;
        }

        /** To be read only. */
        byte[] key() {
            return key;
        }

        @Override
        public int weight() {
            return Drop.weight(table) + key.length;
        }

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

        @Override
        public String toString() {
            return "Rows[table=" + table + ", definition=" + definition + ", key=" + Arrays.toString(key) + "]";
        }
    }
}
