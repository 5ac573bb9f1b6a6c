package org.keyline.stores;

import org.jspecify.annotations.Nullable;

/**
 * A row before or after a change, as far as a change signal knows it. Valid only during the call
 * that receives it.
 */
public interface RowImage {
    /** A cell that is not known; compared by identity. */
    byte[] UNKNOWN = new byte[0];

    /**
     * Returns the cell of a column as in rows of the text protocol in UTF-8; null for NULL,
     * {@link #UNKNOWN} if it is not known exactly.
     *
     * @param ordinal of the column in the table
     */
    byte @Nullable [] cell(int ordinal);
}
