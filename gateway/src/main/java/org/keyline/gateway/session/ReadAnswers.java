package org.keyline.gateway.session;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.metrics.GatewayMetrics.PointForward;
import org.keyline.gateway.query.PointReader;
import org.keyline.gateway.query.ReadScope;
import org.keyline.gateway.query.SlotValues;
import org.keyline.planner.PlannedStatement;
import org.keyline.planner.PointRead;
import org.keyline.protocol.server.Reply;

/**
 * Answers one session's point reads: from lines, now or after a load, or else from the store. Confined to one event loop.
 */
final class ReadAnswers implements PointReader.Continuation {
    private final SessionState state;
    private final KeptCommand kept;
    private final StatementForwarder forwards;

    // The read that waits for a load.
    private @Nullable Reply waitingReply;
    private @Nullable PreparedStatement waitingStatement;

    ReadAnswers(SessionState state, KeptCommand kept, StatementForwarder forwards) {
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
        SessionSettings settings = state.settings();
        if (!eligible || !settings.hitsAllowed()) {
            String why = settings.whyForwarded();
            forwarded(
                    PointForward.SESSION,
                    why != null
                            ? why
                            : "It asks for a cursor, has query attributes, is of another schema, or a value came ahead of it.");
            forwards.read(statement, null, reply);
            return;
        }
        PointReader reader = state.parts().reader();
        Staleness asked = own != null ? own : settings.maxStaleness();
        if (asked.nanos() == 0) {
            forwarded(PointForward.SESSION, "It asks for rows from the store: keyline_max_staleness is 0.");
            forwards.read(statement, reader.recorder(planned, read, scope), reply);
            return;
        }
        switch (reader.read(planned, read, values, scope, asked.nanos(), reply, this)) {
            case ANSWERED -> answered(statement);
            case PENDING -> {
                waitingReply = reply;
                waitingStatement = statement;
            }
            case FORWARD -> {
                forwarded(
                        PointForward.UNANSWERED,
                        "Its shape is new to this user, or its rows are being written, or a value is not exact.");
                forwards.read(statement, reader.recorder(planned, read, scope), reply);
            }
        }
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
