package org.keyline.gateway.session.command;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.read.ReadScope;
import org.keyline.gateway.read.ReplyObserver;
import org.keyline.gateway.table.ReplyColumns;
import org.keyline.planner.TableName;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.protocol.codec.BinaryRowReader;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.codec.RowReader;
import org.keyline.protocol.codec.TextRowReader;

/** AUTO_INCREMENT values that an INSERT with RETURNING returns. Confined to one event loop. */
final class ReturnedNumbers implements ReplyObserver {
    private static final int MAX_HEAD_BYTES = 1 << 16;
    private static final int MAX_ROWS = 1000;

    private final TableName table;
    private final boolean binary;
    private final boolean extended;
    private final ReplyScanner scanner = new ReplyScanner(MAX_HEAD_BYTES);
    private final List<Long> numbers = new ArrayList<>();
    private @Nullable RowReader cells;
    /** Index of the AUTO_INCREMENT column in the reply; -1 if unknown or absent. */
    private int column = -1;
    /** Whether a row of 16 MiB or more came in several packets, so its value is unknown. */
    private boolean divided;

    /** @param scope has the capabilities under which the store replies */
    ReturnedNumbers(TableName table, int command, ReadScope scope) {
        this.table = table;
        binary = command == CommandCode.COM_STMT_EXECUTE;
        extended = scope.extended();
        scanner.begin(command, (int) scope.capabilities());
    }

    @Override
    public void packets(ByteBuf framed) {
        int at = framed.readerIndex();
        while (at < framed.writerIndex()) {
            int row = at + Packets.HEADER_BYTES;
            int length = framed.getUnsignedMediumLE(at);
            int next = row + length;
            long rows = scanner.summary().rows();
            scanner.scan(framed, at, next);
            divided |= length == Packets.MAX_PAYLOAD_BYTES;
            if (scanner.summary().rows() > rows && scanner.summary().results() == 0 && !divided) {
                row(framed.slice(row, next - row), rows == 0);
            }
            at = next;
        }
    }

    private void row(ByteBuf row, boolean first) {
        if (first) {
            byte[] head = scanner.head();
            if (head != null) {
                columns(ReplyColumns.read(
                                head,
                                ReplyColumns.next(head, 0),
                                scanner.summary().columnCount(),
                                extended)
                        .definitions());
            }
        }
        if (cells != null && numbers.size() < MAX_ROWS) {
            cells.read(row);
            numbers.add(cells.int64(column));
        }
    }

    private void columns(List<ColumnDefinition> definitions) {
        for (int i = 0; i < definitions.size(); i++) {
            ColumnDefinition each = definitions.get(i);
            boolean own =
                    each.schema().equals(table.schema()) && each.orgTable().equals(table.table());
            if (own && (each.flags() & ColumnType.AUTO_INCREMENT_FLAG) != 0 && isInteger(each.type())) {
                column = i;
                cells = binary ? new BinaryRowReader(definitions) : new TextRowReader(definitions.size());
                return;
            }
        }
    }

    private static boolean isInteger(int type) {
        return switch (type) {
            case ColumnType.TINY, ColumnType.SHORT, ColumnType.INT24, ColumnType.LONG, ColumnType.LONGLONG -> true;
            default -> false;
        };
    }

    /**
     * Returns the numbers of all rows; empty if the value in any row is unknown. An unsigned 64-bit
     * value is returned as the signed number with the same bits.
     */
    List<Long> ofAllRows() {
        return numbers.size() == scanner.summary().rows() ? numbers : List.of();
    }

    @Override
    public void end() {
        // The listener for the end of the command has already read the values.
    }

    @Override
    public void lost() {
        // The reply stays incomplete, so nothing needs the values.
    }
}
