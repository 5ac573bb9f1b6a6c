package org.keyline.gateway.read;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.table.MissReason;
import org.keyline.rowcache.Decline;
import org.keyline.rowcache.Line;
import org.keyline.rowcache.LineProbe;
import org.keyline.rowcache.LineTable;
import org.keyline.rowcache.LoadListener;
import org.keyline.rowcache.Loader;

/** A read that waits for loads. If one fails, the read is forwarded. Confined to one event loop. */
final class MultiRead {
    /**
     * Maximum number of missing lines to load. With more missing lines, forwarding the whole read
     * is cheaper.
     */
    private static final int MAX_LOADS = 64;

    /** Maximum number of consecutive loads of a read. A read that needs more loads is forwarded. */
    private static final int MAX_STEPS = 16;

    /** Maximum number of rows in one load of adjacent lines. */
    private static final int MAX_ROWS_AHEAD = 8_192;

    private final PointReader reader;
    private final Read read;
    private final ReadShape shape;
    private final ReadScope scope;
    private final TupleKeys keys;

    private int waiting;
    private @Nullable MissReason refused;
    private boolean starting;
    /** Whether at least one missing line came from the store, and not from another gateway. */
    private boolean loaded;

    private int steps;

    /** @param keys the keys, with the lines that were found; this object takes ownership */
    MultiRead(PointReader reader, Read read, TupleKeys keys) {
        this.reader = reader;
        this.read = read;
        this.shape = read.shape;
        this.scope = read.scope;
        this.keys = keys;
        reader.retain(read);
    }

    /** @param byReply fills the line from the store's reply to this read; null for other loads */
    Answer begin(int missing, @Nullable ReplyLoad byReply) {
        if (missing > MAX_LOADS || shape.wantsWholeTable(read.offset, read.limit)) {
            return reader.forward(MissReason.MANY_LINES);
        }
        LineTable table = shape.table().lines();
        if (reader.givesUp(shape)) {
            return reader.forward(MissReason.GRANULARITY);
        }
        if (byReply == null
                && !reader.repliesAreLoads(shape)
                && !shape.table().admission().admits(keys.hash(keys.firstMissing(), table), reader.now())) {
            return reader.forward(MissReason.NOT_ADMITTED);
        }
        starting = true;
        if (shape.walks()) {
            loadNext();
        } else {
            waiting = missing;
        }
        for (int i = 0; i < keys.count() && refused == null && !shape.walks(); i++) {
            if (keys.line(i) == null) {
                LineProbe probe = keys.aim(i, reader.probe(shape.table()), table, scope.kind(), read.maxAgeNanos);
                Loader loader = byReply == null ? reader.loader(shape.table(), scope) : byReply;
                table.load(probe, loader, new Arrival(i));
            }
        }
        starting = false;
        if (byReply != null && byReply.begun()) {
            refused = MissReason.REPLY_IS_LOAD;
            return reader.answer().forward(byReply);
        }
        if (refused != null) {
            return reader.forward(refused);
        }
        if (waiting > 0) {
            return reader.answer().pending();
        }
        MissReason reason = answer();
        return reason == null ? reader.answer() : reader.forward(reason);
    }

    /** Loads the next line of a table of ranges. It begins where the previous line ends. */
    private void loadNext() {
        if (++steps > MAX_STEPS) {
            refused = MissReason.MANY_LINES;
            return;
        }
        if (steps > 1) {
            shape.table().admission().loadsAgain();
        }
        waiting++;
        int missing = keys.firstMissing();
        LineTable table = shape.table().lines();
        LineProbe probe = keys.aim(missing, reader.probe(shape.table()), table, scope.kind(), read.maxAgeNanos)
                .rows(rowsAhead());
        table.load(probe, reader.loader(shape.table(), scope), new Arrival(missing));
    }

    /** Returns how many rows to load: a power of two, so that few SELECTs must be prepared. */
    private int rowsAhead() {
        long wanted = read.wanted();
        boolean all = wanted == Long.MAX_VALUE || keys.conditions() != null;
        long rows = all ? 64L << steps : wanted - keys.rowsSoFar();
        return Integer.highestOneBit((int) Math.min(
                MAX_ROWS_AHEAD, 2 * Math.max(1, Math.min(rows, MAX_ROWS_AHEAD)) - 1));
    }

    /** Returns whether all lines are present; if not, loads the next line, or forwards the read. */
    private boolean hasAllLines() {
        LineProbe probe = reader.probe(shape.table());
        LineTable table = shape.table().lines();
        if (keys.find(table, probe, scope.kind(), read.maxAgeNanos, reader.now(), read.wanted()) == 0) {
            return true;
        }
        loadNext();
        if (refused == MissReason.MANY_LINES && !starting) {
            read.later.forward(refused);
        }
        return false;
    }

    private @Nullable MissReason answer() {
        MissReason reason = answer(reader, read, keys, false);
        if (reason == null && !loaded) {
            reader.answer().cameFromPeer();
        }
        return reason;
    }

    /**
     * Writes the reply to a read whose lines are all in memory.
     *
     * @param hit whether all lines were in memory when the read arrived
     * @return the reason why nothing was written; null if the reply was written
     */
    static @Nullable MissReason answer(PointReader reader, Read read, TupleKeys all, boolean hit) {
        LineTable table = read.shape.table().lines();
        Read.Transaction within = read.within;
        long oldest = Long.MAX_VALUE;
        for (int i = 0; i < all.count(); i++) {
            Line line = all.found(i);
            if (all.count() > 1 && !table.stillCurrent(line)) {
                return MissReason.OVERTAKEN;
            }
            if (within != null && !within.admits(line)) {
                return MissReason.OTHER_MOMENT;
            }
            oldest = i == 0 || line.loadBeganNanos() - oldest < 0 ? line.loadBeganNanos() : oldest;
        }
        RowsOut out = reader.out();
        ByteBuf buffer = read.reply.out();
        int begin = buffer.writerIndex();
        out.begin(read, buffer);
        out.where(all.conditions());
        for (int i = 0; i < all.count(); i++) {
            all.rows(i, out);
        }
        int rowsEnd = out.end();
        MissReason unfit = out.retract(begin, read.scope.basicPlane(), buffer);
        if (unfit != null) {
            return unfit;
        }
        if (within != null) {
            if (!within.answers(buffer, begin, out.columnsEnd(), rowsEnd)) {
                buffer.writerIndex(begin);
                return MissReason.OTHER_MOMENT;
            }
            for (int i = 0; i < all.count(); i++) {
                within.answeredFrom(all.found(i));
            }
        }
        reader.answered(read, hit, oldest, "");
        if (!hit) {
            read.shape.table().admission().answered(Math.max(out.seen(), out.sent()));
            reader.answer().loadedReply(buffer.writerIndex() - begin);
        }
        read.reply.appended(out.nextSequenceId());
        read.reply.end();
        return null;
    }

    /** Receives one line, on the event loop of its load. */
    private final class Arrival implements LoadListener {
        private final int index;

        Arrival(int index) {
            this.index = index;
        }

        @Override
        public void loaded(Line line) {
            onLoop(line, false, MissReason.LOAD_FAILED);
        }

        @Override
        public void adopted(Line line) {
            onLoop(line, true, MissReason.LOAD_FAILED);
        }

        @Override
        public void failed(Throwable cause) {
            // The session forwards the read, so that the client gets the store's own error.
            onLoop(null, false, MissReason.LOAD_FAILED);
        }

        @Override
        public void declined(Decline reason) {
            onLoop(null, false, MissReason.of(reason));
        }

        private void onLoop(@Nullable Line line, boolean shared, MissReason otherwise) {
            Runnable step = () -> read.reply.run(() -> arrived(index, line, shared, otherwise));
            if (reader.loop().inEventLoop()) {
                step.run();
            } else {
                reader.loop().execute(step);
            }
        }
    }

    /**
     * @param line null if the load failed
     * @param shared whether the line is from another gateway
     * @param otherwise the miss reason if {@code line} is null
     */
    private void arrived(int index, @Nullable Line line, boolean shared, MissReason otherwise) {
        waiting--;
        if (refused != null) {
            return;
        }
        if (line == null) {
            refused = otherwise;
            if (!starting) {
                read.later.forward(otherwise);
            }
            return;
        }
        loaded |= !shared;
        keys.line(index, line);
        if (shape.walks() && !hasAllLines()) {
            return;
        }
        if (waiting == 0 && !starting) {
            MissReason reason = answer();
            if (reason == null) {
                read.later.answered(reader.answer());
            } else {
                read.later.forward(reason);
            }
        }
    }
}
