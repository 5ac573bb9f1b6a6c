package org.keyline.gateway.read;

import static java.util.Objects.requireNonNullElse;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.Arrays;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.audit.Auditor;
import org.keyline.gateway.filter.FilterLines;
import org.keyline.gateway.filter.FilterSelect;
import org.keyline.gateway.key.SlotValues;
import org.keyline.gateway.load.LoadPool;
import org.keyline.gateway.load.LoadsAhead;
import org.keyline.gateway.load.SharedLines;
import org.keyline.gateway.table.AutoPrefix;
import org.keyline.gateway.table.CachedTable;
import org.keyline.gateway.table.MissReason;
import org.keyline.gateway.table.ReadFigures;
import org.keyline.planner.KeyPart;
import org.keyline.planner.PlannedStatement;
import org.keyline.planner.PointRead;
import org.keyline.protocol.server.Reply;
import org.keyline.rowcache.Ghosts;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.Line;
import org.keyline.rowcache.LineProbe;
import org.keyline.rowcache.LineTable;
import org.keyline.rowcache.Loader;
import org.keyline.rowcache.TableStats;

/**
 * Answers point reads from lines. The reply consists of the line's rows and the template of the
 * statement shape. A read whose line is missing can wait for its load. If no exact answer is
 * possible, the caller forwards the read. Confined to one event loop.
 */
public final class PointReader {
    /** Number of entries in the cache of recent shapes. A power of two. */
    private static final int RECENT_SHAPES = 64;

    /** One in this many hits is timed. A power of two. */
    private static final int HITS_PER_TIMING = 64;

    /**
     * Maximum number of lines to prefetch at once, so that their rows fit into a processor's
     * second-level cache.
     */
    private static final int MAX_AWAITED = 128;

    private final PointReads reads;
    private final LoadPool pool;
    private final @Nullable SharedLines shared;
    private final Auditor auditor;
    private final @Nullable PlannedStatement[] recentStatements = new PlannedStatement[RECENT_SHAPES];
    private final @Nullable ReadShape[] recentShapes = new ReadShape[RECENT_SHAPES];
    private int recentRevocations;
    private final KeyEncoder key = new KeyEncoder();
    private final RowsOut out;
    private final GranularityWatch watch;
    private final LoadsAhead loadsAhead;
    private TupleKeys keys = new TupleKeys();
    private @Nullable LineProbe probe;
    private final int[] awaitedHashes = new int[MAX_AWAITED];
    private int awaited;
    private int awaitedClients;
    private @Nullable Object awaitedClient;
    /**
     * Number of clients that sent a read of one key in the current round of the event loop.
     * {@link #leftOfThem} of their reads have not reached {@link #read} yet.
     */
    private int together;

    private int leftOfThem;

    private @Nullable LineTable awaitedIn;
    /** Uses the result of prefetching; otherwise, the JIT compiler could remove the prefetch. */
    @SuppressWarnings("UnusedVariable")
    private int prefetched;

    private int hits;
    private final Answer answer = new Answer();
    private Read next = new Read();
    /** The last hash that {@link #linesOf} returned for a read whose lines it cannot determine. */
    private long unnamed;

    /** @param shared the lines shared with other gateways; null if gateways share none */
    PointReader(PointReads reads, LoadPool pool, @Nullable SharedLines shared, Auditor auditor) {
        this.shared = shared;
        this.reads = reads;
        this.pool = pool;
        this.auditor = auditor;
        this.out = new RowsOut(reads::replyBytes);
        this.watch = new GranularityWatch(reads, pool);
        this.loadsAhead = new LoadsAhead(pool, reads::refreshAhead, this::loaderAhead);
    }

    /**
     * Returns the read to pass to {@link #read}, valid until the next call of this method. The
     * caller must set its scope, age and transaction.
     *
     * @param values not used after {@link #read} returns
     * @param later receives the final outcome of a read that is PENDING
     */
    public Read next(
            PlannedStatement statement, PointRead plan, SlotValues values, Reply reply, Read.Continuation later) {
        Read read = next;
        read.statement = statement;
        read.plan = plan;
        read.values = values;
        read.within = null;
        read.reply = reply;
        read.later = later;
        return read;
    }

    /** Lets a waiting read retain its object; {@link #next} then returns another object. */
    void retain(Read read) {
        if (read == next) {
            next = new Read();
        }
    }

    /** Answers a read at once or after a load, or returns why the session must forward it. */
    public Answer read(Read read) {
        ReadShape shape = shapeInForce(read);
        if (shape == null) {
            return forward(MissReason.NO_LINES);
        }
        read.shape = shape;
        countRound();
        MissReason obstacle = obstacle(read);
        if (obstacle != null) {
            return forward(obstacle);
        }
        FilterLines filters = shape.filters();
        if (filters != null) {
            return read.within != null ? forward(MissReason.TRANSACTION) : FilterRead.read(this, read, filters);
        }
        return shape.isSingle() ? readOne(read) : readAll(read);
    }

    /**
     * Returns the shape of a read; null if the table cannot be cached. May change the granularity.
     */
    private @Nullable ReadShape shapeInForce(Read read) {
        ReadShape shape = shape(read.statement, read.plan);
        if (shape == null) {
            return null;
        }
        AutoPrefix auto = shape.boundColumns() > 0 ? null : shape.table().auto();
        if (auto != null && shape.filters() == null) {
            auto.readsRange();
        }
        boolean coarser = shape.lacksLines()
                && shape.obstacle(shape.template(read.scope), read.scope, reads.now()) == MissReason.GRANULARITY
                && reads.coarsens(shape);
        return coarser ? requireNonNullElse(shape(read.statement, read.plan), shape) : shape;
    }

    private void countRound() {
        if (awaited > 0) {
            together = awaitedClients;
            leftOfThem = awaited;
            prefetch();
        }
        if (leftOfThem > 0) {
            leftOfThem--;
        } else {
            together = 0;
        }
    }

    /** Returns why only the store can answer; null if lines can answer. Sets fields of the read. */
    private @Nullable MissReason obstacle(Read read) {
        ReadShape shape = read.shape;
        CachedTable table = shape.table();
        table.lines().stats().countQuery();
        if (!table.lines().admits()) {
            return table.quarantined()
                    ? MissReason.QUARANTINED
                    : MissReason.of(table.lines().whyClosed());
        }
        long now = reads.now();
        read.cameNanos = now;
        Template template = shape.template(read.scope);
        MissReason obstacle = shape.obstacle(template, read.scope, now);
        if (obstacle != null) {
            if (obstacle == MissReason.GRANULARITY) {
                watch.forwarded(read);
            }
            return obstacle;
        }
        if (now - read.dueNanos >= 0) {
            return MissReason.IDLE;
        }
        Read.Transaction within = read.within;
        if (within != null && within.byEngine() && !table.hasSnapshots()) {
            return MissReason.NO_SNAPSHOTS;
        }
        if (template == null || read.reply.nextSequenceId() != 1) {
            return MissReason.PIPELINED;
        }
        PointRead plan = read.plan;
        long limit = count(plan.limit(), read.values, read.scope.selectLimit());
        long offset = count(plan.offset(), read.values, 0);
        if (isUnanswerable(plan, limit, offset)) {
            return MissReason.LIMIT_VALUE;
        }
        read.template = template;
        read.limit = limit;
        read.offset = offset;
        return null;
    }

    private Answer readOne(Read read) {
        ReadShape shape = read.shape;
        CachedTable table = shape.table();
        ReadScope scope = read.scope;
        Read.Transaction within = read.within;
        long now = read.cameNanos;
        if (!table.bind(read.plan.ranges().get(0).tuple(), read.values, key)) {
            return forward(MissReason.VALUE);
        }
        Ghosts ghosts = table.ghosts();
        if (ghosts != null) {
            watch.read(table, ghosts, key, scope, now);
        }
        LineProbe aimed = probe(table)
                .aim(table.lines(), scope.kind(), key)
                .notOlderThan(read.maxAgeNanos)
                .oneRow(shape.fullKey());
        Line line = table.lines().find(aimed, now);
        if (line == null) {
            TupleKeys own = new TupleKeys();
            own.only(key, table.prefixCells(), shape.fullKey());
            return new MultiRead(this, read, own).begin(1, replyLoad(read));
        }
        if (within != null && !within.admits(line)) {
            return forward(MissReason.OTHER_MOMENT);
        }
        ByteBuf buffer = read.reply.out();
        int begin = buffer.writerIndex();
        out.begin(read, buffer);
        out.rows(line, key.buffer(), aimed.suffixFrom(), key.length());
        int rowsEnd = out.end();
        MissReason unfit = out.retract(begin, scope.basicPlane(), buffer);
        if (unfit != null) {
            return forward(unfit);
        }
        if (within != null) {
            if (!within.answers(buffer, begin, out.columnsEnd(), rowsEnd)) {
                buffer.writerIndex(begin);
                return forward(MissReason.OTHER_MOMENT);
            }
            within.answeredFrom(line);
        }
        answered(read, true, line.loadBeganNanos(), "");
        if (table.lines().isAgeing(line, now)) {
            loadsAhead.hit(table, scope.binary(), aimed);
        }
        if (auditor.isDue()) {
            auditor.audit(table, scope.binary(), key, line);
        }
        read.reply.appended(out.nextSequenceId());
        read.reply.end();
        time(read);
        return answer;
    }

    /**
     * Adds a read of one key to the next round of prefetching into the CPU cache.
     *
     * @param values not used after the call
     * @param client identifies the client that sent the read
     */
    @SuppressWarnings("ReferenceEquality") // as for shape()
    public void ahead(PlannedStatement statement, PointRead plan, SlotValues values, ReadScope scope, Object client) {
        int at = System.identityHashCode(statement) & (RECENT_SHAPES - 1);
        ReadShape shape = recentStatements[at] == statement ? recentShapes[at] : null;
        if (shape != null
                && shape.isSingle()
                && shape.filters() == null
                && awaited < awaitedHashes.length
                && shape.boundColumns() >= shape.table().prefixCells()
                && shape.table().bind(plan.ranges().get(0).tuple(), values, key)) {
            LineTable lines = shape.table().lines();
            awaitedHashes[awaited++] =
                    probe(shape.table()).aim(lines, scope.kind(), key).hash();
            awaitedIn = lines;
            if (client != awaitedClient) {
                awaitedClient = client;
                awaitedClients++;
            }
        }
    }

    private void prefetch() {
        LineTable lines = awaitedIn;
        if (awaited > 1 && lines != null) {
            prefetched = lines.prefetch(awaitedHashes, awaited);
        }
        awaited = 0;
        awaitedClients = 0;
        awaitedClient = null;
    }

    private Answer readAll(Read read) {
        ReadShape shape = read.shape;
        CachedTable table = shape.table();
        ReadScope scope = read.scope;
        long now = read.cameNanos;
        TupleKeys all = keys;
        if (!all.bind(shape, read.values, key)) {
            return forward(MissReason.VALUE);
        }
        Ghosts ghosts = table.ghosts();
        if (ghosts != null && shape.boundColumns() > 0) {
            watch.readAll(table, ghosts, all, scope, now);
        }
        int missing = all.find(table.lines(), probe(table), scope.kind(), read.maxAgeNanos, now, read.wanted());
        if (missing > 0) {
            // MultiRead retains the keys after this call.
            keys = new TupleKeys();
            return new MultiRead(this, read, all).begin(missing, null);
        }
        MissReason reason = MultiRead.answer(this, read, all, true);
        for (int i = 0; reason == null && i < all.count(); i++) {
            if (table.lines().isAgeing(all.found(i), now)) {
                LineProbe aimed = all.aim(i, probe(table), table.lines(), scope.kind(), read.maxAgeNanos);
                loadsAhead.hit(table, scope.binary(), aimed);
            }
        }
        all.clear();
        if (reason != null) {
            return forward(reason);
        }
        time(read);
        return answer;
    }

    /**
     * Returns a hash that identifies the lines that a read needs, whether or not they are in
     * memory. Returns 0 if lines can never answer the read in a transaction.
     *
     * @param byEngine whether only tables with snapshots belong to transactions
     */
    public long linesOf(
            PlannedStatement statement, PointRead plan, SlotValues values, ReadScope scope, boolean byEngine) {
        ReadShape shape = shape(statement, plan);
        if (shape == null
                || shape.filters() != null
                || shape.lacksLines()
                || (byEngine && !shape.table().hasSnapshots())
                || shape.obstacle(null, scope, 0) != MissReason.NO_TEMPLATE) {
            return 0;
        }
        if (shape.walks()) {
            return ++unnamed;
        }
        LineTable table = shape.table().lines();
        if (shape.isSingle()) {
            boolean bound = shape.table().bind(plan.ranges().get(0).tuple(), values, key);
            return bound
                    ? named(probe(shape.table()).aim(table, scope.kind(), key).hash(), table)
                    : 0;
        }
        long all = keys.bind(shape, values, key) ? 1 : 0;
        for (int i = 0; i < keys.count() && all != 0; i++) {
            all = all * 31 + keys.hash(i, table);
        }
        keys.clear();
        return all == 0 ? 0 : named(all, table);
    }

    private static long named(long hash, LineTable table) {
        long name = hash * 31 + System.identityHashCode(table);
        return name == 0 ? 1 : name;
    }

    /** Times one hit in {@link #HITS_PER_TIMING}. */
    void time(Read read) {
        if ((++hits & (HITS_PER_TIMING - 1)) == 0) {
            long took = reads.now() - read.cameNanos;
            read.shape.table().figures().hits().took(took);
            read.shape.figures().timedHit(took, HITS_PER_TIMING, Math.max(0, answer.rows()));
        }
    }

    Answer forward(MissReason reason) {
        return answer.forward(reason);
    }

    Answer answer() {
        return answer;
    }

    /**
     * Returns a load of the read's line from the store's reply; null if a separate load must do it.
     */
    private @Nullable ReplyLoad replyLoad(Read read) {
        CachedTable table = read.shape.table();
        // In a transaction, the reply's rows may differ from those of a load. If gateways share the
        // table's lines, another gateway may have the line. If several clients' reads arrived
        // together, one round trip for all of them costs less than a round trip for each of them.
        boolean serves = read.within == null
                && !(together > 1 && pool.loadsTogether(table))
                && (shared == null || !shared.shares(table))
                && isLoad(read);
        return serves ? new ReplyLoad(pool, loader(table, read.scope), read, null) : null;
    }

    /**
     * Returns a load that fills the filter line from the store's reply; null if this is impossible.
     * Gateways do not share filter lines, so no other gateway is asked.
     */
    @Nullable
    ReplyLoad replyLoad(Read read, FilterSelect filter) {
        return isLoad(read) ? new ReplyLoad(pool, loader(read.shape.table(), read.scope, filter), read, filter) : null;
    }

    /** Returns whether the store's reply to a read can fill the read's line. */
    private boolean isLoad(Read read) {
        return ReplyLoad.serves(read) && reads.repliesAreLoads(read.shape.table()) && pool.isTrying();
    }

    /**
     * Returns whether replies to this shape can fill lines, once a load has confirmed the table's
     * definition.
     */
    boolean repliesAreLoads(ReadShape shape) {
        return shape.repliesAreLines() && reads.repliesAreLoads();
    }

    /** Replaces lines that are too coarse by finer lines. Returns whether lines were replaced. */
    boolean givesUp(ReadShape shape) {
        return reads.givesUp(shape.table());
    }

    /**
     * Counts a forwarded read, and begins to time it.
     *
     * @return a consumer that records the time; the caller must call it with the number of rows at
     * the end of the reply. Null if the table cannot be cached
     */
    public @Nullable LongConsumer missed(PlannedStatement statement, PointRead plan, MissReason reason) {
        ReadShape shape = shape(statement, plan);
        if (shape == null) {
            return null;
        }
        ReadFigures figures = shape.table().figures();
        figures.missed(reason);
        long began = reads.now();
        return rows -> {
            long took = reads.now() - began;
            figures.forwards().took(took);
            if (reason == MissReason.NOT_ADMITTED) {
                shape.admission().forwardTook(took, rows);
            }
        };
    }

    private Loader loaderAhead(CachedTable table, boolean binary) {
        Loader store = pool.loader(table, binary);
        return shared == null ? store : shared.ahead(table, binary, store);
    }

    /**
     * Returns the shape of a statement; null if the table cannot be cached. Avoids the allocations
     * of the shared cache.
     */
    @SuppressWarnings("ReferenceEquality") // shapes belong to the statement's identity
    private @Nullable ReadShape shape(PlannedStatement statement, PointRead plan) {
        int revocations = reads.revocations();
        if (recentRevocations != revocations) {
            Arrays.fill(recentStatements, null);
            recentRevocations = revocations;
        }
        int at = System.identityHashCode(statement) & (RECENT_SHAPES - 1);
        ReadShape shape = recentShapes[at];
        if (recentStatements[at] != statement) {
            shape = reads.shape(statement, plan);
            recentStatements[at] = statement;
            recentShapes[at] = shape;
        }
        return shape;
    }

    /**
     * Returns a recorder that learns the template from the store's reply to a forwarded read; null
     * if the template is known.
     *
     * @param within whether the read belongs to a transaction
     */
    public @Nullable TemplateRecorder recorder(Read read, boolean within) {
        ReadShape shape = reads.shape(read.statement, read.plan);
        if (shape == null) {
            return null;
        }
        ReadScope scope = read.scope;
        long now = reads.now();
        Template template = shape.template(scope);
        return (template != null && template.validAt(now)) || !shape.learns(scope)
                ? null
                : new TemplateRecorder(reads, shape, scope, now + reads.privilegeNanos(), within);
    }

    /** Returns the maximum size of the rows that a reply with a cursor leaves to later fetches. */
    public static int maxFetchedBytes() {
        return RowsOut.MAX_FETCHED_BYTES;
    }

    /** Closes the load sessions of this event loop. Waiting loads fail. */
    public void close() {
        pool.close();
    }

    /**
     * Returns the number of a LIMIT or OFFSET; -1 if the value might not be a whole number.
     *
     * @param otherwise the value if the statement has no such clause
     */
    static long count(@Nullable KeyPart part, SlotValues values, long otherwise) {
        if (part == null) {
            return otherwise;
        }
        return part.negated() ? -1 : values.rows(part.slot());
    }

    /** Returns whether only the store can answer a read with this LIMIT and OFFSET. */
    static boolean isUnanswerable(PointRead plan, long limit, long offset) {
        return limit < 0 || offset < 0 || (limit == 0 && plan.answer() != PointRead.Answer.ROWS);
    }

    // ---------------------------------------------------------------- for MultiRead and FilterRead

    /**
     * Counts an answered read, whose reply {@link #out} has written.
     *
     * @param filterLine the text for {@link Answer#filterLine}
     */
    void answered(Read read, boolean hit, long began, String filterLine) {
        TableStats stats = read.shape.table().lines().stats();
        if (hit) {
            stats.countHit();
            read.shape.figures().hit(read.cameNanos);
            if (out.seen() == 0) {
                stats.countAbsentHit();
            }
        }
        answer.answered(hit, began, filterLine, out, read.template.opensCursor());
    }

    LineProbe probe(CachedTable table) {
        LineProbe made = probe;
        if (made == null) {
            made = new LineProbe(table.lines());
            probe = made;
        }
        return made;
    }

    public long now() {
        return reads.now();
    }

    RowsOut out() {
        return out;
    }

    EventLoop loop() {
        return pool.loop();
    }

    Loader loader(CachedTable table, ReadScope scope) {
        Loader store = pool.loader(table, scope.binary());
        return shared == null ? store : shared.loader(table, scope.binary(), store);
    }

    Loader loader(CachedTable table, ReadScope scope, FilterSelect filter) {
        return pool.loader(table, scope.binary(), filter);
    }
}
