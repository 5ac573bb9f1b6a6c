package org.keyline.gateway.session.relay;

import org.keyline.gateway.session.settings.Binding;
import org.keyline.gateway.session.settings.SessionSettings;
import org.keyline.planner.StatementKind;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.client.ReplySummary;

/** Applies the replies to the client's commands to the session. Confined to one event loop. */
final class ReplyEffects {
    private static final int CURSOR =
            ServerStatus.SERVER_STATUS_CURSOR_EXISTS | ServerStatus.SERVER_STATUS_LAST_ROW_SENT;

    private final Forwarder forwarder;
    private final SessionSettings settings;
    private final LateState late;
    private final SessionDiagnostics diagnostics;

    ReplyEffects(Forwarder forwarder) {
        this.forwarder = forwarder;
        settings = forwarder.settings;
        late = forwarder.late;
        diagnostics = forwarder.diagnostics;
    }

    /**
     * Applies the complete reply to a command, except its effect on the transaction.
     *
     * @return whether the reply shows this effect as well
     */
    boolean received(Forwarding forwarding, ReplySummary summary) {
        boolean ok = summary.error() == null;
        boolean unread = forwarding.isUnread(summary);
        boolean unknown = !ok && !unread && !forwarding.continued() && settings.mayHaveMoved(forwarding.kind());
        FoundRows does = FoundRows.of(forwarder.store, forwarding.text());
        IdleStoreSession idle = forwarder.idle();
        if (idle != null && does == FoundRows.SETS) {
            idle.counted(does.isSet(summary));
        }
        if (!unread) {
            settings.applied(forwarding.text(), ok);
            settings.answered(forwarding.text(), summary);
        }
        if ((summary.status() & CURSOR) == ServerStatus.SERVER_STATUS_CURSOR_EXISTS) {
            settings.bindings().bind(Binding.CURSOR);
        }
        int modes = late.modes();
        forwarder.stored(summary);
        if (late.modes() != modes && forwarding.mentions("STATEMENT")) {
            late.retainModes(modes);
        }
        diagnostics.received(forwarding, does, summary);
        return !unknown;
    }

    /**
     * Applies the effect of a command on the transaction.
     *
     * @param received whether the store has sent the status flags after the command
     */
    void settled(Forwarding forwarding, boolean received, boolean ok) {
        if (received) {
            // After an error, the transaction may be in a state in which the store refuses reads
            // that lines would answer. If the store refuses a COMMIT or ROLLBACK, as within XA, the
            // transaction and its snapshot remain.
            boolean was = settings.current().isOpen();
            settings.settled(
                    ok || SessionDiagnostics.isSeveral(forwarding.kind()) ? forwarding.kind() : StatementKind.OTHER,
                    forwarding.touches() || !ok,
                    forwarding.chooses());
            boolean ends = ok && forwarding.kind() != StatementKind.OTHER && mayCommit(forwarding.kind());
            if (was && !ends && !settings.current().isOpen()) {
                settings.current().undone();
            }
        } else if (!ok) {
            settings.failed();
        }
        if (!ok) {
            // From now on, SHOW WARNINGS shows this error, whether the client's command or an
            // internal command caused it.
            diagnostics.forwarded();
        }
    }

    /** Returns whether a statement can end a transaction and begin the next transaction. */
    static boolean mayCommit(StatementKind kind) {
        return switch (kind) {
            case SELECT, INSERT, UPDATE, DELETE, SAVEPOINT, USE, SHOW, SHOW_STATUS, EXPLAIN, PREPARE, EMPTY -> false;
            default -> true;
        };
    }
}
