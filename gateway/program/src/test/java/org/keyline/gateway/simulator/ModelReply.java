package org.keyline.gateway.simulator;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.keyline.gateway.simulator.ModelStore.Result;
import org.keyline.gateway.simulator.ModelTable.RowKey;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.Collation;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.Lenenc;
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.PrepareOk;
import org.keyline.protocol.codec.BinaryRowWriter;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.codec.RowWriter;
import org.keyline.protocol.codec.TextRowWriter;

/** Writes the model store's replies in the protocol's format. */
final class ModelReply {
    private final ByteBuf out;
    private final boolean deprecateEof;
    private final List<Integer> ends = new ArrayList<>();
    private int sequence = 1;

    ModelReply(ByteBuf out, int capabilities) {
        this.out = out;
        deprecateEof = Capabilities.has(capabilities, Capabilities.CLIENT_DEPRECATE_EOF);
    }

    int packets() {
        return ends.size();
    }

    /** Returns the offset after this many packets. */
    int cut(int packets) {
        return packets == 0 ? 0 : ends.get(packets - 1);
    }

    void ok(int status) {
        packet(body -> OkPacket.of(status).encode(body));
    }

    /** Writes the end of a write. */
    void written(Result result, int status) {
        // Only an INSERT with a generated key has such a number.
        long number = result.keys().stream().mapToLong(RowKey::last).findFirst().orElse(0);
        packet(body -> new OkPacket(result.affected(), number, status, result.warnings(), "").encode(body));
    }

    void error(int code) {
        packet(new ErrPacket(code, "HY000", "error of the model store")::encode);
    }

    void prepared(int id, int parameters, ModelStatement statement, int status) {
        List<ColumnDefinition> columns = definitions(statement);
        packet(body -> new PrepareOk(id, columns.size(), parameters, 0).encode(body));
        for (int i = 0; i < parameters; i++) {
            packet(definition("", "?")::encode);
        }
        if (parameters > 0) {
            endOfColumns(status);
        }
        columns.forEach(column -> packet(column::encode));
        if (!columns.isEmpty()) {
            endOfColumns(status);
        }
    }

    void rows(ModelStatement statement, Result result, boolean binary, int status) {
        List<List<Long>> rows = new ArrayList<>();
        for (int i = 0; i < result.keys().size(); i++) {
            RowKey key = result.keys().get(i);
            long value = result.values().get(i);
            rows.add(statement.columns().stream()
                    .map(column -> column.equals("v") ? value : key.cell(column))
                    .toList());
        }
        rows(definitions(statement), rows, binary, status);
    }

    /** Writes the last cells of the generated keys of an INSERT. */
    void returned(ModelTable table, Result result, boolean binary, int status) {
        ColumnDefinition number =
                definition(table.table, table.columns.get(table.keyColumns() - 1), ColumnType.AUTO_INCREMENT_FLAG);
        List<List<Long>> rows =
                result.keys().stream().map(key -> List.of(key.last())).toList();
        rows(List.of(number), rows, binary, status);
    }

    private void rows(List<ColumnDefinition> columns, List<List<Long>> rows, boolean binary, int status) {
        packet(body -> Lenenc.writeInt(body, columns.size()));
        columns.forEach(column -> packet(column::encode));
        endOfColumns(status);
        RowWriter writer = binary ? new BinaryRowWriter(columns) : new TextRowWriter(columns);
        for (List<Long> row : rows) {
            packet(body -> {
                writer.beginRow(body);
                row.forEach(writer::int64);
                writer.endRow();
            });
        }
        if (deprecateEof) {
            packet(body -> OkPacket.of(status).encode(body, OkPacket.HEADER_AS_EOF));
        } else {
            eof(status);
        }
    }

    private void endOfColumns(int status) {
        if (!deprecateEof) {
            eof(status);
        }
    }

    private void eof(int status) {
        packet(body -> body.writeByte(0xFE).writeShortLE(0).writeShortLE(status));
    }

    private static List<ColumnDefinition> definitions(ModelStatement statement) {
        return statement.columns().stream()
                .map(column -> definition(statement.ofTable().table, column))
                .toList();
    }

    private static ColumnDefinition definition(String table, String column) {
        return definition(table, column, 0);
    }

    private static ColumnDefinition definition(String table, String column, int flags) {
        return new ColumnDefinition(
                "def",
                ModelTable.SCHEMA,
                table,
                table,
                column,
                column,
                Collation.BINARY,
                20,
                ColumnType.LONGLONG,
                flags,
                0);
    }

    private void packet(Consumer<ByteBuf> body) {
        int begin = Packets.begin(out);
        body.accept(out);
        sequence = Packets.end(out, begin, sequence);
        ends.add(out.writerIndex());
    }
}
