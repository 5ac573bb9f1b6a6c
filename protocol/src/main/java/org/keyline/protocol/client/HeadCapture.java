package org.keyline.protocol.client;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Keeps the first bytes of a reply, up to a bound; beyond it, none. Confined to one thread; reused. */
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

    /** Ends the use of what was kept; a long array is not kept for the next reply. */
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

    /** What comes from now on is not head. */
    void close() {
        open = false;
    }

    /** A copy, or {@code null} if the head was longer than the bound. */
    byte @Nullable [] copy() {
        return whole ? Arrays.copyOf(bytes, size) : null;
    }
}
