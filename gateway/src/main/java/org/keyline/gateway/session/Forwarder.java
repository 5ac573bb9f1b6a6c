package org.keyline.gateway.session;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.protocol.client.ServerErrorException;
import org.keyline.protocol.server.Reply;
import org.keyline.rowcache.Fence;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a session's commands to its store session and brings the replies back unchanged, keeping the order that freshness
 * needs: fences were closed before; when the reply is complete the session's settings and transaction are brought up to
 * date, the fence is opened unless a transaction keeps it, and only then the client sees the reply's end. Confined to one
 * event loop.
 */
final class Forwarder implements StoreLink.Completion {
    private static final Logger LOG = LoggerFactory.getLogger(Forwarder.class);

    private final SessionSettings settings;
    private final Fence fence;
    private StoreLink link;
    private int status;
    private @Nullable Forwarding current;
    private boolean relayed;
    private boolean closed;
    private int foundRows;

    Forwarder(StoreLink link, SessionSettings settings, Fence fence) {
        this.settings = settings;
        this.fence = fence;
        replaceLink(link);
    }

    /** Status flags for replies that the gateway makes itself: those the store would send. */
    int status() {
        return status & (ServerStatus.SERVER_STATUS_AUTOCOMMIT | ServerStatus.SERVER_STATUS_IN_TRANS);
    }

    /** What FOUND_ROWS() would answer, if that is 0 or 1; else -1, for more or for unknown. */
    int foundRows() {
        return foundRows;
    }

    /** Takes the next command; its fences are closed by now. */
    void forward(Forwarding forwarding) {
        if (current != null) {
            throw new IllegalStateException("a command is under way");
        }
        current = forwarding;
        relayed = false;
        if (forwarding.errands().isEmpty()) {
            relay(forwarding);
        } else {
            next(new ArrayDeque<>(forwarding.errands()));
        }
    }

    private void next(ArrayDeque<Errand> errands) {
        Forwarding forwarding = current;
        if (forwarding == null) {
            return;
        }
        Errand errand = errands.poll();
        if (errand == null) {
            relay(forwarding);
            return;
        }
        link.errand(errand.payload().get(), new StoreLink.Completion() {
            @Override
            public void completed(ReplyScanner reply) {
                guarded(forwarding.reply(), () -> {
                    ErrPacket refused = errand.done().apply(reply);
                    if (refused == null) {
                        next(errands);
                    } else {
                        refuse(forwarding, refused);
                    }
                });
            }

            @Override
            public void lost(Throwable cause) {
                Forwarder.this.lost(cause);
            }
        });
    }

    private void relay(Forwarding forwarding) {
        relayed = true;
        var payload = forwarding.payload().get();
        try {
            link.relay(
                    payload,
                    forwarding.continued(),
                    forwarding.reply(),
                    !fence.isOpen(),
                    forwarding.shownStatementId(),
                    forwarding.recorder(),
                    forwarding.translation(),
                    this);
        } finally {
            payload.release();
        }
    }

    /** An errand failed: the command itself is not sent. */
    private void refuse(Forwarding forwarding, ErrPacket error) {
        current = null;
        openFence();
        forwarding.reply().error(error);
        forwarding.reply().end();
    }

    @Override
    public void completed(ReplyScanner reply) {
        Forwarding forwarding = current;
        if (forwarding == null) {
            return;
        }
        current = null;
        guarded(forwarding.reply(), () -> settle(forwarding, reply));
    }

    private void settle(Forwarding forwarding, ReplyScanner reply) {
        ReplySummary summary = reply.summary();
        boolean ok = summary.error() == null;
        if (summary.columnCount() > 0 && !settings.verified()) {
            boolean one = summary.results() == 1 && summary.rows() == 1;
            boolean counted =
                    Forwarding.mentions("SQL_CALC_FOUND_ROWS", forwarding.sql(), forwarding.from(), forwarding.to());
            foundRows = one && !counted ? 1 : -1;
        }
        if (ok || summary.results() > 0) {
            settings.applied(forwarding.kind(), forwarding.sql(), forwarding.from(), forwarding.to(), ok);
        }
        if (summary.hasStatus()) {
            status = summary.status();
            settings.status(status);
        }
        forwarding.then().accept(reply);
        openFence();
        if (forwarding.recorder() != null) {
            forwarding.recorder().end();
        }
    }

    /** An open transaction keeps its rows closed: nobody may load what it has not committed, or what it is about to. */
    private void openFence() {
        if (!settings.transactionOpen() && !fence.isOpen()) {
            fence.open();
        }
    }

    @Override
    public void lost(Throwable cause) {
        fence.open();
        Forwarding forwarding = current;
        current = null;
        if (forwarding == null || closed) {
            return;
        }
        LOG.info(
                "connection {}: the store session is lost: {}",
                forwarding.reply().connectionId(),
                cause.toString());
        boolean begun = relayed && forwarding.reply().nextSequenceId() != 1;
        if (!begun && cause instanceof ServerErrorException told) {
            forwarding.reply().error(told.error());
            forwarding.reply().end();
        }
        // Else without a word, as the store left. Nor is the reply ended: the next command's would be taken for it.
        forwarding.reply().closeConnection();
    }

    /** Runs a step of a reply; a bug in it ends the connection, never the event loop's other work. */
    static void guarded(Reply reply, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException bug) {
            LOG.error("connection {}: bug", reply.connectionId(), bug);
            reply.error(ErrPacket.of(ErrorCode.ER_UNKNOWN_ERROR, "Internal error, see the gateway's log"));
            reply.end();
            reply.closeConnection();
        }
    }

    /** Goes on with another store session: the user changed. The old one rolls back and ends. */
    final void replaceLink(StoreLink other) {
        link = other;
        status = other.initialStatus();
        settings.status(status);
    }

    /** A packet of the client's that the store awaits amid a reply. Borrowed. */
    void answer(ByteBuf packet) {
        link.answer(packet);
    }

    /** Asks the store session for system variables; no command may be under way. */
    CompletionStage<Map<String, @Nullable String>> variables(List<String> names, boolean nothingFound) {
        return link.variables(names, nothingFound);
    }

    /** Ends the store session. What it left open is rolled back; a command under way opens its fence when it is lost. */
    void endLink() {
        boolean idle = !link.busy();
        link.close();
        if (idle) {
            fence.open();
        }
    }

    /** The client is gone. */
    void close() {
        closed = true;
        endLink();
    }
}
