package org.keyline.gateway.session.relay;

import io.netty.buffer.ByteBuf;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.client.ReplyScanner;

/**
 * A command of the gateway's own on the client's store session, run before one that is relayed.
 *
 * @param payload made when its turn comes; owned by who calls
 * @param done hears the reply; an error it answers goes to the client in place of the relayed command
 * @param check sees the packets of the reply; null for none
 * @param undoes whether the transaction is rolled back where {@code done} answers an error
 * @param aside whether it reads no table, and so leaves the warnings and a transaction's snapshot alone
 */
public record Errand(
        Supplier<ByteBuf> payload,
        Function<ReplyScanner, @Nullable ErrPacket> done,
        @Nullable ReplyCheck check,
        boolean undoes,
        boolean aside) {
    /** One that checks nothing of the reply and undoes nothing. */
    public Errand(Supplier<ByteBuf> payload, Function<ReplyScanner, @Nullable ErrPacket> done) {
        this(payload, done, null, false, false);
    }
}
