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

/** Decides whether the writes of a procedure are known during a call of it. Thread-safe. */
public final class KnownCalls {
    /*
     * The scope of a procedure's writes is known as of the moment at which its definition was read.
     * When a statement begins that may change the scope, all running calls close the fences of all
     * tables until the calls complete. A call has no known scope if it begins during such a
     * statement, or if the called procedure was read before the statement completed.
     *
     * A statement that defines only the tables that it names affects only calls that write one of
     * these tables.
     */

    /**
     * Maximum number of remembered definitions. The writes of a procedure that was read before the
     * oldest of them are unknown.
     */
    private static final int MAX_RECENT = 256;

    private final Supplier<Fencing.Doubt> doubts;

    // Guarded by this.
    private final Set<Call> running = new HashSet<>();
    private final Set<Definition> defining = new HashSet<>();
    /** Recent definitions, latest first. Each one is added when it begins and when it completes. */
    private final Deque<Definition> recent = new ArrayDeque<>();

    private long definitions;

    /** A statement that defines something, in progress or completed. Compared by identity. */
    private static final class Definition {
        private final @Nullable List<TableName> tables;

        Definition(@Nullable List<TableName> tables) {
            this.tables = tables;
        }

        /** Returns whether this definition can change the effect of a call with these writes. */
        boolean concerns(Effect writes) {
            if (tables == null || !(writes instanceof Effect.None || writes instanceof Effect.Tables)) {
                return true;
            }
            return writes instanceof Effect.Tables written
                    && written.tables().stream().anyMatch(this::names);
        }

        /**
         * Returns whether the definition names the table. Ignores case, because the statement may
         * spell names differently than the store.
         */
        private boolean names(TableName written) {
            return tables != null
                    && tables.stream()
                            .anyMatch(table -> table.schema().equalsIgnoreCase(written.schema())
                                    && table.table().equalsIgnoreCase(written.table()));
        }
    }

    /** A running call of a procedure. Compared by identity. */
    public final class Call {
        private final Effect writes;
        // Guarded by the enclosing object. Non-null once the call has closed all tables.
        private Fencing.@Nullable Doubt doubt;

        private Call(Effect writes) {
            this.writes = writes;
        }

        /** Returns whether a definition during the call may have changed what the call writes. */
        public boolean isDoubtful() {
            synchronized (KnownCalls.this) {
                return doubt != null;
            }
        }

        /** Called after the reply, or when the reply can no longer arrive. */
        public void ends() {
            synchronized (KnownCalls.this) {
                if (running.remove(this) && doubt != null) {
                    doubt.ends(false);
                }
            }
        }
    }

    /** @param doubts closes the fences of all tables, and returns the object that opens them */
    public KnownCalls(Supplier<Fencing.Doubt> doubts) {
        this.doubts = doubts;
    }

    /** Returns the moment to pass to {@link #begins} for procedures that are read from now on. */
    public synchronized long moment() {
        return definitions;
    }

    /**
     * Begins a call before its session sends it.
     *
     * @param moment a {@link #moment} before its procedure was read
     * @param writes the scope of the procedure's writes, read from the catalog after that moment
     * @return the call; null if the scope may have changed since the moment
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
     * Begins a statement that may change what procedures write, before its session sends it.
     *
     * @param tables the only tables that the statement defines; null if unknown
     * @return an action to run after the reply, or when the outcome stays unknown
     */
    public synchronized Runnable defines(@Nullable List<TableName> tables) {
        Definition definition = new Definition(tables);
        defining.add(definition);
        note(definition);
        for (Call call : running) {
            if (call.doubt == null && definition.concerns(call.writes)) {
                call.doubt = doubts.get();
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
