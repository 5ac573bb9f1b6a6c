package org.keyline.protocol.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.ProtocolException;

/**
 * Splits a stream of bytes into payloads, and checks lengths and sequence ids. Confined to one
 * event loop.
 *
 * @see
 * <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_packets.html">MySQL
 * packets</a>
 */
public final class PacketFramer implements AutoCloseable {
    /*
     * A packet that the input contains completely is returned in place, without a copy. The input
     * buffer's indexes are narrowed to the payload until finish().
     *
     * Any other packet is assembled in separate buffers. They grow with the bytes that arrive,
     * because a header of four bytes can claim a length of 16 MiB. The claimed lengths are checked
     * against the limit before any byte is buffered. A buffer of MAX_CHUNK_BYTES is not enlarged,
     * because copying megabytes would block the loop; a further buffer takes the next bytes.
     */
    private static final int MIN_ASSEMBLY_BYTES = 256;

    private static final int MAX_CHUNK_BYTES = 256 * 1024;

    private final ByteBufAllocator alloc;
    private int maxPayloadBytes;
    private boolean wirePackets;
    private boolean numbered = true;
    private int expectedId;

    /** The input buffer that was returned as the payload; null if the payload was assembled. */
    private @Nullable ByteBuf narrowed;

    private int narrowedEnd;
    private int inputEnd;

    /** The buffer to which bytes are appended, or the whole packet once it is complete. */
    private @Nullable ByteBuf assembly;

    /** The full buffers before {@link #assembly}. */
    private @Nullable CompositeByteBuf chunks;

    private boolean handedOut;
    private int headerBytes;
    private int header;
    private int pieceLeft;
    private boolean lastPiece;
    private long claimedBytes;

    public PacketFramer(ByteBufAllocator alloc, int maxPayloadBytes) {
        this.alloc = alloc;
        this.maxPayloadBytes = maxPayloadBytes;
    }

    /** Sets the maximum length of a payload in bytes, from the next packet on. */
    public void maxPayloadBytes(int max) {
        maxPayloadBytes = max;
    }

    /**
     * Sets whether each packet is returned separately, from the next packet on. A packet of
     * 0xFFFFFF bytes is then not joined with its continuation, and the limit does not apply.
     */
    public void wirePackets(boolean each) {
        wirePackets = each;
    }

    /** Accepts any sequence ids. Under compression, clients can number packets arbitrarily. */
    public void ignoreSequenceIds() {
        numbered = false;
    }

    public void expectSequenceId(int id) {
        expectedId = id;
    }

    public int nextSequenceId() {
        return expectedId;
    }

    public boolean isMidPacket() {
        return headerBytes > 0 || (assembly != null && !handedOut);
    }

    public int heldBytes() {
        return (assembly == null ? 0 : assembly.readableBytes()) + (chunks == null ? 0 : chunks.readableBytes());
    }

    /** Returns the memory that a partial packet occupies, in bytes. */
    public int heldCapacity() {
        return (assembly == null ? 0 : assembly.capacity()) + (chunks == null ? 0 : chunks.capacity());
    }

    /**
     * Returns the next payload; null if it is incomplete, in which case all of {@code in} is
     * consumed.
     *
     * @param in borrowed; if a payload is returned, the caller must not use {@code in} until
     *     {@link #finish}
     * @return a payload, which the caller must not release; valid until {@link #finish}, which the
     *     caller must call
     * @throws ProtocolException for a sequence id out of order (1156) or a packet over the limit
     *     (1153); the stream is then unusable
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

    /** Doubles the buffer, up to the claimed length. Returns a further buffer at the maximum. */
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
