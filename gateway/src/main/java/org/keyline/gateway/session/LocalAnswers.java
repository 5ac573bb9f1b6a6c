package org.keyline.gateway.session;

import org.keyline.protocol.server.Reply;

/**
 * Answers statements of the gateway's own. One that tells of a table does so to those whom the store allows the read itself; others get the store's
 * error. Confined to one event loop.
 */
final class LocalAnswers {
    private final SessionState state;
    private final StoreStatements there;
    private final Forwarder forwarder;

    LocalAnswers(SessionState state, StoreStatements there, Forwarder forwarder) {
        this.state = state;
        this.there = there;
        this.forwarder = forwarder;
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
