package org.keyline.stores.mysql.catalog;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
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
     */

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
    /** The last change of each table, as long as it is not settled. */
    private final Map<TableName, Long> changing = new HashMap<>();

    private final List<Request> requests = new ArrayList<>();

    /** Someone who waits for a reading that settles a ticket; {@code all}: one that names no tables. */
    private record Request(long ticket, boolean all, CompletableFuture<Void> done) {}

    /** What a reading that begins now has to read, and settles. Immutable; {@code tables} is null for all. */
    record Task(@Nullable Set<TableName> tables, long ticket) {}

    long version() {
        return state.version();
    }

    @Nullable
    TableSchema table(String schema, String table) {
        return state.tables().table(schema, table);
    }

    StoredCode code() {
        return state.tables().code();
    }

    boolean reachUncertain() {
        return state.tables().reachUncertain();
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
        requests.add(new Request(ticket, tables == null, done));
        if (tables == null) {
            changingAll = ticket;
        } else {
            tables.forEach(table -> changing.put(table, ticket));
        }
        publish();
        return true;
    }

    /** Whether nobody knows at the moment which tables have changed. */
    synchronized boolean doubted() {
        return changingAll > 0;
    }

    /** What a reading of all tables that begins now settles. */
    synchronized Task all() {
        return new Task(null, tickets);
    }

    /** What waits for a reading; null: nothing. */
    synchronized @Nullable Task waiting() {
        if (changingAll > 0 || !known) {
            return new Task(null, tickets);
        }
        return changing.isEmpty() ? null : new Task(Set.copyOf(changing.keySet()), tickets);
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
        answer(new Task(null, Long.MAX_VALUE), cause);
        return true;
    }

    synchronized boolean closed() {
        return closed;
    }

    private void publish() {
        assert Thread.holdsLock(this);
        Snapshot tables = latest;
        if (closed || !known || changingAll > 0) {
            tables = Snapshot.NOTHING;
        } else if (!changing.isEmpty()) {
            tables = latest.changing(changing.keySet());
        }
        state = new State(state.version() + 1, tables);
    }

    private void answer(Task task, @Nullable Throwable failure) {
        List<Request> answered = new ArrayList<>();
        synchronized (this) {
            requests.removeIf(request -> request.ticket() <= task.ticket()
                    && (task.tables() == null || !request.all())
                    && answered.add(request));
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
