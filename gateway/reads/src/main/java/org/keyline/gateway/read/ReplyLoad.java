package org.keyline.gateway.read;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.filter.FilterSelect;
import org.keyline.gateway.load.LoadPool;
import org.keyline.gateway.table.CachedTable;
import org.keyline.gateway.table.ReplyColumns;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.codec.RowReader;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.Load;
import org.keyline.rowcache.Loader;

/**
 * Fills a line from the store's reply to a client's own read, without a separate round trip. The
 * load begins before the session sends the read, so that fences apply to it as to any other load,
 * and other reads can wait for it. Confined to one event loop.
 *
 * <p>Everything except the rows of the reply must equal the shape's template, byte for byte: the
 * same columns, no warning, no transaction, one result. The columns must also equal those that
 * loads of the table get.
 */
final class ReplyLoad implements Loader, ReplyObserver {
    private static final int END = 0xFE;
    private static final int ERROR = 0xFF;

    private final LoadPool pool;
    private final Loader otherwise;
    private final ReadShape shape;
    private final @Nullable FilterSelect filter;
    private final boolean binary;
    private final ByteBuf head;
    private final ByteBuf tail;
    private final RowReader cells;
    private final KeyEncoder key = new KeyEncoder();

    private @Nullable Load load;
    private @Nullable Future<?> watch;
    private int headSeen;
    private boolean complete;
    private byte[] row = {};

    /**
     * @param otherwise loads the line if the reply cannot fill it
     * @param filter the SELECT of the filter line; null for other lines
     */
    ReplyLoad(LoadPool pool, Loader otherwise, Read read, @Nullable FilterSelect filter) {
        this.filter = filter;
        this.pool = pool;
        this.otherwise = otherwise;
        this.shape = read.shape;
        this.binary = read.scope.binary();
        this.head = Unpooled.wrappedBuffer(read.template.head());
        this.tail = Unpooled.wrappedBuffer(read.template.tail());
        this.cells = shape.table().reader(read.scope.kind());
    }

    /**
     * Returns whether the reply to the read has all columns and rows of a line, and the same column
     * definitions as the replies to loads.
     */
    static boolean serves(Read read) {
        ReadShape shape = read.shape;
        ReadScope scope = read.scope;
        return shape.repliesAreLines()
                && !scope.cursor()
                && (!scope.asStored() || shape.table().latin1() == null)
                && !scope.basicPlane()
                && (read.limit == Long.MAX_VALUE || (read.limit > 0 && shape.fullKey() && shape.filters() == null))
                && columns(read.template, shape, scope).areThoseOfLoads(shape.table(), scope.kind());
    }

    private static ReplyColumns columns(Template template, ReadShape shape, ReadScope scope) {
        byte[] head = template.head();
        int count = shape.table().schema().columns().size();
        return ReplyColumns.read(head, ReplyColumns.next(head, 0), count, scope.extended());
    }

    @Override
    public void start(Load begun) {
        if (begun.from() != null || begun.to() != null) {
            // The line is one range of a prefix with too many rows for one line, so this reply
            // cannot fill it.
            otherwise.start(begun);
            return;
        }
        load = begun;
        watch = pool.watch(begun);
    }

    /** Returns whether the load has begun; false if another load of the line was running. */
    boolean begun() {
        return load != null;
    }

    @Override
    public void packets(ByteBuf framed) {
        int at = framed.readerIndex();
        while (at < framed.writerIndex() && load != null) {
            int next = at + Packets.HEADER_BYTES + framed.getUnsignedMediumLE(at);
            if (headSeen < head.capacity()) {
                headPacket(framed, at, next);
            } else {
                packet(framed, at + Packets.HEADER_BYTES, next);
            }
            at = next;
        }
    }

    private void headPacket(ByteBuf framed, int from, int to) {
        int length = to - from;
        if (headSeen + length > head.capacity() || !ByteBufUtil.equals(framed, from, head, headSeen, length)) {
            unfit("it does not begin like other replies to its statement");
        }
        headSeen += length;
    }

    private void packet(ByteBuf framed, int from, int to) {
        int length = to - from;
        int first = length == 0 ? ERROR : framed.getUnsignedByte(from);
        if (complete || first == ERROR || length == Packets.MAX_PAYLOAD_BYTES) {
            unfit("it is no result set with rows that fit a line");
        } else if (first == END) {
            complete = length == tail.capacity() && ByteBufUtil.equals(framed, from, tail, 0, length);
            if (!complete) {
                unfit("it does not end like other replies to its statement");
            }
        } else {
            if (length > row.length) {
                row = new byte[Math.max(length, 2 * row.length)];
            }
            framed.getBytes(from, row, 0, length);
            row(length);
        }
    }

    private void row(int length) {
        Load loading = load;
        CachedTable table = shape.table();
        try {
            cells.read(row, 0, length);
            if (loading != null && !loading.row(keyOf(table), row, 0, length)) {
                unfit("its rows do not form a line");
            }
        } catch (RuntimeException unreadable) {
            unfit("its rows do not match the definition of the table: " + unreadable);
        }
    }

    private KeyEncoder keyOf(CachedTable table) {
        if (filter != null) {
            return filter.keyOf(cells, binary);
        }
        table.keyOf(cells, binary, key);
        return key;
    }

    @Override
    public void end() {
        Load loaded = load;
        if (loaded == null) {
            return;
        }
        if (!complete) {
            unfit("it was incomplete");
            return;
        }
        over();
        pool.succeeded();
        if (filter != null) {
            filter.replied(pool.now() - loaded.beganNanos());
        }
        loaded.succeed();
    }

    /** Fails the load. Waiting reads are forwarded; later reads of the shape load separately. */
    private void unfit(String why) {
        shape.repliesDiffer();
        fail(why);
    }

    @Override
    public void lost() {
        // A complete load does not fail: end() follows.
        if (!complete) {
            fail("the session was lost, or its client does not read");
        }
    }

    private void fail(String why) {
        Load failed = load;
        if (failed != null) {
            over();
            failed.fail(new IllegalStateException("the reply of the store did not become a line: " + why));
        }
    }

    private void over() {
        load = null;
        if (watch != null) {
            watch.cancel(false);
        }
    }
}
