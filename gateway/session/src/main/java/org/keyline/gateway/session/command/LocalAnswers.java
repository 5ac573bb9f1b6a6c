package org.keyline.gateway.session.command;

import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.config.ConfigKeys;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.gateway.session.local.GatewayStatements;
import org.keyline.gateway.session.local.LocalStatement;
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
 * Answers the gateway's own statements. A statement about a table requires that the store permits a
 * read of this table. If the store refuses it, the client gets the error. A statement that shows or
 * changes the gateway's state requires a right in the configuration. Confined to one event loop.
 */
public final class LocalAnswers extends SessionCommands {
    private static final Logger LOG = LoggerFactory.getLogger(LocalAnswers.class);

    /** A user name that the configuration cannot contain. */
    private static final String NOBODY = "";

    private final GatewayStatements own;
    private final Insight insight;
    private @Nullable CompletableFuture<ViewResult> running;

    public LocalAnswers(SessionCommands shared, GatewayStatements own, Insight insight) {
        super(shared);
        this.own = own;
        this.insight = insight;
    }

    /**
     * Returns the last digested statement, {@code sql[from..to)}, if the gateway answers it; null
     * if the store answers it.
     */
    @Nullable
    LocalStatement find(Plan plan, byte[] sql, int from, int to) {
        return own.find(plan, sql, from, to, state);
    }

    /**
     * Returns whether the gateway must first ask the store for the client's account. Rights depend
     * on the account, which can differ from the login name. The statement runs again after the
     * answer.
     */
    boolean needsAccount(LocalStatement statement) {
        return needsRight(statement.right())
                && state.login().upstream() != null
                && asksAccount()
                && state.settings().account() == null
                && !state.settings().verified()
                && !borrowed.isOrphaned();
    }

    /** Returns whether this login asks for the account, to know its rights during an outage. */
    public boolean needsAccountAtLogin() {
        GatewayConfig config = insight.config().config();
        String user = state.login().user();
        boolean decides = (config.mayView(user) && !config.mayView(NOBODY))
                || (config.mayChange(user) && !config.mayChange(NOBODY));
        return decides && state.login().upstream() != null && asksAccount();
    }

    /** Answers the statement. If it is about a table, the store must first permit a read of it. */
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
        // Every user of an embedded store may read everything.
        byte[] read = state.context().store().isRemote() ? statement.read().get() : null;
        if (read == null) {
            run(statement, binary, reply);
        } else {
            relay.ask(storeStatements.consent(read), reply, () -> run(statement, binary, reply));
        }
    }

    private void run(LocalStatement statement, boolean binary, Reply reply) {
        CompletionStage<ViewResult> result =
                statement.begin().thenApply(rows -> ViewResult.of(statement.columns(), rows, binary));
        answer(
                statement.right() == LocalStatement.Right.CHANGES
                        ? result.whenComplete((done, failure) -> log(statement.change(), outcome(failure)))
                        : result,
                reply);
    }

    private static String outcome(@Nullable Throwable failure) {
        if (failure == null) {
            return "allowed";
        }
        return cause(failure) instanceof StoreException refused
                ? "refused: " + refused.error().message()
                : "failed";
    }

    /** Answers an execution of a prepared read of views. */
    void answer(ViewRead view, LocalStatement.Right right, ExecuteParameters values, Reply reply) {
        ErrPacket refusal = refusal(right, "");
        if (refusal != null) {
            refuse(refusal, reply);
        } else {
            answer(view.bound(values), true, reply);
        }
    }

    private void answer(ViewRead view, boolean binary, Reply reply) {
        running = insight.reads().run(view, new View.Asker(own.lastRow(state)), binary);
        answer(running, reply);
    }

    private void answer(CompletionStage<ViewResult> run, Reply reply) {
        var unused = run.whenComplete((result, failure) -> reply.run(() -> {
            if (failure == null) {
                result.answer(reply, state.extendedMetadata(), relay.status());
            } else if (!(failure instanceof CancellationException)) {
                refuse(error(cause(failure)), reply);
            }
        }));
    }

    /** Stops the client's running read of views. */
    public void closed() {
        CompletableFuture<ViewResult> run = running;
        if (run != null) {
            run.cancel(false);
        }
    }

    /** @param refused runs if the client gets an error instead of a prepared statement */
    void prepare(LocalStatement statement, int id, Runnable refused, Reply reply) {
        ViewRead view = statement.view();
        if (view == null) {
            ViewResult.of(statement.columns(), List.of(), false)
                    .answerPrepare(reply, id, 0, state.extendedMetadata(), relay.status());
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
                    .answerPrepare(reply, id, view.parameters(), state.extendedMetadata(), relay.status());
        } catch (StoreException unreadable) {
            refused.run();
            refuse(unreadable.error(), reply);
        }
    }

    private static ErrPacket error(Throwable failure) {
        if (failure instanceof StoreException refusal) {
            return refusal.error();
        }
        LOG.error(
                "A KEYLINE statement failed because of an error in Keyline; its client got error 1105. Please report it.",
                failure);
        return ErrPacket.of(
                ErrorCode.ER_UNKNOWN_ERROR, "Keyline could not run this statement. Keyline's log has the cause.");
    }

    private static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    private static void refuse(ErrPacket error, Reply reply) {
        reply.error(error);
        reply.end();
    }

    // ---------------------------------------------------------------- rights

    private static boolean needsRight(LocalStatement.Right right) {
        return right != LocalStatement.Right.NONE && right != LocalStatement.Right.EXPLAINS;
    }

    /** Returns the error if the client lacks the right; if not, null. Logs a refused change. */
    private @Nullable ErrPacket refusal(LocalStatement.Right right, String change) {
        if (!needsRight(right)) {
            return null;
        }
        String user = user();
        GatewayConfig config = insight.config().config();
        if (right == LocalStatement.Right.MEMBER) {
            return !user.equals(NOBODY) && user.equals(config.get(ConfigKeys.STORE_USER))
                    ? null
                    : ErrPacket.of(
                            ErrorCode.ER_SPECIFIC_ACCESS_DENIED_ERROR,
                            "Access denied; you need to be store.user of Keyline's configuration for this operation");
        }
        boolean changes = right == LocalStatement.Right.CHANGES;
        boolean allowed = changes ? config.mayChange(user) : config.mayView(user);
        if (changes && !allowed && state.context().metrics().logsRefusal()) {
            log(change, "denied");
        }
        if (allowed) {
            return null;
        }
        return ErrPacket.of(
                ErrorCode.ER_SPECIFIC_ACCESS_DENIED_ERROR,
                "Access denied; you need to be named in " + (changes ? "access.changes" : "access.views")
                        + " of Keyline's configuration for this operation");
    }

    private void log(String change, String outcome) {
        LOG.info(
                "Connection {}: {} by '{}'@{}: {}",
                state.login().connectionId(),
                change,
                state.login().user(),
                state.login().remote().getHostAddress(),
                outcome);
    }

    /**
     * Returns whether the gateway asks the store for account names. It does not ask Doris, whose
     * login names are account names.
     */
    private boolean asksAccount() {
        return state.context().store().sessionQuestions().contains("CURRENT_USER()");
    }

    /** Returns the user of the login; empty if the store may have chosen another account. */
    private String user() {
        if (state.login().upstream() == null || !asksAccount()) {
            return state.login().user();
        }
        String account = state.settings().account();
        String user = state.login().user();
        // StarRocks quotes the name.
        boolean same = account != null && (account.startsWith(user + "@") || account.startsWith("'" + user + "'@"));
        return same ? user : NOBODY;
    }
}
