package org.keyline.gateway.read;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.condition.RowConditions;
import org.keyline.gateway.table.CachedTable;
import org.keyline.gateway.table.MissReason;
import org.keyline.planner.Order;
import org.keyline.planner.PointRead;
import org.keyline.planner.PointRead.Answer;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.codec.RowReader;
import org.keyline.rowcache.Line;

/**
 * Writes one reply: the template's head, rows of lines within LIMIT and OFFSET, the template's end. Reusable; confined to one event
 * loop.
 */
final class RowsOut {
    /** Rows of a reply with a cursor are kept until they are fetched; more than this are the store's to keep. */
    static final int MAX_FETCHED_BYTES = 16 << 10;

    /** The last row of a reply in which no row comes twice. */
    private static final class LastRow {
        private static final int NONE = -1;

        private byte[] row = new byte[256];
        private int length = NONE;

        /** Begins anew. */
        void forget() {
            length = NONE;
        }

        /** Takes the place of the last row by what was written from an index on; answers whether that is the same. */
        boolean replace(ByteBuf out, int from) {
            int bytes = out.writerIndex() - from;
            if (bytes > row.length) {
                row = Arrays.copyOf(row, Math.max(bytes, 2 * row.length));
            }
            boolean same = bytes == length;
            for (int i = 0; same && i < bytes; i++) {
                same = out.getByte(from + i) == row[i];
            }
            if (!same) {
                out.getBytes(from, row, 0, bytes);
                length = bytes;
            }
            return same;
        }
    }

    private static final byte[] NOTHING = {};
    private static final int UNCERTAIN = -1;

    private ByteBuf out = Unpooled.EMPTY_BUFFER;
    private @Nullable ReadShape shape;
    private @Nullable Template template;
    private @Nullable ReadTransaction within;
    private int kind;
    /** The columns whose text is in latin1 in the reply; null for none. */
    private boolean @Nullable [] latin1;

    /** What rows are held against; null for nothing. */
    private @Nullable RowConditions conditions;

    private boolean unknown;
    private boolean singleRow;
    private boolean severalRows;

    private long skip;
    private long left;
    private int sequenceId;
    private int firstRowId;
    private long seen;
    private long sent;
    private int columnsEnd;
    private final LongSupplier mostBytes;
    private long maxBytes;
    private boolean tooLong;
    private boolean misfits;
    private byte[] fetched = NOTHING;

    private final Aggregates aggregates = new Aggregates();
    private final LastRow last = new LastRow();
    private boolean otherType;

    // The last reader of cells, for the next reply of the same table.
    private @Nullable RowReader reader;
    private @Nullable CachedTable readerTable;
    private int readerKind;

    /** @param mostBytes of the rows of one reply; asked for each */
    RowsOut(LongSupplier mostBytes) {
        this.mostBytes = mostBytes;
    }

    /** @param within the transaction that the reply belongs to; null for none */
    void begin(
            ReadShape shape,
            Template template,
            ReadScope scope,
            long offset,
            long limit,
            @Nullable ReadTransaction within,
            ByteBuf out) {
        this.shape = shape;
        this.template = template;
        this.kind = scope.kind();
        this.skip = offset;
        this.left = limit;
        this.out = out;
        this.seen = 0;
        this.sent = offset > 0 || shape.plan().answer() == Answer.DISTINCT ? UNCERTAIN : 0;
        this.within = within;
        this.sequenceId = template.begin(out, within);
        this.firstRowId = sequenceId;
        this.fetched = NOTHING;
        this.columnsEnd = out.writerIndex();
        this.maxBytes = mostBytes.getAsLong();
        this.tooLong = false;
        this.misfits = false;
        this.latin1 = scope.asStored() ? shape.table().latin1() : null;
        this.otherType = false;
        this.conditions = null;
        this.unknown = false;
        this.singleRow = shape.needsSingleRow();
        this.severalRows = false;
        if (shape.plan().answer() == Answer.DISTINCT) {
            last.forget();
            otherType = scope.cursor() || !isWrittenAlike(shape, template);
        }
        if (shape.plan().answer() == Answer.AGGREGATES) {
            aggregates.begin(shape.plan());
            otherType = scope.cursor()
                    || latin1 != null
                    || !Aggregates.isWrittenAlike(shape.plan(), template, shape.table(), kind);
        }
    }

    /** Whether the store answers the values as rows have them. */
    private boolean isWrittenAlike(ReadShape shape, Template template) {
        List<Integer> shown = shape.plan().projection();
        for (int i = 0; i < shown.size(); i++) {
            int ordinal = shown.get(i);
            if (ordinal != PointRead.ONE
                    && !Aggregates.isWrittenAlike(
                            template.column(i), shape.table().column(kind, ordinal))) {
                return false;
            }
        }
        return true;
    }

    /** Of the rows of the reply that was begun, only those are written that meet conditions; null for none. */
    void where(@Nullable RowConditions those) {
        this.conditions = those;
    }

    /** Writes the rows whose key has the suffix {@code key[from..to)} if that is a whole key, or begins with it if not. */
    void rows(Line line, byte[] key, int from, int to) {
        ReadShape current = current();
        if (current.fullKey()) {
            int row = line.find(key, from, to);
            if (row >= 0) {
                rows(line, row, row + 1);
            }
        } else if (from == to) {
            rows(line, 0, line.rows());
        } else {
            rows(line, line.first(key, from, to), line.firstAfter(key, from, to));
        }
    }

    /** Writes the rows of a line. */
    void rows(Line line) {
        rows(line, 0, line.rows());
    }

    /** Writes the rows {@code from..to - 1} of a line. */
    void rows(Line line, int from, int to) {
        ReadShape current = current();
        RowConditions those = conditions;
        if (those == null) {
            rows(current, line, from, to);
        } else if (from < to) {
            rowsThatMeet(those, current, line, from, to);
        }
    }

    private void rowsThatMeet(RowConditions those, ReadShape current, Line line, int from, int to) {
        RowReader cells = reader(current.table());
        Order order = current.plan().order();
        for (int i = 0; i < to - from && !unknown && !severalRows && (order == Order.NONE || left > 0); i++) {
            int row = order == Order.DESC ? to - 1 - i : from + i;
            cells.read(line.bytes(), line.rowOffset(row), line.rowLength(row));
            switch (those.of(cells, kind == CachedTable.BINARY)) {
                case IN -> rows(current, line, row, row + 1);
                case OUT -> {}
                case UNKNOWN -> unknown = true;
            }
        }
    }

    private void rows(ReadShape current, Line line, int from, int to) {
        int count = to - from;
        seen += count;
        if (singleRow && seen > 1) {
            severalRows = true;
            return;
        }
        switch (current.plan().answer()) {
            case ROWS -> rowsWithinLimits(current, line, from, to);
            case DISTINCT -> distinctRows(current, line, from, to);
            case AGGREGATES -> {
                if (count > 0) {
                    aggregates.rows(line, from, to, reader(current.table()));
                }
            }
            case COUNT, EXISTS -> {}
        }
    }

    private void rowsWithinLimits(ReadShape current, Line line, int from, int to) {
        int count = to - from;
        if (skip >= count) {
            skip -= count;
            return;
        }
        boolean descending = current.plan().order() == Order.DESC;
        int first = (int) skip;
        int rows = (int) Math.min(left, count - first);
        makeRoom(current, line, descending ? to - first - rows : from + first, rows);
        for (int i = first; i < first + rows; i++) {
            row(current, line, descending ? to - 1 - i : from + i);
        }
        sent += sent < 0 ? 0 : rows;
        left -= rows;
        skip = 0;
    }

    /** Grows the buffer at once for rows that are copied as they are: else it would be copied again and again as it grows. */
    private void makeRoom(ReadShape current, Line line, int first, int rows) {
        if (rows > 1 && current.projection().copiesRows()) {
            long bytes =
                    (long) line.rowOffset(first + rows) - line.rowOffset(first) + (long) rows * Packets.HEADER_BYTES;
            if (out.writerIndex() - columnsEnd + bytes <= maxBytes) {
                out.ensureWritable((int) bytes);
            }
        }
    }

    /** Of rows that look alike, which come one after the other, the first one. */
    private void distinctRows(ReadShape current, Line line, int from, int to) {
        boolean descending = current.plan().order() == Order.DESC;
        for (int i = 0; i < to - from && left > 0 && !tooLong; i++) {
            int begin = out.writerIndex();
            int id = sequenceId;
            row(current, line, descending ? to - 1 - i : from + i);
            boolean another = !last.replace(out, begin + Packets.HEADER_BYTES);
            if (another && skip == 0) {
                left--;
            } else {
                skip -= another ? 1 : 0;
                out.writerIndex(begin);
                sequenceId = id;
            }
        }
    }

    private void row(ReadShape current, Line line, int row) {
        Projection projection = current.projection();
        int offset = line.rowOffset(row);
        int length = line.rowLength(row);
        if (tooLong || out.writerIndex() - columnsEnd + (long) length > maxBytes) {
            tooLong = true;
            return;
        }
        if (projection.copiesRows() && latin1 == null) {
            Projection.copy(line.bytes(), offset, length, sequenceId, out);
        } else {
            RowReader cells = reader(current.table());
            cells.read(line.bytes(), offset, length);
            misfits |= !projection.write(
                    cells, kind == CachedTable.BINARY, requireNonNull(template), latin1, sequenceId, out);
        }
        sequenceId = Packets.next(sequenceId);
    }

    private RowReader reader(CachedTable table) {
        RowReader known = reader;
        if (known == null || readerTable != table || readerKind != kind) {
            known = table.reader(kind);
            reader = known;
            readerTable = table;
            readerKind = kind;
        }
        return known;
    }

    /** The sequence id that follows on the last reply. */
    int nextSequenceId() {
        return sequenceId;
    }

    /** Where the first row of the last reply began. */
    int columnsEnd() {
        return columnsEnd;
    }

    /** Answers where the packet behind the last row begins. */
    int end() {
        Template reply = template;
        if (reply != null) {
            Answer answer = current().plan().answer();
            if (answer == Answer.AGGREGATES) {
                sent = UNCERTAIN;
                aggregates.write(kind == CachedTable.BINARY, reply, reader, sequenceId, out);
                sequenceId = Packets.next(sequenceId);
            } else if (answer == Answer.COUNT || answer == Answer.EXISTS) {
                sent = 1;
                reply.numberRow(answer == Answer.COUNT ? seen : Math.min(seen, 1), sequenceId, out);
                sequenceId = Packets.next(sequenceId);
            }
        }
        if (reply != null && reply.opensCursor()) {
            sent = UNCERTAIN;
            fetched = new byte[out.writerIndex() - columnsEnd];
            out.getBytes(columnsEnd, fetched);
            out.writerIndex(columnsEnd);
            sequenceId = firstRowId;
            tooLong |= fetched.length > MAX_FETCHED_BYTES;
        }
        int rowsEnd = out.writerIndex();
        if (reply != null) {
            reply.end(out, sequenceId, within);
            sequenceId = Packets.next(sequenceId);
        }
        out = Unpooled.EMPTY_BUFFER;
        shape = null;
        template = null;
        within = null;
        return rowsEnd;
    }

    /**
     * Takes back what was written if that is too long, if it is not certain which rows there are or in which order, if it is of another type than the store's answer, is not in the character set of its
     * column, or has a character beyond the basic plane, which the store would have replaced. Bytes
     * that only look like one cost no more than a forwarded read.
     *
     * @param from where the reply begins
     * @param basicPlane whether the client's character set has the basic plane only
     * @return why it was taken back; null if it was not
     */
    @Nullable
    MissReason takeBack(int from, boolean basicPlane, ByteBuf buffer) {
        MissReason reason = unfit();
        if (reason == null && basicPlane && hasSupplementary(buffer, from)) {
            reason = MissReason.SUPPLEMENTARY;
        }
        if (reason != null) {
            buffer.writerIndex(from);
        }
        return reason;
    }

    private @Nullable MissReason unfit() {
        if (unknown) {
            return MissReason.CELL;
        }
        if (severalRows) {
            return MissReason.SEVERAL_ROWS;
        }
        if (tooLong) {
            return MissReason.LONG_REPLY;
        }
        if (otherType) {
            return MissReason.OTHER_TYPE;
        }
        return misfits ? MissReason.CHARACTER_SET : null;
    }

    private static boolean hasSupplementary(ByteBuf out, int from) {
        for (int i = from; i + 1 < out.writerIndex(); i++) {
            if ((out.getByte(i) & 0xF8) == 0xF0 && (out.getByte(i + 1) & 0xC0) == 0x80) {
                return true;
            }
        }
        return false;
    }

    /** The rows of the last reply if they are to be fetched, as whole packets; else none. */
    byte[] fetched() {
        return fetched;
    }

    /** How many rows there were, before LIMIT and OFFSET. */
    long seen() {
        return seen;
    }

    /** What FOUND_ROWS() says of the last reply; negative where servers differ in that, as they do with OFFSET. */
    long sent() {
        return sent;
    }

    private ReadShape current() {
        ReadShape current = shape;
        if (current == null) {
            throw new IllegalStateException("rows outside of a reply");
        }
        return current;
    }
}
