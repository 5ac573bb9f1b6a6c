package org.keyline.gateway.session.relay;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.session.settings.Binding;
import org.keyline.gateway.session.settings.SessionSettings;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.client.ServerErrorException;
import org.keyline.stores.StoreException;
import org.keyline.stores.StoreSession;

/** Releases the store session of an idle client until it is needed. Confined to one event loop. */
public final class IdleStoreSession {
    /*
     * A released store session is closed, so no other client ever uses it. The next session begins
     * with the client's login. It then receives COM_RESET_CONNECTION if the client sent one, the
     * schema that the client chose after that command, and the client's SET statements. The value
     * of LAST_INSERT_ID(), autocommit, and a read that restores FOUND_ROWS() and ROW_COUNT() follow
     * in this order. A session with any other state is bound to the client.
     *
     * Just before the release, Keyline asks the store session for the values that only the store
     * knows. A command that arrives meanwhile waits for the answer.
     */

    /** Errors with which a store refuses a session now, but might accept a session later. */
    private static final Set<Integer> FULL = Set.of(
            ErrorCode.ER_CON_COUNT_ERROR.number(),
            ErrorCode.ER_TOO_MANY_USER_CONNECTIONS.number(),
            ErrorCode.ER_USER_LIMIT_REACHED.number());

    private static final String INSERT_ID = "LAST_INSERT_ID()";

    @FunctionalInterface
    public interface Counts {
        /**
         * Returns commands that set FOUND_ROWS() and ROW_COUNT() at the store.
         *
         * @param read whether ROW_COUNT() is -1, as after a read; if not, it is 0
         */
        List<Preamble> of(long found, boolean read);
    }

    private final Relay relay;
    private final SessionSettings settings;
    /** Opens a store session as the login did. Its stage completes on the client's loop. */
    private final Supplier<CompletionStage<StoreLink>> opener;

    private final Counts counts;
    private final Runnable released;

    private volatile boolean away;
    /** Completes when the store has answered the query before a release; null if no query runs. */
    private @Nullable CompletableFuture<Void> leaving;

    private @Nullable CompletableFuture<Void> opening;
    /** Whether the store session is new, and does not have the client's state yet. */
    private boolean fresh;
    /** Whether FOUND_ROWS() or ROW_COUNT() at the store differs from what the client expects. */
    private boolean uncounted;

    private long found;
    private boolean read;

    /** @param released runs after each release */
    IdleStoreSession(Relay relay, Supplier<CompletionStage<StoreLink>> opener, Counts counts, Runnable released) {
        this.relay = relay;
        this.settings = relay.settings;
        this.opener = opener;
        this.counts = counts;
        this.released = released;
    }

    /** Returns whether the store session is released. May be called on any thread. */
    boolean isAway() {
        return away;
    }

    boolean isOpening() {
        return opening != null;
    }

    /** Returns whether the store session has all state of the client. */
    boolean isReady() {
        return !away && leaving == null && !fresh && !uncounted;
    }

    /**
     * Releases a store session to which the client is not bound.
     *
     * @param rows the value of FOUND_ROWS(); negative if only the store knows it
     * @param afterRead whether ROW_COUNT() is -1; if not, it is 0, or known without the store
     */
    void release(StoreLink link, long rows, boolean afterRead) {
        if (fresh && !away) {
            left(link);
        }
        if (!isReady()) {
            return;
        }
        found = Math.max(rows, 0);
        read = afterRead;
        List<String> asked = asked(rows < 0);
        if (asked.isEmpty()) {
            left(link);
            return;
        }
        CompletableFuture<Void> question = new CompletableFuture<>();
        leaving = question;
        link.store.ask(asked, List.of()).whenComplete((answer, failure) -> {
            leaving = leaving == question ? null : leaving;
            // If the store session is lost, its own listener handles this.
            if (failure == null && relay.borrowed.isAt(link)) {
                uncounted = true;
                // A command that waits may name this store session, as KILL does.
                if (isUnbound(asked, answer) && relay.isIdle()) {
                    left(link);
                }
            }
            question.complete(null);
        });
    }

    private List<String> asked(boolean rows) {
        List<String> asked = new ArrayList<>(3);
        if (rows) {
            asked.add(StoreSession.FOUND_ROWS);
        }
        if (settings.bindings().isInsertIdUnknown()) {
            asked.add(INSERT_ID);
        }
        if (!settings.isInitKnown()) {
            asked.add(SessionSettings.INIT_CONNECT);
        }
        return asked;
    }

    /** Applies the store's answer. Returns false if it shows that the client is bound. */
    private boolean isUnbound(List<String> asked, StoreSession.SessionAnswer answer) {
        if (!answer.values().keySet().containsAll(asked)) {
            settings.bindings().bind(Binding.LAST_STATEMENT);
            return false;
        }
        String rows = answer.values().get(StoreSession.FOUND_ROWS);
        String id = answer.values().get(INSERT_ID);
        String init = answer.values().get(SessionSettings.INIT_CONNECT);
        found = rows == null ? found : Long.parseLong(rows);
        if (id != null) {
            settings.bindings().insertId(Long.parseUnsignedLong(id));
        }
        if (init != null && !init.isEmpty()) {
            settings.bindings().bind(Binding.INIT_CONNECT);
            return false;
        }
        return true;
    }

    private void left(StoreLink link) {
        link.close(false);
        beginsAway();
    }

    void beginsAway() {
        away = true;
        released.run();
    }

    /** Opens a store session if the client has none. Completes on the loop. */
    CompletionStage<Void> back() {
        CompletableFuture<Void> question = leaving;
        if (question != null) {
            return question.thenCompose(done -> back());
        }
        if (!away) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Void> under = opening;
        if (under != null) {
            return under;
        }
        CompletableFuture<Void> begun = new CompletableFuture<>();
        opening = begun;
        opener.get().whenComplete((link, failure) -> {
            boolean awaited = opening == begun;
            opening = awaited ? null : opening;
            if (failure != null) {
                begun.completeExceptionally(failure);
            } else if (!awaited || relay.borrowed.isOver()) {
                link.close(false);
                begun.completeExceptionally(new IllegalStateException("the client has disconnected"));
            } else {
                away = false;
                fresh = true;
                uncounted = true;
                relay.borrowed.takes(link);
                begun.complete(null);
            }
        });
        return begun;
    }

    /** Begins again with the store session of another user. */
    void restart() {
        leaving = null;
        opening = null;
        away = false;
        fresh = false;
        uncounted = false;
    }

    // ---------------------------------------------------------------- the client's state

    /** Opens a store session with the state of the client, then runs a command's first step. */
    void bringUp(Forwarding forwarding, Runnable step) {
        back().whenComplete((done, failure) -> forwarding.reply().run(() -> {
            if (relay.borrowed.isClosed() || relay.isIdle()) {
                return;
            }
            ErrPacket full = failure == null ? null : full(failure);
            if (failure == null) {
                relay.opened();
                restore(forwarding, step);
            } else if (full != null && !forwarding.silent()) {
                relay.refuse(forwarding, full);
            } else {
                relay.lost(cause(failure));
            }
        }));
    }

    private void restore(Forwarding forwarding, Runnable step) {
        LateState late = relay.late;
        SessionDiagnostics diagnostics = relay.diagnostics;
        int shown = late.status;
        ArrayDeque<Preamble> made = settings();
        boolean any = !made.isEmpty();
        relay.internal.run(forwarding, made, () -> {
            if (any) {
                // These replies are from a store session without the client's state, so their
                // status flags are dropped. The client sees none of their warnings.
                late.status(shown);
                diagnostics.clearedHere();
            }
            ArrayDeque<Preamble> rest = new ArrayDeque<>(late.overdue());
            rest.addAll(diagnostics.before());
            boolean depends = forwarding.mentions("FOUND_ROWS") || forwarding.mentions("ROW_COUNT");
            List<Preamble> restoring = counts(
                    FoundRows.of(relay.store, forwarding.text()) == FoundRows.SETS && !depends,
                    depends || SessionDiagnostics.isSeveral(forwarding.kind()));
            rest.addAll(restoring);
            relay.internal.run(forwarding, rest, () -> {
                diagnostics.found(found);
                if (!restoring.isEmpty()) {
                    diagnostics.asks(false, false);
                }
                step.run();
            });
        });
    }

    /** Returns commands that restore the settings. They must run before any other command. */
    private ArrayDeque<Preamble> settings() {
        ArrayDeque<Preamble> lacking = new ArrayDeque<>();
        if (fresh) {
            if (settings.bindings().beginsReset()) {
                lacking.add(made(() -> Preamble.command(CommandCode.COM_RESET_CONNECTION)));
                String schema = settings.schema();
                if (settings.isSchemaChosen() && schema != null) {
                    byte[] name = schema.getBytes(StandardCharsets.UTF_8);
                    lacking.add(made(() -> Preamble.command(CommandCode.COM_INIT_DB, name)));
                }
            }
            settings.bindings().sets().forEach(sql -> lacking.add(made(relay.late.text(sql))));
            long id = settings.bindings().insertId();
            if (id != 0) {
                lacking.add(made(relay.late.text("SET last_insert_id=" + Long.toUnsignedString(id))));
            }
        }
        return lacking;
    }

    /** Returns a command that restores state. If it fails, the store session counts as lost. */
    private Preamble made(Supplier<ByteBuf> payload) {
        return new Preamble(payload, done -> {
            ErrPacket refused = done.summary().error();
            if (refused != null) {
                relay.lost(new ServerErrorException(refused));
            }
            return null;
        });
    }

    /**
     * Returns the statements that set FOUND_ROWS() and ROW_COUNT(). They must run after all
     * settings.
     *
     * @param replaced whether the next command replaces both values, unless it fails
     * @param depends whether the next command may read one of the values
     */
    private List<Preamble> counts(boolean replaced, boolean depends) {
        boolean lacks = uncounted && (found > 0 || read || !fresh || depends);
        fresh = false;
        uncounted = lacks && replaced;
        return lacks && !replaced ? counts.of(found, read) : List.of();
    }

    /** Called after a statement that sets FOUND_ROWS() if it succeeds. */
    void counted(boolean ok) {
        uncounted &= !ok;
        read = true;
    }

    /** Returns the error if the store accepts no further session now; null for other failures. */
    public static @Nullable ErrPacket full(Throwable failure) {
        return cause(failure) instanceof ServerErrorException refused
                        && FULL.contains(refused.error().code())
                ? refused.error()
                : null;
    }

    private static Throwable cause(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof StoreException refused ? new ServerErrorException(refused.error()) : cause;
    }
}
