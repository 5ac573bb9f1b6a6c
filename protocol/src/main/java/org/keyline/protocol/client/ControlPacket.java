package org.keyline.protocol.client;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.keyline.protocol.ProtocolException;

/**
 * The payload of a packet that controls a reply (OK, ERR, EOF, column count and so on). Only the
 * first {@value #MAX_BYTES} bytes are stored. Confined to one thread; reused for each packet.
 */
final class ControlPacket {
    /** Maximum number of stored bytes. The text of a longer ERR is truncated. */
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

    int size() {
        return size;
    }

    boolean isCut() {
        return cut;
    }

    int byteAt(int index) {
        return bytes[index] & 0xFF;
    }

    byte[] copy() {
        return Arrays.copyOf(bytes, size);
    }

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

    String text(int length) {
        return new String(bytes, take(length), length, StandardCharsets.UTF_8);
    }

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
