package org.keyline.gateway.read;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.table.ReplyColumns;
import org.keyline.planner.PointRead;
import org.keyline.planner.PointRead.Function;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.protocol.codec.BinaryRowReader;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.codec.RowReader;
import org.keyline.protocol.codec.TextRowReader;

/**
 * Observes the store's reply to a forwarded point read as it passes to the client, and records a
 * template from it. Ignores a reply with warnings or further results. An error removes the earlier
 * template. Confined to one event loop.
 */
public final class TemplateRecorder implements ReplyObserver {
    /** Maximum size of a template's head. Replies with a larger head have no template. */
    private static final int MAX_HEAD_BYTES = 1 << 20;

    private final PointReads reads;
    private final ReadShape shape;
    private final ReadScope scope;
    private final long validUntilNanos;
    private final boolean within;
    private final ReplyScanner scanner = new ReplyScanner(MAX_HEAD_BYTES);
    /** The reply's first row, if the select list has literals. */
    private byte @Nullable [] firstRow;

    /** @param within whether the read belongs to a transaction */
    TemplateRecorder(PointReads reads, ReadShape shape, ReadScope scope, long validUntilNanos, boolean within) {
        this.reads = reads;
        this.within = within;
        this.shape = shape;
        this.scope = scope;
        this.validUntilNanos = validUntilNanos;
        scanner.begin(
                scope.binary() ? CommandCode.COM_STMT_EXECUTE : CommandCode.COM_QUERY, (int) scope.capabilities());
    }

    @Override
    public void packets(ByteBuf framed) {
        int at = framed.readerIndex();
        while (firstRow == null && !scope.constants().isEmpty() && at < framed.writerIndex()) {
            int row = at + Packets.HEADER_BYTES;
            int next = row + framed.getUnsignedMediumLE(at);
            scanner.scan(framed, at, next);
            if (scanner.summary().rows() > 0) {
                firstRow = new byte[next - row];
                framed.getBytes(row, firstRow);
            }
            at = next;
        }
        scanner.scan(framed, at, framed.writerIndex());
    }

    @Override
    public void lost() {
        // An incomplete reply is not recorded, and does not remove the scope's template.
    }

    @Override
    public void end() {
        ReplySummary reply = scanner.summary();
        byte[] last = scanner.lastPacket();
        byte[] head = withoutEnd(scanner.head(), last);
        if (reply.error() != null) {
            shape.forget(scope);
        } else if (scanner.ended() && head != null && last != null && isQuiet(reply)) {
            ReplyColumns columns = columns(head, reply.columnCount());
            List<Integer> numbers = scope.binary() ? numberColumns() : List.of();
            int bytes = 0;
            for (int number : numbers) {
                int each = numberBytes(columns.definitions().get(number));
                if (each == 0 || (bytes != 0 && each != bytes)) {
                    return;
                }
                bytes = each;
            }
            Template learned = within
                    ? Template.outside(head, rowId(head), last, bytes, validUntilNanos)
                    : new Template(head, rowId(head), last, bytes, validUntilNanos);
            if (!columns.areIn(scope.text(reads.showsCharacterSets()), shape.plan())) {
                return;
            }
            if (learned != null && !scope.constants().isEmpty()) {
                byte[] row = firstRow;
                learned = row == null ? null : learned.withConstants(constants(columns, row));
            }
            if (learned != null && shape.comparesColumns()) {
                learned = learned.withColumns(columns.definitions());
            }
            if (learned != null && reads.admitsTemplate(learned.bytes())) {
                shape.learned(scope, learned);
            }
        }
    }

    /**
     * Returns the head without the last packet of the reply. If the client fetches rows by a
     * cursor, the EOF after the columns is the last packet, and {@code head} includes it.
     */
    private byte @Nullable [] withoutEnd(byte @Nullable [] head, byte @Nullable [] last) {
        boolean cursor = (scanner.summary().status() & ServerStatus.SERVER_STATUS_CURSOR_EXISTS) != 0;
        boolean classic = !Capabilities.has((int) scope.capabilities(), Capabilities.CLIENT_DEPRECATE_EOF);
        return head != null && last != null && cursor && classic
                ? Arrays.copyOf(head, head.length - Packets.HEADER_BYTES - last.length)
                : head;
    }

    /** Returns the cells of the select list's literals, which are the same in all rows. */
    private List<byte[]> constants(ReplyColumns columns, byte[] row) {
        List<ColumnDefinition> definitions = columns.definitions();
        RowReader cells = scope.binary() ? new BinaryRowReader(definitions) : new TextRowReader(definitions.size());
        cells.read(row, 0, row.length);
        return IntStream.range(0, definitions.size())
                .filter(i -> shape.plan().projection().get(i) == PointRead.ONE)
                .mapToObj(i -> Arrays.copyOfRange(
                        cells.source(), cells.cellOffset(i), cells.cellOffset(i) + cells.cellLength(i)))
                .toList();
    }

    /** Returns the indexes of the reply's columns whose numbers the gateway computes. */
    private List<Integer> numberColumns() {
        PointRead plan = shape.plan();
        return switch (plan.answer()) {
            case COUNT, EXISTS -> List.of(0);
            case ROWS, DISTINCT -> {
                int one = scope.constants().isEmpty() ? plan.projection().indexOf(PointRead.ONE) : -1;
                yield one < 0 ? List.of() : List.of(one);
            }
            case AGGREGATES ->
                IntStream.range(0, plan.functions().size())
                        .filter(i -> plan.functions().get(i) == Function.ROWS
                                || plan.functions().get(i) == Function.COUNT)
                        .boxed()
                        .toList();
        };
    }

    /** Returns the column definitions, which follow the packet with their count. */
    private ReplyColumns columns(byte[] head, int count) {
        return ReplyColumns.read(head, ReplyColumns.next(head, 0), count, scope.extended());
    }

    /** Returns the size of an integer column's binary cells; 0 if the column is no integer. */
    private static int numberBytes(ColumnDefinition column) {
        return switch (column.type()) {
            case ColumnType.TINY -> 1;
            case ColumnType.SHORT -> 2;
            case ColumnType.LONG, ColumnType.INT24 -> 4;
            case ColumnType.LONGLONG -> 8;
            default -> 0;
        };
    }

    /**
     * Status flags that a template may have: those of the transaction and, in MariaDB, of the
     * sql_mode.
     */
    private static final int QUIET = Template.TRANSACTION
            | ServerStatus.SERVER_STATUS_NO_BACKSLASH_ESCAPES
            | ServerStatus.SERVER_STATUS_ANSI_QUOTES;

    /** Status flags of the store's access path, which can vary. A hit repeats the template's. */
    private static final int INDEXES =
            ServerStatus.SERVER_QUERY_NO_GOOD_INDEX_USED | ServerStatus.SERVER_QUERY_NO_INDEX_USED;

    /** Returns whether the reply is one result set without warnings or session changes. */
    private boolean isQuiet(ReplySummary reply) {
        int allowed = QUIET
                | (scope.cursor() ? ServerStatus.SERVER_STATUS_CURSOR_EXISTS : 0)
                | (shape.filters() != null || shape.plan().isOfAllRows() ? INDEXES : 0);
        return reply.results() == 1
                && reply.columnCount() > 0
                && reply.warnings() == 0
                && reply.affectedRows() == 0
                && reply.lastInsertId() == 0
                && (reply.status() & ~allowed) == 0
                && (within || (reply.status() & ServerStatus.SERVER_STATUS_IN_TRANS) == 0);
    }

    /** Returns the sequence id that follows the head's last packet. */
    private static int rowId(byte[] head) {
        int id = 1;
        int at = 0;
        while (at < head.length) {
            int length = (head[at] & 0xFF) | ((head[at + 1] & 0xFF) << 8) | ((head[at + 2] & 0xFF) << 16);
            id = Packets.next(head[at + 3] & 0xFF);
            at += Packets.HEADER_BYTES + length;
        }
        return id;
    }
}
