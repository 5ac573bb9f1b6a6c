package org.keyline.gateway.session.command;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.change.Fencing;
import org.keyline.gateway.key.SlotValues;
import org.keyline.gateway.metrics.GatewayMetrics;
import org.keyline.gateway.read.ReplyObserver;
import org.keyline.gateway.session.relay.Forwarding;
import org.keyline.gateway.session.relay.FoundRows;
import org.keyline.gateway.session.relay.Preamble;
import org.keyline.gateway.session.relay.SessionDiagnostics;
import org.keyline.gateway.session.settings.SessionSettings;
import org.keyline.gateway.session.settings.SqlStatement;
import org.keyline.gateway.slow.SlowStatement;
import org.keyline.gateway.slow.Spent;
import org.keyline.gateway.table.MissReason;
import org.keyline.gateway.table.StatementFigures;
import org.keyline.planner.Effect;
import org.keyline.planner.Forward;
import org.keyline.planner.ForwardReason;
import org.keyline.planner.StatementKind;
import org.keyline.planner.TableName;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.protocol.server.Reply;
import org.keyline.stores.StoreTrait;

/** Closes the fences of the copied command, then forwards it. Confined to one event loop. */
public final class StatementForwarder extends SessionCommands {
    /*
     * A statement may ask about the previous statement (SHOW WARNINGS, FOUND_ROWS()). If lines
     * answered the previous statement, the store first runs a read with the same number of rows.
     * The gateway drops its reply. If that number is unknown, the store runs the answered read
     * itself. FOUND_ROWS() refers to the last result, so this also applies if statements without a
     * result came after the read.
     */

    private static final String FOUND_ROWS = "FOUND_ROWS";

    private final Fencing fencing;
    private final SessionDiagnostics diagnostics;
    private final DefinitionGate gate;
    private final NamedStatements named;
    private final SessionInserts inserts;
    private @Nullable Runnable codeChange;

    public StatementForwarder(SessionCommands shared, Fencing fencing) {
        super(shared);
        this.fencing = fencing;
        diagnostics = relay.diagnostics();
        this.gate = new DefinitionGate(shared, fencing);
        this.named = new NamedStatements(state.settings());
        this.inserts = new SessionInserts(shared);
    }

    /**
     * Sends a point read that lines do not answer.
     *
     * @param statement the executed statement; null for COM_QUERY
     * @param observer receives the packets of the reply; null if they need no observer
     * @param then receives the complete reply
     */
    void read(
            @Nullable PreparedStatement statement,
            @Nullable ReplyObserver observer,
            Consumer<ReplyScanner> then,
            Reply reply) {
        codeChanged();
        diagnostics.forwarded();
        Consumer<ReplyScanner> counted = done -> {
            if (FoundRows.SETS.isSet(done.summary())) {
                copy.forgetAnswered();
            }
            then.accept(done);
        };
        Forwarding forwarding = statement == null
                ? text(reply, StatementKind.SELECT, counted)
                : execution(statement, StatementKind.SELECT, reply, counted);
        Forwarding seen = forwarding.seenBy(observer);
        if (relay.admits(seen)) {
            relay.forward(seen);
        }
    }

    /**
     * Sends a COM_QUERY that is not a point read.
     *
     * @param normalised the text without values; empty if Keyline did not read the text
     */
    void query(Forward forward, String normalised, SlotValues values, Reply reply) {
        SqlStatement text = copy.text(forward.kind());
        boolean plain = !copy.hasAttributes();
        if (plain && answersHere(text, reply)) {
            return;
        }
        ReplyObserver learner = plain ? relay.late().learner(text) : null;
        List<Preamble> replay = before(forward, text, reply);
        send(
                Forwarding.statement(reply, copy.sent(), text, after(forward, normalised, text, true))
                        .after(replay)
                        .seenBy(learner),
                forward.effect(),
                values,
                true,
                replay.isEmpty() && plain);
    }

    /**
     * Answers the copied command with an earlier reply of the store to the same text. Returns false
     * if the store must answer.
     */
    boolean answersHere(SqlStatement text, Reply reply) {
        // A change of the schema would change the meaning of the last answered read, which the
        // store may still have to run.
        boolean repeats = text.kind() == StatementKind.USE && copy.answeredLength() > 0 && !isCounted();
        if (repeats || !relay.late().answersHere(text, reply)) {
            return false;
        }
        codeChanged();
        diagnostics.okay(true);
        return true;
    }

    NamedStatements named() {
        return named;
    }

    /**
     * @param forward the plan of the executed statement, whose writes are known
     * @param normalised the text of the EXECUTE without values
     */
    void executeNamed(NamedStatements.Named statement, Forward forward, String normalised, Reply reply) {
        SqlStatement text = SqlStatement.of(forward.kind(), statement.sql());
        List<Preamble> replay = before(forward, text, reply);
        send(
                Forwarding.statement(reply, copy.sent(), text, after(forward, normalised, text, false))
                        .after(replay),
                forward.effect(),
                SlotValues.UNKNOWN,
                false,
                false);
    }

    /** Sends an execution that is not a point read. */
    void execute(PreparedStatement statement, Forward forward, SlotValues values, Reply reply) {
        boolean whole = !statement.longData && state.parts().parameters().attributeCount() == 0;
        Forwarding execution = execution(statement, forward.kind(), reply, after(statement, forward));
        List<Preamble> before = before(forward, statement.text(forward.kind()), reply);
        send(
                execution.after(concat(before, execution.preambles())),
                forward.effect(),
                values,
                false,
                before.isEmpty() && whole);
    }

    /** Sends an execution with unknown values. Closes the fences of the tables it can write. */
    void executeUnseen(PreparedStatement statement, List<Preamble> preambles, boolean continued, Reply reply) {
        List<Preamble> merged = statement.planned.plan() instanceof Forward asking
                ? inserts.before(asking, statement.text(asking.kind()))
                : List.of();
        List<Preamble> before = concat(concat(ahead(reply), merged), preambles);
        state.last().forwarded(MissReason.STATEMENT.name(), "Keyline did not read the parameters of the statement.");
        statement.longData = false;
        Supplier<ByteBuf> whole = copy.sent();
        StatementKind kind = StatementKind.SELECT;
        Consumer<ReplyScanner> after = done -> {};
        Effect effect = Effect.NONE;
        if (statement.planned.plan() instanceof Forward forward) {
            kind = forward.kind();
            after = after(statement, forward);
            // The command may have many sets of values, so whole tables are fenced.
            effect = Effect.tables(forward.effect());
        }
        Consumer<ReplyScanner> then = after;
        Forwarding forwarding = Forwarding.statement(
                        reply,
                        () -> {
                            statement.typesAtStore = true;
                            return whole.get().setIntLE(1, statement.storeId);
                        },
                        statement.text(kind),
                        done -> {
                            statement.executed(done);
                            then.accept(done);
                        })
                .after(before);
        send(continued ? forwarding.unfinished() : forwarding, effect, SlotValues.UNKNOWN, false, false);
    }

    /**
     * Sends the first packet of a long statement, whose writes are unknown. If the statement begins
     * as a write of rows and no other statement can follow, it changes neither settings nor
     * definitions.
     *
     * @param understood whether the query attributes before the text were decoded
     */
    void longQuery(boolean understood, Reply reply) {
        boolean alone = !state.context().store().has(StoreTrait.SPLITS_TEXTS)
                && !Capabilities.has(state.capabilities(), Capabilities.CLIENT_MULTI_STATEMENTS);
        StatementKind kind = copy.longKind(understood && alone);
        send(unread(kind, reply).unfinished(), Effect.EVERYTHING, SlotValues.UNKNOWN, false, false);
    }

    /** Sends a query with unreadable attributes, for which the store reports the error. */
    void unreadQuery(Reply reply) {
        send(unread(StatementKind.UNKNOWN, reply), Effect.EVERYTHING, SlotValues.UNKNOWN, false, false);
    }

    private Forwarding unread(StatementKind kind, Reply reply) {
        Forward forward = new Forward(ForwardReason.TOO_LONG, kind, Effect.EVERYTHING, false);
        List<Preamble> before = inserts.before(forward, SqlStatement.none(kind));
        copy.forgetAnswered();
        diagnostics.forwarded();
        return text(reply, kind, after(forward, "", SqlStatement.none(kind), false))
                .after(before);
    }

    /**
     * @param text whether the command is a COM_QUERY, whose text the store has yet to parse
     * @param plain whether the command has its whole text and all its values
     */
    private void send(Forwarding forwarding, Effect effect, SlotValues values, boolean text, boolean plain) {
        if (!relay.admits(forwarding)) {
            return;
        }
        if (effect instanceof Effect.StoredCode) {
            changesCode();
        }
        if (DefinitionGate.isFor(forwarding.kind(), effect)) {
            gate.forward(forwarding, effect, values, text);
            return;
        }
        if (forwarding.kind() == StatementKind.DDL) {
            gate.defines(forwarding, effect);
        }
        if (!isExact(forwarding, effect)) {
            fencing.sends(effect, values);
            relay.forward(forwarding);
            return;
        }
        SessionSettings settings = state.settings();
        boolean alone = settings.hitsAllowed()
                && !settings.transactionOpen()
                && !settings.current().isWithin();
        Fencing.@Nullable Write write = fencing.sendsExact(effect, values);
        if (alone && plain && inserts.take(forwarding, effect, values)) {
            return;
        }
        relay.forward(write == null ? forwarding : reportedTo(write, forwarding));
    }

    /** Returns whether the plan shows the exact effect of the command. */
    private boolean isExact(Forwarding forwarding, Effect effect) {
        SessionSettings settings = state.settings();
        // Such a CREATE changes no existing table, whichever table it names.
        boolean creates = effect instanceof Effect.Tables named && named.ifAbsent();
        return !forwarding.continued()
                && (creates || (settings.verified() && settings.schemaKnown() && settings.readsFollowed()));
    }

    private Forwarding reportedTo(Fencing.Write write, Forwarding forwarding) {
        TableName table = write.numberedTable();
        ReturnedNumbers returned =
                table == null ? null : new ReturnedNumbers(table, copy.bytes()[0], state.scope(false));
        Forwarding reported = forwarding.first(
                done -> write.received(done.summary(), returned == null ? List.of() : returned.ofAllRows()));
        return returned == null ? reported : reported.seenBy(returned);
    }

    /** Records that views or stored code change until the reply or the end of the session. */
    private void changesCode() {
        codeChange = state.context().store().storedCodeChanging();
    }

    /** Records the end of the current CALL, or of the change of stored code or views, if any. */
    public void codeChanged() {
        gate.over();
        Runnable done = codeChange;
        codeChange = null;
        if (done != null) {
            done.run();
        }
    }

    /** Called before a command with unknown writes is sent. */
    void sendsAnything() {
        fencing.sendsAnything();
    }

    private Forwarding text(Reply reply, StatementKind kind, Consumer<ReplyScanner> then) {
        return Forwarding.statement(reply, copy.sent(), copy.text(kind), then);
    }

    /** Returns the commands that must run before an execution of the statement. */
    List<Preamble> prepared(PreparedStatement statement) {
        statements.usedAtStore(statement);
        List<Preamble> preambles = storeStatements.prepare(statement);
        return preambles.isEmpty() ? preambles : concat(storeStatements.room(statements), preambles);
    }

    private Forwarding execution(
            PreparedStatement statement, StatementKind kind, Reply reply, Consumer<ReplyScanner> then) {
        Supplier<ByteBuf> execute = storeStatements.execute(statement, copy.bytes(), copy.length(), reply.alloc());
        List<Preamble> preambles = prepared(statement);
        statement.longData = false;
        return Forwarding.statement(reply, execute, statement.text(kind), done -> {
                    statement.executed(done);
                    then.accept(done);
                })
                .after(preambles);
    }

    /** Returns the commands that must run before a statement that is not a point read. */
    private List<Preamble> before(Forward forward, SqlStatement text, Reply reply) {
        // The previous statement is over, even if a failed internal command prevented it.
        codeChanged();
        state.context().metrics().forwarded(forward.reason());
        state.last().forwarded(forward.reason().name(), forward.reason().sentence());
        List<Preamble> last = concat(inserts.before(forward, text), ahead(text));
        return concat(beforeStatement(forward, text, reply), last);
    }

    /** Returns the commands to run before a statement that might change the catalog. */
    private List<Preamble> ahead(SqlStatement text) {
        return state.settings().catalog().mayChange(text) ? storeStatements.prepareAll(statements) : List.of();
    }

    private List<Preamble> beforeStatement(Forward forward, SqlStatement text, Reply reply) {
        if (forward.kind() == StatementKind.USE) {
            return beforeUse(reply);
        }
        // After an OK, ROW_COUNT() must be 0 at the store too. SHOW WARNINGS does not read it.
        boolean okay = diagnostics.isOkay()
                && ((forward.readsDiagnostics() && forward.kind() != StatementKind.SHOW)
                        || (forward.kind() == StatementKind.SET && text.mentions("(")))
                && !state.context().store().has(StoreTrait.OWN_SESSION_RULES);
        List<Preamble> counted = okay ? List.of(storeStatements.nothing()) : List.of();
        if ((copy.answeredLength() > 0 || diagnostics.lacksFoundRows()) && replaces(forward, text)) {
            return concat(ahead(reply), counted);
        }
        boolean asks = ((forward.readsDiagnostics() || forward.kind() == StatementKind.SET)
                        && (diagnostics.isReadHere() || text.mentions(FOUND_ROWS)))
                || (diagnostics.lacksFoundRows() && forward.effect() instanceof Effect.Everything);
        boolean last = diagnostics.forwarded();
        List<Preamble> preambles = asks ? replay(last, reply.alloc()) : List.of();
        return concat(preambles, counted);
    }

    private static List<Preamble> concat(List<Preamble> one, List<Preamble> other) {
        if (one.isEmpty() || other.isEmpty()) {
            return one.isEmpty() ? other : one;
        }
        List<Preamble> both = new ArrayList<>(one);
        both.addAll(other);
        return both;
    }

    /**
     * Returns whether this statement may set FOUND_ROWS() or leave it unchanged. Afterwards only
     * the store knows the value. So before this statement, the store must run the last read that
     * Keyline answered. A statement about the previous statement does not change FOUND_ROWS().
     */
    private boolean replaces(Forward forward, SqlStatement text) {
        return switch (forward.kind()) {
            case CALL, EXECUTE, MULTI, MULTI_PRIVILEGE -> true;
            default ->
                !forward.readsDiagnostics() && FoundRows.of(state.context().store(), text) == FoundRows.MAY_SET;
        };
    }

    /** Returns commands that run the last answered read while the store can still do so. */
    List<Preamble> ahead(Reply reply) {
        return replay(diagnostics.forwarded(), reply.alloc());
    }

    /**
     * Returns the commands that must run before a COM_INIT_DB.
     *
     * @param leaves whether the command may change the session's catalog
     */
    List<Preamble> beforeUse(boolean leaves, Reply reply) {
        List<Preamble> before = beforeUse(reply);
        return leaves ? concat(before, storeStatements.prepareAll(statements)) : before;
    }

    /**
     * Returns the commands that must run before a change of the schema, which would change the
     * meaning of the last answered read.
     */
    private List<Preamble> beforeUse(Reply reply) {
        boolean last = diagnostics.forwarded();
        return isCounted() ? List.of() : replay(last, reply.alloc());
    }

    /** Returns whether another read with as many rows can replace the last answered read. */
    private boolean isCounted() {
        return copy.answeredRows() >= 0 && !state.context().store().has(StoreTrait.OWN_SESSION_RULES);
    }

    void received(String schema, String normalised, String reason, Spent spent, ReplySummary summary) {
        ErrPacket error = summary.error();
        int number = error == null ? 0 : error.code();
        state.done(
                schema,
                normalised,
                reason,
                spent,
                new SlowStatement.Replied(summary.rows(), relay.replyBytes(), number));
    }

    private Consumer<ReplyScanner> after(PreparedStatement statement, Forward forward) {
        return after(forward, statement.planned.text(), statement.text(forward.kind()), false);
    }

    /**
     * @param normalised the statement's text without values; empty if it was not parsed
     * @param text the statement's text; empty if it was not parsed
     * @param query whether the text is that of the copied COM_QUERY
     */
    private Consumer<ReplyScanner> after(Forward forward, String normalised, SqlStatement text, boolean query) {
        long began = state.parts().reader().now();
        GatewayMetrics metrics = state.context().metrics();
        String schema = state.schemaOrNone();
        StatementFigures figures = metrics.statements().of(schema, normalised);
        return done -> {
            Spent spent = relay.spent(began, 0);
            metrics.forwardTook(spent.totalNanos());
            ReplySummary summary = done.summary();
            figures.forwarded(forward.reason().name(), spent.totalNanos(), summary.rows(), summary.error() != null);
            received(schema, normalised, forward.reason().name(), spent, summary);
            diagnostics.replied(summary.error() == null && summary.columnCount() == 0);
            gate.answered();
            codeChanged();
            named.received(forward, text, summary.error() == null);
            if (copy.answeredLength() > 0
                    && FoundRows.of(state.context().store(), text).isSet(summary)) {
                // From now on, FOUND_ROWS() refers to this statement.
                copy.forgetAnswered();
            }
            if (forward.effect() instanceof Effect.Everything
                    && forward.kind() != StatementKind.XA
                    && mayRunCode(text)) {
                state.settings().storedCodeMayHaveRun(state.context().catalog().storedCode());
            }
            if (mayChangeLogins(forward, text)) {
                state.context().logins().forget();
            }
            switch (forward.kind()) {
                case PRIVILEGE, MULTI_PRIVILEGE -> state.context().authority().rightsChanged();
                case DDL -> {
                    boolean unread = query && gate.isUnread(done, text);
                    if (forward.effect() instanceof Effect.Tables named && !unread && !existed(named, summary)) {
                        state.context().store().definitionsChanged(named.tables());
                    }
                }
                default -> {}
            }
        };
    }

    /** Returns whether a known table existed, so that the statement had no effect. */
    private boolean existed(Effect.Tables named, ReplySummary summary) {
        return named.ifAbsent()
                && Fencing.existed(summary)
                && named.tables().stream()
                        .allMatch(name -> state.context().catalog().known(name.schema(), name.table()) != null);
    }

    /** Returns whether a statement that may write anything may run stored code. */
    private static boolean mayRunCode(SqlStatement text) {
        return text.kind() != StatementKind.DDL || text.mentions("TABLE");
    }

    /** Returns whether the statement may change the initial state of new sessions. */
    private static boolean mayChangeLogins(Forward forward, SqlStatement text) {
        return text.isEmpty()
                || switch (forward.kind()) {
                    case SET -> text.mentions("GLOBAL") || text.mentions("PERSIST");
                    case DDL -> text.mentions("DATABASE") || text.mentions("SCHEMA");
                    case SELECT, INSERT, UPDATE, DELETE, LOAD -> forward.effect() instanceof Effect.Everything;
                    case BEGIN, COMMIT, ROLLBACK, SAVEPOINT, USE, SHOW, SHOW_STATUS, EXPLAIN, PREPARE, KILL -> false;
                    case TEMPORARY_TABLE, LOCK, UNLOCK, XA, KEYLINE, EMPTY -> false;
                    default -> true;
                };
    }

    /**
     * Returns commands that run the last answered read, or another read with the same number of
     * rows. The other read gives the correct count even if writes have changed the rows since.
     *
     * @param last true if no command has been sent to the store since the read
     */
    private List<Preamble> replay(boolean last, ByteBufAllocator alloc) {
        int length = copy.answeredLength();
        if (length == 0 && diagnostics.lacksFoundRows()) {
            return List.of(storeStatements.rows(diagnostics.foundRows(), false));
        }
        if (length > 0 && isCounted()) {
            copy.forgetAnswered();
            return List.of(storeStatements.rows(copy.answeredRows(), last));
        }
        if (length == 0 || state.settings().readBeginsTransaction()) {
            return List.of();
        }
        // The store runs the read only once, because a later run could open a transaction that the
        // client has not begun.
        copy.forgetAnswered();
        PreparedStatement statement = copy.answeredStatement();
        byte[] payload = copy.answeredBytes();
        if (statement == null) {
            return List.of(new Preamble(() -> Unpooled.copiedBuffer(payload, 0, length), done -> null));
        }
        List<Preamble> preambles = new ArrayList<>(storeStatements.prepare(statement));
        preambles.add(new Preamble(storeStatements.execute(statement, payload, length, alloc), done -> null));
        if (!statements.holds(statement)) {
            preambles.add(storeStatements.close(statement));
        }
        return preambles;
    }
}
