package org.keyline.protocol.client;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A copy of a reply's first bytes, up to a limit. Confined to one thread; reused. */
final class HeadCapture {
    private static final int INITIAL_BYTES = 256;
    private static final int MAX_IDLE_BYTES = 4096;

    private final int maxBytes;
    private byte[] bytes = {};
    private int size;
    private boolean open;
    private boolean whole;

    HeadCapture(int maxBytes) {
        this.maxBytes = maxBytes;
    }

    void forget() {
        if (bytes.length > MAX_IDLE_BYTES) {
            bytes = new byte[0];
        }
        size = 0;
        whole = false;
        open = false;
    }

    void begin() {
        size = 0;
        open = maxBytes > 0;
        whole = open;
    }

    void add(ByteBuf in, int from, int to) {
        if (!open) {
            return;
        }
        int length = to - from;
        if (length > maxBytes - size) {
            open = false;
            whole = false;
            return;
        }
        if (size + length > bytes.length) {
            int capacity =
                    (int) Math.min(maxBytes, Math.max(INITIAL_BYTES, Math.max(size + length, 2L * bytes.length)));
            bytes = Arrays.copyOf(bytes, capacity);
        }
        in.getBytes(from, bytes, size, length);
        size += length;
    }

    void close() {
        open = false;
    }

    /** Returns a copy of the head; null if it exceeded the limit. */
    byte @Nullable [] copy() {
        return whole ? Arrays.copyOf(bytes, size) : null;
    }
}
