package org.keyline.gateway.tier;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;

/** The part of a message that names rows changed by a write. The receiver drops their lines. */
sealed interface Drop {
    /** Maximum encoded size in bytes, without names and keys. */
    int OVERHEAD_BYTES = 32;

    /** Returns the maximum encoded size, in bytes. */
    default int weight() {
        return OVERHEAD_BYTES;
    }

    private static int weight(TableName table) {
        // A character has at most three bytes.
        return OVERHEAD_BYTES + 3 * (table.schema().length() + table.table().length());
    }

    record Everything() implements Drop {}

    record Table(TableName table) implements Drop {
        @Override
        public int weight() {
            return Drop.weight(table);
        }
    }

    /** Rows under a prefix, whose bytes are valid only for the table definition with this hash. */
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

        /** Returns the prefix. The caller must not modify it. */
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
