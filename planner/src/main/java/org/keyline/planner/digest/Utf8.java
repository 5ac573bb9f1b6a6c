package org.keyline.planner.digest;

/** Validation of UTF-8. */
public final class Utf8 {
    private Utf8() {}

    /**
     * Returns whether the bytes are UTF-8 in shortest form, without surrogates, up to U+10FFFF.
     *
     * @see <a href="https://www.rfc-editor.org/rfc/rfc3629#section-4">RFC 3629, section 4</a>
     */
    public static boolean valid(byte[] bytes, int from, int to) {
        int index = from;
        while (index < to) {
            int lead = bytes[index];
            if (lead >= 0) {
                index++;
                continue;
            }
            int length = length(lead & 0xFF, index + 1 < to ? bytes[index + 1] & 0xFF : 0);
            if (length == 0 || index + length > to) {
                return false;
            }
            for (int i = 2; i < length; i++) {
                if ((bytes[index + i] & 0xC0) != 0x80) {
                    return false;
                }
            }
            index += length;
        }
        return true;
    }

    /**
     * Returns whether the bytes are UTF-8 with characters of at most {@code maxBytes} bytes.
     * Returns false if {@code maxBytes} is 0, which stands for another encoding.
     */
    public static boolean valid(byte[] bytes, int from, int to, int maxBytes) {
        if (maxBytes == 0 || !valid(bytes, from, to)) {
            return false;
        }
        for (int i = from; maxBytes < 4 && i < to; i++) {
            if ((bytes[i] & 0xF8) == 0xF0) {
                return false;
            }
        }
        return true;
    }

    /** Returns the length of a sequence; 0 if it is malformed. */
    private static int length(int lead, int second) {
        if ((second & 0xC0) != 0x80) {
            return 0;
        }
        if (lead >= 0xC2 && lead <= 0xDF) {
            return 2;
        }
        if (lead >= 0xE0 && lead <= 0xEF) {
            boolean overlong = lead == 0xE0 && second < 0xA0;
            boolean surrogate = lead == 0xED && second > 0x9F;
            return overlong || surrogate ? 0 : 3;
        }
        if (lead >= 0xF0 && lead <= 0xF4) {
            boolean overlong = lead == 0xF0 && second < 0x90;
            boolean beyond = lead == 0xF4 && second > 0x8F;
            return overlong || beyond ? 0 : 4;
        }
        return 0;
    }
}
