package org.keyline.protocol.client;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.keyline.protocol.ProtocolException;

/**
 * The payload of one packet that tells how a reply goes on (OK, ERR, EOF, column count and their like), collected from
 * pieces and read field by field. Of a longer payload only the first {@value #MAX_BYTES} bytes are kept: what must be
 * understood stands at the front. Confined to one thread; reused from packet to packet.
 */
final class ControlPacket {
    /** Bytes kept of one payload; an ERR's text beyond is cut. */
    static final int MAX_BYTES = 16 * 1024;

    private byte[] bytes = new byte[64];
    private int size;
    private int at;
    private boolean cut;

    void clear() {
        size = 0;
        at = 0;
        cut = false;
    }

    void append(ByteBuf in, int from, int length) {
        int kept = Math.min(length, MAX_BYTES - size);
        cut |= kept < length;
        if (size + kept > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.min(MAX_BYTES, Math.max(size + kept, 2 * bytes.length)));
        }
        in.getBytes(from, bytes, size, kept);
        size += kept;
    }

    /** Bytes kept. */
    int size() {
        return size;
    }

    /** Whether the payload was longer than what is kept. */
    boolean isCut() {
        return cut;
    }

    int byteAt(int index) {
        return bytes[index] & 0xFF;
    }

    /** A copy of what is kept. */
    byte[] copy() {
        return Arrays.copyOf(bytes, size);
    }

    /** Sets where the next read begins. */
    void seek(int index) {
        at = index;
    }

    int remaining() {
        return size - at;
    }

    int uint8() {
        return bytes[take(1)] & 0xFF;
    }

    int uint16() {
        int from = take(2);
        return (bytes[from] & 0xFF) | (bytes[from + 1] & 0xFF) << 8;
    }

    int int32() {
        return uint16() | uint16() << 16;
    }

    /** A length-encoded integer, unsigned. */
    long lenenc() {
        int first = uint8();
        return switch (first) {
            case 0xFB, 0xFF -> throw new ProtocolException("length-encoded integer starts with " + first);
            case 0xFC -> uint16();
            case 0xFD -> uint16() | (long) uint8() << 16;
            case 0xFE -> (int32() & 0xFFFFFFFFL) | (long) int32() << 32;
            default -> first;
        };
    }

    /** The next bytes as UTF-8. */
    String text(int length) {
        return new String(bytes, take(length), length, StandardCharsets.UTF_8);
    }

    /** The next bytes as so many characters, whatever they are. */
    String ascii(int length) {
        return new String(bytes, take(length), length, StandardCharsets.US_ASCII);
    }

    private int take(int length) {
        if (length > size - at) {
            throw new ProtocolException("packet ends early: " + (size - at) + " bytes left (expected: " + length + ")");
        }
        int from = at;
        at += length;
        return from;
    }
}
