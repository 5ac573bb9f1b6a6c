package org.keyline.gateway.session.command;

import io.netty.channel.EventLoop;
import org.keyline.gateway.session.relay.Forwarder;
import org.keyline.gateway.session.relay.Forwarding;
import org.keyline.gateway.session.relay.ParseErrors;
import org.keyline.gateway.session.state.SessionState;
import org.keyline.planner.Effect;
import org.keyline.planner.StatementKind;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.rowcache.Fence;
import org.keyline.stores.DefinitionWatch;

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
     */

    private final SessionState state;
    private final Fence fence;
    private final Forwarder forwarder;

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
        EventLoop loop = state.parts().loop();
        state.context().store().watchDefinitions().whenComplete((watch, never) -> {
            Runnable next = () -> forwarding.reply().run(() -> send(forwarding, effect, text, watch));
            if (loop.inEventLoop()) {
                next.run();
            } else {
                loop.execute(next);
            }
        });
    }

    private void send(Forwarding forwarding, Effect effect, boolean text, DefinitionWatch watch) {
        if (forwarder.isClosed()) {
            return;
        }
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
