package org.keyline.gateway.session.command;

import org.jspecify.annotations.Nullable;
import org.keyline.gateway.session.local.GatewayStatements;
import org.keyline.gateway.session.local.LocalStatement;
import org.keyline.gateway.session.relay.Forwarder;
import org.keyline.gateway.session.state.SessionState;
import org.keyline.planner.Plan;
import org.keyline.protocol.server.Reply;

/**
 * Answers statements of the gateway's own. One that tells of a table does so to those whom the store allows the read itself; others get the store's
 * error. Confined to one event loop.
 */
public final class LocalAnswers {
    private final SessionState state;
    private final GatewayStatements own;
    private final StoreStatements there;
    private final Forwarder forwarder;

    public LocalAnswers(SessionState state, GatewayStatements own, StoreStatements there, Forwarder forwarder) {
        this.state = state;
        this.own = own;
        this.there = there;
        this.forwarder = forwarder;
    }

    /** What answers the statement that was digested last, the text of which is {@code sql[from..to)}; null if the store does. */
    @Nullable
    LocalStatement find(Plan plan, byte[] sql, int from, int to) {
        return own.find(plan, sql, from, to, state);
    }

    /** Writes the whole reply, at once or when the store has consented. */
    void answer(LocalStatement statement, boolean binary, Reply reply) {
        // The users of an embedded store may read everything.
        byte[] read = state.context().store().isRemote() ? statement.read().get() : null;
        if (read == null) {
            statement.answer(reply, binary, state.extendedMetadata(), forwarder.status());
        } else {
            forwarder.ask(
                    there.consent(read),
                    reply,
                    () -> statement.answer(reply, binary, state.extendedMetadata(), forwarder.status()));
        }
    }
}
