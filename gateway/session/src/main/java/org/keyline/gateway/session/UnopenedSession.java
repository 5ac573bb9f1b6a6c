package org.keyline.gateway.session;

import io.netty.buffer.ByteBuf;
import org.keyline.stores.ReplyListener;
import org.keyline.stores.StoreSession;

/** Stands for a store session that is not open yet. An equal login supplies its values. */
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
