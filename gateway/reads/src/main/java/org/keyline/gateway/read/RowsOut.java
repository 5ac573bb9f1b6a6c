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

/** Writes a reply: head, rows within LIMIT and OFFSET, end. Confined to one event loop. */
final class RowsOut {
    /**
     * Maximum size of the buffered rows of a reply with a cursor. The store answers reads with
     * longer replies.
     */
    static final int MAX_FETCHED_BYTES = 16 << 10;

    /** The last row of a reply to SELECT DISTINCT. */
    private static final class LastRow {
        private static final int NONE = -1;

        private byte[] row = new byte[256];
        private int length = NONE;

        void forget() {
            length = NONE;
        }

        /**
         * Stores the row that starts at index {@code from} of {@code out}. Returns whether this row
         * equals the previous row.
         */
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
    private Read.@Nullable Transaction within;
    private int kind;
    /** For each column, whether the reply has its text in latin1; null if no column's text is. */
    private boolean @Nullable [] latin1;

    /** The conditions on rows; null if there are none. */
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

    // The last used reader of cells. Later replies from the same table reuse it.
    private @Nullable RowReader reader;
    private @Nullable CachedTable readerTable;
    private int readerKind;

    /** @param mostBytes returns the maximum size of the rows of one reply; called for each reply */
    RowsOut(LongSupplier mostBytes) {
        this.mostBytes = mostBytes;
    }

    void begin(Read read, ByteBuf out) {
        ReadShape shape = read.shape;
        Template template = read.template;
        ReadScope scope = read.scope;
        this.shape = shape;
        this.template = template;
        this.kind = scope.kind();
        this.skip = read.offset;
        this.left = read.limit;
        this.out = out;
        this.seen = 0;
        this.sent = read.offset > 0 || shape.plan().answer() == Answer.DISTINCT ? UNCERTAIN : 0;
        this.within = read.within;
        this.sequenceId = template.begin(out, read.within);
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

    /** Returns whether the store sends the reply's columns in the format of the lines' cells. */
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

    /** Sets the conditions on rows. With null, all rows are written. */
    void where(@Nullable RowConditions those) {
        this.conditions = those;
    }

    /** Writes the rows whose key, after the line's prefix, begins with {@code key[from..to)}. */
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

    /** Reserves space for rows that are copied unchanged. */
    private void makeRoom(ReadShape current, Line line, int first, int rows) {
        if (rows > 1 && current.projection().copiesRows()) {
            long bytes =
                    (long) line.rowOffset(first + rows) - line.rowOffset(first) + (long) rows * Packets.HEADER_BYTES;
            if (out.writerIndex() - columnsEnd + bytes <= maxBytes) {
                out.ensureWritable((int) bytes);
            }
        }
    }

    /** Writes the first of each group of equal rows; equal rows are adjacent. */
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

    int nextSequenceId() {
        return sequenceId;
    }

    /** Returns the index of the first row of the last reply, after its column definitions. */
    int columnsEnd() {
        return columnsEnd;
    }

    /** Ends the reply. Returns the index of the packet after the last row. */
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
     * Removes the reply if it is too long, or might differ from the store's reply. The reply can
     * differ if the SQL does not determine its rows, their order or a type, or if the store
     * replaces a character. Other bytes that look like such a character cost only a forwarded read.
     *
     * @param from the index at which the reply begins
     * @param basicPlane whether the client's character set is limited to Unicode's basic plane
     * @return why the reply was removed; null if it was not
     */
    @Nullable
    MissReason retract(int from, boolean basicPlane, ByteBuf buffer) {
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

    /** Returns the rows for the client's cursor, as whole packets; empty without a cursor. */
    byte[] fetched() {
        return fetched;
    }

    /** Returns the number of matching rows before LIMIT and OFFSET. */
    long seen() {
        return seen;
    }

    /** Returns FOUND_ROWS() after the last reply; negative if servers disagree, as with OFFSET. */
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
