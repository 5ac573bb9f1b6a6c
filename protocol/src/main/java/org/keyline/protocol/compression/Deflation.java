package org.keyline.protocol.compression;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.zip.Deflater;

/** Wraps bytes into compressed packets. Confined to one event loop. */
final class Deflation implements AutoCloseable {
    /** Maximum uncompressed bytes of one packet. The peer must buffer all of them. */
    private static final int MAX_CHUNK_BYTES = 128 * 1024;

    /** Shorter payloads are sent uncompressed, as MySQL does. */
    static final int MIN_COMPRESSED_BYTES = 50;

    private final Deflater deflater = new Deflater();
    private int nextId;

    int nextId() {
        return nextId;
    }

    void nextId(int id) {
        nextId = id & 0xFF;
    }

    /** Returns compressed packets with the bytes of {@code in}, which is borrowed. */
    ByteBuf wrap(ByteBuf in, ByteBufAllocator alloc) {
        ByteBuf out = alloc.buffer(Math.min(MAX_CHUNK_BYTES, in.readableBytes()) + CompressedProtocol.HEADER_BYTES);
        int at = in.readerIndex();
        int to = in.writerIndex();
        while (at < to) {
            int chunk = Math.min(MAX_CHUNK_BYTES, to - at);
            append(out, in, at, chunk);
            at += chunk;
        }
        return out;
    }

    private void append(ByteBuf out, ByteBuf in, int from, int length) {
        int header = out.writerIndex();
        int payload = header + CompressedProtocol.HEADER_BYTES;
        out.ensureWritable(CompressedProtocol.HEADER_BYTES + length);
        int compressed = length < MIN_COMPRESSED_BYTES ? 0 : deflate(out, payload, in, from, length);
        if (compressed == 0) {
            out.setBytes(payload, in, from, length);
        }
        int taken = compressed == 0 ? length : compressed;
        out.setIntLE(header, taken | nextId << 24);
        out.setMediumLE(header + 4, compressed == 0 ? 0 : length);
        out.writerIndex(payload + taken);
        nextId = nextId + 1 & 0xFF;
    }

    /** Compresses bytes. Returns the compressed length; 0 if it would not be shorter. */
    private int deflate(ByteBuf out, int at, ByteBuf in, int from, int length) {
        deflater.reset();
        deflater.setInput(in.nioBuffer(from, length));
        deflater.finish();
        int bytes = deflater.deflate(out.nioBuffer(at, length - 1));
        return deflater.finished() ? bytes : 0;
    }

    @Override
    public void close() {
        deflater.end();
    }
}
