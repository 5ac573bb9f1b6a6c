package org.keyline.gateway.key;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.digest.Digester;
import org.keyline.planner.digest.SlotKind;

/** The literals of the last statement passed to {@link #of}. Confined to one event loop. */
public final class LiteralValues implements SlotValues {
    private static final int INITIAL_SLOTS = 16;
    /** A {@link #copy} includes the literals' texts if the values have at most this many bytes. */
    private static final int MAX_WRITTEN_BYTES = 4 << 10;

    private byte[] bytes = new byte[256];
    private Kind[] kinds = new Kind[INITIAL_SLOTS];
    private long[] numbers = new long[INITIAL_SLOTS];
    private int[] ends = new int[INITIAL_SLOTS];
    private int slots;
    /** Bit k is set if slot k is the literal 1. */
    private long ones;
    /** Contains the texts of the literals; null in a copy, whose texts are in {@link #written}. */
    private @Nullable Digester source;

    private String[] written = {};

    /**
     * Takes the values of all slots of a digest. The kind of placeholders is {@link Kind#OTHER}.
     *
     * @param utf8Bytes the maximum bytes of a character in the client's UTF-8; 0 for another
     * encoding, in which each string is {@link Kind#OTHER}; {@link SlotValues#NO_CHARACTERS} if
     * strings have no character set
     */
    public LiteralValues of(Digester digest, int utf8Bytes) {
        slots = digest.slots();
        ones = 0;
        source = digest;
        if (slots > kinds.length) {
            int size = Math.max(slots, 2 * kinds.length);
            kinds = new Kind[size];
            numbers = new long[size];
            ends = new int[size];
        }
        int end = 0;
        for (int slot = 0; slot < slots; slot++) {
            SlotKind kind = digest.slotKind(slot);
            numbers[slot] = 0;
            switch (kind) {
                case INTEGER -> {
                    numbers[slot] = digest.integerValue(slot);
                    boolean one = numbers[slot] == 1 && digest.slotEnd(slot) - digest.slotStart(slot) == 1;
                    ones |= one && slot < Long.SIZE ? 1L << slot : 0;
                    kinds[slot] = numbers[slot] >= 0 ? Kind.INTEGER : Kind.DECIMAL;
                    end = numbers[slot] >= 0 ? end : appendDigits(digest, slot, end);
                }
                case DECIMAL -> {
                    kinds[slot] = Kind.DECIMAL;
                    end = appendDigits(digest, slot, end);
                }
                case STRING -> {
                    reserve(end + digest.slotEnd(slot) - digest.slotStart(slot));
                    int length = digest.copyString(slot, bytes, end);
                    kinds[slot] = SlotValues.kindOf(bytes, end, end + length, utf8Bytes);
                    end += length;
                }
                case FLOAT, HEX, BIT, PLACEHOLDER -> kinds[slot] = Kind.OTHER;
            }
            ends[slot] = end;
        }
        return this;
    }

    private int appendDigits(Digester digest, int slot, int end) {
        String digits = digest.slotText(slot);
        reserve(end + digits.length());
        for (int i = 0; i < digits.length(); i++) {
            bytes[end + i] = (byte) digits.charAt(i);
        }
        return end + digits.length();
    }

    private void reserve(int length) {
        if (length > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(length, 2 * bytes.length));
        }
    }

    /** Returns a copy for a prepared statement. Later digests do not change it. */
    public LiteralValues copy() {
        LiteralValues copy = new LiteralValues();
        copy.slots = slots;
        copy.ones = ones;
        copy.kinds = Arrays.copyOf(kinds, slots);
        copy.numbers = Arrays.copyOf(numbers, slots);
        copy.ends = Arrays.copyOf(ends, slots);
        copy.bytes = Arrays.copyOf(bytes, slots == 0 ? 0 : ends[slots - 1]);
        boolean few = slots <= Long.SIZE && copy.bytes.length <= MAX_WRITTEN_BYTES;
        copy.written =
                IntStream.range(0, few ? slots : 0).mapToObj(this::literal).toArray(String[]::new);
        return copy;
    }

    @Override
    public Kind kind(int slot) {
        return kinds[slot];
    }

    @Override
    public long rows(int slot) {
        // Only whole literals from 2^63 to 2^64 - 1 have a negative number.
        return numbers[slot] < 0 ? Long.MAX_VALUE : SlotValues.super.rows(slot);
    }

    @Override
    public boolean isOne(int slot) {
        return slot < Long.SIZE && (ones & (1L << slot)) != 0;
    }

    @Override
    public @Nullable String literal(int slot) {
        Digester digest = source;
        if (digest != null) {
            return digest.slotBytes(slot);
        }
        return slot < written.length ? written[slot] : null;
    }

    @Override
    public long integer(int slot) {
        return numbers[slot];
    }

    @Override
    public byte[] bytes(int slot) {
        return bytes;
    }

    @Override
    public int offset(int slot) {
        return slot == 0 ? 0 : ends[slot - 1];
    }

    @Override
    public int length(int slot) {
        return ends[slot] - offset(slot);
    }
}
