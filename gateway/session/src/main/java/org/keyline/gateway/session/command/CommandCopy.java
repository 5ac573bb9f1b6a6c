package org.keyline.gateway.session.command;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.session.settings.SqlStatement;
import org.keyline.planner.StatementKind;
import org.keyline.protocol.memory.MemoryAccount;

/** Copies of the current command and of the last read from lines. Confined to one event loop. */
public final class CommandCopy {
    /*
     * The current command is copied if it must outlive the network's buffer, for example because a
     * read waits for a load, or a statement for internal commands. After a hit, the copy becomes
     * the last answered read. If a later statement such as SHOW WARNINGS asks about this read, the
     * store runs the read first. Two arrays alternate, so a hit allocates nothing.
     */

    /** Statements that neither define objects nor set variables. */
    private static final Set<String> ROW_WRITES = Set.of("INSERT", "REPLACE", "UPDATE", "DELETE");

    private static final int MIN_BYTES = 256;
    /** Maximum size of an array that an idle session retains outside its memory budget. */
    private static final int MAX_IDLE_BYTES = 8 << 10;

    private final MemoryAccount memory;

    private byte[] bytes = new byte[MIN_BYTES];
    private int length;
    private int textAt;
    private boolean attributed;
    private boolean read;
    private byte[] answered = new byte[MIN_BYTES];
    private int answeredLength;
    private long answeredRows;
    private @Nullable PreparedStatement answeredStatement;
    private int counted;

    /** @param memory accounts for the copy of a long answered read */
    public CommandCopy(MemoryAccount memory) {
        this.memory = memory;
    }

    /** Copies the command. The previous copy is lost, unless it was {@link #answered}. */
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

    /** Copies a COM_QUERY whose text begins at index {@code text}, after its query attributes. */
    public void keep(ByteBuf payload, int text, boolean withAttributes) {
        keep(payload);
        textAt = text;
        attributed = withAttributes;
    }

    /** Returns the index of the text of a COM_QUERY. */
    int textAt() {
        return textAt;
    }

    /** Returns whether the command has query attributes. Only the store knows their meaning. */
    boolean hasAttributes() {
        return attributed;
    }

    /** Returns the array with the command, code included, in {@code [0..length())}. */
    byte[] bytes() {
        return bytes;
    }

    int length() {
        return length;
    }

    /** Returns the text of a COM_QUERY, valid until the next command. */
    SqlStatement text(StatementKind kind) {
        return new SqlStatement(kind, bytes, textAt, length);
    }

    Supplier<ByteBuf> sent() {
        byte[] copy = bytes;
        int count = length;
        return () -> Unpooled.wrappedBuffer(copy, 0, count);
    }

    /** Returns the kind of a long statement, of which only the first packet was copied. */
    StatementKind longKind(boolean alone) {
        String head = new String(bytes, textAt, Math.min(length - textAt, 32), StandardCharsets.ISO_8859_1);
        String first = head.strip().split("\\W", 2)[0].toUpperCase(Locale.ROOT);
        return alone && ROW_WRITES.contains(first) ? StatementKind.INSERT : StatementKind.UNKNOWN;
    }

    /**
     * Releases large buffers after the reply.
     *
     * @return false if the memory budget does not allow the copy of the answered read
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

    /** Marks the current command as a point read, which can become the answered read. */
    void isRead() {
        read = true;
    }

    /**
     * @param statement the executed statement; null for COM_QUERY
     * @param rows FOUND_ROWS() after the read; negative if unknown
     */
    void answered(@Nullable PreparedStatement statement, long rows) {
        if (!read) {
            throw new IllegalStateException("the current command is not a point read");
        }
        read = false;
        byte[] spare = answered;
        answered = bytes;
        answeredLength = length;
        answeredStatement = statement;
        answeredRows = rows;
        bytes = spare;
    }

    /** Assigns the answered read to another handle of the same statement. */
    void replace(PreparedStatement statement, PreparedStatement twin) {
        if (answeredStatement == statement) {
            answeredStatement = twin;
        }
    }

    /** Called when the store session itself has the last result, or no last result exists. */
    public void forgetAnswered() {
        answeredLength = 0;
    }

    /** Returns whether the last result came from lines, so that the gateway knows FOUND_ROWS(). */
    public boolean isFound() {
        return answeredLength > 0;
    }

    /** Returns the array with the last answered read in {@code [0..answeredLength())}. */
    byte[] answeredBytes() {
        return answered;
    }

    /**
     * Returns the length of the last answered read; 0 if lines answered no read, or if the store
     * session has run the last read.
     */
    int answeredLength() {
        return answeredLength;
    }

    /** Returns FOUND_ROWS() of the answered read; negative if unknown. */
    long answeredRows() {
        return answeredRows;
    }

    /** Returns the statement of the last answered read; null for COM_QUERY. */
    @Nullable
    PreparedStatement answeredStatement() {
        return answeredStatement;
    }
}
