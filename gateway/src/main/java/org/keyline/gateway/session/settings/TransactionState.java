package org.keyline.gateway.session.settings;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.session.settings.SetStatement.Assignment;
import org.keyline.planner.StatementKind;
import org.keyline.protocol.ServerStatus;
import org.keyline.stores.TransactionRules;
import org.keyline.stores.TransactionRules.View;

/**
 * The transaction of a session and the visibility of its reads: its isolation level, and whether
 * the store has made its snapshot. Confined to one event loop.
 */
public final class TransactionState {
    /*
     * With autocommit off a transaction begins with the first read of a table, also one that is
     * answered from lines: the store does not know of that transaction before it is told (see
     * TransactionReads). Its level and what its replies say of it are those that the store would
     * have given it.
     *
     * Of a level that cannot be told for sure, nothing is answered here. That is so for a
     * transaction that began by anything but a plain statement, and for SET TRANSACTION without
     * SESSION, which holds for the next transaction only, once anything but BEGIN and SET followed
     * it: some of what may follow uses it up, and stores differ in what.
     *
     * With autocommit off, SAVEPOINT begins a transaction that no status flag shows. START
     * TRANSACTION would end it, so the gateway must not send one: the next read goes to the store,
     * which then has a transaction of which its flags tell.
     *
     * Nor do flags show what was written to tables without transactions. A ROLLBACK has a warning
     * about that, so it goes to the store once anything that is not known to be harmless went there
     * with autocommit off.
     */

    private static final int BITS = ServerStatus.SERVER_STATUS_AUTOCOMMIT
            | ServerStatus.SERVER_STATUS_IN_TRANS
            | ServerStatus.SERVER_STATUS_IN_TRANS_READONLY;

    /** Why the first read of a transaction with a snapshot goes to the store. */
    public static final String PINNED =
            "At REPEATABLE READ a transaction is answered from lines only after 64 in a row that began "
                    + "like it did nothing but read one line. At READ COMMITTED, or with autocommit, all of them may be.";

    private final TransactionRules rules;

    // The session.
    private boolean verified;
    private IsolationLevel sessionLevel = IsolationLevel.UNKNOWN;
    private boolean sessionReadOnly;
    private boolean tracked;
    /** Whether COMMIT and ROLLBACK may begin the next transaction, or end the session. */
    private boolean completes;

    // SET TRANSACTION for the next one.
    private boolean nextSet;
    private boolean nextUnsure;
    private @Nullable IsolationLevel nextLevel;

    // Now.
    private boolean autocommit = true;
    private boolean openThere;
    private boolean openHere;
    /** Whether the client began that one by a statement. */
    private boolean begunHere;
    /**
     * Whether the store may have a savepoint of a transaction that its status flags do not show.
     */
    private boolean savepoints;

    /**
     * Whether a statement went to the store since the last transaction ended which may have effects
     * that its status flags do not show.
     */
    private boolean touched;

    private boolean viewed;
    /** Of the open transaction; null: the session's, once that is known. */
    private @Nullable IsolationLevel level;

    private boolean readOnly;
    /** Whether it has characteristics of its own. */
    private boolean chosen;

    /**
     * Whether an error may have undone the transaction without ending it: some versions of MariaDB
     * and MySQL then begin another one with the next statement, up to COMMIT or ROLLBACK, and their
     * flags do not show this before.
     */
    private boolean resumes;

    private int generation;

    TransactionState(TransactionRules rules) {
        this.rules = rules;
        verified = rules.asked().isEmpty();
    }

    /** Resets to the beginning of a session. */
    void reset() {
        verified = rules.asked().isEmpty();
        sessionLevel = IsolationLevel.UNKNOWN;
        sessionReadOnly = false;
        tracked = false;
        completes = false;
        autocommit = true;
        clearNext();
        ended();
    }

    // ---------------------------------------------------------------- settings

    /** Returns the system variables that the store must be asked for. */
    public List<String> asked() {
        return rules.asked();
    }

    boolean verified() {
        return verified;
    }

    /** Receives the store's answer to {@link #asked}. */
    void received(Map<String, @Nullable String> values) {
        if (rules.asked().isEmpty()) {
            return;
        }
        verified = true;
        sessionLevel = IsolationLevel.of(values.get(rules.asked().get(0)));
        sessionReadOnly = isOn(values.get(rules.asked().get(1)));
        tracked = !"OFF".equalsIgnoreCase(values.get(rules.asked().get(2)));
        completes = !isPlainCompletion(values.get(rules.asked().get(3)));
    }

    private static boolean isPlainCompletion(@Nullable String value) {
        return "NO_CHAIN".equalsIgnoreCase(value) || "0".equals(value);
    }

    private static boolean isOn(@Nullable String value) {
        return !"0".equals(value) && !"OFF".equalsIgnoreCase(value);
    }

    /**
     * Applies an assignment that the store accepted; returns false if it is of another variable.
     */
    boolean set(Assignment assignment) {
        switch (assignment.variable()) {
            case "transaction" -> characteristics(assignment, false);
            case SetStatement.NEXT_TRANSACTION -> characteristics(assignment, true);
            case "transaction_isolation", "tx_isolation" -> {
                IsolationLevel set = IsolationLevel.of(assignment.value());
                sessionLevel(set);
                verified &= rules.asked().isEmpty() || set != IsolationLevel.UNKNOWN;
            }
            case "transaction_read_only", "tx_read_only" ->
                verified = rules.asked().isEmpty();
            case "completion_type" -> {
                completes = !isPlainCompletion(assignment.value());
                verified &= rules.asked().isEmpty() || !completes;
                return false;
            }
            case "session_track_transaction_info" -> tracked = !"OFF".equalsIgnoreCase(assignment.value());
            default -> {
                return false;
            }
        }
        return true;
    }

    /** ISOLATION LEVEL …, READ ONLY, READ WRITE. */
    private void characteristics(Assignment assignment, boolean next) {
        String text = SetStatement.words(assignment.expression());
        for (String part : text.split(",", -1)) {
            IsolationLevel set = part.startsWith("ISOLATION LEVEL ")
                    ? IsolationLevel.of(part.substring("ISOLATION LEVEL ".length()))
                    : IsolationLevel.UNKNOWN;
            Boolean reads = part.equals("READ ONLY") ? Boolean.TRUE : part.equals("READ WRITE") ? Boolean.FALSE : null;
            if (next) {
                nextSet = true;
                nextLevel = reads == null ? set : nextLevel;
            } else if (reads == null) {
                sessionLevel(set);
            } else {
                sessionReadOnly = reads;
                waitsForNext();
            }
        }
    }

    private void sessionLevel(IsolationLevel set) {
        if (isOpen() && level == null) {
            // It began with another level, which was not asked for yet.
            level = verified ? sessionLevel : IsolationLevel.UNKNOWN;
        }
        sessionLevel = set;
        waitsForNext();
    }

    /**
     * Settings within a transaction are for later ones, though not with every way to end this one.
     */
    private void waitsForNext() {
        if (isOpen()) {
            nextSet = true;
            nextUnsure = true;
        }
    }

    private void clearNext() {
        nextSet = false;
        nextUnsure = false;
        nextLevel = null;
    }

    // ---------------------------------------------------------------- events

    /**
     * Records the end of a command and the store's status after it.
     *
     * @param touches whether it may have made the store's snapshot, in a transaction
     * @param chooses whether it begins a transaction and names its characteristics
     * @param open whether the store has a transaction open now
     * @param commits whether autocommit is on
     */
    void settled(StatementKind kind, boolean touches, boolean chooses, boolean open, boolean commits) {
        boolean was = isOpen();
        resumes &= !endsSavepoints(kind) && kind != StatementKind.BEGIN;
        boolean leaves = !commits && !endsSavepoints(kind) && (touched || touches);
        openThere = open;
        autocommit = commits;
        savepoints = !open && !commits && (savepoints ? !endsSavepoints(kind) : maySetSavepoint(kind));
        if (!open) {
            boolean plainly = kind == StatementKind.COMMIT || kind == StatementKind.ROLLBACK;
            if (was && chosen && !plainly) {
                // A store may leave the characteristics of this transaction to the next.
                nextSet = true;
                nextUnsure = true;
            }
            if (was) {
                ended();
            }
            nextUnsure |= nextSet && kind != StatementKind.SET;
        } else if (kind == StatementKind.BEGIN) {
            begins(next());
            chosen |= chooses;
            viewed = touches;
        } else if ((kind == StatementKind.COMMIT || kind == StatementKind.ROLLBACK) && was) {
            // A chained transaction, with the same characteristics if the store knew of any.
            generation++;
            level = openHere ? IsolationLevel.UNKNOWN : level;
            openHere = false;
            viewed = false;
        } else if (was) {
            viewed |= touches;
        } else {
            boolean plain = !commits && isPlain(kind);
            begins(plain ? next() : IsolationLevel.UNKNOWN);
            viewed = touches;
        }
        touched = leaves;
    }

    /** Returns whether a statement of this kind, or any part of it, may be a SAVEPOINT. */
    private static boolean maySetSavepoint(StatementKind kind) {
        return switch (kind) {
            case SAVEPOINT, CALL, EXECUTE, MULTI, MULTI_PRIVILEGE, XA, UNKNOWN -> true;
            default -> false;
        };
    }

    /** Returns whether no savepoint outlives a successful statement of this kind. */
    private static boolean endsSavepoints(StatementKind kind) {
        return kind == StatementKind.COMMIT || kind == StatementKind.ROLLBACK;
    }

    /** Receives the store's answer, without any begin or end of a transaction since. */
    void received(boolean open, boolean commits) {
        autocommit = commits;
        if (open && !openThere) {
            begins(IsolationLevel.UNKNOWN);
            openThere = true;
            viewed = true;
        } else if (!open && openThere) {
            ended();
            undone();
        }
    }

    /** Records that the store shows no transaction any more, although no statement has ended it. */
    public void undone() {
        resumes = true;
    }

    /** Records a command with an error, after which the store reports nothing on the session. */
    void failed() {
        viewed |= isOpen();
        touched |= !autocommit;
        savepoints |= !isOpen() && !autocommit;
        nextUnsure |= nextSet;
    }

    /**
     * With autocommit off, the first of these that needs a table begins a transaction; nothing else
     * is in them.
     */
    private static boolean isPlain(StatementKind kind) {
        return switch (kind) {
            case SELECT, INSERT, UPDATE, DELETE, SHOW, EXPLAIN, OTHER -> true;
            default -> false;
        };
    }

    /** Begins a transaction by a read that lines will answer. */
    public void beginsHere() {
        if (!isOpen()) {
            begins(null);
            openHere = true;
            readOnly = sessionReadOnly;
        }
    }

    /** Begins a transaction by a statement that was answered here. */
    public void beginsLate() {
        beginsHere();
        begunHere = true;
    }

    /**
     * Returns whether the transaction began here, and by a statement of the client: a read alone
     * would not begin it at the store.
     */
    public boolean isBegunHere() {
        return openHere && begunHere;
    }

    /**
     * Returns whether the store has nothing of a transaction of this session, and no settings for
     * the next one.
     */
    boolean isApart() {
        return hasViews() && !openThere && !touched && !savepoints && !resumes && !nextSet && !tracked && !completes;
    }

    /** Ends the store's transaction, by an action of the gateway. */
    public void ended() {
        generation++;
        openThere = false;
        openHere = false;
        begunHere = false;
        savepoints = false;
        touched = false;
        resumes = false;
        viewed = false;
        level = null;
        readOnly = false;
        chosen = false;
    }

    /** Records that the transaction that began here is open at the store. */
    public void isOpenThere() {
        openThere = true;
        openHere = false;
    }

    /** Records that the store has made its snapshot. */
    public void view() {
        viewed = true;
    }

    /** Returns whether the store may have made the snapshot of the transaction. */
    public boolean isViewed() {
        return viewed;
    }

    private @Nullable IsolationLevel next() {
        return !nextSet ? null : nextUnsure ? IsolationLevel.UNKNOWN : nextLevel;
    }

    private void begins(@Nullable IsolationLevel with) {
        level = with != null ? with : verified ? sessionLevel : null;
        chosen = nextSet;
        clearNext();
        generation++;
        openHere = false;
        begunHere = false;
    }

    /** Returns a number that each begin or end of a transaction raises. */
    public int generation() {
        return generation;
    }

    // ---------------------------------------------------------------- reads

    /** Returns whether a transaction is open, at the store or here. */
    public boolean isOpen() {
        return openThere || openHere;
    }

    /** Returns whether reads of a transaction may share a snapshot. */
    boolean hasViews() {
        return rules.view() != View.NONE;
    }

    /** Returns whether reads belong to a transaction. */
    public boolean isWithin() {
        return hasViews() && (isOpen() || resumes || !autocommit);
    }

    /** Returns whether replies show the client the state of its transactions. */
    boolean isTracked() {
        return tracked;
    }

    /** Returns whether a transaction is open that began with a read answered here. */
    public boolean isOpenHere() {
        return openHere;
    }

    /** Returns whether all reads of the transaction see one snapshot. */
    public boolean hasSnapshot() {
        return rules.view() == View.ONE || effective() != IsolationLevel.READ_COMMITTED;
    }

    /** Returns whether only tables of engines with snapshots belong to transactions. */
    public boolean byEngine() {
        return rules.view() == View.BY_LEVEL;
    }

    private IsolationLevel effective() {
        return level != null ? level : sessionLevel;
    }

    /**
     * Returns why a read goes to the store because of the transaction, as a sentence; null if it
     * need not.
     */
    @Nullable
    String whyForwarded() {
        if (!hasViews()) {
            return null;
        }
        if (nextSet && !isOpen()) {
            return "What SET TRANSACTION has set is for the next transaction.";
        }
        if (tracked) {
            // Flags of replies outside of transactions show it as well.
            return "The session tracks its transaction's state (session_track_transaction_info).";
        }
        if (resumes) {
            return "An error has undone the transaction, and the store may begin another one with the next statement.";
        }
        if (!isWithin()) {
            return rules.view() == View.BY_LEVEL ? ofLevel(sessionLevel, true) : null;
        }
        if (savepoints) {
            return "The store has a savepoint in the transaction that this read begins.";
        }
        String ofLevel = rules.view() == View.BY_LEVEL ? ofLevel(effective(), false) : null;
        if (ofLevel != null) {
            return ofLevel;
        }
        return viewed && hasSnapshot() ? "The transaction has been at the store, whose snapshot it sees." : null;
    }

    private @Nullable String ofLevel(IsolationLevel of, boolean alone) {
        return switch (of) {
            case READ_UNCOMMITTED -> "The isolation level READ UNCOMMITTED shows what is not committed.";
            case SERIALIZABLE -> alone ? null : "Reads of a transaction lock at the isolation level SERIALIZABLE.";
            case UNKNOWN -> "The isolation level is not known.";
            case READ_COMMITTED, REPEATABLE_READ -> null;
        };
    }

    /** Returns whether reads need not go to the store because of the transaction. */
    boolean allows() {
        return whyForwarded() == null;
    }

    // ---------------------------------------------------------------- flags of replies

    /**
     * Returns the status flags of the gateway's own reply that does not change the session.
     *
     * @param there the store's last flags
     */
    public int status(int there) {
        return (there & BITS) | (openHere ? begun(readOnly) : 0);
    }

    /** Returns the same for a read, which begins a transaction if none is open. */
    public int statusOfRead(int there) {
        return (there & BITS) | (openThere ? 0 : begun(openHere ? readOnly : sessionReadOnly));
    }

    /** Returns the flags of a transaction that begins now. */
    public int begun() {
        return begun(sessionReadOnly);
    }

    private static int begun(boolean readOnly) {
        return ServerStatus.SERVER_STATUS_IN_TRANS | (readOnly ? ServerStatus.SERVER_STATUS_IN_TRANS_READONLY : 0);
    }
}
