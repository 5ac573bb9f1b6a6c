package org.keyline.protocol.compression;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.ProtocolException;

/**
 * The incoming direction of the compressed protocol: unwraps compressed packets, piece by piece, as
 * their bytes arrive. It allocates only small pieces, even if a header claims a great length, and
 * checks the total against that length. Confined to one event loop.
 */
final class Inflation implements AutoCloseable {
    private static final int MIN_PIECE_BYTES = 512;
    private static final int MAX_PIECE_BYTES = 64 * 1024;

    private final Inflater inflater = new Inflater();
    private int headerBytes;
    private long header;
    private int id;
    private int wireLeft;

    private int clearLeft;
    private boolean compressed;
    private long packets;

    int id() {
        return id;
    }

    long packets() {
        return packets;
    }

    /**
     * Returns the next piece of inflated bytes; null if all of {@code in} is consumed.
     *
     * @param in borrowed; its reader index moves
     * @return the piece, owned by the caller and never empty
     * @throws ProtocolException if the bytes are not zlib data, or if their inflated length differs
     *     from the header's
     */
    @Nullable
    ByteBuf next(ByteBuf in, ByteBufAllocator alloc) {
        while (true) {
            if (wireLeft == 0 && clearLeft == 0 && !readHeader(in)) {
                return null;
            }
            if (wireLeft == 0 && clearLeft == 0) {
                continue;
            }
            if (!compressed) {
                int length = Math.min(wireLeft, in.readableBytes());
                wireLeft -= length;
                return length == 0 ? null : in.readRetainedSlice(length);
            }
            if (inflater.needsInput() && wireLeft > 0 && !in.isReadable()) {
                return null;
            }
            ByteBuf piece = inflate(in, alloc);
            if (piece != null) {
                return piece;
            }
        }
    }

    private boolean readHeader(ByteBuf in) {
        while (headerBytes < CompressedProtocol.HEADER_BYTES) {
            if (!in.isReadable()) {
                return false;
            }
            header |= (long) in.readUnsignedByte() << (8 * headerBytes++);
        }
        wireLeft = (int) header & 0xFFFFFF;
        id = (int) (header >>> 24) & 0xFF;
        clearLeft = (int) (header >>> 32);
        headerBytes = 0;
        header = 0;
        packets++;
        compressed = clearLeft > 0;
        inflater.reset();
        if (compressed && wireLeft == 0) {
            throw broken("empty (expected: " + clearLeft + " bytes)");
        }
        return true;
    }

    private @Nullable ByteBuf inflate(ByteBuf in, ByteBufAllocator alloc) {
        int offered = Math.min(wireLeft, in.readableBytes());
        // The size follows from the available bytes, not from the header. One more byte detects
        // excess output.
        int room = Math.min(MAX_PIECE_BYTES, Math.max(MIN_PIECE_BYTES, 4 * offered));
        ByteBuf out = alloc.buffer(Math.min(clearLeft, room) + 1);
        int bytes = 0;
        try {
            inflater.setInput(in.nioBuffer(in.readerIndex(), offered));
            bytes = inflater.inflate(out.nioBuffer(0, out.capacity()));
            int taken = offered - inflater.getRemaining();
            in.skipBytes(taken);
            wireLeft -= taken;
            clearLeft -= bytes;
            boolean over = inflater.finished();
            if (clearLeft < 0 || (over ? wireLeft > 0 || clearLeft > 0 : wireLeft == 0 && bytes == 0)) {
                bytes = 0;
                throw broken("its length differs from its header");
            }
        } catch (DataFormatException e) {
            throw broken(String.valueOf(e.getMessage()));
        } finally {
            if (bytes == 0) {
                out.release();
            }
        }
        return bytes == 0 ? null : out.writerIndex(bytes);
    }

    private static ProtocolException broken(String what) {
        return new ProtocolException(ErrorCode.ER_NET_UNCOMPRESS_ERROR, "compressed packet: " + what);
    }

    @Override
    public void close() {
        inflater.end();
    }
}
