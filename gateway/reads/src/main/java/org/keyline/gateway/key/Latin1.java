package org.keyline.gateway.key;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.keyline.protocol.Lenenc;

/** Converts UTF-8 text of loads back to the store's {@code latin1}, exactly as it was stored. */
public final class Latin1 {
    /** The highest code point of a latin1 character, plus one. */
    private static final int CHARACTERS = '\u2122' + 1;

    private static final int NONE = -1;

    /** The latin1 byte of each character, by code point; {@link #NONE} for other characters. */
    private static final short[] BYTES = bytes();

    private Latin1() {}

    private static short[] bytes() {
        short[] bytes = new short[CHARACTERS];
        Arrays.fill(bytes, (short) NONE);
        Charset windows = Charset.forName("windows-1252");
        for (int code = 0; code < 256; code++) {
            String shown =
                    windows.decode(ByteBuffer.wrap(new byte[] {(byte) code})).toString();
            // The character set windows-1252 has no character for five bytes. The store reads them
            // as the control characters with these numbers.
            int character = shown.equals("\uFFFD") ? code : shown.charAt(0);
            bytes[character] = (short) code;
        }
        return bytes;
    }

    /**
     * Writes a text cell in latin1: its length, then its bytes.
     *
     * @param utf8 contains the text in {@code utf8[from..from+length)}
     * @return false if latin1 lacks a character of the text; the written bytes are then invalid
     */
    public static boolean cell(byte[] utf8, int from, int length, ByteBuf out) {
        int end = from + length;
        int at = from;
        while (at < end && utf8[at] >= 0) {
            at++;
        }
        if (at == end) {
            Lenenc.writeInt(out, length);
            out.writeBytes(utf8, from, length);
            return true;
        }
        String text = new String(utf8, from, length, StandardCharsets.UTF_8);
        Lenenc.writeInt(out, text.length());
        for (int i = 0; i < text.length(); i++) {
            char character = text.charAt(i);
            int code = character < CHARACTERS ? BYTES[character] : NONE;
            if (code == NONE) {
                return false;
            }
            out.writeByte(code);
        }
        return true;
    }
}
