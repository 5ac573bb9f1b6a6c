package org.keyline.gateway.store.wire.catalog;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
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
     * A change takes a ticket. Only a reading that began after the ticket was taken settles it; as long as a ticket is open, what the
     * change may concern is not answered.
     */

    /** A version and its tables. Immutable. */
    private record State(long version, Snapshot tables) {}

    private volatile State state = new State(0, Snapshot.NOTHING);

    // Guarded by this.
    private Snapshot latest = Snapshot.NOTHING;
    private boolean known;
    private boolean closed;
    private long tickets;
    private long settled;
    private boolean changingAll;
    private final Set<TableName> changing = new HashSet<>();
    private final List<Request> requests = new ArrayList<>();

    /** Someone who waits for a reading that settles a ticket. */
    private record Request(long ticket, CompletableFuture<Void> done) {}

    long version() {
        return state.version();
    }

    @Nullable
    TableSchema table(String schema, String table) {
        return state.tables().table(schema, table);
    }

    boolean storedFunctions() {
        return state.tables().storedFunctions();
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
        requests.add(new Request(++tickets, done));
        if (tables == null) {
            changingAll = true;
        } else {
            changing.addAll(tables);
        }
        publish();
        return true;
    }

    /** The last ticket: a reading that begins now settles it and all before it. */
    synchronized long lastTicket() {
        return tickets;
    }

    /** Whether a change waits for a reading. */
    synchronized boolean unsettled() {
        return settled < tickets;
    }

    /**
     * A reading came to its end.
     *
     * @param next its tables; null if nothing changed since the one before
     * @param ticket the last one when it began
     */
    void read(@Nullable Snapshot next, long ticket) {
        synchronized (this) {
            if (closed) {
                return;
            }
            boolean changes = next != null || !known || settled < tickets;
            latest = next != null ? next : latest;
            known = true;
            settled = ticket;
            if (settled == tickets) {
                changingAll = false;
                changing.clear();
            }
            if (changes) {
                publish();
            }
        }
        answer(ticket, null);
    }

    /** A reading failed: who waits for it hears of it, and the change stays unsettled. */
    void failed(long ticket, Throwable cause) {
        answer(ticket, cause);
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
        answer(Long.MAX_VALUE, cause);
        return true;
    }

    synchronized boolean closed() {
        return closed;
    }

    private void publish() {
        assert Thread.holdsLock(this);
        Snapshot tables = latest;
        if (closed || !known || (settled < tickets && changingAll)) {
            tables = Snapshot.NOTHING;
        } else if (settled < tickets) {
            tables = latest.changing(changing);
        }
        state = new State(state.version() + 1, tables);
    }

    private void answer(long ticket, @Nullable Throwable failure) {
        List<Request> answered = new ArrayList<>();
        synchronized (this) {
            requests.removeIf(request -> request.ticket() <= ticket && answered.add(request));
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
