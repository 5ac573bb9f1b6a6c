package org.keyline.stores.mysql.catalog;

import org.jspecify.annotations.Nullable;

/** Where the rows of catalog queries come from: a store, or a record of what one answered. */
public interface CatalogRows {
    /** Hands every row of a query's answer to the taker. */
    void query(String sql, RowTaker taker) throws ReadFailure;

    /** Takes rows, one at a time. */
    interface RowTaker {
        /** The next row, valid during the call only. */
        void row(Row row) throws ReadFailure;
    }

    /** One row; columns that the answer does not have are a {@link ReadFailure}. */
    interface Row {
        /** Returns a cell by its column's name in any case; null for NULL. */
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
         * Returns a cell as a number from 0 to {@link Integer#MAX_VALUE}, which also stands for all
         * above it; 0 for NULL.
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
