package org.keyline.stores;

import org.jspecify.annotations.Nullable;

/** A row as it was before a change, or is after one, as far as a change signal knows. To be asked during the call that it is given to. */
public interface RowImage {
    /** A cell that is not known: this very array. */
    byte[] UNKNOWN = new byte[0];

    /**
     * The cell of a column, as rows of the text protocol have it in UTF-8; null for NULL, {@link #UNKNOWN} where it is not known exactly.
     *
     * @param ordinal of the column in the table
     */
    byte @Nullable [] cell(int ordinal);
}
