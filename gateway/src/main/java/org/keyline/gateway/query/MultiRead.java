package org.keyline.gateway.query;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.query.PointReader.Continuation;
import org.keyline.gateway.query.PointReader.Outcome;
import org.keyline.protocol.server.Reply;
import org.keyline.rowcache.Decline;
import org.keyline.rowcache.Line;
import org.keyline.rowcache.LineProbe;
import org.keyline.rowcache.LineTable;
import org.keyline.rowcache.LoadListener;

/** One read that lacks lines. It has them loaded, and is answered when it has all; otherwise it is forwarded. Confined to one event loop. */
final class MultiRead {
    /** A read that lacks more lines than this is cheaper forwarded whole. */
    private static final int MAX_LOADS = 64;

    private final PointReader reader;
    private final ReadShape shape;
    private final Template template;
    private final ReadScope scope;
    private final long maxAgeNanos;
    private final TupleKeys keys;
    private final long offset;
    private final long limit;
    private final @Nullable ReadTransaction within;
    private final Reply reply;
    private final Continuation later;

    private int waiting;
    private boolean refused;
    private boolean starting;

    /** @param keys of its own, with the lines that are there */
    MultiRead(
            PointReader reader,
            ReadShape shape,
            Template template,
            ReadScope scope,
            long maxAgeNanos,
            TupleKeys keys,
            long offset,
            long limit,
            @Nullable ReadTransaction within,
            Reply reply,
            Continuation later) {
        this.reader = reader;
        this.shape = shape;
        this.template = template;
        this.scope = scope;
        this.maxAgeNanos = maxAgeNanos;
        this.keys = keys;
        this.offset = offset;
        this.limit = limit;
        this.within = within;
        this.reply = reply;
        this.later = later;
    }

    /** Begins loads for the lines that are missing. */
    Outcome begin(int missing) {
        if (missing > MAX_LOADS) {
            return Outcome.FORWARD;
        }
        LineTable table = shape.table().lines();
        waiting = missing;
        starting = true;
        for (int i = 0; i < keys.count() && !refused; i++) {
            if (keys.line(i) == null) {
                LineProbe probe = keys.aim(i, reader.probe(shape.table()), table, scope.kind(), maxAgeNanos);
                table.load(probe, reader.loader(shape.table(), scope), new Arrival(i));
            }
        }
        starting = false;
        if (refused) {
            return Outcome.FORWARD;
        }
        if (waiting > 0) {
            return Outcome.PENDING;
        }
        return answer() ? Outcome.ANSWERED : Outcome.FORWARD;
    }

    private boolean answer() {
        return answer(reader, shape, template, scope, keys, offset, limit, within, reply, false);
    }

    /**
     * Writes the reply to a read that has all of its lines; false, with nothing written, where they are several and do not all hold at
     * this moment.
     *
     * @param hit whether all of them were there
     */
    static boolean answer(
            PointReader reader,
            ReadShape shape,
            Template template,
            ReadScope scope,
            TupleKeys all,
            long offset,
            long limit,
            @Nullable ReadTransaction within,
            Reply reply,
            boolean hit) {
        LineTable table = shape.table().lines();
        long oldest = Long.MAX_VALUE;
        for (int i = 0; i < all.count(); i++) {
            Line line = all.found(i);
            if (all.count() > 1 && !table.stillCurrent(line)) {
                return false;
            }
            if (within != null && !within.admits(line, reader.now())) {
                return false;
            }
            oldest = i == 0 || line.loadBeganNanos() - oldest < 0 ? line.loadBeganNanos() : oldest;
        }
        RowsOut out = reader.out();
        ByteBuf buffer = reply.out();
        int begin = buffer.writerIndex();
        out.begin(shape, template, scope, offset, limit, within, buffer);
        for (int i = 0; i < all.count(); i++) {
            out.rows(all.found(i), all.bytes(), all.suffixFrom(i), all.to(i));
        }
        int rowsEnd = out.end();
        if (scope.basicPlane() && RowsOut.takeBackSupplementary(buffer, begin)) {
            return false;
        }
        if (within != null) {
            if (!within.answers(buffer, begin, out.columnsEnd(), rowsEnd)) {
                buffer.writerIndex(begin);
                return false;
            }
            for (int i = 0; i < all.count(); i++) {
                within.answeredFrom(all.found(i));
            }
        }
        reader.answered(shape, out.seen() > 0, hit, oldest);
        reply.end();
        return true;
    }

    /** Where a line, or the news that there will be none, arrives; from whichever loop the load ran on. */
    private final class Arrival implements LoadListener {
        private final int index;

        Arrival(int index) {
            this.index = index;
        }

        @Override
        public void loaded(Line line) {
            onLoop(line);
        }

        @Override
        public void failed(Throwable cause) {
            // The store itself tells the client what is wrong: the read is forwarded.
            onLoop(null);
        }

        @Override
        public void declined(Decline reason) {
            onLoop(null);
        }

        private void onLoop(@Nullable Line line) {
            Runnable step = () -> reply.run(() -> arrived(index, line));
            if (reader.loop().inEventLoop()) {
                step.run();
            } else {
                reader.loop().execute(step);
            }
        }
    }

    private void arrived(int index, @Nullable Line line) {
        waiting--;
        if (refused) {
            return;
        }
        if (line == null) {
            refused = true;
            if (!starting) {
                later.forward();
            }
            return;
        }
        keys.line(index, line);
        if (waiting == 0 && !starting) {
            if (answer()) {
                later.answered();
            } else {
                later.forward();
            }
        }
    }
}
