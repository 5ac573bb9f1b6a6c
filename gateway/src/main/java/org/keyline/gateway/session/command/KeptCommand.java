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
 * A copy of the command at hand, and of the last read that was answered from lines. Confined to one event loop.
 */
public final class KeptCommand {
    /*
     * The command at hand is copied, because a read that has to wait, and a statement that goes to the store after
     * errands, outlive the network's buffer. A hit leaves its array behind as the last answered read, so that a statement
     * that asks about its predecessor can have it run on the store; two arrays take turns, and a hit allocates nothing.
     */

    /** What a statement begins with that defines and sets nothing. */
    private static final Set<String> ROW_WRITES = Set.of("INSERT", "REPLACE", "UPDATE", "DELETE");

    private static final int MIN_BYTES = 256;
    /** What an idle session keeps without counting it, twice. */
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
    /** Whether the last command was one beside statements that was answered with OK, and whether the store may not know. */
    private boolean okay;

    private boolean okayHere;
    /** Whether ROW_COUNT() tells of rows that the last statement at the store has written. */
    private boolean wroteLast;

    /** Whether that were rows which went with others', of which its own store session knows nothing; and whether some ever did. */
    private boolean mergedLast;

    private boolean merged;

    private @Nullable PreparedStatement answeredStatement;
    private int counted;

    /** @param memory takes what is kept of a long read that was answered */
    public KeptCommand(MemoryAccount memory) {
        this.memory = memory;
    }

    /** Takes the next command; the one before is gone, unless it was {@link #answered}. */
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

    /** Takes a COM_QUERY whose text begins behind query attributes, or behind a count of none. */
    public void keep(ByteBuf payload, int text, boolean withAttributes) {
        keep(payload);
        textAt = text;
        attributed = withAttributes;
    }

    /** Where the text of a COM_QUERY begins. */
    int textAt() {
        return textAt;
    }

    /** Whether it has query attributes, whose use only the store knows. */
    boolean hasAttributes() {
        return attributed;
    }

    /** The command with its code, in {@code bytes[0..length)}; unchanged until the next is kept. */
    byte[] bytes() {
        return bytes;
    }

    int length() {
        return length;
    }

    /** The command as it came. */
    Supplier<ByteBuf> sent() {
        byte[] kept = bytes;
        int count = length;
        return () -> Unpooled.wrappedBuffer(kept, 0, count);
    }

    /**
     * What a statement may be of which only the beginning is here: a write of rows, which sets and defines nothing, if it begins as one
     * and is alone; anything else may do anything.
     *
     * @param alone whether no other statement can follow it
     */
    StatementKind longKind(boolean alone) {
        String head = new String(bytes, textAt, Math.min(length - textAt, 32), StandardCharsets.ISO_8859_1);
        String first = head.strip().split("\\W", 2)[0].toUpperCase(Locale.ROOT);
        return alone && ROW_WRITES.contains(first) ? StatementKind.INSERT : StatementKind.UNKNOWN;
    }

    /**
     * The command is answered: an idle session keeps nothing long but a read that was answered from lines.
     *
     * @return false if there is no memory for that
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

    /** The command at hand is a point read: nothing else can become the answered one, which may be run again. */
    void isRead() {
        read = true;
    }

    /**
     * The command was answered from lines.
     *
     * @param statement that it executed; null for COM_QUERY
     * @param rows what FOUND_ROWS() says of it; negative if that is not certain
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

    /** A command beside statements is answered with OK, by which ROW_COUNT() is 0; {@code here} if the store may not know. */
    void okay(boolean here) {
        answeredLast = false;
        okayHere = here;
        okay = true;
        wroteLast = false;
        mergedLast = false;
    }

    /** The gateway has asked the store something of its own, by which the store knows of no such command any more. */
    void asked() {
        okayHere = okay;
    }

    /** Whether such a command was the last. */
    boolean isOkay() {
        return okayHere;
    }

    /** The read that was answered is of another handle of the same statement, if it is of this one. */
    void replace(PreparedStatement statement, PreparedStatement twin) {
        if (answeredStatement == statement) {
            answeredStatement = twin;
        }
    }

    /** The store knows the last result itself, or has none. */
    public void forgetAnswered() {
        answeredLength = 0;
    }

    /** A statement goes to the store: the read was not the last one any more, though maybe the last with a result. */
    void forwarded() {
        answeredLast = false;
        okayHere = false;
        okay = false;
        wroteLast = false;
        mergedLast = false;
    }

    /** The command at hand is an INSERT that was run with others' elsewhere. */
    void merged() {
        mergedLast = true;
        merged = true;
    }

    /** Whether the last statement was such a one. */
    boolean mergedLast() {
        return mergedLast;
    }

    /** Whether any was. */
    boolean everMerged() {
        return merged;
    }

    /** A statement that was forwarded is answered; {@code rows} is true if that was a count of rows, and no result and no error. */
    void told(boolean rows) {
        wroteLast = rows;
    }

    /** Whether ROW_COUNT() is a number that only the store knows, and that any statement there would replace. */
    boolean wroteLast() {
        return wroteLast;
    }

    /** Whether no statement was forwarded since a read was answered. */
    boolean answeredLast() {
        return answeredLast;
    }

    /** Returns whether ROW_COUNT() is known without the store: the last command was answered here. */
    public boolean isCounted() {
        return answeredLast || okayHere;
    }

    /** Returns whether FOUND_ROWS() is known without the store: the last result is of a read that was answered here. */
    public boolean isFound() {
        return answeredLength > 0;
    }

    /** The read that was answered, in {@code answeredBytes()[0..answeredLength())}. */
    byte[] answeredBytes() {
        return answered;
    }

    /** 0 if there is none that the store does not know of. */
    int answeredLength() {
        return answeredLength;
    }

    /** What FOUND_ROWS() says of the read; negative if that is not certain. */
    long answeredRows() {
        return answeredRows;
    }

    /** What the read executed; null for COM_QUERY. */
    @Nullable
    PreparedStatement answeredStatement() {
        return answeredStatement;
    }
}
