package org.keyline.gateway.session.command;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.gateway.session.local.GatewayStatements;
import org.keyline.gateway.session.local.LocalResult;
import org.keyline.gateway.session.local.LocalStatement;
import org.keyline.gateway.session.relay.Forwarder;
import org.keyline.gateway.session.state.SessionState;
import org.keyline.gateway.views.Insight;
import org.keyline.gateway.views.View;
import org.keyline.gateway.views.ViewRead;
import org.keyline.gateway.views.ViewResult;
import org.keyline.planner.Plan;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.codec.ExecuteParameters;
import org.keyline.protocol.server.Reply;
import org.keyline.stores.StoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers statements of the gateway's own. One that tells of a table does so to those whom the store allows the read itself; others get the store's
 * error. One that tells of the gateway, or changes something in it, does so for those whom the configuration names. Confined to one event loop.
 */
public final class LocalAnswers {
    private static final Logger LOG = LoggerFactory.getLogger(LocalAnswers.class);

    /** A name that no configuration has. */
    private static final String NOBODY = "";

    private final SessionState state;
    private final GatewayStatements own;
    private final Insight insight;
    private final StoreStatements there;
    private final Forwarder forwarder;
    private @Nullable CompletableFuture<ViewResult> running;

    public LocalAnswers(
            SessionState state, GatewayStatements own, Insight insight, StoreStatements there, Forwarder forwarder) {
        this.state = state;
        this.own = own;
        this.insight = insight;
        this.there = there;
        this.forwarder = forwarder;
    }

    /** What answers the statement that was digested last, the text of which is {@code sql[from..to)}; null if the store does. */
    @Nullable
    LocalStatement find(Plan plan, byte[] sql, int from, int to) {
        return own.find(plan, sql, from, to, state);
    }

    /**
     * Whether the store has to be asked first whom it takes the client for: it may let in names that it does not know, and rights hang on the
     * name. Then the statement comes again.
     */
    boolean needsAccount(LocalStatement statement) {
        return statement.right() != LocalStatement.Right.NONE
                && state.login().upstream() != null
                && asksAccount()
                && state.settings().account() == null
                && !state.settings().verified()
                && !forwarder.isStranded();
    }

    /** Whether the store has to be asked for the account at login: it decides what the client may see here, also while no store is there. */
    public boolean needsAccountAtLogin() {
        GatewayConfig.Access access = insight.config().config().access();
        String user = state.login().user();
        boolean decides = (access.mayView(user) && !access.mayView(NOBODY))
                || (access.mayChange(user) && !access.mayChange(NOBODY));
        return decides && state.login().upstream() != null && asksAccount();
    }

    /** Writes the whole reply, at once or when the store has consented. */
    void answer(LocalStatement statement, boolean binary, Reply reply) {
        ErrPacket refusal = refusal(statement.right(), statement.change());
        if (refusal != null) {
            refuse(refusal, reply);
            return;
        }
        if (statement.view() != null) {
            answer(statement.view(), binary, reply);
            return;
        }
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

    /** Executes a read of views with values. */
    void answer(ViewRead view, LocalStatement.Right right, ExecuteParameters values, Reply reply) {
        ErrPacket refusal = refusal(right, "");
        if (refusal != null) {
            refuse(refusal, reply);
        } else {
            answer(view.bound(values), true, reply);
        }
    }

    private void answer(ViewRead view, boolean binary, Reply reply) {
        View.Asker asker = new View.Asker(own.lastRow(state));
        CompletableFuture<ViewResult> run = insight.reads().run(view, asker, binary);
        running = run;
        var unused = run.whenComplete((result, failure) -> reply.run(() -> {
            if (failure == null) {
                result.answer(reply, state.extendedMetadata(), forwarder.status());
            } else if (!run.isCancelled()) {
                refuse(error(failure), reply);
            }
        }));
    }

    /** Stops the read of views that runs for the client, which has left. */
    public void closed() {
        CompletableFuture<ViewResult> run = running;
        if (run != null) {
            run.cancel(false);
        }
    }

    /**
     * Answers a PREPARE.
     *
     * @param refused the statement did not come to be
     */
    void prepare(LocalStatement statement, int id, Runnable refused, Reply reply) {
        ViewRead view = statement.view();
        if (view == null) {
            new LocalResult(statement.columns(), List.of())
                    .answerPrepare(reply, id, state.extendedMetadata(), forwarder.status());
            return;
        }
        ErrPacket refusal = refusal(statement.right(), statement.change());
        if (refusal != null) {
            refused.run();
            refuse(refusal, reply);
            return;
        }
        try {
            insight.reads()
                    .describe(view)
                    .answerPrepare(reply, id, view.parameters(), state.extendedMetadata(), forwarder.status());
        } catch (StoreException unreadable) {
            refused.run();
            refuse(unreadable.error(), reply);
        }
    }

    private static ErrPacket error(Throwable failure) {
        if (failure instanceof StoreException refusal) {
            return refusal.error();
        }
        LOG.warn("a read of views failed", failure);
        return ErrPacket.of(ErrorCode.ER_UNKNOWN_ERROR, "The views of Keyline cannot be read now; the log tells why");
    }

    private static void refuse(ErrPacket error, Reply reply) {
        reply.error(error);
        reply.end();
    }

    // ---------------------------------------------------------------- rights

    /** @param change what is to be changed, for the log */
    private @Nullable ErrPacket refusal(LocalStatement.Right right, String change) {
        if (right == LocalStatement.Right.NONE) {
            return null;
        }
        String user = user();
        GatewayConfig config = insight.config().config();
        if (right == LocalStatement.Right.MEMBER) {
            return !user.equals(NOBODY) && user.equals(config.store().user())
                    ? null
                    : ErrPacket.of(
                            ErrorCode.ER_SPECIFIC_ACCESS_DENIED_ERROR,
                            "Access denied; you need to be store.user of Keyline's configuration for this operation");
        }
        GatewayConfig.Access access = config.access();
        boolean changes = right == LocalStatement.Right.CHANGES;
        boolean allowed = changes ? access.mayChange(user) : access.mayView(user);
        if (changes && (allowed || state.context().metrics().logsRefusal())) {
            LOG.info(
                    "connection {}: {} of '{}'@{}: {}",
                    state.login().connectionId(),
                    change,
                    state.login().user(),
                    state.login().remote().getHostAddress(),
                    allowed ? "allowed" : "denied");
        }
        if (allowed) {
            return null;
        }
        return ErrPacket.of(
                ErrorCode.ER_SPECIFIC_ACCESS_DENIED_ERROR,
                "Access denied; you need to be named in " + (changes ? "access.changes" : "access.views")
                        + " of Keyline's configuration for this operation");
    }

    /** Whether the store is asked for accounts: not Doris, which lets nobody in but by the account's own name. */
    private boolean asksAccount() {
        return state.context().store().sessionQuestions().contains("CURRENT_USER()");
    }

    /** Whom the store takes the client for, where it decides on logins; empty if that is not known. */
    private String user() {
        if (state.login().upstream() == null || !asksAccount()) {
            return state.login().user();
        }
        String account = state.settings().account();
        String user = state.login().user();
        // StarRocks puts the name into quotes.
        boolean same = account != null && (account.startsWith(user + "@") || account.startsWith("'" + user + "'@"));
        return same ? user : NOBODY;
    }
}
