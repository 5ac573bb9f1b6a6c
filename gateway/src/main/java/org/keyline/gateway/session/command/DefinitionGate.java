package org.keyline.gateway.session.command;

import io.netty.channel.EventLoop;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.change.KnownCalls;
import org.keyline.gateway.key.SlotValues;
import org.keyline.gateway.session.relay.Forwarder;
import org.keyline.gateway.session.relay.Forwarding;
import org.keyline.gateway.session.relay.ParseErrors;
import org.keyline.gateway.session.state.SessionState;
import org.keyline.planner.Effect;
import org.keyline.planner.StatementKind;
import org.keyline.planner.TableName;
import org.keyline.planner.statement.ProcedureBody;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.rowcache.Fence;
import org.keyline.stores.DefinitionWatch;
import org.keyline.stores.ProcedureText;
import org.keyline.stores.Store;

/**
 * Forwards the statements of a session that may change definitions without naming them. Confined to
 * one event loop.
 */
final class DefinitionGate {
    /*
     * Other sessions should not pay for what such a statement might have done. Before and after it,
     * the gateway asks the store whether anything was defined or written; until the second answer
     * no line answers. If nothing was, the lines remain valid. If the store could not parse the
     * statement, there is nothing to ask.
     *
     * The writes of the statement may be committed later: as long as its transaction is open, the
     * session's own fence covers them.
     *
     * A CALL closes no more than its procedure writes, if the store returns the procedure and its
     * text is understood. Nothing through this gateway can change the effect meanwhile
     * (KnownCalls). The gateway reads the procedure again after the reply: if it changed past the
     * gateway in between, even back and forth, all lines are dropped.
     */

    private final SessionState state;
    private final Fence fence;
    private final Forwarder forwarder;
    private @Nullable Runnable over;
    private KnownCalls.@Nullable Call call;

    DefinitionGate(SessionState state, Fence fence, Forwarder forwarder) {
        this.state = state;
        this.fence = fence;
        this.forwarder = forwarder;
    }

    /**
     * Returns whether a statement of this kind may define objects that its effect does not name.
     */
    static boolean isFor(StatementKind kind, Effect effect) {
        return switch (kind) {
            case MULTI, MULTI_PRIVILEGE, CALL, EXECUTE -> true;
            case DDL -> effect instanceof Effect.Everything;
            // A typing error has no effect.
            case UNKNOWN -> !(effect instanceof Effect.None);
            default -> false;
        };
    }

    /**
     * Forwards a statement that has closed its fences, unless it closes all.
     *
     * @param text whether it is a COM_QUERY, which the store parses now
     */
    void forward(Forwarding forwarding, Effect effect, boolean text) {
        PlainCall plain = text && forwarding.kind() == StatementKind.CALL
                ? PlainCall.of(forwarding.sql(), forwarding.from(), forwarding.to(), state.settings())
                : null;
        if (plain == null) {
            watch(forwarding, effect, text);
            return;
        }
        long moment = state.context().calls().moment();
        Store store = state.context().store();
        then(store.procedure(plain.schema(), plain.name()), forwarding, received -> {
            if (received == null || !call(forwarding, received, moment)) {
                watch(forwarding, effect, text);
            }
        });
    }

    private void watch(Forwarding forwarding, Effect effect, boolean text) {
        then(state.context().store().watchDefinitions(), forwarding, watch -> send(forwarding, effect, text, watch));
    }

    /** Continues with the store's answer, on the event loop. */
    private <T extends @Nullable Object> void then(
            CompletionStage<T> received, Forwarding forwarding, Consumer<T> next) {
        EventLoop loop = state.parts().loop();
        received.whenComplete((answer, never) -> {
            Runnable turn = () -> forwarding.reply().run(() -> next.accept(answer));
            if (loop.inEventLoop()) {
                turn.run();
            } else {
                loop.execute(turn);
            }
        });
    }

    /** Sends a CALL of a known procedure; returns false if it is unknown. */
    private boolean call(Forwarding forwarding, ProcedureText received, long moment) {
        if (forwarder.isClosed()) {
            return true;
        }
        Effect writes = ProcedureBody.effect(
                received.body(),
                received.sqlMode(),
                received.schema(),
                state.context().catalog());
        KnownCalls.Call begun = writes instanceof Effect.Everything
                ? null
                : state.context().calls().begins(moment, writes);
        if (begun == null) {
            return false;
        }
        call = begun;
        over = () -> {
            call = null;
            begun.ends();
            confirm(received);
        };
        state.parts().fences().close(fence, writes, SlotValues.UNKNOWN);
        forwarder.forward(forwarding);
        return true;
    }

    /** Drops everything if the called procedure is not the known one. */
    private void confirm(ProcedureText called) {
        Fence meanwhile = state.parts().fences().fence();
        var unused = state.context()
                .store()
                .procedure(called.schema(), called.name())
                .thenAccept(now -> {
                    if (!called.equals(now)) {
                        meanwhile.closeAll();
                        meanwhile.open();
                        state.parts().loop().execute(() -> {
                            if (state.settings().transactionOpen() && !forwarder.isClosed()) {
                                fence.closeAll();
                            }
                        });
                    }
                });
    }

    /** Records that a statement which may define anything will be sent. */
    void defines() {
        over = state.context().calls().defines(null);
    }

    /** Records that a definition with known fences will be sent. */
    void defines(Forwarding forwarding, Effect effect) {
        over = state.context().calls().defines(onlyTables(forwarding, effect));
    }

    /**
     * Returns the tables that a definition names if it affects no statement that writes none of
     * them; else null. A foreign key adds writes from another table. A rename may be of a view,
     * which takes the name of a table.
     */
    private static @Nullable List<TableName> onlyTables(Forwarding forwarding, Effect effect) {
        byte[] sql = forwarding.sql();
        boolean known = effect instanceof Effect.Tables
                && !Forwarding.mentions("REFERENCES", sql, forwarding.from(), forwarding.to())
                && !Forwarding.mentions("RENAME", sql, forwarding.from(), forwarding.to());
        if (!known) {
            return null;
        }
        List<TableName> tables = ((Effect.Tables) effect).tables();
        // The store's procedures and triggers are in these tables.
        boolean system = tables.stream().anyMatch(table -> table.schema().equalsIgnoreCase("mysql"));
        return system ? null : tables;
    }

    /**
     * Handles the reply. The writes beyond the statement's fences belong to its transaction, if one
     * is open.
     */
    void answered() {
        if (call != null && call.isDoubtful()) {
            fence.closeAll();
        }
        over();
    }

    /** Handles the end of the statement, with or without a reply. */
    void over() {
        Runnable done = over;
        over = null;
        if (done != null) {
            done.run();
        }
    }

    private void send(Forwarding forwarding, Effect effect, boolean text, DefinitionWatch watch) {
        if (forwarder.isClosed()) {
            return;
        }
        defines();
        boolean closed = effect instanceof Effect.Everything && fence.closeAll();
        forwarder.forward(forwarding.first(done -> {
            if (text && isUnread(done, forwarding.sql(), forwarding.from(), forwarding.to())) {
                if (closed) {
                    fence.reopenAll();
                }
            } else {
                boolean over = closed
                        && done.summary().error() == null
                        && !state.settings().transactionOpen();
                ask(watch, over);
                if (over) {
                    // Its writes are not known yet, but its client gets the reply now.
                    fence.notifyOthers();
                    fence.reopenAll();
                }
            }
        }));
    }

    /**
     * Returns whether the reply to a COM_QUERY with the text {@code sql[from..to)} proves that none
     * of it has run.
     */
    boolean isUnread(ReplyScanner done, byte[] sql, int from, int to) {
        ErrPacket error = done.summary().error();
        return error != null
                && done.summary().results() == 0
                && ParseErrors.prove(
                        error, sql, from, to, state.context().catalog().storedFunctions());
    }

    /** @param over whether all writes of the statement are committed */
    private void ask(DefinitionWatch watch, boolean over) {
        Fence meanwhile = state.parts().fences().fence();
        meanwhile.closeAll();
        var unused = watch.ended().thenAccept(seen -> {
            boolean stay = seen == DefinitionWatch.Seen.NOTHING || (seen == DefinitionWatch.Seen.ROWS && !over);
            if (stay) {
                meanwhile.reopenAll();
            } else {
                meanwhile.open();
            }
        });
    }
}
