package org.keyline.protocol.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.compression.CompressedProtocol;

/**
 * One connection's outgoing packets: gathers them in one buffer, numbers them, and decides when they leave. Confined to
 * the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close shows as channelInactive
final class ConnectionOutput {
    /*
     * All packets of a read batch go into `buffer`, which is written and flushed once, by a task at the end of the loop's
     * turn. Past SPILL_BYTES it leaves earlier, so that neither memory nor the client's wait grows with the batch. So do
     * packets written outside a batch, so that a relay which writes many pieces costs one flush per turn too.
     *
     * Sequence ids: bytes appended by callers through buffer() are looked at only if someone asks for the next id, or
     * the buffer leaves before the caller has told it. The usual hit is one append and no look.
     */
    /*
     * Under compression packets are numbered as MySQL and MariaDB do: a reply begins with the id of the compressed packet that
     * it begins in, and so does what comes after a flush of the server's, which it does behind each result. Where that was is
     * told by the ids of relayed packets, which do not follow on there.
     */
    private static final int NONE = -1;

    private static final int SPILL_BYTES = 64 * 1024;
    private static final int MIN_BUFFER_BYTES = 512;
    /** The reply that fills a buffer goes beyond the place where it leaves: to grow for it copies all that is there. */
    private static final int MAX_BUFFER_BYTES = 2 * SPILL_BYTES;
    /** Packets of others that are longer leave uncopied. */
    private static final int COPY_BYTES = 4096;

    private final ChannelHandlerContext ctx;
    private @Nullable ByteBuf buffer;
    private int bufferBytes = MIN_BUFFER_BYTES;
    private int copyBytes = COPY_BYTES;
    private int numberedTo;
    private int nextId;
    private boolean written;
    /** Null without compression. */
    private @Nullable CompressedProtocol compression;
    /** What follows the last id that a relayed packet of the reply had; {@link #NONE} at its begin. */
    private int relayedId = NONE;

    ConnectionOutput(ChannelHandlerContext ctx) {
        this.ctx = ctx;
    }

    /** From now on every write is compressed by itself: what belongs together leaves together, copied or not. */
    void compressedBy(CompressedProtocol protocol) {
        compression = protocol;
        copyBytes = SPILL_BYTES;
    }

    /** The buffer to append whole packets to. */
    ByteBuf buffer() {
        ByteBuf out = buffer;
        if (out == null) {
            out = ctx.alloc().ioBuffer(bufferBytes);
            buffer = out;
            numberedTo = 0;
        }
        return out;
    }

    /** Memory taken by what the client has not taken yet. */
    long heldBytes() {
        ChannelOutboundBuffer pending = ctx.channel().unsafe().outboundBuffer();
        return (buffer == null ? 0 : buffer.capacity()) + (pending == null ? 0 : pending.totalPendingWriteBytes());
    }

    /** Starts a reply whose first packet has this id. */
    void begin(int sequenceId) {
        nextId = compression == null ? sequenceId : compression.nextId();
        relayedId = NONE;
        numberedTo = buffer == null ? 0 : buffer.writerIndex();
    }

    int nextId() {
        number();
        return nextId;
    }

    /** Takes note that whole packets were appended to {@link #buffer}, and of the id that is next. */
    void appended(int id) {
        nextId = id;
        numberedTo = buffer == null ? 0 : buffer.writerIndex();
    }

    /** Starts a packet; the payload is appended to {@link #buffer}, then {@link #endPacket} is called. */
    int beginPacket() {
        number();
        return Packets.begin(buffer());
    }

    void endPacket(int begin) {
        ByteBuf out = buffer();
        nextId = Packets.end(out, begin, nextId);
        numberedTo = out.writerIndex();
        spill();
    }

    void packet(ByteBuf payload) {
        number();
        ByteBuf out = buffer();
        nextId = Packets.write(out, payload, nextId);
        numberedTo = out.writerIndex();
        spill();
    }

    /** Consumes {@code packets}. */
    void framed(ByteBuf packets) {
        CompressedProtocol compressing = compression;
        if (compressing == null) {
            relayed(packets);
            return;
        }
        int end = packets.writerIndex();
        int at = packets.readerIndex();
        while (end - at >= Packets.HEADER_BYTES) {
            int id = Packets.sequenceId(packets, at);
            if (relayedId != NONE && id != relayedId) {
                int before = at - packets.readerIndex();
                if (before > 0) {
                    relayed(packets.readRetainedSlice(before));
                }
                write();
                nextId = compressing.nextId();
            }
            relayedId = Packets.next(id);
            at += Packets.HEADER_BYTES + Packets.payloadLength(packets, at);
        }
        relayed(packets);
    }

    private void relayed(ByteBuf packets) {
        try {
            number();
            nextId = Packets.renumber(packets, packets.readerIndex(), packets.writerIndex(), nextId);
        } catch (RuntimeException e) {
            packets.release();
            throw e;
        }
        if (packets.readableBytes() <= copyBytes) {
            ByteBuf out = buffer().writeBytes(packets);
            packets.release();
            numberedTo = out.writerIndex();
            spill();
        } else {
            write();
            ctx.write(packets, ctx.voidPromise());
            written = true;
        }
    }

    private void discardIncomplete() {
        ByteBuf out = buffer;
        if (out != null) {
            int end = out.writerIndex();
            int at = numberedTo;
            while (end - at >= Packets.HEADER_BYTES) {
                int next = at + Packets.HEADER_BYTES + Packets.payloadLength(out, at);
                if (next > end || next == at + Packets.HEADER_BYTES) {
                    break;
                }
                nextId = Packets.next(Packets.sequenceId(out, at));
                at = next;
            }
            out.writerIndex(at);
            numberedTo = at;
        }
    }

    /** Ends the output with an error, in place of a packet that was begun and not ended. */
    void lastWords(ErrPacket error, boolean beforeHandshake) {
        discardIncomplete();
        int begin = beginPacket();
        if (beforeHandshake) {
            error.encodeBeforeHandshake(buffer());
        } else {
            error.encode(buffer());
        }
        endPacket(begin);
    }

    /** Lets a full buffer leave before the batch ends. */
    void spill() {
        if (buffer != null && buffer.readableBytes() >= SPILL_BYTES) {
            flush();
        }
    }

    /** Whether nothing is to leave. */
    boolean isEmpty() {
        return buffer == null && !written;
    }

    void flush() {
        write();
        if (written) {
            written = false;
            ctx.flush();
        }
    }

    /** Drops what has not left. */
    void release() {
        if (buffer != null) {
            buffer.release();
            buffer = null;
        }
        written = false;
    }

    private void write() {
        ByteBuf out = buffer;
        if (out == null) {
            return;
        }
        number();
        buffer = null;
        numberedTo = 0;
        if (!out.isReadable()) {
            out.release();
            return;
        }
        // The next batch is probably as long as this one; a short one brings the guess down again.
        int bytes = Math.min(MAX_BUFFER_BYTES, Integer.highestOneBit(out.readableBytes()) << 1);
        bufferBytes = Math.max(MIN_BUFFER_BYTES, Math.max(bytes, bufferBytes / 2));
        written = true;
        ctx.write(out, ctx.voidPromise());
    }

    /** Takes note of packets that a caller appended by itself. */
    private void number() {
        ByteBuf out = buffer;
        if (out == null || numberedTo == out.writerIndex()) {
            return;
        }
        int end = out.writerIndex();
        int at = numberedTo;
        while (end - at >= Packets.HEADER_BYTES) {
            nextId = Packets.next(Packets.sequenceId(out, at));
            at += Packets.HEADER_BYTES + Packets.payloadLength(out, at);
        }
        if (at != end) {
            throw new IllegalStateException("output ends inside a packet");
        }
        numberedTo = end;
    }

    /** What a caller gets to write to when the connection is gone: nobody reads it. */
    static ByteBuf nowhere() {
        return Unpooled.buffer();
    }
}
