package org.keyline.protocol.client;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.keyline.protocol.ProtocolException;

/**
 * The payload of a packet that controls a reply (OK, ERR, EOF, column count and so on). It is
 * collected from pieces and read field by field. Only the first {@value #MAX_BYTES} bytes are
 * stored, because all fields of interest are at the front. Confined to one thread; reused for each
 * packet.
 */
final class ControlPacket {
    /** The maximum number of stored bytes. The text of a longer ERR is truncated. */
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
        int stored = Math.min(length, MAX_BYTES - size);
        cut |= stored < length;
        if (size + stored > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.min(MAX_BYTES, Math.max(size + stored, 2 * bytes.length)));
        }
        in.getBytes(from, bytes, size, stored);
        size += stored;
    }

    /** Returns the number of stored bytes. */
    int size() {
        return size;
    }

    /** Returns whether the payload was longer than the stored bytes. */
    boolean isCut() {
        return cut;
    }

    int byteAt(int index) {
        return bytes[index] & 0xFF;
    }

    byte[] copy() {
        return Arrays.copyOf(bytes, size);
    }

    /** Sets the position of the next read. */
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

    /** Reads a length-encoded integer, unsigned. */
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

    /** Reads the next bytes as UTF-8. */
    String text(int length) {
        return new String(bytes, take(length), length, StandardCharsets.UTF_8);
    }

    /** Reads the next {@code length} bytes as ASCII. */
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
