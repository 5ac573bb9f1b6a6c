package org.keyline.gateway.session.command;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.session.local.LocalStatement;
import org.keyline.gateway.session.settings.SessionSettings;
import org.keyline.gateway.session.settings.SessionVariables;
import org.keyline.gateway.session.settings.SqlStatement;
import org.keyline.gateway.session.state.DoubtfulText;
import org.keyline.gateway.session.state.LoginAnswers;
import org.keyline.planner.Catalog;
import org.keyline.planner.Effect;
import org.keyline.planner.Forward;
import org.keyline.planner.ForwardReason;
import org.keyline.planner.Plan;
import org.keyline.planner.PointRead;
import org.keyline.planner.StatementKind;
import org.keyline.protocol.server.Reply;
import org.keyline.stores.ReadVariable;
import org.keyline.stores.SessionDefaults;
import org.keyline.stores.StoreSession;
import org.keyline.stores.StoreTrait;

/** Asks the store for settings before statements that need them. Confined to one event loop. */
public final class Verification extends SessionCommands {
    /*
     * The gateway's query for the variables sets FOUND_ROWS() to 1, which the client must not
     * notice. A successful read of the client sets the value again. Before the next statement that
     * asks for the value, the store runs the last read if lines answered it, or a read with as many
     * rows as the value. If only the store knows the value, the gateway asks for it as well. In
     * this case, fewer statements cause a query.
     *
     * Sessions whose reads lines do not answer would pay for the query in vain. So equal logins
     * have a credit, from which queries before reads are paid, and which hits increase. Without
     * credit, the store answers some reads first.
     *
     * If the gateway cannot send its query, it assumes the worst case. If the meaning of values is
     * unknown, it closes the fences of whole tables. If the meaning of a text is unknown, it closes
     * the fences of all tables that the text names under any settings.
     */

    /** Words of statements that change how the store reads the rest of a text. */
    private static final List<String> READING = List.of("SQL_MODE", "NAMES", "CHARSET", "CHARACTER");

    /** Number of reads without credit after which the session asks nevertheless. */
    private static final int UNPAID_READS = 4;

    /** Maximum number of rows for the emulation of FOUND_ROWS(). */
    private static final long MAX_ROWS = 1 << 16;

    private final SessionSettings settings;
    private final List<String> asked;
    private final List<String> askedWithRows;
    private final List<String> counts;
    private final BiConsumer<ByteBuf, Reply> again;
    /** Whether the current statement may run stored code. */
    private boolean codeMayRun;
    /** Whether the current statement depends on the session's catalog. */
    private boolean placeWanted;

    private LoginAnswers.@Nullable Logins logins;
    /** Whether the answer of an equal login is still valid; null if this session has its own. */
    private @Nullable BooleanSupplier answerHolds;

    /** Whether nothing has changed since the query at the login; null if no answer is pending. */
    private @Nullable BooleanSupplier asking;
    /** Whether a statement of the client needed an answer that the session did not have. */
    private boolean asksItself;

    private boolean askedAtLogin;
    /** Number of the session's answered reads that have increased the credit. */
    private int earned;
    /** Number of reads for which there was no credit, since the last query. */
    private int unpaid;

    /** Whether the current command has already waited for the reading of definitions. */
    private boolean awaited;

    /** @param again runs a command from its beginning */
    public Verification(SessionCommands shared, BiConsumer<ByteBuf, Reply> again) {
        super(shared);
        settings = state.settings();
        asked = new ArrayList<>(state.context().store().sessionQuestions());
        asked.addAll(SessionVariables.ASKED);
        asked.addAll(settings.current().asked());
        SessionDefaults defaults = state.context().store().sessionDefaults();
        if (defaults != null) {
            defaults.reads().stream().filter(ReadVariable::isAsked).forEach(variable -> asked.add(variable.name()));
        }
        if (state.context().merges() != null) {
            state.context().store().insertSettings().stream()
                    .filter(variable -> !asked.contains(variable))
                    .forEach(asked::add);
        }
        askedWithRows = new ArrayList<>(asked);
        askedWithRows.add(StoreSession.FOUND_ROWS);
        counts = state.context().store().settingCounts();
        this.again = again;
    }

    /**
     * Returns whether the gateway must ask the store before the statement.
     *
     * @param executed false for a PREPARE
     * @param doubtful the result of {@link #isDoubtful}
     */
    boolean isNeeded(Plan plan, boolean executed, boolean doubtful) {
        checkBorrowed();
        if (settings.isWatched()) {
            // The client would see the gateway's query among its own statements, so the gateway
            // assumes the worst case instead.
            return false;
        }
        if (!executed && relay.diagnostics().isWrite()) {
            // A PREPARE does not change ROW_COUNT(), but the gateway's query would.
            return false;
        }
        boolean asks = isRowCountKnown();
        codeMayRun = executed && plan instanceof Forward statement && wantsCounts(statement);
        placeWanted = settings.asksPlace() && (doubtful || plan instanceof PointRead);
        if (codeMayRun) {
            return true;
        }
        if (settings.verified() && !placeWanted) {
            return false;
        }
        if (plan instanceof PointRead) {
            return (executed || asks) && pays(asks ? 1 : 2);
        }
        Forward forward = (Forward) plan;
        // PREPARE reads its text under the current settings, not under those of an execution.
        boolean reads = forward.effect() instanceof Effect.Rows || forward.kind() == StatementKind.PREPARE;
        boolean depends = (executed && reads) || doubtful;
        return depends && asks && !forward.readsDiagnostics() && forward.kind() != StatementKind.SET;
    }

    /** Returns whether the gateway asks with so many statements before a read. */
    private boolean pays(int statements) {
        LoginAnswers.Logins equal = logins;
        if (equal != null) {
            earn(equal);
        }
        boolean pays = equal == null || unpaid >= statements * UNPAID_READS || equal.pays(statements);
        unpaid = pays ? 0 : unpaid + 1;
        return pays;
    }

    private void earn(LoginAnswers.Logins equal) {
        int answers = state.last().answers();
        equal.earned(answers - earned);
        earned = answers;
    }

    /** Discards the answer of an equal session if it is no longer valid. */
    private void checkBorrowed() {
        BooleanSupplier valid = answerHolds;
        if (valid != null && !valid.getAsBoolean()) {
            settings.askAgain();
            answerHolds = null;
        }
    }

    /** Returns whether the store must be asked before the gateway prepares a statement again. */
    boolean isNeededToPrepare() {
        checkBorrowed();
        placeWanted = settings.asksPlace();
        return placeWanted || !settings.verified();
    }

    /** Returns whether the store must be asked before the gateway explains a statement. */
    boolean isNeeded(LocalStatement local) {
        return local.right() == LocalStatement.Right.EXPLAINS
                && !settings.isWatched()
                && !borrowed.isOrphaned()
                && isNeededToPrepare();
    }

    /** Returns whether the gateway could restore FOUND_ROWS() without asking the store for it. */
    private boolean isRowCountKnown() {
        return copy.answeredLength() > 0 || relay.diagnostics().foundRows() >= 0;
    }

    /** Returns whether the store must first report its counts, because stored code may run. */
    private boolean wantsCounts(Forward forward) {
        return switch (forward.kind()) {
            case SELECT, INSERT, UPDATE, DELETE, LOAD -> hasStoredCode() && mayRunCode(forward);
            // One of the statements may call a procedure.
            case MULTI, MULTI_PRIVILEGE -> mayRunCode(forward);
            default -> false;
        };
    }

    private boolean mayRunCode(Forward forward) {
        return forward.effect() instanceof Effect.Everything
                && !forward.readsDiagnostics()
                && !counts.isEmpty()
                && settings.lacksCounts();
    }

    private boolean hasStoredCode() {
        Catalog catalog = state.context().catalog();
        return catalog.storedFunctions() || catalog.storedCode();
    }

    /** Returns whether the text may mean something else in this schema, encoding or sql_mode. */
    boolean isDoubtful(Plan plan, byte[] text, int from, int to) {
        if (answerHolds != null
                && !(plan instanceof PointRead)
                && (contains('\\', text, from, to) || contains('"', text, from, to))) {
            // The sql_mode is known only from an equal session. If this session has another one,
            // the text may be a write, so the gateway asks.
            settings.doubtMode();
        }
        if (settings.mayMeanElse(text, from, to) || readsOnOtherwise(plan, text, from, to)) {
            return true;
        }
        boolean foreign = settings.variables().foreignMode();
        if (settings.verified() && !foreign) {
            return false;
        }
        boolean quoted = contains('\\', text, from, to) || contains('"', text, from, to);
        boolean writes = plan instanceof Forward forward
                && (!(forward.effect() instanceof Effect.None) || (quoted && mayWriteOtherwise(forward.kind())));
        if ((foreign && writes) || (!settings.schemaKnown() && (writes || plan instanceof PointRead))) {
            return true;
        }
        if (settings.variables().readingKnown()) {
            return false;
        }
        boolean calls = state.context().catalog().storedFunctions() && contains('(', text, from, to);
        return quoted && (writes || calls || isSeveral(text, from, to));
    }

    /** Returns whether the statement may write in an sql_mode that reads strings as names. */
    private static boolean mayWriteOtherwise(StatementKind kind) {
        return switch (kind) {
            case SELECT, SHOW, SHOW_STATUS, SET, USE, UNLOCK, KILL, KEYLINE, EMPTY -> false;
            case BEGIN, COMMIT, ROLLBACK, SAVEPOINT -> false;
            default -> true;
        };
    }

    /** Returns whether one of several statements may change how later ones in the text are read. */
    private static boolean readsOnOtherwise(Plan plan, byte[] text, int from, int to) {
        boolean several = plan instanceof Forward forward
                && (forward.kind() == StatementKind.MULTI || forward.kind() == StatementKind.MULTI_PRIVILEGE);
        if (!several) {
            return false;
        }
        boolean differs = contains('\\', text, from, to) || contains('"', text, from, to);
        for (int i = from; i < to && !differs; i++) {
            differs = text[i] < 0;
        }
        SqlStatement whole = new SqlStatement(StatementKind.MULTI, text, from, to);
        return differs && READING.stream().anyMatch(whole::mentions);
    }

    /** Returns a plan with the effects of the text under any settings. */
    Forward doubtful(Plan plan, byte[] text, int from, int to) {
        // A dialect may have another syntax for function calls.
        boolean dialect =
                settings.variables().foreignMode() && state.context().catalog().storedFunctions();
        if (dialect || settings.mayMeanElse(text, from, to) || readsOnOtherwise(plan, text, from, to)) {
            return unread(plan, text, from, to);
        }
        return DoubtfulText.read(state, Arrays.copyOfRange(text, from, to), unread(plan, text, from, to));
    }

    /** Returns a plan for a statement with unknown effects. */
    Forward unread(Plan plan, byte[] text, int from, int to) {
        StatementKind kind = plan instanceof Forward forward ? forward.kind() : StatementKind.SELECT;
        boolean several = isSeveral(text, from, to);
        return new Forward(ForwardReason.UNCERTAIN, several ? StatementKind.UNKNOWN : kind, Effect.EVERYTHING, true);
    }

    /** Returns whether a semicolon, in a string or not, may divide the text into statements. */
    private static boolean isSeveral(byte[] text, int from, int to) {
        int end = to;
        while (end > from && (text[end - 1] == ';' || Character.isWhitespace(text[end - 1]))) {
            end--;
        }
        return contains(';', text, from, end);
    }

    private static boolean contains(char sought, byte[] text, int from, int to) {
        for (int i = from; i < to; i++) {
            if (text[i] == sought) {
                return true;
            }
        }
        return false;
    }

    /**
     * Begins the session.
     *
     * @param equal the store's answers, shared by logins with the same properties; null if the
     * gateway does not ask the store at logins
     * @param known the store's answer for an equal login; null if there is none that is still valid
     */
    public void begins(LoginAnswers.@Nullable Logins equal, LoginAnswers.@Nullable Known known) {
        logins = equal;
        if (known != null) {
            answerHolds = known.valid();
            state.received(new StoreSession.SessionAnswer(
                    known.answer().values(),
                    false,
                    Map.of(),
                    relay.storeStatus(),
                    known.answer().collation()));
        }
    }

    /** Asks the store at the login. Later commands ask for values that are still missing. */
    public CompletionStage<StoreSession.SessionAnswer> beforeCommands() {
        asking = state.context().logins().moment();
        askedAtLogin = true;
        return borrowed.ask(asked, List.of());
    }

    /** Receives the answer to {@link #beforeCommands}. ROW_COUNT() is still 0, as after login. */
    public void received(StoreSession.SessionAnswer received) {
        relay.diagnostics().okay(true);
        state.received(received);
        BooleanSupplier since = asking;
        asking = null;
        if (logins != null && since != null) {
            logins.answered(new LoginAnswers.Known(received, borrowed.storeCapabilities(), relay.storeStatus(), since));
        }
    }

    public void closed() {
        if (logins == null) {
            return;
        }
        earn(logins);
        if (asksItself && askedAtLogin) {
            logins.wasted();
        } else if (asksItself || earned > 0) {
            logins.needed();
        }
    }

    /** Returns what to ask for: unknown settings, and the catalog if the statement needs it. */
    private List<String> questions(boolean withRows) {
        List<String> always = withRows ? askedWithRows : asked;
        if (!placeWanted) {
            return always;
        }
        List<String> questions = new ArrayList<>(settings.placeQuestions());
        if (!settings.verified() || codeMayRun || withRows) {
            always.stream().filter(question -> !questions.contains(question)).forEach(questions::add);
        }
        return questions;
    }

    /** Asks the store, then runs the copied command again. */
    void run(Reply reply) {
        asksItself |= !settings.verified();
        answerHolds = settings.verified() ? answerHolds : null;
        byte[] command = Arrays.copyOf(copy.bytes(), copy.length());
        boolean asksRows = !isRowCountKnown() && !state.context().store().has(StoreTrait.OWN_SESSION_RULES);
        boolean counted = settings.awaitsCounts() || (settings.lacksCounts() && codeMayRun);
        // The answer includes autocommit and the transaction, so the store session must receive all
        // outstanding changes first.
        relay.ask(List.of(), reply, () -> ask(command, asksRows, counted, reply));
    }

    /**
     * Lets a write wait for the catalog if the write's scope depends on a table definition that the
     * catalog has not read, then runs the copied command again. Without the definition, the write
     * would close the fences of all tables.
     *
     * @return false if the command must not wait
     */
    boolean awaitsDefinition(Plan plan, Reply reply) {
        boolean unread = plan instanceof Forward forward
                && forward.effect() instanceof Effect.Everything everything
                && everything.unread();
        CompletionStage<?> read = unread && !awaited ? state.context().store().definitionsRead() : null;
        if (read == null) {
            return false;
        }
        byte[] command = Arrays.copyOf(copy.bytes(), copy.length());
        read.whenComplete((done, never) -> reply.run(() -> {
            if (!borrowed.isClosed()) {
                awaited = true;
                again.accept(Unpooled.wrappedBuffer(command), reply);
                awaited = false;
            }
        }));
        return true;
    }

    private void ask(byte[] command, boolean asksRows, boolean counted, Reply reply) {
        borrowed.ask(questions(asksRows), counted ? counts : List.of())
                .whenComplete((received, failure) -> reply.run(() -> {
                    if (failure == null) {
                        relay.diagnostics().asked();
                        state.received(received);
                        Runnable on = () -> again.accept(Unpooled.wrappedBuffer(command), reply);
                        String value = received.values().get(StoreSession.FOUND_ROWS);
                        long rows = value == null ? MAX_ROWS + 1 : Long.parseLong(value);
                        if (value != null) {
                            relay.diagnostics().replaced(rows);
                        }
                        if (rows > MAX_ROWS || relay.diagnostics().foundRows() >= 0) {
                            on.run();
                        } else {
                            relay.ask(List.of(storeStatements.rows(rows, false)), reply, on);
                        }
                    } else {
                        Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
                        borrowed.disconnect(reply, false, cause == null ? failure : cause);
                    }
                }));
    }
}
