package org.keyline.gateway.session.command;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.key.SlotValues;
import org.keyline.gateway.read.Read;
import org.keyline.gateway.read.ReadScope;
import org.keyline.gateway.session.relay.Forwarding;
import org.keyline.gateway.session.relay.InternalCommands;
import org.keyline.gateway.session.relay.Preamble;
import org.keyline.gateway.session.relay.ReplyCheck;
import org.keyline.gateway.session.settings.TransactionState;
import org.keyline.gateway.session.state.LastAnswer;
import org.keyline.gateway.session.state.TransactionChains;
import org.keyline.gateway.table.MissReason;
import org.keyline.planner.PlannedStatement;
import org.keyline.planner.PointRead;
import org.keyline.planner.StatementKind;
import org.keyline.planner.TableName;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.rowcache.Line;

/** Verifies a transaction's reads from lines at the store. Confined to one event loop. */
public final class TransactionReads extends SessionCommands implements Read.Transaction, InternalCommands.AnsweredHere {
    /*
     * If a transaction has a snapshot, all its reads must be of one moment. The store creates the
     * snapshot with the first read. So this read and all later ones go to the store: the
     * transaction is pinned. The exceptions are transactions that begin like earlier transactions
     * without a statement at the store (TransactionChains).
     *
     * Lines that are consistent with each other answer such a trusted transaction. If it needs the
     * store after all, the store first runs the answered reads in their order. The first of them
     * creates the snapshot. The store's reply to each must equal the reply that the client got,
     * byte for byte. If a reply differs, the transaction is rolled back and its client gets error
     * 1213, as after a conflict of two transactions at the store.
     *
     * If all writes go through the gateway, all current lines are consistent with each other. If
     * not, only the lines that answered the first statement of the transaction count as consistent.
     *
     * The store also runs the answered reads before a statement that would change their meaning,
     * for example a change of the schema or sql_mode.
     *
     * Some statements only ask about the previous statement (SHOW WARNINGS, ROW_COUNT()) and read
     * no table. If the store answered the previous statement, the answered reads run later, because
     * they would become the previous statement. If lines answered it, these reads run at once.
     *
     * With autocommit off, a read from lines has begun a transaction, which the store's later
     * replies must show. So the gateway begins a transaction at the store before the next command.
     * MySQL's replies can show that START TRANSACTION began it, although the client sent no such
     * statement. So on MySQL, an internal read of the same table begins the transaction.
     */

    private static final int MAX_READS = 64;
    private static final int MAX_LINES = 64;
    private static final int MAX_LINE_BYTES = 1 << 20;
    private static final int MAX_BYTES = 64 << 10;
    private static final int MAX_SPARE_BYTES = 4 << 10;
    private static final byte[] NOTHING = {};

    private final TransactionState current;
    private final LastAnswer last;
    private final boolean severalLines;
    private final boolean beginsByRead;
    /** Tables of the last read within a transaction, and of the last read that lines answered. */
    private @Nullable TableName asked;

    private @Nullable TableName answered;

    private int generation;
    private @Nullable PreparedStatement executing;

    // For each answered read, its command and then its reply. The array ends has the end index of
    // each command and each reply; rowsFrom has the index of the first row in each reply.
    private byte[] bytes = NOTHING;
    private final int[] ends = new int[2 * MAX_READS];
    private final int[] rowsFrom = new int[MAX_READS];
    private final @Nullable PreparedStatement[] executed = new PreparedStatement[MAX_READS];
    private int reads;
    /** Whether the store has answered a command after the last answered read. */
    private boolean storeAnswered;

    private final @Nullable Line[] lines = new Line[MAX_LINES];
    private int lineCount;
    private int lineBytes;
    private boolean tooManyLines;

    private final @Nullable TransactionChains chains;
    /** A hash of the statements before the transaction's first read. */
    private long before;
    /** A hash of the last statement that was not a point read. It may open a transaction. */
    private int lastText;

    /** Whether the transaction's first read has arrived, so {@link #trusted} is valid. */
    private boolean decided;

    private boolean trusted;
    private boolean savepoint;
    /** Whether the current command is a point read that lines have not answered. */
    private boolean readAtHand;

    private boolean opening;
    /** Is notified when the transaction ends or first needs the store; null afterwards. */
    private TransactionChains.@Nullable Trust learning;

    private long linesOfFirst;

    public TransactionReads(SessionCommands shared) {
        super(shared);
        current = state.settings().current();
        last = state.last();
        chains = state.context().chains();
        severalLines = state.context().store().transactions().soleWriter();
        beginsByRead = state.context().store().transactions().reportsBegun();
    }

    // ---------------------------------------------------------------- beginning and continuation

    /** Called before a statement that is not a point read goes to the store. */
    void beside(String text) {
        forgetFormer();
        opening = false;
        lastText = text.hashCode();
        before = current.isOpen() ? chained(before, lastText) : 0;
    }

    private static long chained(long chain, int text) {
        return chain * 1_099_511_628_211L + text;
    }

    /**
     * Records a point read within a transaction.
     *
     * @return whether the store must answer the read, to create the snapshot
     */
    boolean pins(PlannedStatement planned, PointRead read, SlotValues values, ReadScope scope) {
        forgetFormer();
        readAtHand = true;
        asked = read.table().name();
        if (!current.hasSnapshot()) {
            return false;
        }
        if (!decided || !current.isOpen()) {
            decide(planned.text(), read);
        }
        TransactionChains.Trust learns = learning;
        if (learns != null) {
            long lines = state.parts().reader().linesOf(planned, read, values, scope, current.byEngine());
            if (lines == 0 || (linesOfFirst != 0 && !severalLines && lines != linesOfFirst)) {
                reportContinuation();
            }
            linesOfFirst = lines;
        }
        return !trusted || savepoint;
    }

    private void decide(String text, PointRead read) {
        decided = true;
        trusted = false;
        linesOfFirst = 0;
        learning = null;
        if (chains != null && !current.isViewed() && !savepoint) {
            String account = state.settings().account();
            learning = chains.of(new TransactionChains.Chain(
                    account != null ? account : state.account(),
                    read.table().name().schema(),
                    chained(before, current.begun()),
                    text));
            trusted = learning.isGiven();
        }
    }

    /** Called when lines of a single moment cannot answer a command of the transaction. */
    private void reportContinuation() {
        TransactionChains.Trust learns = learning;
        learning = null;
        if (learns != null) {
            learns.continued();
        }
    }

    // ---------------------------------------------------------------- reads that lines answer

    /**
     * Begins a read that lines may answer.
     *
     * @param statement the executed statement; null for COM_QUERY
     * @return the transaction of the read; null outside of transactions
     */
    Read.@Nullable Transaction begin(@Nullable PreparedStatement statement) {
        if (!current.isWithin()) {
            return null;
        }
        executing = statement;
        forgetFormer();
        return this;
    }

    @Override
    public boolean byEngine() {
        return current.byEngine();
    }

    @Override
    public boolean admits(Line line) {
        if (!current.hasSnapshot() || reads == 0) {
            return true;
        }
        if (severalLines) {
            return !tooManyLines && line.holds() && earlierLinesHold(line);
        }
        for (int i = 0; i < lineCount; i++) {
            if (line(i).sameRows(line)) {
                return true;
            }
        }
        return false;
    }

    private boolean earlierLinesHold(Line line) {
        for (int i = 0; i < lineCount; i++) {
            if (!line(i).holds() && !line(i).sameRows(line)) {
                return false;
            }
        }
        return true;
    }

    @SuppressWarnings("NullAway") // below the count, the elements are not null
    private Line line(int i) {
        return lines[i];
    }

    @Override
    public boolean answers(ByteBuf reply, int from, int columnsEnd, int rowsEnd) {
        answered = asked;
        if (!current.hasSnapshot()) {
            current.beginsHere();
            readAtHand = false;
            return true;
        }
        byte[] command =
                executing == null ? copy.bytes() : storeStatements.complete(executing, copy.bytes(), copy.length());
        int commandLength = executing == null ? copy.length() : command.length;
        int begin = reads == 0 ? 0 : ends[2 * reads - 1];
        int end = begin + commandLength + rowsEnd - from;
        if (reads == MAX_READS || end > MAX_BYTES) {
            return false;
        }
        if (end > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.min(MAX_BYTES, Math.max(2 * end, 512)));
        }
        System.arraycopy(command, 0, bytes, begin, commandLength);
        reply.getBytes(from, bytes, begin + commandLength, rowsEnd - from);
        current.beginsHere();
        generation = current.generation();
        readAtHand = false;
        executed[reads] = executing;
        rowsFrom[reads] = begin + commandLength + columnsEnd - from;
        ends[2 * reads] = begin + commandLength;
        ends[2 * reads + 1] = end;
        reads++;
        storeAnswered = false;
        return true;
    }

    @Override
    public void answeredFrom(Line line) {
        if (!current.hasSnapshot()) {
            return;
        }
        for (int i = 0; i < lineCount; i++) {
            if (line(i).sameRows(line)) {
                lineBytes += line.bytes().length - line(i).bytes().length;
                lines[i] = line;
                return;
            }
        }
        if (lineCount < MAX_LINES && (lineCount == 0 || lineBytes + line.bytes().length <= MAX_LINE_BYTES)) {
            lines[lineCount++] = line;
            lineBytes += line.bytes().length;
        } else {
            tooManyLines = true;
        }
    }

    @Override
    public int status() {
        return current.statusOfRead(relay.storeStatus());
    }

    /** Makes the store run a statement's answered reads with another handle. */
    void replace(PreparedStatement statement, PreparedStatement twin) {
        for (int i = 0; i < reads; i++) {
            if (executed[i] == statement) {
                executed[i] = twin;
            }
        }
    }

    // ---------------------------------------------------------------- the store

    @Override
    public List<Preamble> before(Forwarding next, ByteBufAllocator alloc) {
        forgetFormer();
        boolean ofRead = readAtHand;
        readAtHand = false;
        opening = ofRead && !current.isOpen();
        switch (next.kind()) {
            case BEGIN, COMMIT, ROLLBACK -> {
                return List.of();
            }
            default -> {
                boolean sets = next.kind() == StatementKind.SAVEPOINT;
                if (!ofRead && (sets || next.touches() || next.changesReads() || next.asks())) {
                    reportContinuation();
                }
                savepoint |= sets && current.isOpen();
                boolean asksAboutThem = !storeAnswered && next.asks();
                if (reads > 0 && (sets || next.touches() || next.changesReads() || asksAboutThem)) {
                    reportContinuation();
                    state.context().metrics().transactionContinued();
                    List<Preamble> repeated = repeated(alloc);
                    if (current.isBegunByStatement()) {
                        repeated.add(0, beginning());
                    }
                    return repeated;
                }
            }
        }
        return current.isOpenHere() ? List.of(beginning()) : List.of();
    }

    @Override
    public void settled() {
        storeAnswered = true;
        // Removes the data of the completed transaction.
        forgetFormer();
    }

    private Preamble beginning() {
        TableName read = answered;
        if (beginsByRead && read != null && !current.isBegunByStatement()) {
            return storeStatements.beginningBy(read, current);
        }
        return new Preamble(
                storeStatements.query("START TRANSACTION"),
                done -> {
                    ErrPacket error = done.summary().error();
                    if (error == null) {
                        current.recordOpenAtStore();
                    }
                    return error;
                },
                null,
                false,
                false,
                true);
    }

    private List<Preamble> repeated(ByteBufAllocator alloc) {
        List<Preamble> preambles = new ArrayList<>();
        List<PreparedStatement> ready = new ArrayList<>();
        List<Preamble> after = new ArrayList<>();
        byte[] packets = bytes;
        int begin = 0;
        for (int i = 0; i < reads; i++) {
            PreparedStatement statement = executed[i];
            byte[] command = Arrays.copyOfRange(packets, begin, ends[2 * i]);
            if (statement != null && !ready.contains(statement)) {
                ready.add(statement);
                if (statement.storeId == PreparedStatement.NOT_AT_STORE || !statements.holds(statement)) {
                    // The next command already has its own internal commands, which may prepare the
                    // statement once more. So the handle of the repeated read is closed first.
                    after.add(storeStatements.close(statement));
                }
                storeStatements.prepare(statement).forEach(preamble -> preambles.add(undoing(preamble)));
            }
            boolean all = i == reads - 1;
            ReplyCheck check = new ReplyCheck(packets, ends[2 * i], rowsFrom[i], ends[2 * i + 1]);
            preambles.add(new Preamble(
                    statement == null
                            ? () -> Unpooled.wrappedBuffer(command)
                            : storeStatements.execute(statement, command, command.length, alloc),
                    done -> repeated(check, all),
                    check,
                    true,
                    false,
                    false));
            begin = ends[2 * i + 1];
        }
        preambles.addAll(after);
        return preambles;
    }

    private @Nullable ErrPacket repeated(ReplyCheck check, boolean all) {
        if (!check.matches()) {
            return conflict();
        }
        if (all) {
            current.recordOpenAtStore();
            current.view();
            forget();
        }
        return null;
    }

    /**
     * Returns a copy of a command that prepares a repeated read. If the command fails, the
     * transaction is rolled back.
     */
    private Preamble undoing(Preamble preamble) {
        return new Preamble(
                preamble.payload(),
                done -> preamble.done().apply(done) == null ? null : conflict(),
                preamble.check(),
                true,
                false,
                false);
    }

    private ErrPacket conflict() {
        state.context().metrics().transactionConflict();
        // Drops the lines, because a client that repeats the transaction would otherwise get the
        // same old rows until their ttl has passed.
        for (int i = 0; i < lineCount; i++) {
            line(i).flush();
        }
        last.forwarded(
                MissReason.OTHER_MOMENT.name(),
                "The transaction was rolled back, because rows that lines had answered have changed.");
        return ErrPacket.of(ErrorCode.ER_LOCK_DEADLOCK);
    }

    @Override
    public Preamble undoing(ErrPacket received) {
        return new Preamble(storeStatements.query("ROLLBACK AND NO CHAIN NO RELEASE"), done -> {
            current.ended();
            forget();
            return received;
        });
    }

    // ---------------------------------------------------------------- end

    private void forgetFormer() {
        if (generation == current.generation()) {
            return;
        }
        boolean opened = opening && current.isOpen() && current.generation() == generation + 1;
        generation = current.generation();
        opening = false;
        if (opened) {
            // The read that was just sent has opened this transaction, so its data stays.
            return;
        }
        TransactionChains.Trust learns = learning;
        if (learns != null) {
            learns.finished();
        }
        learning = null;
        decided = false;
        savepoint = false;
        before = current.isOpen() ? chained(0, lastText) : 0;
        forget();
    }

    /** Called when the session has closed. Its open transaction counts as finished. */
    public void closed() {
        forgetFormer();
        TransactionChains.Trust learns = learning;
        learning = null;
        if (learns != null) {
            learns.finished();
        }
    }

    private void forget() {
        Arrays.fill(lines, 0, lineCount, null);
        Arrays.fill(executed, 0, reads, null);
        lineCount = 0;
        lineBytes = 0;
        tooManyLines = false;
        reads = 0;
        if (bytes.length > MAX_SPARE_BYTES) {
            bytes = NOTHING;
        }
    }
}
