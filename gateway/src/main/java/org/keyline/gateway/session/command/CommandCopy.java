package org.keyline.gateway.session.command;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementKind;
import org.keyline.protocol.memory.MemoryAccount;

/**
 * A copy of the current command, and of the last read that was answered from lines. Confined to one
 * event loop.
 */
public final class CommandCopy {
    /*
     * The current command is copied, because a waiting read, and a statement that goes to the store
     * after internal commands, outlive the network's buffer. A hit leaves its array as the last
     * answered read, so that the store can run it before a statement that asks about it. Two arrays
     * alternate, and a hit allocates nothing.
     */

    /** First words of statements that neither define nor set anything. */
    private static final Set<String> ROW_WRITES = Set.of("INSERT", "REPLACE", "UPDATE", "DELETE");

    private static final int MIN_BYTES = 256;
    /** The uncounted size that an idle session retains, twice. */
    private static final int MAX_IDLE_BYTES = 8 << 10;

    private final MemoryAccount memory;

    private byte[] bytes = new byte[MIN_BYTES];
    private int length;
    private int textAt;
    private boolean attributed;
    private boolean read;
    private byte[] answered = new byte[MIN_BYTES];
    private int answeredLength;
    private boolean answeredLast;
    private long answeredRows;
    /** Whether the last command was no statement, got an OK, and the store may not know of it. */
    private boolean okay;

    private boolean okayHere;
    /** Whether ROW_COUNT() is about rows that the last statement at the store has written. */
    private boolean wroteLast;

    /**
     * Whether the last INSERT, or any earlier one, was sent in a merged batch, so that the store
     * session has no row count for it.
     */
    private boolean mergedLast;

    private boolean merged;

    private @Nullable PreparedStatement answeredStatement;
    private int counted;

    /** @param memory accounts for the copy of a long answered read */
    public CommandCopy(MemoryAccount memory) {
        this.memory = memory;
    }

    /** Copies the next command; removes the previous one, unless it was {@link #answered}. */
    public void keep(ByteBuf payload) {
        length = payload.readableBytes();
        if (bytes.length < length) {
            bytes = new byte[Math.max(length, MIN_BYTES)];
        }
        payload.getBytes(payload.readerIndex(), bytes, 0, length);
        textAt = 1;
        attributed = false;
        read = false;
    }

    /** Copies a COM_QUERY whose text follows query attributes, or a count of none. */
    public void keep(ByteBuf payload, int text, boolean withAttributes) {
        keep(payload);
        textAt = text;
        attributed = withAttributes;
    }

    /** Returns where the text of a COM_QUERY begins. */
    int textAt() {
        return textAt;
    }

    /** Returns whether it has query attributes, whose use only the store knows. */
    boolean hasAttributes() {
        return attributed;
    }

    /**
     * Returns the command with its code, in {@code bytes[0..length)}; unchanged until the next
     * copy.
     */
    byte[] bytes() {
        return bytes;
    }

    int length() {
        return length;
    }

    /** Returns the command as received. */
    Supplier<ByteBuf> sent() {
        byte[] copy = bytes;
        int count = length;
        return () -> Unpooled.wrappedBuffer(copy, 0, count);
    }

    /**
     * Returns the kind of a statement of which only the beginning is present: a write of rows,
     * which sets and defines nothing, if it begins as one and is alone; anything else may do
     * anything.
     *
     * @param alone whether no other statement can follow it
     */
    StatementKind longKind(boolean alone) {
        String head = new String(bytes, textAt, Math.min(length - textAt, 32), StandardCharsets.ISO_8859_1);
        String first = head.strip().split("\\W", 2)[0].toUpperCase(Locale.ROOT);
        return alone && ROW_WRITES.contains(first) ? StatementKind.INSERT : StatementKind.UNKNOWN;
    }

    /**
     * Releases large buffers after the reply. The copy of a read that lines answered stays, and is
     * accounted for.
     *
     * @return false if the memory budget does not allow the copy
     */
    public boolean rest() {
        if (bytes.length > MAX_IDLE_BYTES) {
            bytes = new byte[MIN_BYTES];
        }
        if (answeredLength == 0 && answered.length > MAX_IDLE_BYTES) {
            answered = new byte[MIN_BYTES];
        }
        int now = answered.length > MAX_IDLE_BYTES ? answered.length : 0;
        if (now == counted) {
            return true;
        }
        boolean room = memory.take(now - counted) == null;
        counted = room ? now : counted;
        return room;
    }

    // ---------------------------------------------------------------- the last answered read

    /**
     * Marks the current command as a point read: nothing else can become the answered read, which
     * may run again.
     */
    void isRead() {
        read = true;
    }

    /**
     * Records that lines answered the command.
     *
     * @param statement that it executed; null for COM_QUERY
     * @param rows its FOUND_ROWS(); negative if unknown
     */
    void answered(@Nullable PreparedStatement statement, long rows) {
        if (!read) {
            throw new IllegalStateException("the command at hand is no point read");
        }
        read = false;
        byte[] spare = answered;
        answered = bytes;
        answeredLength = length;
        answeredLast = true;
        answeredStatement = statement;
        answeredRows = rows;
        okayHere = false;
        okay = false;
        wroteLast = false;
        mergedLast = false;
        bytes = spare;
    }

    /**
     * Records an OK to a command that is no statement, by which ROW_COUNT() is 0; {@code here} if
     * the store may not know of it.
     */
    void okay(boolean here) {
        answeredLast = false;
        okayHere = here;
        okay = true;
        wroteLast = false;
        mergedLast = false;
    }

    /** Records a question of the gateway's own, after which the store knows of no such command. */
    void asked() {
        okayHere = okay;
    }

    /** Returns whether the last command was such a one. */
    boolean isOkay() {
        return okayHere;
    }

    /** Assigns the answered read to another handle of the same statement, if it has this one. */
    void replace(PreparedStatement statement, PreparedStatement twin) {
        if (answeredStatement == statement) {
            answeredStatement = twin;
        }
    }

    /** Removes the answered read: the store knows the last result itself, or there is none. */
    public void forgetAnswered() {
        answeredLength = 0;
    }

    /**
     * Records a statement that goes to the store: the answered read may still be the last one with
     * a result.
     */
    void forwarded() {
        answeredLast = false;
        okayHere = false;
        okay = false;
        wroteLast = false;
        mergedLast = false;
    }

    /** Records that the current INSERT was merged with others. */
    void merged() {
        mergedLast = true;
        merged = true;
    }

    /** Returns whether the last statement was a merged INSERT. */
    boolean mergedLast() {
        return mergedLast;
    }

    /** Returns whether any INSERT was merged. */
    boolean everMerged() {
        return merged;
    }

    /**
     * Records the reply to a forwarded statement; {@code rows} is true for a count of rows, without
     * result or error.
     */
    void received(boolean rows) {
        wroteLast = rows;
    }

    /**
     * Returns whether only the store knows ROW_COUNT(), and any statement there would replace it.
     */
    boolean wroteLast() {
        return wroteLast;
    }

    /** Returns whether no statement was forwarded since a read was answered. */
    boolean answeredLast() {
        return answeredLast;
    }

    /**
     * Returns whether ROW_COUNT() is known without the store: the last command was answered here.
     */
    public boolean isCounted() {
        return answeredLast || okayHere;
    }

    /**
     * Returns whether FOUND_ROWS() is known without the store: the last result is of a read that
     * was answered here.
     */
    public boolean isFound() {
        return answeredLength > 0;
    }

    /** Returns the answered read, in {@code answeredBytes()[0..answeredLength())}. */
    byte[] answeredBytes() {
        return answered;
    }

    /** Returns 0 if the store knows the last read, or there is none. */
    int answeredLength() {
        return answeredLength;
    }

    /** Returns the read's FOUND_ROWS(); negative if unknown. */
    long answeredRows() {
        return answeredRows;
    }

    /** Returns the statement of the read; null for COM_QUERY. */
    @Nullable
    PreparedStatement answeredStatement() {
        return answeredStatement;
    }
}
