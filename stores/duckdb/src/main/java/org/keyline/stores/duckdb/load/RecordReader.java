package org.keyline.stores.duckdb.load;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;

/**
 * Splits a file, which arrives in pieces, into records by MySQL's rules. It waits for a piece when
 * it needs one, and buffers the rest of the last piece. Used by one thread at a time.
 */
public final class RecordReader {
    /** The maximum length of a record. The length is limited because whole records are buffered. */
    private static final int MAX_RECORD_BYTES = 64 << 20;

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

    private final LongFunction<Optional<byte[]>> pieces;
    private byte[] buffer = {};
    private int at;
    private long linesToSkip;
    private boolean ended;
    private boolean lineEnded;

    /** The number of bytes of the record before those in the buffer. */
    private long before;

    /**
     * @param linesToSkip the number of lines to skip at the beginning of the file
     * @param pieces returns the next bytes of the file, or empty at its end; its argument is the
     *     number of bytes that the reader holds
     */
    public RecordReader(FileFormat format, long linesToSkip, LongFunction<Optional<byte[]>> pieces) {
        this.fieldEnd = format.fieldEnd().getBytes(UTF_8);
        this.lineEnd = format.lineEnd().getBytes(UTF_8);
        this.enclosed = only(format.enclosed());
        this.escape = only(format.escape());
        this.nullWord = enclosed != NONE;
        this.linesToSkip = linesToSkip;
        this.pieces = pieces;
    }

    private static int only(String character) {
        return character.isEmpty() ? NONE : character.charAt(0);
    }

    /** Returns the number of buffered bytes, together with those of the record that were read. */
    private long held() {
        return before + buffer.length;
    }

    /**
     * Returns the next record; null after the last record.
     *
     * @param wanted the maximum number of fields to read
     * @throws StatementRefusedException 1153 if the record is too long
     */
    public @Nullable Fields next(int wanted) {
        while (linesToSkip > 0 && peek() != NONE) {
            begin();
            skipLine();
            linesToSkip--;
        }
        begin();
        List<byte @Nullable []> fields = new ArrayList<>(wanted);
        while (!lineEnded && fields.size() < wanted && peek() != NONE) {
            fields.add(field());
        }
        if (fields.isEmpty()) {
            return null;
        }
        boolean cut = !lineEnded && skipLine() && lineEnded;
        return new Fields(fields, cut);
    }

    private void begin() {
        before = -at;
        lineEnded = false;
    }

    private byte @Nullable [] field() {
        boolean quoted = peek() == enclosed;
        if (quoted) {
            take();
        }
        ByteArrayOutputStream value = new ByteArrayOutputStream(32);
        boolean escapedNull = false;
        while (true) {
            int c = take();
            if (c == NONE) {
                lineEnded = true;
                // A quote that is never closed is an ordinary character.
                return value(value, quoted, false, escapedNull);
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
                    return value(value, false, true, escapedNull);
                }
                at--;
            } else if (!quoted && endsField(c)) {
                return value(value, false, false, escapedNull);
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
        int rest = text.length - 1;
        if (!has(rest) || !Arrays.equals(buffer, at, at + rest, text, 1, text.length)) {
            return false;
        }
        at += rest;
        return true;
    }

    /** Returns whether at least this number of bytes follows; waits for them if necessary. */
    private boolean has(int bytes) {
        while (buffer.length - at < bytes && !ended) {
            byte[] piece = pieces.apply(held()).orElse(null);
            ended = piece == null;
            if (piece != null) {
                append(piece);
            }
        }
        return buffer.length - at >= bytes;
    }

    private void append(byte[] piece) {
        if (held() + piece.length > MAX_RECORD_BYTES) {
            throw new StatementRefusedException(
                    1153, "08S01", "A record of LOAD DATA is longer than " + MAX_RECORD_BYTES + " bytes");
        }
        // The byte before the index may be read again.
        int from = Math.max(0, at - 1);
        byte[] rest = Arrays.copyOfRange(buffer, from, buffer.length + piece.length);
        System.arraycopy(piece, 0, rest, buffer.length - from, piece.length);
        buffer = rest;
        before += from;
        at -= from;
    }

    private int take() {
        int c = peek();
        if (c != NONE) {
            at++;
        }
        return c;
    }

    /** Returns the next byte without reading it; NONE at the end of the file. */
    private int peek() {
        return has(1) ? buffer[at] & 0xFF : NONE;
    }
}
