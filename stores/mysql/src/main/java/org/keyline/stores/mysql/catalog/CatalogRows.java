package org.keyline.stores.mysql.catalog;

import org.jspecify.annotations.Nullable;

/** The source of the rows of catalog queries: a store, or a recording of its answers. */
public interface CatalogRows {
    /** Passes every row of a query's answer to the taker. */
    void query(String sql, RowTaker taker) throws ReadFailure;

    /** Receives rows, one at a time. */
    interface RowTaker {
        /** Receives the next row, which is valid only during the call. */
        void row(Row row) throws ReadFailure;
    }

    /** One row. Access to a column that the answer does not have is a {@link ReadFailure}. */
    interface Row {
        /** Returns a cell by the name of its column, ignoring case; null for NULL. */
        @Nullable
        String text(String column) throws ReadFailure;

        /** Returns a cell by its position from 1; null for NULL. */
        @Nullable
        String text(int position) throws ReadFailure;

        /** Returns a cell that is never NULL. */
        default String required(String column) throws ReadFailure {
            String text = text(column);
            if (text == null) {
                throw new ReadFailure("the store answered NULL for " + column);
            }
            return text;
        }

        /** Returns a cell that is never NULL, by its position from 1. */
        default String required(int position) throws ReadFailure {
            String text = text(position);
            if (text == null) {
                throw new ReadFailure("the store answered NULL in column " + position);
            }
            return text;
        }

        /**
         * Returns a cell as a number; 0 for NULL. {@link Integer#MAX_VALUE} also stands for all
         * greater numbers.
         */
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
