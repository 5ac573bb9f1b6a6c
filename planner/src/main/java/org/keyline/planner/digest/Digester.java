package org.keyline.planner.digest;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Normalises a statement in one pass: moves its literals into slots and computes a 128-bit hash.
 * Confined to one thread; reusable, allocates nothing once its buffers have grown.
 */
public final class Digester {
    /*
     * The normalised text must retain everything that affects the meaning. It omits the values of
     * literals (they are slots), white space, ordinary comments, one semicolon at the very end, and
     * optimizer hints that change no reply. The contents of unknown hints are omitted too, because
     * such a statement is forwarded. The values of SET STATEMENT remain.
     *
     * One space separates tokens, so that no two of them can merge. Only aggregates such as
     * `COUNT(*)` and `MAX(a.b)` have no spaces if the source has none, because their text names the
     * result's column. Names in double quotes and words that begin with a digit are in backquotes,
     * so that every mode and every parser reads the text alike. The digest of a normalised text is
     * the same text.
     *
     * The hash consists of two 64-bit XXH3 hashes with different seeds, because the library's
     * 128-bit hash allocates. The plan cache looks up the hash and then compares the text.
     */

    public static final int DEFAULT_MAX_BYTES = 64 << 10;

    private static final byte[] UNKNOWN_HINT = Hint.UNKNOWN.getBytes(UTF_8);
    private static final byte[][] AGGREGATES = {{'C', 'O', 'U', 'N', 'T'}, {'M', 'I', 'N'}, {'M', 'A', 'X'}};
    /** Length of the longest aggregate, COUNT. */
    private static final int COUNT_BYTES = 5;

    /** The value of {@code words} between SET STATEMENT and FOR. */
    private static final int SETTINGS = 2;

    private static final int NO_SETTINGS = 3;

    private static final byte[] NATIONAL = {'_', 'u', 't', 'f', '8'};
    private static final byte[] NOTHING = new byte[0];
    private static final Hasher64 HIGH = Hashing.xxh3_64(0x9E3779B97F4A7C15L);
    private static final Hasher64 LOW = Hashing.xxh3_64();

    private final int maxBytes;
    private final long hashMask;
    private final Hint hint;
    private final boolean dashesAreSigns;
    private final Lexer lexer = new Lexer();
    private final LastStatement last = new LastStatement();

    private byte[] sql = NOTHING;
    private int sqlFrom;
    private int sqlTo;
    private SqlMode mode = SqlMode.DEFAULT;
    private Outcome outcome = Outcome.DIGESTED;

    private byte[] text = new byte[512];
    private int length;
    private long hashHigh;
    private long hashLow;
    private int statements;
    /** Index after the last semicolon in {@code text}; 0 without a semicolon. */
    private int semicolonEnd;

    private SlotKind[] kinds = new SlotKind[16];
    private int[] starts = new int[16];
    private int[] ends = new int[16];
    private int slots;

    public Digester() {
        this(DEFAULT_MAX_BYTES);
    }

    public Digester(int maxBytes) {
        this(maxBytes, -1L, Set.of(), false);
    }

    /**
     * Creates a digester for a store.
     *
     * @param harmlessVariables the lower-case names of variables that hints may set without effect
     * @param dashesAreSigns whether the store reads two dashes without white space after them as
     * two minus signs
     */
    public Digester(Set<String> harmlessVariables, boolean dashesAreSigns) {
        this(DEFAULT_MAX_BYTES, -1L, harmlessVariables, dashesAreSigns);
    }

    /** Creates a digester whose masked hashes collide, for tests. */
    Digester(int maxBytes, long hashMask) {
        this(maxBytes, hashMask, Set.of(), false);
    }

    private Digester(int maxBytes, long hashMask, Set<String> harmlessVariables, boolean dashesAreSigns) {
        if (maxBytes < 1 || maxBytes > 16 << 20) {
            throw new IllegalArgumentException("maxBytes: " + maxBytes + " (expected: 1.." + (16 << 20) + ")");
        }
        this.maxBytes = maxBytes;
        this.hashMask = hashMask;
        this.hint = new Hint(harmlessVariables);
        this.dashesAreSigns = dashesAreSigns;
    }

    /** Digests {@code sql[from..to)}, and borrows the array until the next digest. */
    public Outcome digest(byte[] sql, int from, int to, SqlMode mode) {
        this.sql = sql;
        this.sqlFrom = from;
        this.sqlTo = to;
        this.mode = mode;
        if (to - from <= maxBytes && last.isRepeatedBy(sql, from, to, mode, starts, ends)) {
            // The statement differs from the previous one only in its values.
            return outcome;
        }
        last.forget();
        length = 0;
        slots = 0;
        statements = 0;
        semicolonEnd = 0;
        hashHigh = 0;
        hashLow = 0;
        lexer.reset(sql, from, to, mode);
        outcome = to - from > maxBytes ? Outcome.TOO_LONG : read();
        if (outcome == Outcome.DIGESTED) {
            hashHigh = HIGH.hashBytesToLong(text, 0, length) & hashMask;
            hashLow = LOW.hashBytesToLong(text, 0, length) & hashMask;
            if (lexer.directiveStart() == lexer.directiveEnd()) {
                last.store(sql, from, to, mode, starts, ends, slots);
            }
        } else {
            length = 0;
            slots = 0;
        }
        return outcome;
    }

    private Outcome read() {
        TokenType type = lexer.next();
        int words = 0;
        while (type != TokenType.END) {
            // The values in SET STATEMENT variable = value FOR … belong to the statement's
            // identity.
            boolean settings = words == SETTINGS;
            if (type == TokenType.WORD && words < SETTINGS) {
                words = lexer.is(words == 0 ? "SET" : "STATEMENT") ? words + 1 : NO_SETTINGS;
            } else if (words < SETTINGS || (settings && lexer.is("FOR"))) {
                words = NO_SETTINGS;
            }
            SlotKind kind = type.slotKind();
            if (kind != null && settings && type != TokenType.PLACEHOLDER) {
                if (hasBackslash(lexer.start(), lexer.end())) {
                    // The end of the literal depends on the sql_mode.
                    return Outcome.AMBIGUOUS;
                }
                append(sql, lexer.start(), lexer.end());
                type = lexer.next();
                continue;
            }
            if (kind != null) {
                lift(kind);
                type = lexer.next();
                continue;
            }
            switch (type) {
                case SEMICOLON -> {
                    if (endsAfter(lexer.start())) {
                        return done();
                    }
                    appendSemicolon();
                }
                case QUOTED -> appendName();
                case WORD -> appendWord();
                case INTRODUCER -> appendIntroducer();
                case HINT -> appendHint();
                case EXECUTABLE_COMMENT -> {
                    if (hint.meaning(sql, lexer.start(), lexer.end()) == Hint.Meaning.UNKNOWN) {
                        return Outcome.EXECUTABLE_COMMENT;
                    }
                    append(sql, lexer.start(), lexer.end());
                }
                case ERROR -> {
                    return Outcome.MALFORMED;
                }
                default -> append(sql, lexer.start(), lexer.end());
            }
            type = lexer.next();
        }
        return done();
    }

    public Digester withSameSettings() {
        return new Digester(maxBytes, hashMask, hint.harmless(), dashesAreSigns);
    }

    private boolean hasBackslash(int from, int to) {
        boolean found = false;
        for (int i = from; i < to; i++) {
            found |= sql[i] == '\\';
        }
        return found;
    }

    private Outcome done() {
        boolean last = length > 0 && semicolonEnd == length;
        if (last && (length < 3 || text[length - 3] != ';')) {
            // Appends a second semicolon, because a digest of the normalised text would omit a
            // single one at the end.
            appendSemicolon();
        }
        if (length > 0) {
            statements++;
        }
        return lexer.ambiguous() || (lexer.dashes() && !dashesAreSigns) ? Outcome.AMBIGUOUS : Outcome.DIGESTED;
    }

    /**
     * Returns whether only white space follows this semicolon, and a statement precedes it. Any
     * other semicolon stays in the normalised text, because the store sees one more statement after
     * it, possibly an empty one. For some stores, a comment is such a statement.
     */
    private boolean endsAfter(int semicolon) {
        for (int i = semicolon + 1; i < sqlTo; i++) {
            int b = sql[i];
            if (b != ' ' && (b < '\t' || b > '\r')) {
                return false;
            }
        }
        return length > semicolonEnd;
    }

    private void appendSemicolon() {
        statements++;
        space(1);
        text[length++] = ';';
        semicolonEnd = length;
    }

    private void lift(SlotKind kind) {
        if (slots == kinds.length) {
            int size = 2 * slots;
            kinds = Arrays.copyOf(kinds, size);
            starts = Arrays.copyOf(starts, size);
            ends = Arrays.copyOf(ends, size);
        }
        starts[slots] = lexer.start();
        ends[slots] = lexer.end();
        kinds[slots] = kind == SlotKind.INTEGER && !Literals.fitsLong(sql, starts[slots], ends[slots])
                ? SlotKind.DECIMAL
                : kind;
        slots++;
        space(1);
        text[length++] = '?';
    }

    private void appendWord() {
        int start = lexer.start();
        int b = sql[start];
        if (b >= '0' && b <= '9') {
            space(lexer.end() - start + 2);
            text[length++] = '`';
            copy(start, lexer.end());
            text[length++] = '`';
        } else {
            int end = Math.max(lexer.end(), aggregateEnd(start));
            append(sql, start, end);
            while (lexer.end() < end) {
                lexer.next();
            }
        }
    }

    /**
     * Returns the offset after an aggregate call without spaces, whose text names the reply's
     * column; 0 if there is no such call. The offset is after {@code MAX(a.b)}, {@code COUNT(*)} or
     * {@code COUNT(1)}; with other arguments, after {@code MAX(}.
     */
    private int aggregateEnd(int start) {
        int open = lexer.end();
        if (open - start < 3
                || open - start > COUNT_BYTES
                || open == sqlTo
                || sql[open] != '('
                || !isAggregate(start, open)) {
            return 0;
        }
        int at = open + 1;
        boolean one = at < sqlTo && sql[at] == '1' && open - start == COUNT_BYTES;
        if (one || (at < sqlTo && sql[at] == '*')) {
            at++;
        } else {
            while (at < sqlTo && isOfName(sql[at], at - open > 1 && sql[at - 1] != '.')) {
                at++;
            }
        }
        boolean whole = at > open + 1 && at < sqlTo && sql[at] == ')' && sql[at - 1] != '.';
        return whole ? at + 1 : open + 1;
    }

    private boolean isAggregate(int start, int end) {
        for (byte[] name : AGGREGATES) {
            boolean same = name.length == end - start;
            for (int i = 0; same && i < name.length; i++) {
                same = (sql[start + i] & 0xDF) == name[i];
            }
            if (same) {
                return true;
            }
        }
        return false;
    }

    /** @param inside whether a character of a name precedes this one */
    private static boolean isOfName(byte at, boolean inside) {
        boolean letter = (at >= 'a' && at <= 'z') || (at >= 'A' && at <= 'Z') || at == '_';
        return letter || (inside && (at == '.' || (at >= '0' && at <= '9')));
    }

    private void appendHint() {
        switch (hint.meaning(sql, lexer.start(), lexer.end())) {
            case NOTHING -> {}
            case SAME_ROWS -> append(sql, lexer.start(), lexer.end());
            case UNKNOWN -> append(UNKNOWN_HINT, 0, UNKNOWN_HINT.length);
        }
    }

    private void appendIntroducer() {
        if (sql[lexer.start()] == '_') {
            append(sql, lexer.start(), lexer.end());
        } else {
            append(NATIONAL, 0, NATIONAL.length);
        }
    }

    /** Appends the name in backquotes, whatever quotes it has. */
    private void appendName() {
        int start = lexer.start();
        int end = lexer.end();
        int quote = sql[start];
        if (quote == '`') {
            append(sql, start, end);
            return;
        }
        space(2 * (end - start));
        text[length++] = '`';
        for (int i = start + 1; i < end - 1; i++) {
            text[length++] = sql[i];
            if (sql[i] == quote) {
                i++;
            } else if (sql[i] == '`') {
                text[length++] = '`';
            }
        }
        text[length++] = '`';
    }

    private void append(byte[] source, int from, int to) {
        space(to - from);
        System.arraycopy(source, from, text, length, to - from);
        length += to - from;
    }

    private void copy(int from, int to) {
        System.arraycopy(sql, from, text, length, to - from);
        length += to - from;
    }

    /** Appends a separator and reserves room for the next token. */
    private void space(int bytes) {
        int needed = length + bytes + 1;
        if (needed > text.length) {
            text = Arrays.copyOf(text, Math.max(needed, 2 * text.length));
        }
        if (length > 0) {
            text[length++] = ' ';
        }
    }

    /**
     * Returns the outcome of the last digest. Unless it is DIGESTED, only {@link #mode} and the
     * source are valid.
     */
    public Outcome outcome() {
        return outcome;
    }

    public SqlMode mode() {
        return mode;
    }

    /** Returns 32 hexadecimal digits of the hash over schema and text, for logs and views. */
    public static String identity(String schema, String text) {
        byte[] bytes = (schema + (char) 0 + text).getBytes(UTF_8);
        HexFormat hex = HexFormat.of();
        return hex.toHexDigits(HIGH.hashBytesToLong(bytes)) + hex.toHexDigits(LOW.hashBytesToLong(bytes));
    }

    public long hashHigh() {
        return hashHigh;
    }

    public long hashLow() {
        return hashLow;
    }

    /** Returns the number of statements; 0 for an empty text. */
    public int statements() {
        return statements;
    }

    public String normalised() {
        return new String(text, 0, length, UTF_8);
    }

    public byte[] normalisedBytes() {
        return Arrays.copyOf(text, length);
    }

    public boolean normalisedEquals(byte[] other) {
        return Arrays.equals(text, 0, length, other, 0, other.length);
    }

    /** Returns the statement as the client sent it, with malformed UTF-8 replaced. */
    public String source() {
        return new String(sql, sqlFrom, sqlTo - sqlFrom, UTF_8);
    }

    public byte[] sourceBytes() {
        return Arrays.copyOfRange(sql, sqlFrom, sqlTo);
    }

    /** Sets the lexer to the beginning of the source. Allowed after every outcome. */
    public void lex(Lexer target) {
        target.reset(sql, sqlFrom, sqlTo, mode);
    }

    /** Returns the trimmed text of a keyline_… comment; null if there is no such comment. */
    public @Nullable String directive() {
        int start = lexer.directiveStart();
        int end = lexer.directiveEnd();
        return start == end ? null : new String(sql, start, end - start, UTF_8).strip();
    }

    /** Returns the number of literals and placeholders. */
    public int slots() {
        return slots;
    }

    public SlotKind slotKind(int slot) {
        return kinds[checked(slot)];
    }

    /** Returns the offset of the slot's first byte, such as a quote, in the source array. */
    public int slotStart(int slot) {
        return starts[checked(slot)];
    }

    /** Returns the offset after the slot's last byte in the source array. */
    public int slotEnd(int slot) {
        return ends[checked(slot)];
    }

    /** Returns the source bytes of the slot, one character per byte. */
    public String slotBytes(int slot) {
        int start = slotStart(slot);
        return new String(sql, start, slotEnd(slot) - start, ISO_8859_1);
    }

    /** Returns the source text of the slot, such as a number's digits. */
    public String slotText(int slot) {
        int start = slotStart(slot);
        return new String(sql, start, slotEnd(slot) - start, UTF_8);
    }

    /** Returns the value of a STRING, HEX or BIT slot. */
    public byte[] stringValue(int slot) {
        byte[] value = new byte[slotEnd(slot) - slotStart(slot)];
        return Arrays.copyOf(value, copyString(slot, value, 0));
    }

    /** Copies the value of a STRING, HEX or BIT slot. Returns its length in bytes. */
    public int copyString(int slot, byte[] target, int at) {
        int start = slotStart(slot);
        int end = slotEnd(slot);
        return switch (slotKind(slot)) {
            case STRING -> Literals.unescape(sql, start, end, !mode.noBackslashEscapes(), target, at);
            case HEX -> Literals.unhex(sql, start, end, target, at);
            case BIT -> Literals.unbit(sql, start, end, target, at);
            case INTEGER, DECIMAL, FLOAT, PLACEHOLDER ->
                throw new IllegalArgumentException(
                        "slot " + slot + ": " + slotKind(slot) + " (expected: STRING, HEX, BIT)");
        };
    }

    /** Returns the value of an INTEGER slot as an unsigned 64-bit integer. */
    public long integerValue(int slot) {
        if (slotKind(slot) != SlotKind.INTEGER) {
            throw new IllegalArgumentException("slot " + slot + ": " + slotKind(slot) + " (expected: INTEGER)");
        }
        return Literals.parseLong(sql, slotStart(slot), slotEnd(slot));
    }

    private int checked(int slot) {
        if (slot < 0 || slot >= slots) {
            throw new IndexOutOfBoundsException("slot: " + slot + " (expected: 0.." + (slots - 1) + ")");
        }
        return slot;
    }
}
