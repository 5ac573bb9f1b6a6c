package org.keyline.stores.duckdb.reply;

import java.nio.charset.Charset;

/**
 * Converts MySQL's latin1 text to and from bytes. MySQL's latin1 is windows-1252, except for the
 * five bytes that have no character in windows-1252. This class converts them to control
 * characters, so that a client gets back every byte that it sent.
 *
 * @see <a href="https://dev.mysql.com/doc/refman/8.4/en/charset-we-sets.html">West European
 *     Character Sets</a>
 */
public final class Latin1Text {
    private static final Charset WINDOWS_1252 = Charset.forName("windows-1252");
    private static final String WITHOUT_CHARACTER = "\u0081\u008D\u008F\u0090\u009D";
    private static final char REPLACEMENT = '\uFFFD';

    private Latin1Text() {}

    /** Returns the text of bytes in {@code charset}. */
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

    /** Returns a text's bytes in {@code charset}, with {@code ?} for characters that it lacks. */
    public static byte[] encode(String text, Charset charset) {
        byte[] bytes = text.getBytes(charset);
        if (!charset.equals(WINDOWS_1252) || text.chars().noneMatch(c -> WITHOUT_CHARACTER.indexOf(c) >= 0)) {
            return bytes;
        }
        // Each character becomes one byte, even a surrogate pair, which becomes a question mark.
        int[] characters = text.codePoints().toArray();
        for (int i = 0; i < characters.length; i++) {
            if (WITHOUT_CHARACTER.indexOf(characters[i]) >= 0) {
                bytes[i] = (byte) characters[i];
            }
        }
        return bytes;
    }
}
