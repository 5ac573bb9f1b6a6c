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
 * Forwards the statements of a session that may change definitions without telling which. Confined to one event loop.
 */
final class DefinitionGate {
    /*
     * Nobody else is to pay for what such a statement might have done. The store is asked before it is sent and after it was answered
     * whether anything was defined or written; until the second answer is there, no line answers. If nothing was, all goes on as before,
     * and the lines as well. Where the store could not even read the statement, there is nothing to ask.
     *
     * What the statement wrote may be committed later: as long as its transaction is open, the session's own fence is its, as for any write.
     *
     * A CALL closes no more than what its procedure writes, if the store tells the procedure and its text is understood. Nothing through
     * this gateway can change what it writes meanwhile (KnownCalls). It is asked for once more behind the reply: where it was changed past the gateway
     * between the two, and be it back and forth, all lines are dropped.
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

    /** Whether a statement of this kind may define what its effect does not name. */
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
     * @param text whether it is a COM_QUERY, which the store reads now
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
        then(store.procedure(plain.schema(), plain.name()), forwarding, told -> {
            if (told == null || !call(forwarding, told, moment)) {
                watch(forwarding, effect, text);
            }
        });
    }

    private void watch(Forwarding forwarding, Effect effect, boolean text) {
        then(state.context().store().watchDefinitions(), forwarding, watch -> send(forwarding, effect, text, watch));
    }

    /** Goes on with what the store tells, on the event loop. */
    private <T extends @Nullable Object> void then(CompletionStage<T> told, Forwarding forwarding, Consumer<T> next) {
        EventLoop loop = state.parts().loop();
        told.whenComplete((answer, never) -> {
            Runnable turn = () -> forwarding.reply().run(() -> next.accept(answer));
            if (loop.inEventLoop()) {
                turn.run();
            } else {
                loop.execute(turn);
            }
        });
    }

    /** Sends a CALL of a procedure that is known; false if it is not. */
    private boolean call(Forwarding forwarding, ProcedureText told, long moment) {
        if (forwarder.isClosed()) {
            return true;
        }
        Effect writes = ProcedureBody.effect(
                told.body(), told.sqlMode(), told.schema(), state.context().catalog());
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
            confirm(told);
        };
        state.parts().fences().close(fence, writes, SlotValues.UNKNOWN);
        forwarder.forward(forwarding);
        return true;
    }

    /** Drops everything if a procedure that was called is not the one that was known. */
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

    /** A statement that may define anything is about to be sent. */
    void defines() {
        over = state.context().calls().defines(null);
    }

    /** A statement that defines something is about to be sent, whose fences are known. */
    void defines(Forwarding forwarding, Effect effect) {
        over = state.context().calls().defines(onlyTables(forwarding, effect));
    }

    /**
     * The tables that a definition names if it changes no statement that writes none of them; else null. A foreign key makes writes to
     * another table reach this one. What is renamed may be a view, which takes the name of a table that somebody reads.
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
        // Where the store keeps its procedures and triggers.
        boolean system = tables.stream().anyMatch(table -> table.schema().equalsIgnoreCase("mysql"));
        return system ? null : tables;
    }

    /** The statement that was sent is answered. What it wrote beyond its fences is its transaction's as well, if one is open. */
    void answered() {
        if (call != null && call.isDoubtful()) {
            fence.closeAll();
        }
        over();
    }

    /** The statement that was sent is done with, or will not be answered. */
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
                    // What it wrote is not known yet, but its client hears of it now.
                    fence.tell();
                    fence.reopenAll();
                }
            }
        }));
    }

    /** Whether a COM_QUERY, the text of which is {@code sql[from..to)}, was answered in a way that proves that nothing of it has run. */
    boolean isUnread(ReplyScanner done, byte[] sql, int from, int to) {
        ErrPacket error = done.summary().error();
        return error != null
                && done.summary().results() == 0
                && ParseErrors.prove(
                        error, sql, from, to, state.context().catalog().storedFunctions());
    }

    /** @param over whether nothing of what the statement wrote is to be committed yet */
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
