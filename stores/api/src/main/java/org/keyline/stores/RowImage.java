package org.keyline.stores;

import org.jspecify.annotations.Nullable;

/**
 * A row before or after a change, with the cells that a change signal knows. Valid only during the
 * call that receives it.
 */
public interface RowImage {
    /** An unknown cell; compared by identity. */
    byte[] UNKNOWN = new byte[0];

    /**
     * Returns the cell of a column as in rows of the text protocol in UTF-8; null for NULL,
     * {@link #UNKNOWN} if the exact cell is unknown.
     *
     * @param ordinal of the column in the table
     */
    byte @Nullable [] cell(int ordinal);
}
