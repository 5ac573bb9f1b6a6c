package org.keyline.gateway.read;

import static java.util.Objects.requireNonNullElse;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.Arrays;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.audit.Auditor;
import org.keyline.gateway.change.WriteThrough;
import org.keyline.gateway.filter.FilterLines;
import org.keyline.gateway.filter.FilterSelect;
import org.keyline.gateway.key.SlotValues;
import org.keyline.gateway.load.LoadPool;
import org.keyline.gateway.load.LoadsAhead;
import org.keyline.gateway.table.AutoPrefix;
import org.keyline.gateway.table.CachedTable;
import org.keyline.gateway.table.MissReason;
import org.keyline.gateway.table.ReadFigures;
import org.keyline.gateway.tier.TierLines;
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
 * Answers point reads from lines: values to key bytes, key bytes to a line, the line's rows and the
 * shape's template to a reply. A read whose line is missing waits for its load; a read without an
 * exact answer is forwarded. Confined to one event loop.
 */
public final class PointReader {
    /** The result of a read. */
    public enum Outcome {
        /** The reply is written and complete. */
        ANSWERED,
        /** Lines are being loaded; the continuation will be notified. */
        PENDING,
        /** The read must be forwarded, for the reason of {@link #miss}; nothing was written. */
        FORWARD
    }

    /** Continues a read that had to wait, on the same event loop. */
    public interface Continuation {
        /** Reports that the reply is written and complete. */
        void answered();

        /** Reports that the read must be forwarded; nothing was written. */
        void forward(MissReason reason);
    }

    /** A power of two. */
    private static final int RECENT_SHAPES = 64;

    /** One in this many hits is timed. A power of two. */
    private static final int HITS_PER_TIMING = 64;

    /**
     * Maximum lines to prefetch at once: their rows should fit into a processor's second-level
     * cache.
     */
    private static final int MAX_AWAITED = 128;

    private final PointReads reads;
    private final LoadPool pool;
    private final @Nullable TierLines lent;
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
     * Clients with a read of one key in the current round, and how many of these reads are
     * outstanding.
     */
    private int together;

    private int leftOfThem;

    private @Nullable LineTable awaitedIn;
    /** Written so that the prefetched data is read. */
    @SuppressWarnings("UnusedVariable")
    private int near;

    private long loadBeganNanos;
    /** Arrival time of the current read. */
    private long readNanos;

    private boolean lastWasHit;
    private boolean lastWasLent;
    private boolean lastOpenedCursor;
    private String lastFilter = "";
    private long lastRows;
    private long loadedReplyBytes;
    private int hits;
    private MissReason miss = MissReason.NO_LINES;
    /** The number of reads whose lines had no name. */
    private long unnamed;

    private @Nullable ReplyLoad replyLoad;

    /** @param lent shared by other gateways; null: none are */
    PointReader(PointReads reads, LoadPool pool, @Nullable TierLines lent, Auditor auditor) {
        this.lent = lent;
        this.reads = reads;
        this.pool = pool;
        this.auditor = auditor;
        this.out = new RowsOut(reads::replyBytes);
        this.watch = new GranularityWatch(reads, pool);
        this.loadsAhead = new LoadsAhead(pool, reads::refreshAhead, this::loaderAhead);
    }

    /**
     * Answers a read, at once or after a load, if possible.
     *
     * @param values of the statement's slots; not used after the call
     * @param scope of the read
     * @param maxAgeNanos maximum age of rows, besides the table's ttl
     * @param dueNanos the moment from which the store has to answer, by the cache's ticker
     * @param within the transaction of the read, or null
     * @param later notified of the end if the outcome is PENDING
     */
    public Outcome read(
            PlannedStatement statement,
            PointRead plan,
            SlotValues values,
            ReadScope scope,
            long maxAgeNanos,
            long dueNanos,
            @Nullable ReadTransaction within,
            Reply reply,
            Continuation later) {
        ReadShape shape = shape(statement, plan);
        if (shape == null) {
            return forward(MissReason.NO_LINES);
        }
        AutoPrefix auto = shape.boundColumns() > 0 ? null : shape.table().auto();
        if (auto != null && shape.filters() == null) {
            auto.readsRange();
        }
        if (shape.lacksLines()
                && shape.obstacle(shape.template(scope), scope, reads.now()) == MissReason.GRANULARITY
                && reads.coarsens(shape)) {
            shape = requireNonNullElse(shape(statement, plan), shape);
        }
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
        CachedTable table = shape.table();
        table.lines().stats().countQuery();
        if (!table.lines().admits()) {
            return forward(
                    table.quarantined()
                            ? MissReason.QUARANTINED
                            : MissReason.of(table.lines().whyClosed()));
        }
        long now = reads.now();
        readNanos = now;
        Template template = shape.template(scope);
        MissReason obstacle = shape.obstacle(template, scope, now);
        if (obstacle != null) {
            if (obstacle == MissReason.GRANULARITY) {
                watch.forwarded(shape, values, scope, now);
            }
            return forward(obstacle);
        }
        if (now - dueNanos >= 0) {
            return forward(MissReason.IDLE);
        }
        if (within != null && within.byEngine() && !table.hasSnapshots()) {
            return forward(MissReason.NO_SNAPSHOTS);
        }
        if (template == null || reply.nextSequenceId() != 1) {
            return forward(MissReason.PIPELINED);
        }
        long limit = count(plan.limit(), values, scope.selectLimit());
        long offset = count(plan.offset(), values, 0);
        if (limit < 0 || offset < 0 || (limit == 0 && plan.answer() != PointRead.Answer.ROWS)) {
            return forward(MissReason.LIMIT_VALUE);
        }
        FilterLines filters = shape.filters();
        if (filters != null) {
            return within != null
                    ? forward(MissReason.TRANSACTION)
                    : FilterRead.read(
                            this,
                            shape,
                            filters,
                            template,
                            scope,
                            values,
                            maxAgeNanos,
                            offset,
                            limit,
                            now,
                            reply,
                            later);
        }
        if (!shape.isSingle()) {
            return readAll(shape, template, values, scope, maxAgeNanos, offset, limit, now, within, reply, later);
        }
        if (!table.bind(plan.ranges().get(0).tuple(), values, key)) {
            return forward(MissReason.VALUE);
        }
        Ghosts ghosts = table.ghosts();
        if (ghosts != null) {
            watch.read(table, ghosts, key, scope, now);
        }
        LineProbe aimed = probe(table).aim(table.lines(), scope.kind(), key).notOlderThan(maxAgeNanos);
        Line line = table.lines().find(aimed, now);
        if (line == null) {
            TupleKeys own = new TupleKeys();
            own.only(key, table.prefixCells());
            return new MultiRead(this, shape, template, scope, maxAgeNanos, own, offset, limit, within, reply, later)
                    .begin(1, replyLoad(shape, template, scope, limit, within));
        }
        if (within != null && !within.admits(line)) {
            return forward(MissReason.OTHER_MOMENT);
        }
        ByteBuf buffer = reply.out();
        int begin = buffer.writerIndex();
        out.begin(shape, template, scope, offset, limit, within, buffer);
        out.rows(line, key.buffer(), aimed.suffixFrom(), key.length());
        int rowsEnd = out.end();
        MissReason unfit = out.takeBack(begin, scope.basicPlane(), buffer);
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
        answered(shape, template, out.seen() > 0, true, line.loadBeganNanos());
        if (table.lines().isAgeing(line, now)) {
            loadsAhead.hit(table, scope.binary(), aimed);
        }
        if (auditor.isDue()) {
            auditor.audit(table, scope.binary(), key, line);
        }
        reply.appended(out.nextSequenceId());
        reply.end();
        time(shape, now);
        return Outcome.ANSWERED;
    }

    /**
     * Prefetches the data of a coming read of one key into the CPU cache, together with that of
     * other such reads. The read itself does not depend on it.
     *
     * @param values of the statement's slots; not used after the call
     * @param client whose reads come one after the other, by its identity
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
            near = lines.prefetch(awaitedHashes, awaited);
        }
        awaited = 0;
        awaitedClients = 0;
        awaitedClient = null;
    }

    /**
     * Samples patched lines, which return to the cache with the reply to their write, for the
     * audit.
     */
    public void patched(WriteThrough through) {
        if (auditor.isPatchDue()) {
            auditor.audit(
                    through.table(), through.patch(), through.patch().lines().get(0));
        }
    }

    /** Answers a read of several tuples, or with bounds. */
    private Outcome readAll(
            ReadShape shape,
            Template template,
            SlotValues values,
            ReadScope scope,
            long maxAgeNanos,
            long offset,
            long limit,
            long now,
            @Nullable ReadTransaction within,
            Reply reply,
            Continuation later) {
        CachedTable table = shape.table();
        TupleKeys all = keys;
        if (!all.bind(shape, values, key)) {
            return forward(MissReason.VALUE);
        }
        Ghosts ghosts = table.ghosts();
        if (ghosts != null && shape.boundColumns() > 0) {
            watch.readAll(table, ghosts, all, scope, now);
        }
        int missing =
                all.find(table.lines(), probe(table), scope.kind(), maxAgeNanos, now, shape.wanted(offset, limit));
        if (missing > 0) {
            // The keys may outlive this call.
            keys = new TupleKeys();
            return new MultiRead(this, shape, template, scope, maxAgeNanos, all, offset, limit, within, reply, later)
                    .begin(missing, null);
        }
        MissReason reason = MultiRead.answer(this, shape, template, scope, all, offset, limit, within, reply, true);
        for (int i = 0; reason == null && i < all.count(); i++) {
            if (table.lines().isAgeing(all.found(i), now)) {
                LineProbe aimed = all.aim(i, probe(table), table.lines(), scope.kind(), maxAgeNanos);
                loadsAhead.hit(table, scope.binary(), aimed);
            }
        }
        all.clear();
        if (reason != null) {
            return forward(reason);
        }
        time(shape, now);
        return Outcome.ANSWERED;
    }

    /**
     * Returns a hash of the names of the lines that a read needs, in memory or not; 0 if lines can
     * never answer it in a transaction. Reads of other lines mostly have other hashes.
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

    /** Times a sample of hits. */
    void time(ReadShape shape, long began) {
        if ((++hits & (HITS_PER_TIMING - 1)) == 0) {
            long took = reads.now() - began;
            shape.table().figures().hits().took(took);
            shape.figures().timedHit(took, HITS_PER_TIMING, Math.max(0, lastRows));
        }
    }

    /** Returns FORWARD for the current read, with the reason. */
    Outcome forward(MissReason reason) {
        miss = reason;
        return Outcome.FORWARD;
    }

    /** Returns FORWARD for the current read, whose reply is the load of its line. */
    Outcome forward(ReplyLoad load) {
        replyLoad = load;
        return forward(MissReason.REPLY_IS_LOAD);
    }

    /**
     * Returns the observer that makes the reply to the last forwarded read the load of its line;
     * null from the second call on, or if there is none.
     */
    public @Nullable ReplyObserver takeReplyLoad() {
        ReplyObserver taken = replyLoad;
        replyLoad = null;
        return taken;
    }

    /** Returns a load by the reply to a read; null if the reply cannot be one. */
    private @Nullable ReplyLoad replyLoad(
            ReadShape shape, Template template, ReadScope scope, long limit, @Nullable ReadTransaction within) {
        // Only outside of transactions the session sees the rows of a load, which are those
        // committed now. Another gateway must not have the line. If other reads may miss in the
        // same turn, one trip for all costs less.
        boolean serves = within == null
                && !(together > 1 && pool.loadsTogether(shape.table()))
                && (lent == null || !lent.lends(shape.table()))
                && isLoad(shape, template, scope, limit);
        return serves ? new ReplyLoad(pool, loader(shape.table(), scope), shape, null, template, scope) : null;
    }

    /**
     * Returns a load by the reply for a filter line; these are not shared with other gateways, and
     * each has a trip of its own.
     */
    @Nullable
    ReplyLoad replyLoad(ReadShape shape, Template template, ReadScope scope, long limit, FilterSelect filter) {
        return isLoad(shape, template, scope, limit)
                ? new ReplyLoad(pool, loader(shape.table(), scope, filter), shape, filter, template, scope)
                : null;
    }

    /** Returns whether the reply to a read outside of transactions has the rows of its line. */
    private boolean isLoad(ReadShape shape, Template template, ReadScope scope, long limit) {
        return ReplyLoad.serves(shape, template, scope, limit)
                && reads.repliesAreLoads(shape.table())
                && pool.isTrying();
    }

    /**
     * Returns whether the store's replies to such reads can be loads, once a load has confirmed the
     * table's definition.
     */
    boolean repliesAreLoads(ReadShape shape) {
        return shape.repliesAreLines() && reads.repliesAreLoads();
    }

    /** Returns whether the lines of a read's table have been replaced by finer ones. */
    boolean givesUp(ReadShape shape) {
        return reads.givesUp(shape.table());
    }

    /** Returns the reason of the last forwarded read. */
    public MissReason miss() {
        return miss;
    }

    /**
     * Counts a read that goes to the store, and begins to time it.
     *
     * @return records the time, given the number of rows; null if the table has no figures
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
            if (reason == MissReason.NOT_WORTH) {
                shape.admission().forwardTook(took, rows);
            }
        };
    }

    private Loader loaderAhead(CachedTable table, boolean binary) {
        Loader store = pool.loader(table, binary);
        return lent == null ? store : lent.ahead(table, binary, store);
    }

    /**
     * Returns the shape of a statement. Checks the last ones first, since the cache of all
     * allocates per lookup.
     */
    @SuppressWarnings("ReferenceEquality") // statistics of a shape belong to the plan's identity
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
     * Returns the recorder of a template from the store's reply to this forwarded read; null if not
     * needed.
     *
     * @param within whether it belongs to a transaction
     */
    public @Nullable TemplateRecorder recorder(
            PlannedStatement statement, PointRead plan, ReadScope scope, boolean within) {
        ReadShape shape = reads.shape(statement, plan);
        if (shape == null) {
            return null;
        }
        long now = reads.now();
        Template template = shape.template(scope);
        return (template != null && template.validAt(now)) || !shape.learns(scope)
                ? null
                : new TemplateRecorder(reads, shape, scope, now + reads.privilegeNanos(), within);
    }

    /**
     * Returns the start of the load of the oldest line of the last answered read, by the cache's
     * ticker.
     */
    public long loadBeganNanos() {
        return loadBeganNanos;
    }

    /** Returns whether the last answered read needed no load. */
    public boolean lastWasHit() {
        return lastWasHit;
    }

    /**
     * Returns whether the last answered read used lines of other gateways and no load from the
     * store.
     */
    public boolean lastWasLent() {
        return lastWasLent;
    }

    /**
     * Records that the last read was answered with lines of other gateways and no load from the
     * store.
     */
    void answeredFromLent() {
        lastWasLent = true;
    }

    /** Returns the maximum bytes of rows that a reply with a cursor may leave to be fetched. */
    public static int maxFetchedBytes() {
        return RowsOut.MAX_FETCHED_BYTES;
    }

    /**
     * Returns the rows of the last answered read that are to be fetched, as whole packets; null if
     * they are in the reply.
     */
    public byte @Nullable [] rowsToFetch() {
        return lastOpenedCursor ? out.fetched() : null;
    }

    /** Closes the loads of this event loop. */
    public void close() {
        pool.close();
    }

    /** Returns a LIMIT or OFFSET; -1 if it is not certainly a number of rows. */
    static long count(@Nullable KeyPart part, SlotValues values, long otherwise) {
        if (part == null) {
            return otherwise;
        }
        return part.negated() || values.kind(part.slot()) != SlotValues.Kind.INTEGER ? -1 : values.integer(part.slot());
    }

    // ---------------------------------------------------------------- for reads of this loop

    /** Counts an answered read. */
    void answered(ReadShape shape, Template template, boolean rows, boolean hit, long began) {
        answered(shape, template, rows, hit, began, "");
    }

    /** @param filterLine the conditions of the filter line; empty for other lines */
    void answered(ReadShape shape, Template template, boolean rows, boolean hit, long began, String filterLine) {
        lastFilter = filterLine;
        lastOpenedCursor = template.opensCursor();
        TableStats stats = shape.table().lines().stats();
        if (hit) {
            stats.countHit();
            shape.figures().hit(readNanos);
            if (!rows) {
                stats.countAbsentHit();
            }
        }
        loadBeganNanos = began;
        lastWasHit = hit;
        lastWasLent = false;
        lastRows = out.sent();
    }

    /** Returns the conditions of the filter line of the last reply; empty for another line. */
    public String lastFilter() {
        return lastFilter;
    }

    /** Returns the length of the last reply that had to wait for a load. */
    public long loadedReplyBytes() {
        return loadedReplyBytes;
    }

    /** Records a written reply that had to wait for a load. */
    void loadedReply(long bytes) {
        loadedReplyBytes = bytes;
    }

    /** Returns FOUND_ROWS() of the last reply; negative if unknown. */
    public long lastRows() {
        return lastRows;
    }

    LineProbe probe(CachedTable table) {
        LineProbe made = probe;
        if (made == null) {
            made = new LineProbe(table.lines());
            probe = made;
        }
        return made;
    }

    /** Returns the time of the cache's ticker. */
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
        return lent == null ? store : lent.loader(table, scope.binary(), store);
    }

    Loader loader(CachedTable table, ReadScope scope, FilterSelect filter) {
        return pool.loader(table, scope.binary(), filter);
    }
}
