package org.keyline.stores.mysql.catalog;

import org.jspecify.annotations.Nullable;

/** A source of answers to catalog queries: a store, or a recording of its answers. */
public interface CatalogRows {
    void query(String sql, RowTaker taker) throws ReadFailure;

    /** Runs a query that will be repeated. A connection may prepare such a query at the store. */
    default void repeat(String sql, RowTaker taker) throws ReadFailure {
        query(sql, taker);
    }

    interface RowTaker {
        /** Receives a row, which is valid only during the call. */
        void row(Row row) throws ReadFailure;
    }

    /** A row of an answer. Access to a missing column throws {@link ReadFailure}. */
    interface Row {
        /** Returns a cell as text; null for NULL. The column's name matches in any letter case. */
        @Nullable
        String text(String column) throws ReadFailure;

        /** Returns a cell as text; null for NULL. Positions start at 1. */
        @Nullable
        String text(int position) throws ReadFailure;

        /** Returns a cell that must not be NULL. */
        default String required(String column) throws ReadFailure {
            String text = text(column);
            if (text == null) {
                throw new ReadFailure("the store answered NULL for " + column);
            }
            return text;
        }

        /** Returns a cell that must not be NULL. Positions start at 1. */
        default String required(int position) throws ReadFailure {
            String text = text(position);
            if (text == null) {
                throw new ReadFailure("the store answered NULL in column " + position);
            }
            return text;
        }

        /** Returns a cell as a number from 0 to {@link Integer#MAX_VALUE}, clamped; 0 for NULL. */
        default int number(String column) throws ReadFailure {
            String text = text(column);
            if (text == null) {
                return 0;
            }
            try {
                return (int) Math.max(0, Math.min(Integer.MAX_VALUE, Long.parseLong(text)));
            } catch (NumberFormatException e) {
                throw new ReadFailure("the store answered " + text + " for the number " + column);
            }
        }
    }
}
