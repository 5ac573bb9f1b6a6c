package org.keyline.stores.duckdb.load;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;

/**
 * Splits a file, which arrives in pieces, into records by MySQL's rules. It buffers the current
 * record and the rest of the last piece. Used by one thread at a time.
 */
public final class RecordReader {
    /** The maximum length of a record. The length is limited because whole records are buffered. */
    private static final int MAX_RECORD_BYTES = 64 << 20;

    private static final int FIRST_BYTES = 16 << 10;
    private static final int NONE = -1;
    private static final byte[] NULL_WORD = "NULL".getBytes(UTF_8);

    /**
     * A record.
     *
     * @param fields the bytes of each field, or null for NULL; fewer than requested if the record
     *     ended early
     * @param cut whether the record had more fields than requested
     */
    public record Fields(List<byte @Nullable []> fields, boolean cut) {
        public Fields {
            fields = Collections.unmodifiableList(fields);
        }
    }

    private final byte[] fieldEnd;
    private final byte[] lineEnd;
    private final int enclosed;
    private final int escape;
    private final boolean nullWord;

    private byte[] buffer = new byte[FIRST_BYTES];
    private int at;
    private int limit;
    private long linesToSkip;
    private boolean ended;
    private boolean finished;

    /** Whether the last attempt to read a record needed bytes that have not been received yet. */
    private boolean starved;

    /**
     * The number of buffered bytes that the next attempt requires. It doubles after each attempt
     * that runs out of bytes, so that a long record is not read from its start for each piece.
     */
    private int enough;

    private boolean lineEnded;

    /** @param linesToSkip the number of lines to skip at the beginning of the file */
    public RecordReader(FileFormat format, long linesToSkip) {
        this.fieldEnd = format.fieldEnd().getBytes(UTF_8);
        this.lineEnd = format.lineEnd().getBytes(UTF_8);
        this.enclosed = only(format.enclosed());
        this.escape = only(format.escape());
        this.nullWord = enclosed != NONE;
        this.linesToSkip = linesToSkip;
    }

    private static int only(String character) {
        return character.isEmpty() ? NONE : character.charAt(0);
    }

    public int capacity() {
        return buffer.length;
    }

    /**
     * Adds the next bytes of the file.
     *
     * @throws StatementRefusedException 1153 if a record is too long
     */
    public void append(byte[] piece) {
        int kept = limit - at;
        if (kept + piece.length > MAX_RECORD_BYTES) {
            throw new StatementRefusedException(
                    1153, "08S01", "A record of LOAD DATA is longer than " + MAX_RECORD_BYTES + " bytes");
        }
        byte[] target = buffer;
        if (kept + piece.length > buffer.length) {
            target = new byte[Math.max(kept + piece.length, Math.min(MAX_RECORD_BYTES, 2 * buffer.length))];
        }
        System.arraycopy(buffer, at, target, 0, kept);
        System.arraycopy(piece, 0, target, kept, piece.length);
        buffer = target;
        at = 0;
        limit = kept + piece.length;
    }

    public void end() {
        ended = true;
    }

    /**
     * Returns the next record; null after the last record, or if the record is not complete yet.
     *
     * @param wanted the maximum number of fields to read
     */
    public @Nullable Fields next(int wanted) {
        if (!ended && limit - at < enough) {
            return null;
        }
        while (linesToSkip > 0) {
            int from = at;
            begin();
            skipLine();
            if (!came(from)) {
                return null;
            }
            linesToSkip = lineEnded ? linesToSkip - 1 : 0;
        }
        if (finished) {
            return null;
        }
        int from = at;
        begin();
        Fields fields = record(wanted);
        return came(from) ? fields : null;
    }

    private void begin() {
        starved = false;
        lineEnded = false;
    }

    /**
     * Returns whether the attempt that began at {@code from} had all the bytes that it needed. If
     * not, moves back, so that the next attempt begins at the same index with more bytes.
     */
    private boolean came(int from) {
        if (starved) {
            at = from;
            enough = 2 * (limit - from);
        } else {
            enough = 0;
        }
        return !starved;
    }

    private @Nullable Fields record(int wanted) {
        List<byte @Nullable []> fields = new ArrayList<>(wanted);
        boolean more = true;
        while (more && fields.size() < wanted && !lineEnded) {
            more = field(fields);
        }
        if (fields.isEmpty()) {
            finished = !starved;
            return null;
        }
        boolean cut = !lineEnded && skipLine() && lineEnded;
        return new Fields(fields, cut);
    }

    /** Reads one field. Returns false at the end of the file. */
    private boolean field(List<byte @Nullable []> fields) {
        int first = take();
        if (first == NONE) {
            lineEnded = true;
            return false;
        }
        boolean quoted = first == enclosed;
        if (!quoted) {
            at--;
        }
        ByteArrayOutputStream value = new ByteArrayOutputStream(32);
        boolean escapedNull = false;
        while (true) {
            int c = take();
            if (c == NONE) {
                lineEnded = true;
                // A quote that is never closed is an ordinary character.
                fields.add(value(value, quoted, false, escapedNull));
                return true;
            }
            if (c == escape && (escape != enclosed || peek() == escape)) {
                int next = take();
                if (next == 'N' && escape != enclosed) {
                    escapedNull = true;
                }
                value.write(next == NONE ? escape : escape == enclosed ? next : unescaped(next));
                continue;
            }
            if (quoted && c == enclosed) {
                if (peek() == enclosed) {
                    value.write(take());
                    continue;
                }
                if (endsField(take())) {
                    fields.add(value(value, false, true, escapedNull));
                    return true;
                }
                at--;
            } else if (!quoted && endsField(c)) {
                fields.add(value(value, false, false, escapedNull));
                return true;
            }
            value.write(c);
        }
    }

    /**
     * Returns whether the byte that was just read begins a terminator of a field or line, and reads
     * the rest of the terminator. The end of the file is a terminator.
     */
    private boolean endsField(int c) {
        if (c == NONE) {
            lineEnded = true;
            return true;
        }
        if (completes(c, lineEnd)) {
            lineEnded = true;
            return true;
        }
        return completes(c, fieldEnd);
    }

    private byte @Nullable [] value(
            ByteArrayOutputStream value, boolean unclosed, boolean wasEnclosed, boolean escapedNull) {
        byte[] bytes = value.toByteArray();
        if (unclosed) {
            byte[] whole = new byte[bytes.length + 1];
            whole[0] = (byte) enclosed;
            System.arraycopy(bytes, 0, whole, 1, bytes.length);
            return whole;
        }
        boolean none =
                (escapedNull && bytes.length == 1) || (nullWord && !wasEnclosed && Arrays.equals(bytes, NULL_WORD));
        return none ? null : bytes;
    }

    private static int unescaped(int c) {
        return switch (c) {
            case 'n' -> '\n';
            case 't' -> '\t';
            case 'r' -> '\r';
            case 'b' -> '\b';
            case '0' -> 0;
            case 'Z' -> 0x1A;
            default -> c;
        };
    }

    /** Skips the rest of a line. Returns whether any byte preceded the end of the line. */
    private boolean skipLine() {
        boolean some = false;
        while (true) {
            int c = take();
            if (c == NONE) {
                return some;
            }
            if (c == escape) {
                take();
            } else if (completes(c, lineEnd)) {
                lineEnded = true;
                return some;
            }
            some = true;
        }
    }

    /**
     * Returns whether a text begins with the byte that was just read and continues in the next
     * bytes. If so, reads these bytes too.
     */
    private boolean completes(int c, byte[] text) {
        if (text.length == 0 || c != (text[0] & 0xFF)) {
            return false;
        }
        int there = Math.min(text.length - 1, limit - at);
        if (!Arrays.equals(buffer, at, at + there, text, 1, 1 + there)) {
            return false;
        }
        if (there < text.length - 1) {
            starved |= !ended;
            return false;
        }
        at += there;
        return true;
    }

    private int take() {
        int c = peek();
        if (c != NONE) {
            at++;
        }
        return c;
    }

    /** Returns the next byte without reading it; NONE at the end of the received bytes. */
    private int peek() {
        if (at < limit) {
            return buffer[at] & 0xFF;
        }
        starved |= !ended;
        return NONE;
    }
}
