package org.keyline.gateway.session.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementKind;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.protocol.client.ServerErrorException;

/**
 * Runs internal commands at a client's store session, usually before the client's command. Confined
 * to one event loop.
 */
public final class InternalCommands {
    /** The reads of the open transaction that the gateway has answered. */
    public interface AnsweredHere {
        /** Returns commands that must run at the store before a relayed command. */
        List<Preamble> before(Forwarding next, ByteBufAllocator alloc);

        /**
         * Returns a command that rolls back the transaction at the store. The client gets the error
         * {@code received}.
         */
        Preamble undoing(ErrPacket received);

        /** Called when a command is complete and its effect on the transaction is known. */
        void settled();
    }

    private final Relay relay;
    private @Nullable AnsweredHere transaction;

    InternalCommands(Relay relay) {
        this.relay = relay;
    }

    /** Sets the object that verifies answered reads before the next command to the store. */
    public void precededBy(AnsweredHere reads) {
        transaction = reads;
    }

    /** Called when a command is complete and its effect on the transaction is known. */
    void settled() {
        if (transaction != null) {
            transaction.settled();
        }
    }

    /** Runs all commands that must precede a command of the client, and then {@code send}. */
    void before(Forwarding forwarding, Runnable send) {
        if (forwarding.silent() && forwarding.preambles().isEmpty()) {
            // A command without a reply uses no session state, so nothing needs to precede it.
            send.run();
            return;
        }
        ArrayDeque<Preamble> preambles = new ArrayDeque<>(relay.late.overdue());
        preambles.addAll(relay.diagnostics.before());
        if (transaction != null) {
            preambles.addAll(transaction.before(forwarding, forwarding.reply().alloc()));
        }
        preambles.addAll(forwarding.preambles());
        if (mayFollowAtOnce(forwarding, preambles)) {
            preambles.forEach(preamble -> ahead(forwarding, preamble));
            send.run();
        } else {
            run(forwarding, preambles, send);
        }
    }

    /**
     * Returns whether the command may be sent together with its preambles. The command must be
     * harmless even if they fail.
     */
    private boolean mayFollowAtOnce(Forwarding forwarding, ArrayDeque<Preamble> preambles) {
        return relay.borrowed.link().sendsAhead()
                && forwarding.kind() == StatementKind.SELECT
                && relay.fencing.isOpen()
                && !forwarding.continued()
                && preambles.stream().allMatch(Preamble::plain);
    }

    /**
     * Runs commands one by one, and then {@code last}. If a command fails, its error is the reply
     * to the client's command.
     *
     * @param of the client's command
     */
    void run(Forwarding of, ArrayDeque<Preamble> preambles, Runnable last) {
        if (relay.isIdle()) {
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
            if (refused == null) {
                run(of, preambles, last);
            } else if (preamble.undoes() && transaction != null) {
                undo(of, transaction.undoing(refused));
            } else {
                relay.refuse(of, refused);
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
        Consumer<ReplyScanner> run = reply -> of.reply().run(() -> then.accept(reply));
        relay.borrowed.link().send(payload, false, new InternalReply(check, run, relay::lost));
    }

    /** Sends a command in the same write as the client's command, which must follow at once. */
    void ahead(Forwarding of, Preamble preamble) {
        StoreLink link = relay.borrowed.link();
        link.ahead(
                preamble.payload().get(),
                reply -> of.reply().run(() -> {
                    received(reply.summary());
                    ErrPacket refused = preamble.done().apply(reply);
                    if (refused != null) {
                        // The command after the preamble would run outside of the transaction that
                        // the client began, so the store session is closed.
                        relay.lost(new ServerErrorException(refused));
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
                relay.lost(new ServerErrorException(failed));
                return;
            }
            received(reply.summary());
            ErrPacket received = rollback.done().apply(reply);
            if (received != null) {
                relay.refuse(of, received);
            }
        });
    }

    private void received(ReplySummary summary) {
        relay.stored(summary);
        relay.diagnostics.received(summary);
    }
}
