package org.keyline.stores.mysql.signal;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;
import org.keyline.stores.ChangeListener;
import org.keyline.stores.ChangeSignal;
import org.keyline.stores.PartitionSpans;
import org.keyline.stores.mysql.catalog.CatalogOptions;
import org.keyline.stores.mysql.catalog.CatalogRows;
import org.keyline.stores.mysql.catalog.ReadFailure;
import org.keyline.stores.mysql.catalog.StoreConnection;

/**
 * A change signal that compares the visible versions of partitions. Once per period, the signal
 * asks the frontend of Doris or StarRocks for versions that the frontend knows without a scan. A
 * change drops the lines of the changed partition, or of the whole table if the partitions of lines
 * are unknown. Thread-safe.
 *
 * <p>Every load and DELETE increments the version of its partitions; TRUNCATE and INSERT OVERWRITE
 * create partitions with other ids. If the versions have not changed, lines are fresh up to the
 * moment when the question was sent. The questions must go to the frontend that loads use, because
 * any other frontend can lag behind.
 */
public final class VersionSignal implements ChangeSignal {
    /** Maximum number of tables to ask for. The lines of any further table live for their ttl. */
    private static final int MAX_TABLES = 1_000;

    private static final long REFUSED_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(30);

    /**
     * Maximum time between two answers about a table that are compared. In between, tables could
     * exchange their names and exchange them back, which the answers do not show.
     */
    private static final long COMPARED_NANOS = TimeUnit.SECONDS.toNanos(15);

    /**
     * Number of slow answers in a row after which the signal pauses, because it costs the store too
     * much. A slow answer takes more than a quarter of the period.
     */
    private static final int MAX_SLOW = 8;

    /** A text for which the driver sends COM_PING, which costs the store nothing. */
    private static final String PING = "/* ping */ SELECT 1";

    /** After a faster answer, the expected answer time falls by at most 1 / FALL. */
    private static final int FALL = 8;

    private final CatalogOptions options;
    private final Duration period;
    private final LongSupplier clock;
    private final ScheduledThreadPoolExecutor asking = new ScheduledThreadPoolExecutor(1, task -> {
        Thread made = new Thread(task, "keyline-versions");
        made.setDaemon(true);
        return made;
    });
    private final LongAdder events = new LongAdder();
    private volatile State state = State.STARTING;
    private volatile @Nullable StoreConnection connection;
    private volatile boolean closed;

    // Confined to the asking thread.
    private final Map<TableName, Answer> last = new HashMap<>();
    /** Tables whose versions were asked for when reads had used them for the first time. */
    private final Set<TableName> introduced = new HashSet<>();

    private @Nullable VersionSource source;
    private long answerNanos;
    private long pingNanos;
    private int slow;

    /** @param period the time from one question to the answer to the next, well below cache.ttl */
    public VersionSignal(CatalogOptions options, Duration period) {
        this(options, period, System::nanoTime);
    }

    /** @param clock the ticker of the lines */
    VersionSignal(CatalogOptions options, Duration period, LongSupplier clock) {
        this.options = options;
        this.period = period;
        this.clock = clock;
        asking.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
    }

    @Override
    public void start(ChangeListener listener) {
        schedule(listener, 0);
    }

    private void schedule(ChangeListener listener, long delayNanos) {
        ScheduledFuture<?> unused = asking.schedule(
                () -> {
                    long began = System.nanoTime();
                    long pause = round(listener) ? pauseNanos() : REFUSED_PAUSE_NANOS;
                    schedule(listener, Math.max(0, pause - (System.nanoTime() - began)));
                },
                delayNanos,
                TimeUnit.NANOSECONDS);
    }

    /**
     * Returns the nanoseconds between the starts of two questions: the period less the time of an
     * answer. So the second answer arrives one period after the start of the first question.
     */
    long pauseNanos() {
        return Math.max(0, period.toNanos() - answerNanos);
    }

    @Override
    public boolean isEarly() {
        return false;
    }

    @Override
    public long events() {
        return events.sum();
    }

    /** Asks once. Returns whether to ask again after a period; false if the store refused. */
    private boolean round(ChangeListener listener) {
        try {
            StoreConnection open = current();
            ask(open.rows(), open::isCurrent, listener);
            if (state != State.FOLLOWING) {
                state = State.FOLLOWING;
                listener.state(state, "");
            }
        } catch (SignalRefused e) {
            report(listener, State.REFUSED, String.valueOf(e.getMessage()));
            return false;
        } catch (ReadFailure | RuntimeException e) {
            disconnect();
            report(listener, State.LOST, "the versions of partitions cannot be read: " + e.getMessage());
        }
        return true;
    }

    private void report(ChangeListener listener, State now, String because) {
        if (state != now && !closed) {
            state = now;
            listener.state(now, because);
        }
    }

    /** Returns a connection to the server in use. A new connection has a new source of versions. */
    private StoreConnection current() throws ReadFailure {
        StoreConnection open = connection;
        if (open != null && !open.isCurrent()) {
            disconnect();
            open = null;
        }
        if (open == null) {
            open = StoreConnection.open(options);
            open.beginPolling();
            connection = open;
            begin(VersionSource.of(open.dialect(), options.user()));
        }
        return open;
    }

    /** Asks this source from now on. All versions are unknown until it has answered. */
    void begin(VersionSource asked) {
        source = asked;
        last.clear();
        introduced.clear();
    }

    /**
     * Asks for the versions of all tables with lines, and reports changes to the listener. Asks
     * once for a table that has only been read, so that its first lines need not be dropped.
     *
     * @param current returns whether the answering server is still in use
     */
    void ask(CatalogRows rows, BooleanSupplier current, ChangeListener listener) throws ReadFailure, SignalRefused {
        VersionSource asked = source;
        if (asked == null) {
            return;
        }
        if (introduced.size() > MAX_TABLES) {
            introduced.clear();
        }
        Set<TableName> cached = new LinkedHashSet<>(listener.tables());
        List<TableName> tables = Stream.concat(
                        cached.stream(), listener.readTables().stream().filter(introduced::add))
                .distinct()
                .limit(MAX_TABLES)
                .toList();
        if (tables.isEmpty()) {
            return;
        }
        if (last.size() > MAX_TABLES) {
            last.keySet().retainAll(tables);
        }
        CountedRows counted = new CountedRows(rows);
        long asOf = clock.getAsLong();
        Map<TableName, PartitionVersions> versions = read(asked, counted, tables);
        long took = clock.getAsLong() - asOf;
        answerNanos = Math.max(took, answerNanos - answerNanos / FALL);
        if (!current.getAsBoolean()) {
            // The answer is from a previous server, so it says nothing about the rows of the
            // present server.
            return;
        }
        for (TableName table : tables) {
            PartitionVersions now = versions.get(table);
            if (now == null) {
                // Forgotten, because another table can get this name until the next answer.
                last.remove(table);
            } else if (isKnown(table, asOf) || !cached.contains(table)) {
                answered(table, now, asOf, listener);
            } else {
                // The first lines live for their ttl, because changes between their load and this
                // question are unknown. The next answer drops them.
                last.put(table, new Answer(PartitionVersions.UNKNOWN, asOf));
            }
        }
        slow = isSlow(rows, took, counted.questions) ? slow + 1 : 0;
        if (slow >= MAX_SLOW) {
            slow = 0;
            throw new SignalRefused("the store took more than " + period.toMillis() / 4
                    + " ms to list the versions of its partitions. This is a quarter of store.signalPeriod ("
                    + period.toMillis() + " ms); a longer store.signalPeriod allows more time");
        }
    }

    /**
     * Asks once more after a refusal: a busy frontend of StarRocks sometimes fails a query with
     * "This stopwatch is already running", and answers the next.
     */
    private static Map<TableName, PartitionVersions> read(
            VersionSource asked, CatalogRows rows, Collection<TableName> tables) throws ReadFailure, SignalRefused {
        try {
            return asked.read(rows, tables);
        } catch (SignalRefused e) {
            return asked.read(rows, tables);
        }
    }

    /** @param asOf the time of the question */
    private record Answer(PartitionVersions versions, long asOf) {}

    /** Counts the questions to a source of rows. */
    private static final class CountedRows implements CatalogRows {
        private final CatalogRows rows;
        private int questions;

        CountedRows(CatalogRows rows) {
            this.rows = rows;
        }

        @Override
        public void query(String sql, RowTaker taker) throws ReadFailure {
            questions++;
            rows.query(sql, taker);
        }

        @Override
        public void repeat(String sql, RowTaker taker) throws ReadFailure {
            questions++;
            rows.repeat(sql, taker);
        }
    }

    /** Returns whether the answer was slow, without the time on the network. */
    private boolean isSlow(CatalogRows rows, long tookNanos, int questions) throws ReadFailure {
        long atMost = period.toNanos() / 4;
        if (tookNanos <= atMost) {
            pingNanos = 0;
        } else if (tookNanos - questions * pingNanos > atMost) {
            long began = clock.getAsLong();
            rows.query(PING, row -> {});
            pingNanos = clock.getAsLong() - began;
        }
        return tookNanos - questions * pingNanos > atMost;
    }

    /** Returns whether the last answer about a table can be compared with an answer as of now. */
    private boolean isKnown(TableName table, long asOf) {
        Answer before = last.get(table);
        return before != null && asOf - before.asOf() <= COMPARED_NANOS;
    }

    private void answered(TableName table, PartitionVersions now, long asOf, ChangeListener listener) {
        boolean known = isKnown(table, asOf);
        Answer answer = last.put(table, new Answer(now, asOf));
        PartitionVersions before = known && answer != null ? answer.versions() : null;
        if (now.byId().isEmpty() || !now.byId().equals(before == null ? null : before.byId())) {
            events.add(before == null ? 0 : 1);
            PartitionSpans partitioning = now.partitioning();
            if (partitioning == null) {
                listener.table(table);
            } else {
                listener.partitions(table, partitioning, now.since(before));
            }
        }
        listener.complete(table, asOf);
    }

    @Override
    public void serverChanged() {
        StoreConnection open = connection;
        if (open != null) {
            open.abort();
        }
    }

    private void disconnect() {
        StoreConnection open = connection;
        connection = null;
        if (open != null) {
            open.close();
        }
    }

    @Override
    public void close() {
        closed = true;
        asking.shutdownNow();
        StoreConnection open = connection;
        if (open != null) {
            open.abort();
        }
    }
}
