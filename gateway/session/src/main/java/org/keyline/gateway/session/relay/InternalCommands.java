package org.keyline.gateway.session.relay;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.protocol.client.ServerErrorException;

/**
 * Runs internal commands at a client's store session, usually before the client's command. Confined
 * to one event loop.
 */
final class InternalCommands {
    private final Forwarder forwarder;

    InternalCommands(Forwarder forwarder) {
        this.forwarder = forwarder;
    }

    /**
     * Runs commands one by one, and then {@code last}. If a command fails, its error is the reply
     * to the client's command.
     *
     * @param of the client's command
     */
    void run(Forwarding of, ArrayDeque<Preamble> preambles, Runnable last) {
        if (forwarder.isIdle()) {
            // The store session counts as lost since the previous command.
            return;
        }
        Preamble preamble = preambles.poll();
        if (preamble == null) {
            last.run();
            return;
        }
        send(of, preamble.payload().get(), preamble.check(), reply -> {
            received(reply.summary());
            ErrPacket refused = preamble.done().apply(reply);
            Forwarder.AnsweredHere transaction = forwarder.transaction();
            if (refused == null) {
                run(of, preambles, last);
            } else if (preamble.undoes() && transaction != null) {
                undo(of, transaction.undoing(refused));
            } else {
                forwarder.refuse(of, refused);
            }
        });
    }

    /**
     * Sends a command.
     *
     * @param of the client's command; an exception from {@code then} fails its reply
     * @param check receives the packets of the reply; null if the reply is not checked
     */
    void send(Forwarding of, ByteBuf payload, @Nullable ReplyCheck check, Consumer<ReplyScanner> then) {
        forwarder
                .link()
                .send(
                        payload,
                        false,
                        new InternalReply(check, reply -> of.reply().run(() -> then.accept(reply)), forwarder::lost));
    }

    /** Sends a command in the same write as the client's command, which must follow at once. */
    void ahead(Forwarding of, Preamble preamble) {
        StoreLink link = forwarder.link();
        link.ahead(
                preamble.payload().get(),
                reply -> of.reply().run(() -> {
                    received(reply.summary());
                    ErrPacket refused = preamble.done().apply(reply);
                    if (refused != null) {
                        // The command after the preamble would run outside of the transaction that the
                        // client began, so the store session is closed.
                        forwarder.lost(new ServerErrorException(refused));
                        link.close(false);
                    }
                }));
    }

    private void undo(Forwarding of, Preamble rollback) {
        send(of, rollback.payload().get(), null, reply -> {
            ErrPacket failed = reply.summary().error();
            if (failed != null) {
                // The transaction may still be open at the store, although the client got an error.
                // Closing the store session ends it.
                forwarder.lost(new ServerErrorException(failed));
                return;
            }
            received(reply.summary());
            ErrPacket received = rollback.done().apply(reply);
            if (received != null) {
                forwarder.refuse(of, received);
            }
        });
    }

    private void received(ReplySummary summary) {
        forwarder.stored(summary);
        forwarder.diagnostics.received(summary);
    }
}
