package org.keyline.gateway.session.relay;

import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.client.ReplyScanner;

/**
 * Receives the reply to an internal command, which the client does not get.
 *
 * @param check receives the packets; null if they are not checked
 */
record InternalReply(@Nullable ReplyCheck check, Consumer<ReplyScanner> then, Consumer<Throwable> orLost)
        implements StoreLink.Receiver {
    @Override
    public void packets(ByteBuf framed) {
        if (check != null) {
            check.packets(framed);
        }
        framed.release();
    }

    @Override
    public void completed(ReplyScanner reply) {
        then.accept(reply);
    }

    @Override
    public void lost(Throwable cause) {
        orLost.accept(cause);
    }
}
