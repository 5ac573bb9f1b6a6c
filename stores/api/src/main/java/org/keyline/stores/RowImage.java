package org.keyline.stores;

import org.jspecify.annotations.Nullable;

/** The known cells of a row before or after a change. Valid only during the call that passes it. */
public interface RowImage {
    /** Stands for a cell whose value is unknown. Compared by identity. */
    byte[] UNKNOWN = new byte[0];

    /** Returns the cell of a column; {@link #UNKNOWN} if it is not exactly known, null for NULL. */
    byte @Nullable [] cell(int ordinal);
}
