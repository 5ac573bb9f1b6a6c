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
 * The tables of the last reading, without those that may have changed since. Without a valid
 * reading, no table is known. Thread-safe.
 */
final class PublishedTables {
    /*
     * One volatile reference holds the version and the tables. A caller that first reads a version
     * and then a table gets a table at least as new as the version.
     *
     * Each change opens a ticket. Only a reading that began after the change closes the ticket. A
     * reading of all tables closes every such ticket; a reading of some tables closes the tickets
     * that name only these tables. The tables of an open ticket are unknown.
     *
     * After a change of unknown tables, a reading of all tables may take seconds. Between its
     * queries, tables that statements request are read by name, so that a caller waits only for the
     * tables that it needs.
     */

    /** Maximum number of requested tables. The reading of all tables shows any further tables. */
    private static final int MAX_ASKED = 1_000;

    private record State(long version, Snapshot tables) {}

    private volatile State state = new State(0, Snapshot.NOTHING);
    private final Runnable wanted;

    // Guarded by this.
    private Snapshot latest = Snapshot.NOTHING;
    private boolean known;
    private boolean closed;
    private long tickets;
    /** Ticket of the last open change of unknown tables; 0 if no such change is open. */
    private long changingAll;
    /** Ticket of the last open change of stored code; 0 if no such change is open. */
    private long changingCode;
    /** The last open ticket of each changing table. */
    private final Map<TableName, Long> changing = new HashMap<>();

    /** Tables that were requested while a change of unknown tables is open. */
    private final Set<TableName> asked = new HashSet<>();
    /** The last closed ticket of each table read by name during a change of unknown tables. */
    private final Map<TableName, Long> closedTickets = new HashMap<>();

    private final List<Request> requests = new ArrayList<>();

    private enum Change {
        TABLES,
        CODE,
        ANYTHING
    }

    private record Request(long ticket, Change change, CompletableFuture<Void> done) {
        boolean isCompletedBy(Task task) {
            return ticket <= task.ticket()
                    && (task.tables() == null || change == Change.TABLES || (change == Change.CODE && task.code()));
        }
    }

    /**
     * The task of a reading.
     *
     * @param tables the tables to read; null for all tables and stored code
     * @param code whether to read stored code
     * @param ticket the last ticket that the reading closes
     */
    record Task(@Nullable Set<TableName> tables, boolean code, long ticket) {
        static Task all(long ticket) {
            return new Task(null, true, ticket);
        }
    }

    /**
     * The tables to read before all others.
     *
     * @param changed tables that have changed
     * @param asked requested tables, which may have changed
     */
    record Ahead(Set<TableName> changed, Set<TableName> asked, long ticket) {
        Task task() {
            Set<TableName> both = new HashSet<>(changed);
            both.addAll(asked);
            return new Task(both, false, ticket);
        }
    }

    /** @param wanted runs when a statement needs a changed definition; must not block */
    PublishedTables(Runnable wanted) {
        this.wanted = wanted;
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
        } else if (known == null && tables.isHidden(schema, table)) {
            wanted.run();
        }
        return known;
    }

    /** Returns a table; null if it is unknown. Does not request a reading of the table. */
    @Nullable
    TableSchema known(String schema, String table) {
        return state.tables().table(schema, table);
    }

    /**
     * Returns whether the scope of a write to this name is unknown only until a changed definition
     * is read. False if all tables must be read, which can take seconds.
     */
    synchronized boolean isUnread(String schema, String table) {
        Snapshot tables = state.tables();
        boolean open = changingCode > 0 || !changing.isEmpty();
        return !closed
                && known
                && changingAll == 0
                && open
                && (tables.isHidden(schema, table) || tables.writeScopeUnknown());
    }

    /**
     * Registers a caller that waits for the open changes of named tables and of stored code.
     *
     * @param done completes with the reading that closes these changes; at once if none is open
     * @return false, without effect, if a change of unknown tables is open or no reading is valid
     */
    synchronized boolean await(CompletableFuture<Void> done) {
        if (closed || !known || changingAll > 0) {
            return false;
        }
        if (changingCode == 0 && changing.isEmpty()) {
            done.complete(null);
        } else {
            requests.add(new Request(tickets, changingCode > 0 ? Change.CODE : Change.TABLES, done));
        }
        return true;
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

    boolean writeScopeUnknown() {
        Snapshot tables = state.tables();
        if (tables.writeScopeUnknown() && tables.isChanging()) {
            wanted.run();
        }
        return tables.writeScopeUnknown();
    }

    /** Returns the tables of the last reading that are not cached, with the reason. */
    synchronized Map<TableName, String> excluded() {
        return latest.excluded();
    }

    /** Returns whether the last reading has the schema, ignoring case. */
    synchronized boolean hasSchema(String schema) {
        return latest.hasSchema(schema);
    }

    /** Returns whether the last reading has the table, even if a change currently hides it. */
    synchronized boolean has(String schema, String table) {
        return latest.has(schema, table);
    }

    /**
     * Called when definitions may have changed.
     *
     * @param tables the changed tables; null if they are unknown
     * @param done completes with the reading that closes the change
     * @return false, without effect, after {@link #close}
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
     * Called when views, functions or triggers may have changed, but no table.
     *
     * @param done completes with the reading that closes the change
     * @return false, without effect, after {@link #close}
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

    /** Increments the version. Called if keywords or stored code change, which affects plans. */
    synchronized void renew() {
        publish();
    }

    /** Returns whether a change of unknown tables is open. */
    synchronized boolean doubted() {
        return changingAll > 0;
    }

    /** Returns the task of a reading of all tables that begins now. */
    synchronized Task all() {
        return Task.all(tickets);
    }

    /** Returns the task of the next reading for which callers wait; null if no caller waits. */
    synchronized @Nullable Task waiting() {
        if (changingAll > 0 || !known) {
            return Task.all(tickets);
        }
        boolean code = changingCode > 0;
        return changing.isEmpty() && !code ? null : new Task(Set.copyOf(changing.keySet()), code, tickets);
    }

    /** Returns the tables to read before all others; null if no table is requested. */
    synchronized @Nullable Ahead ahead() {
        return !known || (changing.isEmpty() && asked.isEmpty())
                ? null
                : new Ahead(Set.copyOf(changing.keySet()), Set.copyOf(asked), tickets);
    }

    /**
     * Publishes the result of a reading.
     *
     * @param next all tables; null if nothing has changed
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
                closedTickets.clear();
                changes = true;
            } else if (task.tables() != null && changingAll > 0) {
                asked.removeAll(task.tables());
                task.tables().forEach(name -> closedTickets.put(name, task.ticket()));
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

    /** Fails the callers that wait for the reading. The change stays open. */
    void failed(Task task, Throwable cause) {
        answer(task, cause);
    }

    /** Discards the last reading because of its age. Returns false if no reading was valid. */
    synchronized boolean expire() {
        if (closed || !known) {
            return false;
        }
        known = false;
        publish();
        return true;
    }

    /** Discards all tables permanently. Returns false if this object was already closed. */
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
                closedTickets.values().removeIf(ticket -> ticket < changingAll);
                tables = latest.doubted(closedTickets.keySet());
            }
            tables = changingCode > 0 ? tables.changingCode() : tables;
            tables = changing.isEmpty() ? tables : tables.changing(changing.keySet());
        }
        state = new State(state.version() + 1, tables);
    }

    private void answer(Task task, @Nullable Throwable failure) {
        List<Request> answered = new ArrayList<>();
        synchronized (this) {
            requests.removeIf(request -> request.isCompletedBy(task) && answered.add(request));
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
