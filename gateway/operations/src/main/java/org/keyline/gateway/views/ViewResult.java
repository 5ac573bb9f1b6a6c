package org.keyline.gateway.views;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.statement.KeylineViews;
import org.keyline.protocol.Collation;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.Lenenc;
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.PrepareOk;
import org.keyline.protocol.codec.BinaryRowWriter;
import org.keyline.protocol.codec.RowWriter;
import org.keyline.protocol.codec.TextRowWriter;
import org.keyline.protocol.server.Reply;

/** A result that the gateway makes, as text or binary. Complete before other threads read it. */
public final class ViewResult {
    private static final String CATALOG = "def";
    private static final int TEXT_BYTES = 8192 * 4;
    private static final int STATEMENT_TEXT_BYTES = 4096;
    private static final int INTEGER_DIGITS = 20;
    private static final int COUNT_DIGITS = 21;
    private static final int NUMBER_DIGITS = 22;
    private static final int TIME_CHARACTERS = 23;
    private static final int TIME_DECIMALS = 3;
    private static final int BINARY_COLLATION = 63;
    private static final int ANY_DECIMALS = 0x1F;

    private final List<View.Type> types;
    private final List<ColumnDefinition> columns;
    private final RowWriter writer;
    private final ByteBuf row = Unpooled.buffer();
    private final List<byte[]> rows = new ArrayList<>();
    private long bytes;

    private ViewResult(List<View.Type> types, List<ColumnDefinition> columns, boolean binary) {
        this.types = types;
        this.columns = columns;
        this.writer = binary ? new BinaryRowWriter(columns) : new TextRowWriter(columns);
    }

    /**
     * A column of a result.
     *
     * @param table the alias of the view
     * @param place the index of the column in the view
     * @param label the alias of the column
     */
    record Picked(View view, String table, int place, String label) {
        private View.Column column() {
            return view.columns().get(place);
        }
    }

    static ViewResult of(List<Picked> columns, boolean binary) {
        return new ViewResult(
                columns.stream().map(picked -> picked.column().type()).toList(),
                columns.stream().map(ViewResult::definition).toList(),
                binary);
    }

    /** Returns a result of text columns. If {@code columns} is empty, the client receives an OK. */
    public static ViewResult of(List<String> columns, List<List<@Nullable String>> rows, boolean binary) {
        ViewResult result = new ViewResult(
                Collections.nCopies(columns.size(), View.Type.TEXT),
                columns.stream()
                        .map(name -> ColumnDefinition.of(
                                name, Collation.UTF8MB4_GENERAL_CI, STATEMENT_TEXT_BYTES, ColumnType.VAR_STRING, 0, 0))
                        .toList(),
                binary);
        rows.forEach(result::add);
        return result;
    }

    /** Returns a result of one column, to which the caller adds the row with the count. */
    static ViewResult ofCount(String label, boolean binary) {
        int flags = ColumnType.NOT_NULL_FLAG | ColumnType.BINARY_FLAG;
        return new ViewResult(
                List.of(View.Type.INTEGER),
                List.of(ColumnDefinition.of(label, BINARY_COLLATION, COUNT_DIGITS, ColumnType.LONGLONG, flags, 0)),
                binary);
    }

    /** Adds a row. Returns the total size of all rows in bytes. */
    long add(List<? extends @Nullable Object> cells) {
        row.clear();
        writer.beginRow(row);
        for (int i = 0; i < types.size(); i++) {
            write(writer, types.get(i), cells.get(i));
        }
        writer.endRow();
        byte[] payload = new byte[row.readableBytes()];
        row.readBytes(payload);
        rows.add(payload);
        bytes += payload.length;
        return bytes;
    }

    List<ColumnDefinition> columns() {
        return columns;
    }

    /** Returns the payloads of the rows' packets. */
    List<byte[]> rows() {
        return rows;
    }

    private static void write(RowWriter writer, View.Type type, @Nullable Object cell) {
        if (cell == null) {
            writer.nullCell();
        } else if (type == View.Type.TIME) {
            LocalDateTime time = Rows.time(cell.toString());
            writer.dateTime(
                    time.getYear(),
                    time.getMonthValue(),
                    time.getDayOfMonth(),
                    time.getHour(),
                    time.getMinute(),
                    time.getSecond(),
                    time.getNano() / (int) Rows.NANOS_PER_MICRO);
        } else if (cell instanceof Long whole) {
            writer.int64(whole);
        } else if (cell instanceof Double number) {
            writer.float64(number);
        } else {
            writer.string(cell.toString());
        }
    }

    private static ColumnDefinition definition(Picked picked) {
        return switch (picked.column().type()) {
            case INTEGER -> definition(picked, BINARY_COLLATION, INTEGER_DIGITS, ColumnType.LONGLONG, 0, 0);
            case NUMBER -> definition(picked, BINARY_COLLATION, NUMBER_DIGITS, ColumnType.DOUBLE, 0, ANY_DECIMALS);
            case TEXT -> definition(picked, Collation.UTF8MB4_GENERAL_CI, TEXT_BYTES, ColumnType.VAR_STRING, 0, 0);
            case TIME ->
                definition(
                        picked,
                        BINARY_COLLATION,
                        TIME_CHARACTERS,
                        ColumnType.DATETIME,
                        ColumnType.BINARY_FLAG,
                        TIME_DECIMALS);
        };
    }

    private static ColumnDefinition definition(
            Picked picked, int collation, int length, int type, int flags, int decimals) {
        return new ColumnDefinition(
                CATALOG,
                KeylineViews.SCHEMA,
                picked.table(),
                picked.view().name(),
                picked.label(),
                picked.column().name(),
                collation,
                length,
                type,
                flags,
                decimals);
    }

    public void answer(Reply reply, boolean extendedMetadata, int status) {
        if (columns.isEmpty()) {
            reply.ok(OkPacket.of(status));
            reply.end();
            return;
        }
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

    /** Answers the PREPARE of a statement that has this result. */
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
