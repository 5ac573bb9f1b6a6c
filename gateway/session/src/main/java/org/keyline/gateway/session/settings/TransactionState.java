package org.keyline.gateway.session.settings;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.session.settings.SetStatement.Assignment;
import org.keyline.planner.StatementKind;
import org.keyline.protocol.ServerStatus;
import org.keyline.stores.TransactionRules;
import org.keyline.stores.TransactionRules.View;

/** The isolation level and snapshot of a session's transaction. Confined to one event loop. */
public final class TransactionState {
    /*
     * With autocommit off, a transaction begins with the first read of a table, including a read
     * from lines. The store does not know that transaction before Keyline begins it there (see
     * TransactionReads). The gateway shows such a transaction with the isolation level and the
     * status flags that it would have at the store.
     *
     * If the isolation level of a transaction is uncertain, the store answers its reads. The level
     * is uncertain if neither BEGIN nor a plain statement began the transaction. It is also
     * uncertain if a statement other than BEGIN or SET follows a SET TRANSACTION without SESSION.
     * Stores differ in which statements consume this setting.
     *
     * With autocommit off, SAVEPOINT begins a transaction that no status flag shows. START
     * TRANSACTION would end that transaction, so the gateway must not send it. Instead, the next
     * read goes to the store, after which the flags show the transaction.
     *
     * The flags also do not show writes to non-transactional tables, about which a ROLLBACK warns.
     * So a ROLLBACK goes to the store if any statement that may have such effects went to the store
     * with autocommit off.
     */

    private static final int BITS = ServerStatus.SERVER_STATUS_AUTOCOMMIT
            | ServerStatus.SERVER_STATUS_IN_TRANS
            | ServerStatus.SERVER_STATUS_IN_TRANS_READONLY;

    /** Why the first read of a transaction with a snapshot goes to the store. */
    public static final String PINNED =
            "At REPEATABLE READ, lines answer a transaction only after 64 successive transactions that began "
                    + "like it and only read one line. At READ COMMITTED, or with autocommit, lines may answer all reads.";

    private final TransactionRules rules;

    // Whether the store has reported the session's settings.
    private boolean verified;
    private IsolationLevel sessionLevel = IsolationLevel.UNKNOWN;
    private boolean sessionReadOnly;
    private boolean tracked;
    /** Whether completion_type makes COMMIT begin another transaction or close the session. */
    private boolean completes;

    // Characteristics of the next transaction, as set by SET TRANSACTION.
    private boolean nextSet;
    private boolean nextUnsure;
    private @Nullable IsolationLevel nextLevel;

    // The current state.
    private boolean autocommit = true;
    private boolean openAtStore;
    private boolean openHere;
    /** Whether a client's statement began a transaction that the store does not know. */
    private boolean begunByStatement;
    /** Whether the store might have a savepoint that the flags do not show. */
    private boolean savepoints;

    /** Whether statements since the last transaction possibly had effects that no flag shows. */
    private boolean touched;

    private boolean viewed;
    /** The isolation level of the open transaction; null if it is the session's level. */
    private @Nullable IsolationLevel level;

    private boolean readOnly;
    /** Whether the open transaction has declared its own characteristics. */
    private boolean chosen;

    /**
     * Whether an error may have undone the transaction without ending it. In some versions of
     * MariaDB and MySQL, the next statement then begins another transaction, which lasts until a
     * COMMIT or ROLLBACK. The status flags do not show this before that statement.
     */
    private boolean resumes;

    private int generation;

    TransactionState(TransactionRules rules) {
        this.rules = rules;
        verified = rules.asked().isEmpty();
    }

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

    public List<String> asked() {
        return rules.asked();
    }

    boolean verified() {
        return verified;
    }

    /** Receives the values of {@link #asked}. */
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

    /** Applies an assignment that the store accepted. Returns false for other variables. */
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

    /** Applies ISOLATION LEVEL …, READ ONLY or READ WRITE. */
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

    /** Returns whether the session's later transactions are READ ONLY. */
    public boolean isReadOnly() {
        return sessionReadOnly;
    }

    /** Sets the access mode of later transactions. No transaction may be open. */
    void readOnly(boolean only) {
        sessionReadOnly = only;
    }

    private void sessionLevel(IsolationLevel set) {
        if (isOpen() && level == null) {
            // The open transaction has the previous level, which is unknown if the store was not
            // asked.
            level = verified ? sessionLevel : IsolationLevel.UNKNOWN;
        }
        sessionLevel = set;
        waitsForNext();
    }

    /**
     * Called after a SET of a characteristic. If a transaction is open, the SET applies to a later
     * transaction, but stores differ in which one.
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
     * Called when the command has ended.
     *
     * @param touches whether the command may have created a snapshot at the store
     * @param chooses whether the command begins a transaction and declares its characteristics
     * @param open whether the store has a transaction open now
     * @param commits whether autocommit is on
     */
    void settled(StatementKind kind, boolean touches, boolean chooses, boolean open, boolean commits) {
        boolean was = isOpen();
        resumes &= !endsSavepoints(kind) && kind != StatementKind.BEGIN;
        boolean leaves = !commits && !endsSavepoints(kind) && (touched || touches);
        openAtStore = open;
        autocommit = commits;
        savepoints = !open && !commits && (savepoints ? !endsSavepoints(kind) : maySetSavepoint(kind));
        if (!open) {
            boolean plainly = kind == StatementKind.COMMIT || kind == StatementKind.ROLLBACK;
            if (was && chosen && !plainly) {
                // Some stores apply the characteristics of this transaction to the next one.
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
            // AND CHAIN has begun a new transaction. It has the characteristics of the previous one
            // if the store knew that one.
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

    /** Returns whether a statement of this kind, or a part of it, may be a SAVEPOINT. */
    private static boolean maySetSavepoint(StatementKind kind) {
        return switch (kind) {
            case SAVEPOINT, CALL, EXECUTE, MULTI, MULTI_PRIVILEGE, XA, UNKNOWN -> true;
            default -> false;
        };
    }

    /** Returns whether a successful statement of this kind ends all savepoints. */
    private static boolean endsSavepoints(StatementKind kind) {
        return kind == StatementKind.COMMIT || kind == StatementKind.ROLLBACK;
    }

    /** Receives the flags of the store's answer, which are current when this method is called. */
    void received(boolean open, boolean commits) {
        autocommit = commits;
        if (open && !openAtStore) {
            begins(IsolationLevel.UNKNOWN);
            openAtStore = true;
            viewed = true;
        } else if (!open && openAtStore) {
            ended();
            undone();
        }
    }

    /** Called when the flags no longer show a transaction that no statement has ended. */
    public void undone() {
        resumes = true;
    }

    /** Called after a failed command, when the store reports no state of the session. */
    void failed() {
        viewed |= isOpen();
        touched |= !autocommit;
        savepoints |= !isOpen() && !autocommit;
        nextUnsure |= nextSet;
    }

    /**
     * Returns whether the statement is plain. With autocommit off, the first plain statement on a
     * table begins a transaction.
     */
    private static boolean isPlain(StatementKind kind) {
        return switch (kind) {
            case SELECT, INSERT, UPDATE, DELETE, SHOW, EXPLAIN, OTHER -> true;
            default -> false;
        };
    }

    /** Begins a transaction in the gateway, unless one is open. Called when lines will answer. */
    public void beginsHere() {
        if (!isOpen()) {
            begins(null);
            openHere = true;
            readOnly = sessionReadOnly;
        }
    }

    /** Called when the gateway itself answers a statement that begins a transaction. */
    public void beginsLate() {
        beginsHere();
        begunByStatement = true;
    }

    /** Returns whether the transaction is open only in the gateway, and BEGIN began it. */
    public boolean isBegunByStatement() {
        return openHere && begunByStatement;
    }

    /** Returns whether the store has no transaction, and no settings for the next transaction. */
    boolean isApart() {
        return hasViews() && !openAtStore && !touched && !savepoints && !resumes && !nextSet && !tracked && !completes;
    }

    /** Called when the transaction has ended. */
    public void ended() {
        generation++;
        openAtStore = false;
        openHere = false;
        begunByStatement = false;
        savepoints = false;
        touched = false;
        resumes = false;
        viewed = false;
        level = null;
        readOnly = false;
        chosen = false;
    }

    /** Called when the store, too, has begun the transaction that began in the gateway. */
    public void recordOpenAtStore() {
        openAtStore = true;
        openHere = false;
    }

    /** Called when the store has created the transaction's snapshot. */
    public void view() {
        viewed = true;
    }

    /** Returns whether the store may have created the snapshot of the transaction. */
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
        begunByStatement = false;
    }

    /** Returns a number that increases at each begin or end of a transaction. */
    public int generation() {
        return generation;
    }

    // ---------------------------------------------------------------- reads

    /** Returns whether a transaction is open at the store or only in the gateway. */
    public boolean isOpen() {
        return openAtStore || openHere;
    }

    /** Returns whether reads of a transaction can share a snapshot. */
    boolean hasViews() {
        return rules.view() != View.NONE;
    }

    /** Returns whether the session's reads belong to a transaction. */
    public boolean isWithin() {
        return hasViews() && (isOpen() || resumes || !autocommit);
    }

    /** Returns whether the client gets the state of its transactions in replies. */
    public boolean isTracked() {
        return tracked;
    }

    /** Returns whether the transaction is open only in the gateway, unknown to the store. */
    public boolean isOpenHere() {
        return openHere;
    }

    /** Returns whether all reads of the transaction see one snapshot. */
    public boolean hasSnapshot() {
        return rules.view() == View.ONE || effective() != IsolationLevel.READ_COMMITTED;
    }

    /** Returns whether only tables whose engine has snapshots take part in transactions. */
    public boolean byEngine() {
        return rules.view() == View.BY_LEVEL;
    }

    private IsolationLevel effective() {
        return level != null ? level : sessionLevel;
    }

    /** Returns why the store must answer the transaction's reads; null if lines may. */
    @Nullable
    String whyForwarded() {
        if (!hasViews()) {
            return null;
        }
        if (nextSet && !isOpen()) {
            return "SET TRANSACTION has set characteristics of the next transaction.";
        }
        if (tracked) {
            // In such a session, even replies outside of transactions show the transaction state.
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
        String begun = autocommit
                ? "The transaction reads"
                : "Autocommit is off, so an earlier statement began a transaction, which reads";
        return viewed && hasSnapshot() ? begun + " from a snapshot at the store." : null;
    }

    private @Nullable String ofLevel(IsolationLevel of, boolean alone) {
        return switch (of) {
            case READ_UNCOMMITTED -> "The isolation level READ UNCOMMITTED shows uncommitted changes.";
            case SERIALIZABLE -> alone ? null : "Reads of a transaction lock at the isolation level SERIALIZABLE.";
            case UNKNOWN -> "The isolation level is not known.";
            case READ_COMMITTED, REPEATABLE_READ -> null;
        };
    }

    /** Returns whether the transaction allows reads from lines. */
    boolean allows() {
        return whyForwarded() == null;
    }

    // ---------------------------------------------------------------- flags of replies

    /**
     * Returns the flags for a reply of the gateway to a statement that changes no state.
     *
     * @param storeFlags the store's last flags
     */
    public int status(int storeFlags) {
        return (storeFlags & BITS) | (openHere ? begun(readOnly) : 0);
    }

    /**
     * Returns the flags for a read, which begins a transaction if none is open.
     *
     * @param storeFlags the store's last flags
     */
    public int statusOfRead(int storeFlags) {
        return (storeFlags & BITS) | (openAtStore ? 0 : begun(openHere ? readOnly : sessionReadOnly));
    }

    /** Returns the flags for a transaction that begins now. */
    public int begun() {
        return begun(sessionReadOnly);
    }

    private static int begun(boolean readOnly) {
        return ServerStatus.SERVER_STATUS_IN_TRANS | (readOnly ? ServerStatus.SERVER_STATUS_IN_TRANS_READONLY : 0);
    }
}
