package org.keyline.protocol.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.compression.CompressedProtocol;

/** Collects, numbers and flushes one connection's packets. Confined to the event loop. */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close shows as channelInactive
final class ConnectionOutput {
    /*
     * `buffer` is written and flushed once, at the end of a Round. A buffer with more than
     * SPILL_BYTES is flushed earlier, to limit the memory and the client's wait.
     *
     * Callers may append packets to buffer() directly. The output then parses them to find the next
     * sequence id, unless the caller reports this id by appended(), as for most hits.
     */
    /*
     * Under compression, packets are numbered as in MySQL and MariaDB. The first packet of a reply
     * has the id of the compressed packet that contains it, and so has the first packet after each
     * flush. A server flushes after each result. A gap between relayed ids shows a flush.
     */
    private static final int NONE = -1;

    private static final int SPILL_BYTES = 64 * 1024;
    private static final int MIN_BUFFER_BYTES = 512;
    /**
     * Maximum initial size of the buffer. It leaves room for the reply that exceeds SPILL_BYTES,
     * because growth would copy all bytes.
     */
    private static final int MAX_BUFFER_BYTES = 2 * SPILL_BYTES;
    /**
     * Relayed packets are copied up to this total length. Longer ones are written without a copy.
     */
    private static final int COPY_BYTES = 4096;

    private final ChannelHandlerContext ctx;
    private @Nullable ByteBuf buffer;
    private int bufferBytes = MIN_BUFFER_BYTES;
    private int copyBytes = COPY_BYTES;
    private int numberedTo;
    private int nextId;
    private boolean written;
    private @Nullable CompressedProtocol compression;
    /** The server's id after the last relayed packet; {@link #NONE} at the start of a reply. */
    private int relayedId = NONE;

    ConnectionOutput(ChannelHandlerContext ctx) {
        this.ctx = ctx;
    }

    /** Compresses from now on, and collects larger writes, which compress better. */
    void compressedBy(CompressedProtocol protocol) {
        compression = protocol;
        copyBytes = SPILL_BYTES;
    }

    /** Returns the buffer of unsent packets, to which the caller may append whole packets. */
    ByteBuf buffer() {
        ByteBuf out = buffer;
        if (out == null) {
            out = ctx.alloc().ioBuffer(bufferBytes);
            buffer = out;
            numberedTo = 0;
        }
        return out;
    }

    long heldBytes() {
        ChannelOutboundBuffer pending = ctx.channel().unsafe().outboundBuffer();
        return (buffer == null ? 0 : buffer.capacity()) + (pending == null ? 0 : pending.totalPendingWriteBytes());
    }

    void begin(int sequenceId) {
        nextId = compression == null ? sequenceId : compression.nextId();
        relayedId = NONE;
        numberedTo = buffer == null ? 0 : buffer.writerIndex();
    }

    int nextId() {
        number();
        return nextId;
    }

    void appended(int id) {
        nextId = id;
        numberedTo = buffer == null ? 0 : buffer.writerIndex();
    }

    /**
     * Begins a packet. The caller appends the payload to {@link #buffer}, then calls
     * {@link #endPacket}.
     */
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

    /** Writes a last error. The error replaces an incomplete packet at the end of the output. */
    void endWithError(ErrPacket error, boolean beforeHandshake) {
        discardIncomplete();
        int begin = beginPacket();
        if (beforeHandshake) {
            error.encodeBeforeHandshake(buffer());
        } else {
            error.encode(buffer());
        }
        endPacket(begin);
    }

    void spill() {
        if (buffer != null && buffer.readableBytes() >= SPILL_BYTES) {
            flush();
        }
    }

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
        // The next buffer gets the size of this batch, but at least half of its own former size.
        int bytes = Math.min(MAX_BUFFER_BYTES, Integer.highestOneBit(out.readableBytes()) << 1);
        bufferBytes = Math.max(MIN_BUFFER_BYTES, Math.max(bytes, bufferBytes / 2));
        written = true;
        ctx.write(out, ctx.voidPromise());
    }

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

    static ByteBuf nowhere() {
        return Unpooled.buffer();
    }
}
