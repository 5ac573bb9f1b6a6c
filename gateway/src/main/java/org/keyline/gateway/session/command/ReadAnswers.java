package org.keyline.gateway.session.command;

import java.util.Objects;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.key.SlotValues;
import org.keyline.gateway.metrics.StatementFigures;
import org.keyline.gateway.read.PointReader;
import org.keyline.gateway.read.ReadScope;
import org.keyline.gateway.read.ReadTransaction;
import org.keyline.gateway.read.ReplyObserver;
import org.keyline.gateway.session.relay.Forwarder;
import org.keyline.gateway.session.settings.SessionSettings;
import org.keyline.gateway.session.settings.Staleness;
import org.keyline.gateway.session.settings.TransactionState;
import org.keyline.gateway.session.state.SessionState;
import org.keyline.gateway.slow.Spent;
import org.keyline.gateway.table.MissReason;
import org.keyline.planner.Forward;
import org.keyline.planner.PlannedStatement;
import org.keyline.planner.PointRead;
import org.keyline.planner.StatementKind;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.protocol.server.Reply;

/**
 * Answers one session's point reads: from lines, now or after a load, or else from the store. Confined to one event loop.
 */
public final class ReadAnswers implements PointReader.Continuation {
    private final SessionState state;
    private final KeptCommand kept;
    private final StoreStatements there;
    private final StatementForwarder forwards;
    private final TransactionReads transactions;
    private final Forwarder forwarder;

    // The read that waits for a load.
    private @Nullable PlannedStatement waitingPlan;
    private @Nullable Reply waitingReply;
    private @Nullable PreparedStatement waitingStatement;
    private long waitingSinceNanos;

    public ReadAnswers(
            SessionState state,
            KeptCommand kept,
            StoreStatements there,
            StatementForwarder forwards,
            TransactionReads transactions,
            Forwarder forwarder) {
        this.transactions = transactions;
        this.forwarder = forwarder;
        this.state = state;
        this.kept = kept;
        this.there = there;
        this.forwards = forwards;
    }

    /**
     * Values go ahead to the store for the statement's next execution, which must be the client's: what was answered before is run
     * there, if it has to be, by a handle of its own.
     */
    void valuesGoAhead(PreparedStatement statement) {
        PreparedStatement twin = statement.twin();
        kept.replace(statement, twin);
        transactions.replace(statement, twin);
    }

    /** Takes a statement that is no point read, ahead of its way to the store. */
    void beside(Forward forward, String text) {
        if (state.settings().current().isWithin() || forward.kind() == StatementKind.BEGIN) {
            transactions.beside(text);
        }
    }

    /** The kept COM_QUERY. */
    void query(PlannedStatement planned, PointRead read, SlotValues values, @Nullable Staleness own, Reply reply) {
        answer(planned, read, values, state.scope(false), own, null, !kept.hasAttributes(), reply);
    }

    /**
     * The kept COM_STMT_EXECUTE.
     *
     * @param cursor whether the rows are to be fetched
     * @param eligible false where the store must answer: it has query attributes, or a value came ahead of it
     */
    void execute(
            PreparedStatement statement,
            PointRead read,
            SlotValues values,
            boolean cursor,
            boolean eligible,
            Reply reply) {
        ReadScope scope = cursor ? state.cursorScope() : state.scope(true);
        // What a transaction is to see is compared with whole replies.
        boolean within = cursor && state.settings().current().isWithin();
        answer(statement.planned, read, values, scope, statement.staleness, statement, eligible && !within, reply);
    }

    private void answer(
            PlannedStatement planned,
            PointRead read,
            SlotValues values,
            ReadScope session,
            @Nullable Staleness own,
            @Nullable PreparedStatement statement,
            boolean eligible,
            Reply reply) {
        kept.isRead();
        SessionSettings settings = state.settings();
        ReadScope shown = session.of(read, values);
        ReadScope scope = shown == null ? session : shown;
        boolean pinned = settings.current().isWithin() && transactions.pins(planned, read, values, scope);
        if (!eligible || pinned || !settings.hitsAllowed()) {
            // What only the transaction keeps from lines teaches the template all the same.
            boolean teaches = eligible && settings.readsFollowed() && shown != null && values.areOnes(read.ones());
            MissReason reason = settings.missReason();
            String why = settings.whyForwarded();
            state.forwarding(settings.hitsAllowed() ? null : why);
            forward(
                    planned,
                    read,
                    reason != null ? reason : pinned ? MissReason.TRANSACTION : MissReason.STATEMENT,
                    why != null ? why : pinned ? TransactionState.PINNED : MissReason.STATEMENT.sentence(),
                    statement,
                    teaches ? recorder(planned, read, scope) : null,
                    0,
                    reply);
            return;
        }
        state.forwarding(null);
        if (statement != null && !settings.catalog().isOwnSince(statement.catalog)) {
            MissReason reason = MissReason.CATALOG;
            forward(planned, read, reason, reason.sentence(), statement, null, 0, reply);
            return;
        }
        PointReader reader = state.parts().reader();
        MissReason meaning = settings.otherMeaning(read, values);
        if (meaning != null) {
            forward(planned, read, meaning, meaning.sentence(), statement, null, 0, reply);
            return;
        }
        Staleness asked = own != null ? own : settings.maxStaleness();
        if (asked.nanos() == 0) {
            MissReason reason = MissReason.STALENESS;
            forward(planned, read, reason, reason.sentence(), statement, recorder(planned, read, scope), 0, reply);
            return;
        }
        ReadTransaction within = transactions.begin(statement);
        switch (reader.read(planned, read, values, scope, asked.nanos(), forwarder.dueNanos(), within, reply, this)) {
            case ANSWERED -> answered(statement);
            case PENDING -> {
                waitingPlan = planned;
                waitingReply = reply;
                waitingStatement = statement;
                waitingSinceNanos = reader.now();
            }
            case FORWARD -> {
                MissReason reason = reader.miss();
                ReplyObserver load = reader.takeReplyLoad();
                ReplyObserver observer = load != null ? load : recorder(planned, read, scope);
                forward(planned, read, reason, reason.sentence(), statement, observer, 0, reply);
            }
        }
    }

    private @Nullable ReplyObserver recorder(PlannedStatement planned, PointRead read, ReadScope scope) {
        boolean within = state.settings().current().isWithin();
        return state.authorityHolds() ? state.parts().reader().recorder(planned, read, scope, within) : null;
    }

    @Override
    public void answered() {
        PreparedStatement statement = waitingStatement;
        PlannedStatement planned = Objects.requireNonNull(waitingPlan, "no read waits");
        waitingPlan = null;
        waitingReply = null;
        waitingStatement = null;
        PointReader reader = state.parts().reader();
        PointRead read = (PointRead) planned.plan();
        long took = reader.now() - waitingSinceNanos;
        long rows = Math.max(0, reader.lastRows());
        figures(planned, read).loaded(took, rows);
        state.done(schema(read), planned.text(), "", Spent.loading(took), rows, reader.loadedReplyBytes(), 0);
        answered(statement);
    }

    @Override
    public void forward(MissReason reason) {
        Reply reply = Objects.requireNonNull(waitingReply, "no read waits");
        PlannedStatement planned = Objects.requireNonNull(waitingPlan, "no read waits");
        PreparedStatement statement = waitingStatement;
        waitingPlan = null;
        waitingReply = null;
        waitingStatement = null;
        long waited = state.parts().reader().now() - waitingSinceNanos;
        forward(planned, (PointRead) planned.plan(), reason, reason.sentence(), statement, null, waited, reply);
    }

    private void answered(@Nullable PreparedStatement statement) {
        PointReader reader = state.parts().reader();
        byte[] rows = reader.rowsToFetch();
        if (statement != null) {
            there.answered(statement, kept.bytes(), kept.length());
            statement.cursor = rows == null ? FetchedRows.NONE : new FetchedRows(rows);
        }
        state.last().answered(reader.lastWasHit(), reader.lastWasLent(), reader.loadBeganNanos(), reader.lastFilter());
        kept.answered(statement, reader.lastRows());
        forwarder.clearedHere();
    }

    /**
     * No line answers: the store does.
     *
     * @param why the reason for people, who may be told more than its sentence
     * @param waitedNanos for lines, before
     */
    private void forward(
            PlannedStatement planned,
            PointRead read,
            MissReason reason,
            String why,
            @Nullable PreparedStatement statement,
            @Nullable ReplyObserver observer,
            long waitedNanos,
            Reply reply) {
        state.context().metrics().missed(reason);
        state.last().forwarded(reason.name(), why);
        PointReader reader = state.parts().reader();
        // It reads another table than the one that has lines.
        LongConsumer timed = reason == MissReason.CATALOG ? null : reader.missed(planned, read, reason);
        StatementFigures figures = figures(planned, read);
        long began = reader.now();
        forwards.read(
                statement,
                observer,
                done -> {
                    ReplySummary summary = done.summary();
                    Spent spent = forwarder.spent(began, waitedNanos);
                    figures.forwarded(
                            reason.name(), spent.totalNanos() - waitedNanos, summary.rows(), summary.error() != null);
                    forwards.told(schema(read), planned.text(), reason.name(), spent, summary);
                    if (timed != null) {
                        timed.accept(summary.rows());
                    }
                },
                reply);
    }

    private StatementFigures figures(PlannedStatement planned, PointRead read) {
        return state.context().metrics().statements().of(schema(read), planned.text());
    }

    private static String schema(PointRead read) {
        return read.table().name().schema();
    }
}
