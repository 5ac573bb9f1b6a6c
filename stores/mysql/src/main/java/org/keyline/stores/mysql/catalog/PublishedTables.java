package org.keyline.stores.mysql.catalog;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;

/**
 * The tables as they are answered now: those of the last reading, reduced while a change is under way, none where no reading is good
 * enough. Thread-safe.
 */
final class PublishedTables {
    /*
     * One volatile reference holds the version and the tables, so that whoever reads a version first and a table then sees a table
     * at least as new as the version, and a plan made of an old table is filed under an old version.
     *
     * A change takes a ticket. Only a reading that began after the ticket was taken settles it: one of all tables any ticket, one of
     * some the tickets that name them. As long as a ticket is open, what the change may concern is not answered.
     *
     * After a change of nobody knows what, a reading of all tables may take seconds. What is asked for meanwhile is read by name, between
     * the queries of the other, and answered from then on: who reads a few tables waits for a few, however many there are.
     */

    /** Tables that may wait to be read ahead of the others; more come with the others. */
    private static final int MAX_ASKED = 1_000;

    /** A version and its tables. Immutable. */
    private record State(long version, Snapshot tables) {}

    private volatile State state = new State(0, Snapshot.NOTHING);

    // Guarded by this.
    private Snapshot latest = Snapshot.NOTHING;
    private boolean known;
    private boolean closed;
    private long tickets;
    /** The last change of nobody knows what; 0: it is settled. */
    private long changingAll;
    /** The last change of what statements run beside their own text; 0: it is settled. */
    private long changingCode;
    /** The last change of each table, as long as it is not settled. */
    private final Map<TableName, Long> changing = new HashMap<>();

    /** Tables that were asked for while nobody knows what has changed. */
    private final Set<TableName> asked = new HashSet<>();
    /** When those were read that were read ahead of the others, by ticket. */
    private final Map<TableName, Long> settled = new HashMap<>();

    private final List<Request> requests = new ArrayList<>();

    /** What may have changed. */
    private enum Change {
        TABLES,
        CODE,
        ANYTHING
    }

    /** Someone who waits for a reading that settles a ticket. */
    private record Request(long ticket, Change change, CompletableFuture<Void> done) {
        boolean isSettledBy(Task task) {
            return ticket <= task.ticket()
                    && (task.tables() == null || change == Change.TABLES || (change == Change.CODE && task.code()));
        }
    }

    /**
     * What a reading that begins now has to read, and settles. Immutable.
     *
     * @param tables null for all, and what statements run beside their own text
     * @param code whether that is read
     */
    record Task(@Nullable Set<TableName> tables, boolean code, long ticket) {
        static Task all(long ticket) {
            return new Task(null, true, ticket);
        }
    }

    /**
     * What is to be read ahead of all others. Immutable.
     *
     * @param changed tables that were told to have changed
     * @param asked tables of which it is not known whether they have
     */
    record Ahead(Set<TableName> changed, Set<TableName> asked, long ticket) {
        /** The same as a reading that some wait for. */
        Task task() {
            Set<TableName> both = new HashSet<>(changed);
            both.addAll(asked);
            return new Task(both, false, ticket);
        }
    }

    long version() {
        return state.version();
    }

    @Nullable
    TableSchema table(String schema, String table) {
        Snapshot tables = state.tables();
        TableSchema known = tables.table(schema, table);
        if (known == null && tables.isDoubted()) {
            ask(schema, table);
        }
        return known;
    }

    private synchronized void ask(String schema, String table) {
        boolean unknown = changingAll > 0 && state.tables().table(schema, table) == null;
        if (unknown && asked.size() < MAX_ASKED && latest.has(schema, table)) {
            asked.add(new TableName(schema, table));
        }
    }

    StoredCode code() {
        return state.tables().code();
    }

    boolean reachUncertain() {
        return state.tables().reachUncertain();
    }

    /** Returns the tables of the last reading that are kept out, and why. */
    synchronized Map<TableName, String> keptOut() {
        return latest.keptOut();
    }

    /** Whether the last reading had tables in a schema of this name, in any letter case. */
    synchronized boolean hasSchema(String schema) {
        return latest.hasSchema(schema);
    }

    /** Whether the last reading had the table, whether it may be answered now or not. */
    synchronized boolean has(String schema, String table) {
        return latest.has(schema, table);
    }

    /**
     * Definitions may have changed.
     *
     * @param tables which; null if that is not known
     * @param done completes with the reading that settles this
     * @return false, with nothing done, if closed
     */
    synchronized boolean changed(@Nullable Collection<TableName> tables, CompletableFuture<Void> done) {
        if (closed) {
            return false;
        }
        long ticket = ++tickets;
        requests.add(new Request(ticket, tables == null ? Change.ANYTHING : Change.TABLES, done));
        if (tables == null) {
            changingAll = ticket;
        } else {
            tables.forEach(table -> changing.put(table, ticket));
        }
        publish();
        return true;
    }

    /**
     * Views, functions or triggers may have changed, and no table.
     *
     * @param done completes with the reading that settles this
     * @return false, with nothing done, if closed
     */
    synchronized boolean codeChanged(CompletableFuture<Void> done) {
        if (closed) {
            return false;
        }
        changingCode = ++tickets;
        requests.add(new Request(changingCode, Change.CODE, done));
        publish();
        return true;
    }

    /** What is known beside the tables is another now: what was made of both is to be made anew. */
    synchronized void renew() {
        publish();
    }

    /** Whether nobody knows at the moment which tables have changed. */
    synchronized boolean doubted() {
        return changingAll > 0;
    }

    /** What a reading of all tables that begins now settles. */
    synchronized Task all() {
        return Task.all(tickets);
    }

    /** What waits for a reading; null: nothing. */
    synchronized @Nullable Task waiting() {
        if (changingAll > 0 || !known) {
            return Task.all(tickets);
        }
        boolean code = changingCode > 0;
        return changing.isEmpty() && !code ? null : new Task(Set.copyOf(changing.keySet()), code, tickets);
    }

    /** What to read ahead of the others while all are read; null: nothing. */
    synchronized @Nullable Ahead ahead() {
        return !known || (changing.isEmpty() && asked.isEmpty())
                ? null
                : new Ahead(Set.copyOf(changing.keySet()), Set.copyOf(asked), tickets);
    }

    /**
     * A reading came to its end.
     *
     * @param next all tables now; null if nothing changed since the one before
     */
    void read(@Nullable Snapshot next, Task task) {
        boolean all = task.tables() == null;
        synchronized (this) {
            if (closed) {
                return;
            }
            boolean changes = next != null || !known;
            latest = next != null ? next : latest;
            known = true;
            if (all && changingAll > 0 && changingAll <= task.ticket()) {
                changingAll = 0;
                asked.clear();
                settled.clear();
                changes = true;
            } else if (task.tables() != null && changingAll > 0) {
                asked.removeAll(task.tables());
                task.tables().forEach(name -> settled.put(name, task.ticket()));
                changes = true;
            }
            if (task.code() && changingCode > 0 && changingCode <= task.ticket()) {
                changingCode = 0;
                changes = true;
            }
            changes |= changing.values().removeIf(ticket -> ticket <= task.ticket());
            if (changes) {
                publish();
            }
        }
        answer(task, null);
    }

    /** A reading failed: who waits for it hears of it, and the change stays unsettled. */
    void failed(Task task, Throwable cause) {
        answer(task, cause);
    }

    /** The last reading is too old; true if it was still answering. */
    synchronized boolean expire() {
        if (closed || !known) {
            return false;
        }
        known = false;
        publish();
        return true;
    }

    /** Nothing is answered any more; false if that is so already. */
    boolean close(Throwable cause) {
        synchronized (this) {
            if (closed) {
                return false;
            }
            closed = true;
            publish();
        }
        answer(Task.all(Long.MAX_VALUE), cause);
        return true;
    }

    synchronized boolean closed() {
        return closed;
    }

    private void publish() {
        assert Thread.holdsLock(this);
        Snapshot tables = Snapshot.NOTHING;
        if (!closed && known) {
            tables = latest;
            if (changingAll > 0) {
                settled.values().removeIf(ticket -> ticket < changingAll);
                tables = latest.doubted(settled.keySet());
            }
            tables = changingCode > 0 ? tables.changingCode() : tables;
            tables = changing.isEmpty() ? tables : tables.changing(changing.keySet());
        }
        state = new State(state.version() + 1, tables);
    }

    private void answer(Task task, @Nullable Throwable failure) {
        List<Request> answered = new ArrayList<>();
        synchronized (this) {
            requests.removeIf(request -> request.isSettledBy(task) && answered.add(request));
        }
        for (Request request : answered) {
            if (failure == null) {
                request.done().complete(null);
            } else {
                request.done().completeExceptionally(failure);
            }
        }
    }
}
