package org.keyline.stores.duckdb.reply;

import java.nio.charset.Charset;

/**
 * Text to and from bytes, where MySQL's latin1 differs from windows-1252, which it is otherwise:
 * the five bytes without a character there are control characters here, so that every byte comes
 * back as it was sent.
 *
 * @see <a href="https://dev.mysql.com/doc/refman/8.4/en/charset-we-sets.html">West European
 *     Character Sets</a>
 */
public final class Latin1Text {
    private static final Charset WINDOWS_1252 = Charset.forName("windows-1252");
    private static final String WITHOUT_CHARACTER = "\u0081\u008D\u008F\u0090\u009D";
    private static final char REPLACEMENT = '\uFFFD';

    private Latin1Text() {}

    /** The text of bytes in {@code charset}. */
    public static String decode(byte[] bytes, Charset charset) {
        String text = new String(bytes, charset);
        if (!charset.equals(WINDOWS_1252) || text.indexOf(REPLACEMENT) < 0) {
            return text;
        }
        StringBuilder whole = new StringBuilder(text);
        for (int i = 0; i < bytes.length; i++) {
            if (whole.charAt(i) == REPLACEMENT) {
                whole.setCharAt(i, (char) (bytes[i] & 0xFF));
            }
        }
        return whole.toString();
    }

    /** The bytes of text in {@code charset}; {@code ?} for what it does not have. */
    public static byte[] encode(String text, Charset charset) {
        byte[] bytes = text.getBytes(charset);
        if (!charset.equals(WINDOWS_1252) || text.chars().noneMatch(c -> WITHOUT_CHARACTER.indexOf(c) >= 0)) {
            return bytes;
        }
        // One byte for each character, also for those of two char, which are a question mark.
        int[] characters = text.codePoints().toArray();
        for (int i = 0; i < characters.length; i++) {
            if (WITHOUT_CHARACTER.indexOf(characters[i]) >= 0) {
                bytes[i] = (byte) characters[i];
            }
        }
        return bytes;
    }
}
