package org.keyline.stores;

import org.jspecify.annotations.Nullable;

/** The known cells of a row before or after a change. Valid during the call. */
public interface RowImage {
    /** Compared by identity. */
    byte[] UNKNOWN = new byte[0];

    /** Returns {@link #UNKNOWN} if the exact cell is unknown, and null for NULL. */
    byte @Nullable [] cell(int ordinal);
}
