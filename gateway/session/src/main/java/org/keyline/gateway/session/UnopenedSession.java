package org.keyline.gateway.session;

import io.netty.buffer.ByteBuf;
import org.keyline.stores.ReplyListener;
import org.keyline.stores.StoreSession;

/**
 * A placeholder for a store session that is opened when a command needs it.
 *
 * @param capabilities the capabilities of store sessions of equal logins
 * @param initialStatus the initial status flags of store sessions of equal logins
 */
record UnopenedSession(int capabilities, int initialStatus) implements StoreSession {
    @Override
    public void send(ByteBuf payload, ReplyListener listener) {
        throw new IllegalStateException("the store session is not open");
    }

    @Override
    public void pause() {}

    @Override
    public void resume() {}

    @Override
    public void close() {}
}
