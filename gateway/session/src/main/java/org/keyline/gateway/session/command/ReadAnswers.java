package org.keyline.gateway.session.command;

import java.util.Objects;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.key.SlotValues;
import org.keyline.gateway.read.Answer;
import org.keyline.gateway.read.PointReader;
import org.keyline.gateway.read.Read;
import org.keyline.gateway.read.ReadScope;
import org.keyline.gateway.read.ReplyObserver;
import org.keyline.gateway.session.settings.SessionSettings;
import org.keyline.gateway.session.settings.Staleness;
import org.keyline.gateway.session.settings.TransactionState;
import org.keyline.gateway.slow.SlowStatement;
import org.keyline.gateway.slow.Spent;
import org.keyline.gateway.table.MissReason;
import org.keyline.gateway.table.StatementFigures;
import org.keyline.planner.Forward;
import org.keyline.planner.PlannedStatement;
import org.keyline.planner.PointRead;
import org.keyline.planner.StatementKind;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.protocol.server.Reply;

/** Answers a session's point reads, if necessary after loads. Confined to one event loop. */
public final class ReadAnswers extends SessionCommands implements Read.Continuation {
    private final StatementForwarder forwards;
    private final TransactionReads transactions;

    private @Nullable Read waiting;

    private @Nullable PreparedStatement waitingStatement;
    private long waitingSinceNanos;

    public ReadAnswers(SessionCommands shared, StatementForwarder forwards, TransactionReads transactions) {
        super(shared);
        this.transactions = transactions;
        this.forwards = forwards;
    }

    /**
     * Called before long data goes to the store for the client's next execution. Earlier answered
     * reads of the statement, which the store may still have to run, get another handle.
     */
    void valuesGoAhead(PreparedStatement statement) {
        PreparedStatement twin = statement.twin();
        copy.replace(statement, twin);
        transactions.replace(statement, twin);
    }

    /** Called when a statement that is not a point read goes to the store. */
    void beside(Forward forward, String text) {
        if (state.settings().current().isWithin() || forward.kind() == StatementKind.BEGIN) {
            transactions.beside(text);
        }
    }

    /** Answers the point read in the copied COM_QUERY. */
    void query(PlannedStatement planned, PointRead read, SlotValues values, @Nullable Staleness own, Reply reply) {
        Read asked = state.parts().reader().next(planned, read, values, reply, this);
        answer(asked.in(state.scope(false)), own, null, !copy.hasAttributes());
    }

    /**
     * Answers the copied COM_STMT_EXECUTE.
     *
     * @param cursor whether the client fetches the rows by a cursor
     * @param eligible false if the store must answer, for example because of query attributes or
     * long data
     */
    void execute(
            PreparedStatement statement,
            PlannedStatement planned,
            SlotValues values,
            boolean cursor,
            boolean eligible,
            Reply reply) {
        ReadScope scope = cursor ? state.cursorScope() : state.scope(true);
        // In a transaction, the gateway may later compare the reply from lines with the store's
        // reply. This requires whole replies, so the store answers reads by a cursor.
        boolean within = cursor && state.settings().current().isWithin();
        Read asked = state.parts().reader().next(planned, (PointRead) planned.plan(), values, reply, this);
        answer(asked.in(scope), statement.staleness, statement, eligible && !within);
    }

    /** @param own the maximum age in the statement's text; null for the session's maximum age */
    private void answer(Read read, @Nullable Staleness own, @Nullable PreparedStatement statement, boolean eligible) {
        copy.isRead();
        SessionSettings settings = state.settings();
        PointRead plan = read.plan();
        SlotValues values = read.values();
        ReadScope shown = read.scope().of(plan, values);
        if (shown != null) {
            read.in(shown);
        }
        boolean pinned =
                settings.current().isWithin() && transactions.pins(read.statement(), plan, values, read.scope());
        if (!eligible || pinned || !settings.hitsAllowed()) {
            // If only the transaction prevents an answer from lines, the session still stores the
            // reply's template.
            boolean teaches = eligible && settings.readsFollowed() && shown != null && values.areOnes(plan.ones());
            MissReason reason = settings.missReason();
            String why = settings.whyForwarded();
            state.forwarding(settings.hitsAllowed() ? null : why);
            forward(
                    read,
                    reason != null ? reason : pinned ? MissReason.TRANSACTION : MissReason.STATEMENT,
                    why != null ? why : pinned ? TransactionState.PINNED : MissReason.STATEMENT.sentence(),
                    statement,
                    teaches ? recorder(read) : null,
                    0);
            return;
        }
        state.forwarding(null);
        if (statement != null && !settings.catalog().isOwnSince(statement.catalog)) {
            forward(read, MissReason.CATALOG, statement, null, 0);
            return;
        }
        MissReason meaning = settings.otherMeaning(plan, values);
        if (meaning != null) {
            forward(read, meaning, statement, null, 0);
            return;
        }
        Staleness asked = own != null ? own : settings.maxStaleness();
        if (asked.nanos() == 0) {
            forward(read, MissReason.STALENESS, statement, recorder(read), 0);
            return;
        }
        read.notOlderThan(asked.nanos(), borrowed.dueNanos()).within(transactions.begin(statement));
        Answer answer = state.parts().reader().read(read);
        switch (answer.outcome()) {
            case ANSWERED -> answered(answer, statement);
            case PENDING -> {
                waiting = read;
                waitingStatement = statement;
                waitingSinceNanos = state.parts().reader().now();
            }
            case FORWARD -> {
                ReplyObserver load = answer.load();
                forward(read, answer.miss(), statement, load != null ? load : recorder(read), 0);
            }
        }
    }

    private @Nullable ReplyObserver recorder(Read read) {
        boolean within = state.settings().current().isWithin();
        return state.authorityHolds() ? state.parts().reader().recorder(read, within) : null;
    }

    @Override
    public void answered(Answer answer) {
        Read read = takeWaiting();
        PreparedStatement statement = takeWaitingStatement();
        long took = state.parts().reader().now() - waitingSinceNanos;
        long rows = Math.max(0, answer.rows());
        PlannedStatement planned = read.statement();
        figures(planned, read.plan()).loaded(took, rows);
        SlowStatement.Replied reply = new SlowStatement.Replied(rows, answer.loadedReplyBytes(), 0);
        state.done(schema(read.plan()), planned.text(), "", Spent.loading(took), reply);
        answered(answer, statement);
    }

    @Override
    public void forward(MissReason reason) {
        Read read = takeWaiting();
        long waited = state.parts().reader().now() - waitingSinceNanos;
        forward(read, reason, takeWaitingStatement(), null, waited);
    }

    private Read takeWaiting() {
        Read read = Objects.requireNonNull(waiting, "no read waits");
        waiting = null;
        return read;
    }

    private @Nullable PreparedStatement takeWaitingStatement() {
        PreparedStatement statement = waitingStatement;
        waitingStatement = null;
        return statement;
    }

    private void answered(Answer answer, @Nullable PreparedStatement statement) {
        byte[] rows = answer.rowsToFetch();
        if (statement != null) {
            storeStatements.answered(statement, copy.bytes(), copy.length());
            statement.cursor = rows == null ? FetchedRows.NONE : new FetchedRows(rows);
        }
        state.last().answered(answer);
        copy.answered(statement, answer.rows());
        relay.diagnostics().answered();
    }

    private void forward(
            Read read,
            MissReason reason,
            @Nullable PreparedStatement statement,
            @Nullable ReplyObserver observer,
            long waitedNanos) {
        forward(read, reason, reason.sentence(), statement, observer, waitedNanos);
    }

    /**
     * @param why the reason as a sentence, which can be more specific than {@code reason}
     * @param waitedNanos how long the read has waited for lines
     */
    private void forward(
            Read read,
            MissReason reason,
            String why,
            @Nullable PreparedStatement statement,
            @Nullable ReplyObserver observer,
            long waitedNanos) {
        state.context().metrics().missed(reason);
        state.last().forwarded(reason.name(), why);
        PointReader reader = state.parts().reader();
        PlannedStatement planned = read.statement();
        String schema = schema(read.plan());
        // In another catalog, the statement reads another table, so its time says nothing about the
        // cached table.
        LongConsumer timed = reason == MissReason.CATALOG ? null : reader.missed(planned, read.plan(), reason);
        StatementFigures figures = figures(planned, read.plan());
        long began = reader.now();
        forwards.read(
                statement,
                observer,
                done -> {
                    ReplySummary summary = done.summary();
                    Spent spent = relay.spent(began, waitedNanos);
                    figures.forwarded(
                            reason.name(), spent.totalNanos() - waitedNanos, summary.rows(), summary.error() != null);
                    forwards.received(schema, planned.text(), reason.name(), spent, summary);
                    if (timed != null) {
                        timed.accept(summary.rows());
                    }
                },
                read.reply());
    }

    private StatementFigures figures(PlannedStatement planned, PointRead read) {
        return state.context().metrics().statements().of(schema(read), planned.text());
    }

    private static String schema(PointRead read) {
        return read.table().name().schema();
    }
}
