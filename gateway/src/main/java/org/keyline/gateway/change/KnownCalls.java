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
 * The calls under way that close only what their procedures are known to write, and what is defined meanwhile. Thread-safe.
 */
public final class KnownCalls {
    /*
     * A procedure is known as of a moment, and so is how far its writes reach. Nothing that passes through this gateway may have changed
     * either from then on until the call is answered: where a definition begins that may, calls that are under way close everything, until
     * each is over, and calls that come while it is under way, or whose procedures were asked for before it was over, are not known.
     *
     * What defines certain tables and nothing else, and gives none of them a part in what is written elsewhere, changes no call that writes
     * none of them.
     */

    /** So many beginnings and ends of definitions are kept; a procedure that was asked for before them is not known. */
    private static final int MAX_RECENT = 256;

    private final Supplier<Fence> fences;

    // Guarded by this.
    private final Set<Call> running = new HashSet<>();
    private final Set<Definition> defining = new HashSet<>();
    /** Of what began or ended last, the latest first. */
    private final Deque<Definition> recent = new ArrayDeque<>();

    private long definitions;

    /** A definition that is under way, or was; compared by identity. */
    private static final class Definition {
        private final @Nullable List<TableName> tables;

        Definition(@Nullable List<TableName> tables) {
            this.tables = tables;
        }

        /** Whether it may change what a call does that may write so much. */
        boolean concerns(Effect writes) {
            if (tables == null || !(writes instanceof Effect.None || writes instanceof Effect.Tables)) {
                return true;
            }
            return writes instanceof Effect.Tables written
                    && written.tables().stream().anyMatch(this::names);
        }

        /** Names may be spelled as the store does not spell them. */
        private boolean names(TableName written) {
            return tables != null
                    && tables.stream()
                            .anyMatch(table -> table.schema().equalsIgnoreCase(written.schema())
                                    && table.table().equalsIgnoreCase(written.table()));
        }
    }

    /** A call under way; compared by identity. */
    public final class Call {
        private final Effect writes;
        // Guarded by the calls.
        private @Nullable Fence everything;

        private Call(Effect writes) {
            this.writes = writes;
        }

        /** Whether it may have run another procedure than the one that was known. */
        public boolean isDoubtful() {
            synchronized (KnownCalls.this) {
                return everything != null;
            }
        }

        /** It was answered, or its outcome is unknown. */
        public void ends() {
            synchronized (KnownCalls.this) {
                if (running.remove(this) && everything != null) {
                    everything.open();
                }
            }
        }
    }

    /** @param fences makes one over nothing yet */
    public KnownCalls(Supplier<Fence> fences) {
        this.fences = fences;
    }

    /** The moment as of which procedures are known that are asked for from now on. */
    public synchronized long moment() {
        return definitions;
    }

    /**
     * A call is about to be sent.
     *
     * @param moment at or before which its procedure was asked for
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
     * A statement is about to be sent that may define procedures, or change how far writes reach.
     *
     * @param tables the only ones that it concerns, such that whatever writes none of them goes on as before; null if that is not certain
     * @return to be run when it was answered, or its outcome is unknown
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
