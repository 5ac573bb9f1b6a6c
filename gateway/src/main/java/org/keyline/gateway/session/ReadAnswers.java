package org.keyline.gateway.session;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.metrics.GatewayMetrics.PointForward;
import org.keyline.gateway.query.PointReader;
import org.keyline.gateway.query.ReadScope;
import org.keyline.gateway.query.ReadTransaction;
import org.keyline.gateway.query.SlotValues;
import org.keyline.gateway.query.TemplateRecorder;
import org.keyline.planner.PlannedStatement;
import org.keyline.planner.PointRead;
import org.keyline.protocol.server.Reply;

/**
 * Answers one session's point reads: from lines, now or after a load, or else from the store. Confined to one event loop.
 */
final class ReadAnswers implements PointReader.Continuation {
    /** Why the store answers a read of moments. */
    static final String OTHER_TIME_ZONE =
            "It reads a TIMESTAMP, and the session's time zone is not the one that lines are loaded by.";

    static final String NOT_ONE = "It has a number other than 1 where only that is known.";

    private static final String NOT_ANSWERED =
            "Its shape is new to this user, or its rows are being written, or a value is not exact.";

    private static final String NOT_ANSWERED_WITHIN =
            "Its shape is new to this user, or its rows are being written, or a value is not exact, or its rows may be of"
                    + " another moment than what its transaction has read.";

    private final SessionState state;
    private final KeptCommand kept;
    private final StatementForwarder forwards;
    private final TransactionReads transactions;

    // The read that waits for a load.
    private @Nullable Reply waitingReply;
    private @Nullable PreparedStatement waitingStatement;

    ReadAnswers(SessionState state, KeptCommand kept, StatementForwarder forwards, TransactionReads transactions) {
        this.transactions = transactions;
        this.state = state;
        this.kept = kept;
        this.forwards = forwards;
    }

    /** The kept COM_QUERY. */
    void query(PlannedStatement planned, PointRead read, SlotValues values, @Nullable Staleness own, Reply reply) {
        answer(planned, read, values, state.scope(false), own, null, !kept.hasAttributes(), reply);
    }

    /**
     * The kept COM_STMT_EXECUTE.
     *
     * @param eligible false where the store must answer: it asks for a cursor, has query attributes, or a value came ahead of it
     */
    void execute(PreparedStatement statement, PointRead read, SlotValues values, boolean eligible, Reply reply) {
        answer(statement.planned, read, values, state.scope(true), statement.staleness, statement, eligible, reply);
    }

    private void answer(
            PlannedStatement planned,
            PointRead read,
            SlotValues values,
            ReadScope scope,
            @Nullable Staleness own,
            @Nullable PreparedStatement statement,
            boolean eligible,
            Reply reply) {
        kept.isRead();
        SessionSettings settings = state.settings();
        if (!eligible || !settings.hitsAllowed()) {
            String why = settings.whyForwarded();
            forwarded(
                    PointForward.SESSION,
                    why != null
                            ? why
                            : "It asks for a cursor, has query attributes, is of another schema, or a value came ahead of it.");
            // What only the transaction keeps from lines teaches the template all the same.
            boolean teaches = eligible && settings.readsFollowed() && values.areOnes(read.ones());
            forwards.read(statement, teaches ? recorder(planned, read, scope) : null, reply);
            return;
        }
        PointReader reader = state.parts().reader();
        if (settings.otherTimeZone() && read.showsTimeZone()) {
            forwarded(PointForward.SESSION, OTHER_TIME_ZONE);
            forwards.read(statement, null, reply);
            return;
        }
        if (!values.areOnes(read.ones())) {
            forwarded(PointForward.UNANSWERED, NOT_ONE);
            forwards.read(statement, null, reply);
            return;
        }
        Staleness asked = own != null ? own : settings.maxStaleness();
        if (asked.nanos() == 0) {
            forwarded(PointForward.SESSION, "It asks for rows from the store: keyline_max_staleness is 0.");
            forwards.read(statement, recorder(planned, read, scope), reply);
            return;
        }
        ReadTransaction within = transactions.begin(statement);
        switch (reader.read(planned, read, values, scope, asked.nanos(), within, reply, this)) {
            case ANSWERED -> answered(statement);
            case PENDING -> {
                waitingReply = reply;
                waitingStatement = statement;
            }
            case FORWARD -> {
                forwarded(PointForward.UNANSWERED, within == null ? NOT_ANSWERED : NOT_ANSWERED_WITHIN);
                forwards.read(statement, recorder(planned, read, scope), reply);
            }
        }
    }

    private @Nullable TemplateRecorder recorder(PlannedStatement planned, PointRead read, ReadScope scope) {
        boolean within = state.settings().current().isWithin();
        return state.authorityHolds() ? state.parts().reader().recorder(planned, read, scope, within) : null;
    }

    @Override
    public void answered() {
        PreparedStatement statement = waitingStatement;
        waitingReply = null;
        waitingStatement = null;
        answered(statement);
    }

    @Override
    public void forward() {
        Reply reply = Objects.requireNonNull(waitingReply, "no read waits");
        PreparedStatement statement = waitingStatement;
        waitingReply = null;
        waitingStatement = null;
        forwarded(PointForward.UNANSWERED, "Its lines could not be loaded, or were overtaken by a write.");
        forwards.read(statement, null, reply);
    }

    private void answered(@Nullable PreparedStatement statement) {
        PointReader reader = state.parts().reader();
        state.last().answered(reader.lastWasHit(), reader.loadBeganNanos());
        kept.answered(statement);
    }

    private void forwarded(PointForward reason, String why) {
        state.context().metrics().forwarded(reason);
        state.last().forwarded(why);
    }
}
