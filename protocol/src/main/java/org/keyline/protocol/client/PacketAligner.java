package org.keyline.protocol.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.codec.Packets;

/**
 * Splits a stream of bytes at packet boundaries. Only a packet that arrives in several reads is
 * copied. Buffers at most one packet, that is 16 MiB. Confined to one event loop.
 */
final class PacketAligner {
    /** Initial size of the buffer. It grows as bytes arrive, not by the length in the header. */
    private static final int INITIAL_BYTES = 64 * 1024;

    private @Nullable ByteBuf part;

    /**
     * Returns the next whole packets. The caller repeats the call until it returns null.
     *
     * @param in borrowed; its reader index moves
     * @return owned by the caller; {@code null} once all of {@code in} is consumed
     */
    @Nullable
    ByteBuf next(ByteBuf in, ByteBufAllocator alloc) {
        ByteBuf begun = part;
        if (begun != null) {
            return complete(begun, in);
        }
        int from = in.readerIndex();
        int to = in.writerIndex();
        int at = from;
        while (to - at >= Packets.HEADER_BYTES) {
            int packet = Packets.HEADER_BYTES + Packets.payloadLength(in, at);
            if (packet > to - at) {
                break;
            }
            at += packet;
        }
        if (at > from) {
            return in.readRetainedSlice(at - from);
        }
        if (from < to) {
            part = alloc.buffer(Math.max(to - from, Math.min(INITIAL_BYTES, missing(in, from, to) + to - from)));
            part.writeBytes(in);
        }
        return null;
    }

    private @Nullable ByteBuf complete(ByteBuf begun, ByteBuf in) {
        // Even the header can be incomplete. The second iteration then knows the length.
        for (int turn = 0; turn < 2; turn++) {
            int missing = missing(begun, 0, begun.writerIndex());
            begun.writeBytes(in, Math.min(missing, in.readableBytes()));
        }
        if (missing(begun, 0, begun.writerIndex()) > 0) {
            return null;
        }
        part = null;
        return begun;
    }

    private static int missing(ByteBuf packet, int from, int to) {
        int length = to - from;
        return length < Packets.HEADER_BYTES
                ? Packets.HEADER_BYTES - length
                : Packets.HEADER_BYTES + Packets.payloadLength(packet, from) - length;
    }

    void release() {
        ByteBuf begun = part;
        part = null;
        if (begun != null) {
            begun.release();
        }
    }
}
