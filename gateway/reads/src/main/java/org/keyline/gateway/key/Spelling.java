package org.keyline.gateway.key;

/** Compares texts by their bytes, independent of collations. */
public final class Spelling {
    private static final int FIRST_PRINTABLE = 0x20;
    private static final int LAST_PRINTABLE = 0x7E;

    private Spelling() {}

    /**
     * Returns whether two texts have the same bytes, or differ under every collation; true if the
     * values are not texts. If the bounds of a BETWEEN are equal under the connection's collation,
     * MariaDB looks up only one of them in an index, and lines could answer differently.
     */
    public static boolean isPlain(SlotValues values, int one, int other) {
        if (values.kind(one) != SlotValues.Kind.TEXT || values.kind(other) != SlotValues.Kind.TEXT) {
            return true;
        }
        byte[] left = values.bytes(one);
        byte[] right = values.bytes(other);
        int from = values.offset(one);
        int to = values.offset(other);
        int length = Math.max(values.length(one), values.length(other));
        boolean same = values.length(one) == values.length(other);
        boolean differ = false;
        boolean printable = true;
        for (int i = 0; i < length; i++) {
            byte a = i < values.length(one) ? left[from + i] : (byte) ' ';
            byte b = i < values.length(other) ? right[to + i] : (byte) ' ';
            same &= a == b;
            differ |= Character.toLowerCase(a) != Character.toLowerCase(b);
            printable &= isPrintable(a) && isPrintable(b);
        }
        return same || (differ && printable);
    }

    private static boolean isPrintable(byte at) {
        return at >= FIRST_PRINTABLE && at <= LAST_PRINTABLE;
    }
}
