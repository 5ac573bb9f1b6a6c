package org.keyline.gateway.query;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.query.PointReader.Continuation;
import org.keyline.gateway.query.PointReader.Outcome;
import org.keyline.planner.KeyPart;
import org.keyline.planner.Order;
import org.keyline.protocol.server.Reply;
import org.keyline.rowcache.Decline;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.Line;
import org.keyline.rowcache.LineProbe;
import org.keyline.rowcache.LineTable;
import org.keyline.rowcache.LoadListener;

/**
 * One read that needs several lines, or a line that must be loaded first. It is answered when it has all of its lines and, if they
 * are several, all of them still hold at that moment; otherwise it is forwarded. Confined to one event loop.
 */
final class MultiRead {
    /** A read that lacks more lines than this is cheaper forwarded whole. */
    private static final int MAX_LOADS = 64;

    private final PointReader reader;
    private final ReadShape shape;
    private final Template template;
    private final ReadScope scope;
    private final long maxAgeNanos;
    private final byte[][] keys;
    private final int[] prefixLengths;
    private final Line[] lines;
    private final long offset;
    private final long limit;
    private final Reply reply;
    private final Continuation later;

    private int waiting;
    private boolean loaded;
    private boolean refused;
    private boolean starting;

    /** @param keys of the tuples, distinct and in the order of the answer */
    private MultiRead(
            PointReader reader,
            ReadShape shape,
            Template template,
            ReadScope scope,
            long maxAgeNanos,
            byte[][] keys,
            int[] prefixLengths,
            long offset,
            long limit,
            Reply reply,
            Continuation later) {
        this.reader = reader;
        this.shape = shape;
        this.template = template;
        this.scope = scope;
        this.maxAgeNanos = maxAgeNanos;
        this.keys = keys;
        this.prefixLengths = prefixLengths;
        this.lines = new Line[keys.length];
        this.offset = offset;
        this.limit = limit;
        this.reply = reply;
        this.later = later;
    }

    /** The read of one tuple, whose key stands in the reader's encoder. */
    static MultiRead ofOne(
            PointReader reader,
            ReadShape shape,
            Template template,
            ReadScope scope,
            long maxAgeNanos,
            long offset,
            long limit,
            Reply reply,
            Continuation later) {
        KeyEncoder key = reader.key();
        byte[][] keys = {key.toBytes()};
        int[] lengths = {key.cellEnd(shape.table().prefixCells())};
        return new MultiRead(reader, shape, template, scope, maxAgeNanos, keys, lengths, offset, limit, reply, later);
    }

    /** The read of all the plan's tuples; null if a value can't be bound. */
    static @Nullable MultiRead of(
            PointReader reader,
            ReadShape shape,
            Template template,
            ReadScope scope,
            long maxAgeNanos,
            SlotValues values,
            long offset,
            long limit,
            Reply reply,
            Continuation later) {
        CachedTable table = shape.table();
        KeyEncoder key = reader.key();
        // Tuples of one read have the same columns, so no key is a prefix of another.
        NavigableMap<byte[], Integer> tuples = new TreeMap<>(Arrays::compareUnsigned);
        for (List<KeyPart> tuple : shape.plan().tuples()) {
            if (!table.bind(tuple, values, key)) {
                return null;
            }
            tuples.put(key.toBytes(), key.cellEnd(table.prefixCells()));
        }
        if (shape.plan().order() == Order.DESC) {
            tuples = tuples.descendingMap();
        }
        byte[][] keys = tuples.keySet().toArray(byte[][]::new);
        int[] lengths = tuples.values().stream().mapToInt(Integer::intValue).toArray();
        return new MultiRead(reader, shape, template, scope, maxAgeNanos, keys, lengths, offset, limit, reply, later);
    }

    /** Finds lines, begins loads for those that are missing, and answers if there are none. */
    Outcome begin(long now) {
        LineTable table = shape.table().lines();
        int missing = 0;
        for (int i = 0; i < keys.length; i++) {
            Line line = table.find(aim(i), now);
            if (line == null) {
                missing++;
            } else {
                lines[i] = line;
            }
        }
        if (missing > MAX_LOADS) {
            return Outcome.FORWARD;
        }
        loaded = missing > 0;
        waiting = missing;
        starting = true;
        for (int i = 0; i < keys.length && !refused; i++) {
            if (lines[i] == null) {
                table.load(aim(i), reader.loader(shape.table(), scope), new Arrival(i));
            }
        }
        starting = false;
        if (refused) {
            return Outcome.FORWARD;
        }
        if (waiting > 0) {
            return Outcome.PENDING;
        }
        if (!answer()) {
            return Outcome.FORWARD;
        }
        for (int i = 0; i < keys.length; i++) {
            if (!loaded && table.isAgeing(lines[i], now)) {
                reader.refresh(shape.table(), scope, aim(i));
            }
        }
        return Outcome.ANSWERED;
    }

    private LineProbe aim(int i) {
        return reader.probe(shape.table())
                .aim(shape.table().lines(), scope.kind(), keys[i], 0, prefixLengths[i], keys[i].length)
                .notOlderThan(maxAgeNanos);
    }

    /** Writes the reply; false where the lines do not hold together. */
    private boolean answer() {
        LineTable table = shape.table().lines();
        long oldest = lines[0].loadBeganNanos();
        for (Line line : lines) {
            if (lines.length > 1 && !table.stillCurrent(line)) {
                return false;
            }
            if (line.loadBeganNanos() - oldest < 0) {
                oldest = line.loadBeganNanos();
            }
        }
        RowsOut out = reader.out();
        ByteBuf buffer = reply.out();
        int begin = buffer.writerIndex();
        out.begin(shape, template, scope, offset, limit, buffer);
        for (int i = 0; i < keys.length; i++) {
            out.rows(lines[i], keys[i], prefixLengths[i], keys[i].length);
        }
        out.end();
        if (scope.basicPlane() && RowsOut.takeBackSupplementary(buffer, begin)) {
            return false;
        }
        reader.answered(shape, out.seen() > 0, !loaded, oldest);
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
            if (reader.loop().inEventLoop()) {
                arrived(index, line);
            } else {
                reader.loop().execute(() -> arrived(index, line));
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
        lines[index] = line;
        if (waiting == 0 && !starting) {
            if (answer()) {
                later.answered();
            } else {
                later.forward();
            }
        }
    }
}
