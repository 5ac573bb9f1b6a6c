package org.keyline.gateway.views;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.Collation;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.Lenenc;
import org.keyline.protocol.PrepareOk;
import org.keyline.protocol.codec.BinaryRowWriter;
import org.keyline.protocol.codec.RowWriter;
import org.keyline.protocol.codec.TextRowWriter;
import org.keyline.protocol.server.Reply;

/**
 * The result of a read of views. Immutable.
 *
 * @param rows the payloads of packets
 */
public record ViewResult(List<ColumnDefinition> columns, List<byte[]> rows) {
    private static final int TEXT_BYTES = 8192 * 4;
    private static final int NUMBER_DIGITS = 22;
    private static final int BINARY_COLLATION = 63;
    private static final int ANY_DECIMALS = 0x1F;

    public ViewResult {
        columns = List.copyOf(columns);
        rows = List.copyOf(rows);
    }

    /** A result of cells, in either protocol. */
    static ViewResult of(List<View.Column> columns, List<List<@Nullable Object>> rows, boolean binary) {
        List<ColumnDefinition> definitions =
                columns.stream().map(ViewResult::definition).toList();
        RowWriter writer = binary ? new BinaryRowWriter(definitions) : new TextRowWriter(definitions);
        List<byte[]> payloads = new ArrayList<>();
        ByteBuf out = Unpooled.buffer();
        for (List<@Nullable Object> row : rows) {
            out.clear();
            writer.beginRow(out);
            row.forEach(cell -> write(writer, cell));
            writer.endRow();
            byte[] payload = new byte[out.readableBytes()];
            out.readBytes(payload);
            payloads.add(payload);
        }
        return new ViewResult(definitions, payloads);
    }

    private static void write(RowWriter writer, @Nullable Object cell) {
        if (cell == null) {
            writer.nullCell();
        } else if (cell instanceof Long whole) {
            writer.int64(whole);
        } else if (cell instanceof Double number) {
            writer.float64(number);
        } else {
            writer.string(cell.toString());
        }
    }

    private static ColumnDefinition definition(View.Column column) {
        return switch (column.type()) {
            case INTEGER ->
                ColumnDefinition.of(
                        column.name(), BINARY_COLLATION, NUMBER_DIGITS, ColumnType.LONGLONG, ColumnType.BINARY_FLAG, 0);
            case NUMBER ->
                ColumnDefinition.of(
                        column.name(),
                        BINARY_COLLATION,
                        NUMBER_DIGITS,
                        ColumnType.DOUBLE,
                        ColumnType.BINARY_FLAG,
                        ANY_DECIMALS);
            case TEXT, TIME ->
                ColumnDefinition.of(
                        column.name(), Collation.UTF8MB4_GENERAL_CI, TEXT_BYTES, ColumnType.VAR_STRING, 0, 0);
        };
    }

    /** Writes the whole reply and ends it. */
    public void answer(Reply reply, boolean extendedMetadata, int status) {
        write(reply, payload -> {
            Lenenc.writeInt(payload, columns.size());
            reply.packet(payload);
            writeDefinitions(reply, extendedMetadata, payload);
            reply.endOfColumns(status, 0);
            for (byte[] row : rows) {
                reply.packet(payload.clear().writeBytes(row));
            }
            reply.eof(status, 0);
        });
    }

    /** Answers the PREPARE of a statement that gives such a result. */
    public void answerPrepare(Reply reply, int id, int parameters, boolean extendedMetadata, int status) {
        write(reply, payload -> {
            new PrepareOk(id, columns.size(), parameters, 0).encode(payload);
            reply.packet(payload);
            ColumnDefinition parameter =
                    ColumnDefinition.of("?", BINARY_COLLATION, 0, ColumnType.VAR_STRING, ColumnType.BINARY_FLAG, 0);
            for (int i = 0; i < parameters; i++) {
                parameter.encode(payload.clear(), extendedMetadata);
                reply.packet(payload);
            }
            if (parameters > 0) {
                reply.endOfColumns(status, 0);
            }
            if (!columns.isEmpty()) {
                writeDefinitions(reply, extendedMetadata, payload);
                reply.endOfColumns(status, 0);
            }
        });
    }

    private static void write(Reply reply, Consumer<ByteBuf> packets) {
        ByteBuf payload = reply.alloc().buffer(256);
        try {
            packets.accept(payload);
        } finally {
            payload.release();
        }
        reply.end();
    }

    private void writeDefinitions(Reply reply, boolean extendedMetadata, ByteBuf payload) {
        for (ColumnDefinition column : columns) {
            column.encode(payload.clear(), extendedMetadata);
            reply.packet(payload);
        }
    }
}
