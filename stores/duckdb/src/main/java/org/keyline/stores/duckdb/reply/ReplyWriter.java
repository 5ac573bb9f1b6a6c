package org.keyline.stores.duckdb.reply;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.EofPacket;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.Lenenc;
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.PrepareOk;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.codec.RowWriter;

/**
 * Frames the packets of one reply, with sequence ids from 1, and sends them in chunks. A chunk with
 * a long row counts towards the client's memory until it is sent. Used by one thread at a time.
 */
public final class ReplyWriter {
    /** Receives a chunk of whole packets, and the number of bytes accounted for it. */
    @FunctionalInterface
    public interface Sink {
        void accept(ByteBuf chunk, long taken);
    }

    private static final int CHUNK_BYTES = 32 * 1024;
    private static final int FIRST_CHUNK_BYTES = 4096;

    private final ByteBufAllocator allocator;
    private final int capabilities;
    private final ReplyMemory memory;
    private final Sink sink;
    private int sequenceId = 1;
    private long taken;
    private boolean anyChunk;

    @Nullable
    private ByteBuf chunk;

    /**
     * @param capabilities the capabilities negotiated with the client
     * @param memory the memory of the client
     * @param sink receives each chunk
     */
    public ReplyWriter(ByteBufAllocator allocator, int capabilities, ReplyMemory memory, Sink sink) {
        this.allocator = allocator;
        this.capabilities = capabilities;
        this.memory = memory;
        this.sink = sink;
    }

    public void ok(OkPacket ok) {
        packet(ok::encode);
    }

    public void error(ErrPacket error) {
        packet(error::encode);
    }

    /** Writes the plain text of COM_STATISTICS. */
    public void text(String text) {
        packet(out -> ByteBufUtil.writeUtf8(out, text));
    }

    /** Requests a file from the client with a LOCAL INFILE Request packet. */
    public void localInfile(String file) {
        packet(out -> ByteBufUtil.writeUtf8(out.writeByte(Lenenc.NULL), file));
    }

    public void prepared(
            PrepareOk prepared, List<ColumnDefinition> parameters, List<ColumnDefinition> columns, int status) {
        packet(prepared::encode);
        definitions(parameters, status, 0);
        definitions(columns, status, 0);
    }

    /** Begins a result set with the column count and definitions. */
    public void columns(List<ColumnDefinition> columns, int status, int warnings) {
        packet(out -> Lenenc.writeInt(out, columns.size()));
        definitions(columns, status, warnings);
    }

    private void definitions(List<ColumnDefinition> columns, int status, int warnings) {
        columns.forEach(column -> packet(column::encode));
        if (!columns.isEmpty() && !deprecateEof()) {
            packet(new EofPacket(status, warnings)::encode);
        }
    }

    /** Writes the reply to COM_FIELD_LIST: definitions with NULL as default, without a count. */
    public void fieldList(List<ColumnDefinition> columns, int status) {
        for (ColumnDefinition column : columns) {
            packet(out -> {
                column.encode(out);
                out.writeByte(Lenenc.NULL);
            });
        }
        endOfRows(status, 0);
    }

    /**
     * Writes a row.
     *
     * @param bytes the total length in bytes of the row's strings and blobs
     * @throws org.keyline.planner.StatementRefusedException if the row exceeds the client's memory
     */
    public void row(RowWriter cells, Consumer<RowWriter> row, long bytes) {
        if (bytes > CHUNK_BYTES) {
            // A long row gets a buffer of its size, because growing a buffer needs twice the
            // memory.
            flush();
            taken = memory.takeCopies(bytes);
            chunk = allocator.buffer((int) Math.min(Integer.MAX_VALUE, bytes + CHUNK_BYTES));
        }
        packet(out -> {
            cells.beginRow(out);
            row.accept(cells);
            cells.endRow();
        });
    }

    /** Ends a result set or the definitions of a cursor. */
    public void endOfRows(int status, int warnings) {
        if (deprecateEof()) {
            packet(out -> new OkPacket(0, 0, status, warnings).encode(out, OkPacket.HEADER_AS_EOF));
        } else {
            packet(new EofPacket(status, warnings)::encode);
        }
    }

    private boolean deprecateEof() {
        return Capabilities.has(capabilities, Capabilities.CLIENT_DEPRECATE_EOF);
    }

    /** Returns whether the chunk is large enough to be sent. */
    public boolean full() {
        ByteBuf out = chunk;
        return out != null && out.readableBytes() >= CHUNK_BYTES;
    }

    /** Sends the written packets. */
    public void flush() {
        ByteBuf out = chunk;
        if (out != null) {
            chunk = null;
            anyChunk = true;
            long of = taken;
            taken = 0;
            sink.accept(out, of);
        }
    }

    /**
     * Returns the packets that were not sent, which the caller then owns; null if all packets were
     * sent. The caller calls {@link #close} next.
     */
    @Nullable
    public ByteBuf take() {
        ByteBuf out = chunk;
        chunk = null;
        return out;
    }

    /** Releases the memory of packets that were not sent. */
    public void close() {
        memory.give(taken);
        taken = 0;
    }

    private ByteBuf chunk() {
        ByteBuf out = chunk;
        if (out == null) {
            out = allocator.buffer(anyChunk ? CHUNK_BYTES + FIRST_CHUNK_BYTES : FIRST_CHUNK_BYTES);
            chunk = out;
        }
        return out;
    }

    /** Writes a packet. If {@code payload} throws, the packet is removed from the chunk. */
    private void packet(Consumer<ByteBuf> payload) {
        ByteBuf out = chunk();
        int begin = Packets.begin(out);
        try {
            payload.accept(out);
        } catch (RuntimeException e) {
            out.writerIndex(begin);
            throw e;
        }
        sequenceId = Packets.end(out, begin, sequenceId);
    }
}
