package org.keyline.gateway.session.relay;

import io.netty.buffer.ByteBuf;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.client.ReplyScanner;

/**
 * An internal command, which runs on the client's store session before a relayed command.
 *
 * @param payload creates the command when it is sent; the caller of the supplier owns the buffer
 * @param done receives the reply. If {@code done} returns an error, the client gets this error
 * instead of a reply, and the client's command is not sent
 * @param check receives the packets of the reply; null if the reply is not checked
 * @param undoes whether the transaction is rolled back if {@code done} returns an error
 * @param readsNoTable whether the command reads no table, and so changes neither the warnings nor a
 * transaction's snapshot
 * @param plain whether the store never refuses the command, except after a KILL. A read may then be
 * sent in the same write
 */
public record Preamble(
        Supplier<ByteBuf> payload,
        Function<ReplyScanner, @Nullable ErrPacket> done,
        @Nullable ReplyCheck check,
        boolean undoes,
        boolean readsNoTable,
        boolean plain) {
    /** Creates a command without a check. Its failure does not roll back a transaction. */
    public Preamble(Supplier<ByteBuf> payload, Function<ReplyScanner, @Nullable ErrPacket> done) {
        this(payload, done, null, false, false, false);
    }
}
