package org.keyline.gateway.change;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.Effect;
import org.keyline.planner.TableName;
import org.keyline.rowcache.Fence;

/**
 * The running calls that close only what their procedures are known to write, and the concurrent
 * definitions. Thread-safe.
 */
public final class KnownCalls {
    /*
     * A procedure and the scope of its writes are known as of a moment. From then on until the
     * reply to the call, no statement through this gateway may have changed either. When a
     * statement begins that may, running calls close everything until each has completed. A call is
     * unknown if it comes during such a statement, or if its procedure was read before the end of
     * one.
     *
     * A statement that defines named tables only, and adds none of them to the effects of other
     * writes, affects no call that writes none of them.
     */

    /**
     * Maximum remembered beginnings and ends of definitions; a procedure that was read before the
     * oldest is unknown.
     */
    private static final int MAX_RECENT = 256;

    private final Supplier<Fence> fences;

    // Guarded by this.
    private final Set<Call> running = new HashSet<>();
    private final Set<Definition> defining = new HashSet<>();
    /** The latest beginnings and ends, latest first. */
    private final Deque<Definition> recent = new ArrayDeque<>();

    private long definitions;

    /** A running or former definition; compared by identity. */
    private static final class Definition {
        private final @Nullable List<TableName> tables;

        Definition(@Nullable List<TableName> tables) {
            this.tables = tables;
        }

        /** Returns whether it may change the effect of a call that may write this. */
        boolean concerns(Effect writes) {
            if (tables == null || !(writes instanceof Effect.None || writes instanceof Effect.Tables)) {
                return true;
            }
            return writes instanceof Effect.Tables written
                    && written.tables().stream().anyMatch(this::names);
        }

        /** Names may be in another spelling than the store's. */
        private boolean names(TableName written) {
            return tables != null
                    && tables.stream()
                            .anyMatch(table -> table.schema().equalsIgnoreCase(written.schema())
                                    && table.table().equalsIgnoreCase(written.table()));
        }
    }

    /** A running call; compared by identity. */
    public final class Call {
        private final Effect writes;
        // Guarded by the calls.
        private @Nullable Fence everything;

        private Call(Effect writes) {
            this.writes = writes;
        }

        /** Returns whether it may have run another procedure than the known one. */
        public boolean isDoubtful() {
            synchronized (KnownCalls.this) {
                return everything != null;
            }
        }

        /** Ends the call: the reply came, or its outcome is unknown. */
        public void ends() {
            synchronized (KnownCalls.this) {
                if (running.remove(this) && everything != null) {
                    everything.open();
                }
            }
        }
    }

    /** @param fences creates one over nothing yet */
    public KnownCalls(Supplier<Fence> fences) {
        this.fences = fences;
    }

    /** Returns the moment as of which procedures are known that are read from now on. */
    public synchronized long moment() {
        return definitions;
    }

    /**
     * Begins a call before it is sent.
     *
     * @param moment at or before which its procedure was read
     * @param writes what the procedure may write, by the catalog since then
     * @return null if it may write something else by now
     */
    public synchronized @Nullable Call begins(long moment, Effect writes) {
        long since = definitions - moment;
        boolean known = since <= recent.size()
                && defining.stream().noneMatch(definition -> definition.concerns(writes))
                && recent.stream().limit(since).noneMatch(definition -> definition.concerns(writes));
        if (!known) {
            return null;
        }
        Call call = new Call(writes);
        running.add(call);
        return call;
    }

    /**
     * Begins a statement that may define procedures or change the scope of writes, before it is
     * sent.
     *
     * @param tables the only affected ones, so that calls which write none of them are unaffected;
     *     null if unknown
     * @return to be run when the reply came, or the outcome is unknown
     */
    public synchronized Runnable defines(@Nullable List<TableName> tables) {
        Definition definition = new Definition(tables);
        defining.add(definition);
        note(definition);
        for (Call call : running) {
            if (call.everything == null && definition.concerns(call.writes)) {
                call.everything = fences.get();
                call.everything.closeAll();
            }
        }
        return () -> defined(definition);
    }

    private synchronized void defined(Definition definition) {
        if (defining.remove(definition)) {
            note(definition);
        }
    }

    private void note(Definition definition) {
        definitions++;
        recent.addFirst(definition);
        if (recent.size() > MAX_RECENT) {
            recent.removeLast();
        }
    }
}
