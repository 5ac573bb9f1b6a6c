package org.keyline.protocol.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.ProtocolException;

/**
 * Cuts a stream of bytes into payloads, and checks lengths and sequence ids. Confined to one event loop.
 *
 * @see <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_packets.html">MySQL packets</a>
 */
public final class PacketFramer implements AutoCloseable {
    /*
     * A packet that lies whole in the input is handed out in place: the input buffer itself, its indexes narrowed to
     * the payload until finish() sets them behind it. Nothing is copied or allocated.
     *
     * Any other packet (cut off at the end of a read, or continued past 0xFFFFFF bytes) is assembled in buffers of its
     * own. They grow with what has arrived, never with what a header promises: a header may claim 16 MiB and
     * cost us four bytes. The sum of the lengths claimed is checked against the limit before any of it is kept. Past
     * MAX_CHUNK_BYTES a further buffer is begun: to move megabytes into a larger one would hold up the loop.
     */
    private static final int MIN_ASSEMBLY_BYTES = 256;

    private static final int MAX_CHUNK_BYTES = 256 * 1024;

    private final ByteBufAllocator alloc;
    private int maxPayloadBytes;
    private boolean wirePackets;
    private boolean numbered = true;
    private int expectedId;

    /** The input handed out in place, or null. */
    private @Nullable ByteBuf narrowed;

    private int narrowedEnd;
    private int inputEnd;

    /** What is appended to, then what is handed out. */
    private @Nullable ByteBuf assembly;

    /** The full buffers before it; null for none. */
    private @Nullable CompositeByteBuf chunks;

    private boolean handedOut;
    private int headerBytes;
    private int header;
    private int pieceLeft;
    private boolean lastPiece;
    private long claimedBytes;

    /** A framer that starts at sequence id 0. */
    public PacketFramer(ByteBufAllocator alloc, int maxPayloadBytes) {
        this.alloc = alloc;
        this.maxPayloadBytes = maxPayloadBytes;
    }

    /** Another limit from the next packet on. */
    public void maxPayloadBytes(int max) {
        maxPayloadBytes = max;
    }

    /**
     * Whether each packet of the wire is handed out by itself, from the next packet on: one of 0xFFFFFF bytes is then not
     * joined with those that continue it, and the limit does not hold.
     */
    public void wirePackets(boolean each) {
        wirePackets = each;
    }

    /** From now on any sequence id will do: under compression clients number the packets within as they like. */
    public void ignoreSequenceIds() {
        numbered = false;
    }

    /** Sequence id that the next packet must have. */
    public void expectSequenceId(int id) {
        expectedId = id;
    }

    /** Sequence id that would come next: one more than the last piece of the last packet had. */
    public int nextSequenceId() {
        return expectedId;
    }

    /** Whether part of a packet is kept. */
    public boolean isMidPacket() {
        return headerBytes > 0 || (assembly != null && !handedOut);
    }

    /** Bytes kept of an unfinished packet. */
    public int heldBytes() {
        return (assembly == null ? 0 : assembly.readableBytes()) + (chunks == null ? 0 : chunks.readableBytes());
    }

    /** Memory taken by an unfinished packet. */
    public int heldCapacity() {
        return (assembly == null ? 0 : assembly.capacity()) + (chunks == null ? 0 : chunks.capacity());
    }

    /**
     * The next payload, or null where {@code in} holds no whole one: then all of it was taken in.
     *
     * @param in borrowed, but not to be touched until {@link #finish} where a payload is returned
     * @return a payload, valid until {@link #finish}, which must follow; not to be released
     * @throws ProtocolException for a sequence id out of order (1156) or a packet over the limit (1153); the stream
     *     cannot be read on
     */
    public @Nullable ByteBuf next(ByteBuf in) {
        if (assembly == null && headerBytes == 0) {
            int readable = in.readableBytes();
            if (readable >= Packets.HEADER_BYTES) {
                int from = in.readerIndex();
                int word = in.getIntLE(from);
                int length = word & Packets.MAX_PAYLOAD_BYTES;
                if (length <= readable - Packets.HEADER_BYTES && length < Packets.MAX_PAYLOAD_BYTES) {
                    check(word >>> 24, length);
                    return narrow(in, from + Packets.HEADER_BYTES, length);
                }
            }
        }
        return assemble(in);
    }

    /** Ends the use of the payload that {@link #next} returned. */
    public void finish() {
        if (narrowed != null) {
            narrowed.setIndex(narrowedEnd, inputEnd);
            narrowed = null;
        } else if (assembly != null && handedOut) {
            assembly.release();
            assembly = null;
            handedOut = false;
        }
    }

    /** Drops what is kept. */
    @Override
    public void close() {
        if (assembly != null) {
            assembly.release();
            assembly = null;
        }
        if (chunks != null) {
            chunks.release();
            chunks = null;
        }
        headerBytes = 0;
    }

    private ByteBuf narrow(ByteBuf in, int from, int length) {
        narrowed = in;
        narrowedEnd = from + length;
        inputEnd = in.writerIndex();
        return in.setIndex(from, narrowedEnd);
    }

    private @Nullable ByteBuf assemble(ByteBuf in) {
        while (true) {
            if (pieceLeft == 0 && !readHeader(in)) {
                return null;
            }
            int taken = Math.min(pieceLeft, in.readableBytes());
            append(in, taken);
            pieceLeft -= taken;
            if (pieceLeft > 0) {
                return null;
            }
            if (lastPiece) {
                claimedBytes = 0;
                handedOut = true;
                return whole();
            }
        }
    }

    /** Reads a header, byte by byte if need be; false where it is not whole yet. */
    private boolean readHeader(ByteBuf in) {
        while (headerBytes < Packets.HEADER_BYTES) {
            if (!in.isReadable()) {
                return false;
            }
            header = headerBytes == 0 ? in.readUnsignedByte() : header | (in.readUnsignedByte() << (8 * headerBytes));
            headerBytes++;
        }
        headerBytes = 0;
        pieceLeft = header & Packets.MAX_PAYLOAD_BYTES;
        lastPiece = wirePackets || pieceLeft < Packets.MAX_PAYLOAD_BYTES;
        check(header >>> 24, pieceLeft);
        claimedBytes += pieceLeft;
        return true;
    }

    private void check(int id, int length) {
        if (numbered && id != expectedId) {
            throw new ProtocolException(
                    ErrorCode.ER_NET_PACKETS_OUT_OF_ORDER, ErrorCode.ER_NET_PACKETS_OUT_OF_ORDER.text());
        }
        if (!wirePackets && claimedBytes + length > maxPayloadBytes) {
            throw new ProtocolException(ErrorCode.ER_NET_PACKET_TOO_LARGE, ErrorCode.ER_NET_PACKET_TOO_LARGE.text());
        }
        expectedId = Packets.next(expectedId);
    }

    private void append(ByteBuf in, int bytes) {
        ByteBuf chunk = assembly;
        if (chunk == null) {
            chunk = alloc.buffer(MIN_ASSEMBLY_BYTES);
            assembly = chunk;
        }
        for (int left = bytes; left > 0; ) {
            if (!chunk.isWritable(left)) {
                chunk = withRoom(chunk, left);
            }
            int fit = Math.min(left, chunk.writableBytes());
            chunk.writeBytes(in, fit);
            left -= fit;
        }
    }

    /** Doubles a buffer, but not past what the headers so far have claimed; behind a full one of the largest size, begins the next. */
    private ByteBuf withRoom(ByteBuf chunk, int more) {
        if (chunk.capacity() < MAX_CHUNK_BYTES) {
            long needed = chunk.writerIndex() + (long) more;
            long capacity = Math.max(needed, Math.min(2L * chunk.capacity(), claimedBytes));
            return chunk.capacity((int) Math.min(capacity, MAX_CHUNK_BYTES));
        }
        if (chunk.isWritable()) {
            return chunk;
        }
        CompositeByteBuf full = chunks;
        if (full == null) {
            full = alloc.compositeBuffer(Integer.MAX_VALUE);
            chunks = full;
        }
        assembly = null;
        full.addComponent(true, chunk);
        ByteBuf next = alloc.buffer((int) Math.min(MAX_CHUNK_BYTES, claimedBytes - full.readableBytes()));
        assembly = next;
        return next;
    }

    /** All that was appended, as one buffer. */
    private ByteBuf whole() {
        ByteBuf last = Objects.requireNonNull(assembly);
        CompositeByteBuf full = chunks;
        if (full == null) {
            return last;
        }
        chunks = null;
        assembly = full;
        return full.addComponent(true, last);
    }
}
