package org.keyline.stores.mysql.signal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;
import org.keyline.stores.ChangeListener;
import org.keyline.stores.ChangeSignal;
import org.keyline.stores.mysql.catalog.CatalogOptions;
import org.keyline.stores.mysql.catalog.CatalogRows;
import org.keyline.stores.mysql.catalog.ReadFailure;
import org.keyline.stores.mysql.catalog.StoreConnection;

/**
 * The partitions of the tables that have rows in memory, with their visible versions, asked for again and again: what the frontend of
 * Doris or StarRocks knows of them without a scan. A change drops its table. Thread-safe.
 *
 * <p>Every load and DELETE raises the version of its partitions; TRUNCATE and INSERT OVERWRITE make others. A table whose versions are those
 * of the question before has not changed since; so what was read after that question is current as of the moment before this one. The
 * questions must go to the frontend that the loads go to: another one may be behind.
 */
public final class VersionSignal implements ChangeSignal {
    /** More are not asked about: they live for their ttl. */
    private static final int MAX_TABLES = 1_000;

    /** What the store tells of a table. Immutable. */
    record Token(Map<Long, Long> versions, String definition) {
        Token {
            versions = Map.copyOf(versions);
        }

        TablePrint print() {
            return TablePrint.of(versions, definition);
        }
    }

    private final CatalogOptions options;
    private final Duration period;
    private final ScheduledThreadPoolExecutor asking = new ScheduledThreadPoolExecutor(1, task -> {
        Thread made = new Thread(task, "keyline-versions");
        made.setDaemon(true);
        return made;
    });
    private final LongAdder events = new LongAdder();
    private volatile State state = State.STARTING;
    private volatile @Nullable StoreConnection connection;
    private volatile boolean closed;

    // Confined to asking.
    private final Map<TableName, TablePrint> prints = new HashMap<>();

    /** @param period from the end of one round of questions to the next */
    public VersionSignal(CatalogOptions options, Duration period) {
        this.options = options;
        this.period = period;
        asking.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
    }

    @Override
    public void start(ChangeListener listener) {
        ScheduledFuture<?> unused = asking.scheduleWithFixedDelay(
                () -> round(listener), period.toNanos(), period.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public boolean isEarly() {
        return false;
    }

    @Override
    public long events() {
        return events.sum();
    }

    private void round(ChangeListener listener) {
        StoreConnection open = connection;
        try {
            if (open != null && !open.isCurrent()) {
                disconnect();
                open = null;
            }
            if (open == null) {
                open = StoreConnection.open(options);
                connection = open;
            }
            ask(open.rows(), open::isCurrent, listener);
            if (state != State.FOLLOWING) {
                state = State.FOLLOWING;
                listener.state(state, "");
            }
        } catch (ReadFailure | RuntimeException e) {
            disconnect();
            if (state != State.LOST && !closed) {
                state = State.LOST;
                listener.state(state, "the versions of partitions cannot be read: " + e.getMessage());
            }
        }
    }

    /**
     * One round of questions.
     *
     * @param current whether it is still the server in use that answers
     */
    void ask(CatalogRows rows, BooleanSupplier current, ChangeListener listener) throws ReadFailure {
        List<TableName> tables = new ArrayList<>(listener.tables());
        prints.keySet().retainAll(tables);
        for (TableName table : tables.subList(0, Math.min(tables.size(), MAX_TABLES))) {
            long asOf = System.nanoTime();
            Token token = token(rows, table);
            if (!current.getAsBoolean()) {
                // Says nothing of the rows that another server shows.
                return;
            }
            TablePrint print = token == null ? null : token.print();
            TablePrint before = print == null ? prints.remove(table) : prints.put(table, print);
            if (print == null) {
                continue;
            }
            if (before != null && before.definition() != print.definition()) {
                events.increment();
                listener.definitions(List.of(table));
            } else if (!print.equals(before)) {
                // The first time, too: it is not known what came between a row's reading and now.
                events.increment();
                listener.table(table);
            }
            listener.complete(table, asOf);
        }
    }

    /** What a table is now; null if the store refuses to tell. */
    static @Nullable Token token(CatalogRows rows, TableName table) throws ReadFailure {
        String name = quoted(table.schema()) + "." + quoted(table.table());
        Map<Long, Long> versions = new TreeMap<>();
        StringBuilder definition = new StringBuilder();
        try {
            rows.query(
                    "SHOW PARTITIONS FROM " + name,
                    row -> versions.put(number(row, "PartitionId"), number(row, "VisibleVersion")));
            rows.query("SHOW CREATE TABLE " + name, row -> definition.append(row.required(2)));
        } catch (ReadFailure e) {
            if (!e.refused()) {
                throw e;
            }
            return null;
        }
        return new Token(versions, definition.toString());
    }

    @Override
    public void serverChanged() {
        StoreConnection open = connection;
        if (open != null) {
            open.abort();
        }
    }

    private static long number(CatalogRows.Row row, String column) throws ReadFailure {
        String text = row.required(column);
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new ReadFailure("the store answered " + text + " for the number " + column);
        }
    }

    private static String quoted(String name) {
        return '`' + name.replace("`", "``") + '`';
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
