package org.keyline.gateway.session.command;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.keyline.gateway.session.relay.Forwarder;
import org.keyline.gateway.session.relay.Forwarding;
import org.keyline.gateway.session.settings.SessionSettings;
import org.keyline.gateway.session.settings.SessionVariables;
import org.keyline.gateway.session.state.DoubtfulText;
import org.keyline.gateway.session.state.SessionState;
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

/**
 * The question to the store for a session's variables, before the first statement that depends on
 * them. Confined to one event loop.
 */
public final class Verification {
    /*
     * The question counts one row, which the next FOUND_ROWS() must not tell: a read that succeeds
     * hides it, and one that was answered from lines is run on the store before. Otherwise it is
     * asked only where that answer would be 0 or 1 anyway, ahead of a read, which may be refused,
     * or ahead of what may run stored code: then it asks for the count as well, and makes it up
     * again behind the question. What can't be asked for is taken for the worst: values of unknown
     * meaning close whole tables, and texts of unknown meaning the tables that they name in any
     * reading.
     */

    /** What a text has in it that sets how the rest of it is read. */
    private static final List<String> READING = List.of("SQL_MODE", "NAMES", "CHARSET", "CHARACTER");

    /** More rows are not emulated for FOUND_ROWS(). */
    private static final long MAX_ROWS = 1 << 16;

    private final SessionState state;
    private final SessionSettings settings;
    private final List<String> asked;
    private final List<String> askedWithRows;
    private final List<String> counts;
    private final Forwarder forwarder;
    private final CommandCopy copy;
    private final StoreStatements there;
    private final BiConsumer<ByteBuf, Reply> again;
    /** Whether the current statement may run stored code. */
    private boolean codeMayRun;
    /** Whether the current statement depends on the catalog of its names. */
    private boolean placeWanted;

    /** @param again runs a command from its beginning */
    public Verification(
            SessionState state,
            Forwarder forwarder,
            CommandCopy copy,
            StoreStatements there,
            BiConsumer<ByteBuf, Reply> again) {
        this.state = state;
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
        this.forwarder = forwarder;
        this.copy = copy;
        this.there = there;
        this.again = again;
    }

    /**
     * Returns whether the store must be asked before a statement.
     *
     * @param executed false for a PREPARE
     * @param doubtful whether its text {@link #isDoubtful}
     */
    boolean isNeeded(Plan plan, boolean executed, boolean doubtful) {
        if (settings.isWatched()) {
            // The client would see the question among its statements; the worst case is assumed
            // instead.
            return false;
        }
        if (!executed && copy.wroteLast()) {
            // A PREPARE does not change ROW_COUNT(), but the question would.
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
            return executed || asks;
        }
        Forward forward = (Forward) plan;
        // A statement that is prepared in text is read as the session reads it now, whenever it is
        // executed.
        boolean reads = forward.effect() instanceof Effect.Rows || forward.kind() == StatementKind.PREPARE;
        boolean depends = (executed && reads) || doubtful;
        return depends && asks && !forward.readsDiagnostics() && forward.kind() != StatementKind.SET;
    }

    /**
     * Returns whether the store must be asked before it prepares a statement that the client
     * prepared earlier.
     */
    boolean isNeededToPrepare() {
        placeWanted = settings.asksPlace();
        return placeWanted || !settings.verified();
    }

    /** Returns whether FOUND_ROWS() can be restored after the question. */
    private boolean isRowCountKnown() {
        return copy.answeredLength() > 0 || forwarder.foundRows() >= 0;
    }

    /**
     * Returns whether a statement may run stored code whose settings can be detected afterwards,
     * and the counts for that are missing.
     */
    private boolean wantsCounts(Forward forward) {
        return switch (forward.kind()) {
            case SELECT, INSERT, UPDATE, DELETE, LOAD -> hasStoredCode() && mayRunCode(forward);
            // It may call a procedure.
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

    /**
     * Returns whether a text may mean something else than its plan says: a name without schema
     * where the current one is not known, strings that end elsewhere under another sql_mode, values
     * that are others in it, names in another character set.
     */
    boolean isDoubtful(Plan plan, byte[] text, int from, int to) {
        if (settings.mayMeanElse(text, from, to) || readsOnOtherwise(plan, text, from, to)) {
            return true;
        }
        boolean foreign = settings.foreignMode();
        if (settings.verified() && !foreign) {
            return false;
        }
        boolean writes = plan instanceof Forward forward && !(forward.effect() instanceof Effect.None);
        if ((foreign && writes) || (!settings.schemaKnown() && (writes || plan instanceof PointRead))) {
            return true;
        }
        if (settings.readingKnown()) {
            return false;
        }
        boolean quoted = contains('\\', text, from, to) || contains('"', text, from, to);
        boolean calls = state.context().catalog().storedFunctions() && contains('(', text, from, to);
        return quoted && (writes || calls || isSeveral(text, from, to));
    }

    /**
     * Returns whether one of several statements in a text may change how the store reads the
     * strings or names of later ones.
     */
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
        return differs && READING.stream().anyMatch(word -> Forwarding.mentions(word, text, from, to));
    }

    /** Returns the union of all readings of a doubtful statement. */
    Forward doubtful(Plan plan, byte[] text, int from, int to) {
        // A dialect may have its own syntax of function calls.
        boolean dialect = settings.foreignMode() && state.context().catalog().storedFunctions();
        if (dialect || settings.mayMeanElse(text, from, to) || readsOnOtherwise(plan, text, from, to)) {
            return unread(plan, text, from, to);
        }
        return DoubtfulText.read(state, Arrays.copyOfRange(text, from, to), unread(plan, text, from, to));
    }

    /** Returns the plan of a statement that may do anything. */
    Forward unread(Plan plan, byte[] text, int from, int to) {
        StatementKind kind = plan instanceof Forward forward ? forward.kind() : StatementKind.SELECT;
        boolean several = isSeveral(text, from, to);
        return new Forward(ForwardReason.UNCERTAIN, several ? StatementKind.UNKNOWN : kind, Effect.EVERYTHING, true);
    }

    /** Returns whether a text could be several statements, wherever its strings end. */
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

    /** Asks before the first command; missing answers are asked for later. */
    public CompletionStage<StoreSession.SessionAnswer> beforeCommands() {
        return forwarder.ask(asked, List.of());
    }

    /**
     * Receives the answer to {@link #beforeCommands}: to the client, the last command is still its
     * login, by which ROW_COUNT() is 0.
     */
    public void received(StoreSession.SessionAnswer received) {
        copy.okay(true);
        state.received(received);
    }

    /**
     * Returns the questions to the store: unknown settings of the session, and the catalog if the
     * statement depends on it.
     */
    private List<String> questions(boolean withRows) {
        List<String> settled = withRows ? askedWithRows : asked;
        if (!placeWanted) {
            return settled;
        }
        List<String> questions = new ArrayList<>(settings.placeQuestions());
        if (!settings.verified() || codeMayRun || withRows) {
            settled.stream().filter(question -> !questions.contains(question)).forEach(questions::add);
        }
        return questions;
    }

    /** Asks, then runs the copied command again. */
    void run(Reply reply) {
        byte[] command = Arrays.copyOf(copy.bytes(), copy.length());
        boolean asksRows = !isRowCountKnown() && !state.context().store().answersUnknownStatements();
        boolean counted = settings.awaitsCounts() || (settings.lacksCounts() && codeMayRun);
        // The answer includes autocommit and the transaction, so the store session is brought up to
        // date first.
        forwarder.ask(List.of(), reply, () -> ask(command, asksRows, counted, reply));
    }

    private void ask(byte[] command, boolean asksRows, boolean counted, Reply reply) {
        forwarder
                .ask(questions(asksRows), counted ? counts : List.of())
                .whenComplete((received, failure) -> reply.run(() -> {
                    if (failure == null) {
                        copy.asked();
                        state.received(received);
                        Runnable on = () -> again.accept(Unpooled.wrappedBuffer(command), reply);
                        String rows = received.values().get(StoreSession.FOUND_ROWS);
                        if (rows == null || Long.parseLong(rows) > MAX_ROWS) {
                            on.run();
                        } else {
                            forwarder.ask(List.of(there.rows(Long.parseLong(rows), false)), reply, on);
                        }
                    } else {
                        Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
                        forwarder.disconnect(reply, false, cause == null ? failure : cause);
                    }
                }));
    }
}
