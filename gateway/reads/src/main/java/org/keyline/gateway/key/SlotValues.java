package org.keyline.gateway.key;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.EqualEnds;
import org.keyline.planner.KeyPart;
import org.keyline.planner.PlannedStatement;
import org.keyline.planner.digest.Utf8;

/**
 * The values of a statement's slots in text order: literals or bound parameters. A value has the
 * kind that the client gave it, because the store compares by kind. Sessions forward reads that
 * compare a value of {@link Kind#OTHER}. Confined to one event loop; valid until the next statement
 * of the session.
 */
public interface SlotValues {
    enum Kind {
        /** A whole number that fits into 64 bits with sign, returned by {@link #integer}. */
        INTEGER,
        /** Any number of digits with optional sign and point, returned by {@link #bytes}. */
        DECIMAL,
        /** A string in UTF-8, returned by {@link #bytes}. */
        TEXT,
        /**
         * A string of a session whose strings have no character set, returned by {@link #bytes}.
         */
        BYTES,
        /** A parameter of a date type. {@link #integer} returns a packed date. */
        DATE,
        /** A parameter of a date and time type. {@link #integer} returns a packed date and time. */
        DATETIME,
        /**
         * An approximate number that is whole and below 2^53 in magnitude, returned by
         * {@link #integer}.
         */
        WHOLE_DOUBLE,
        NULL,
        /** Any other value: an approximate number, a bit string, text in another character set. */
        OTHER
    }

    /** The magnitude below which every whole number is exact as a double. */
    double EXACT_AS_DOUBLE = 0x1p53;

    /** The value of {@code utf8Bytes} for strings without a character set. */
    int NO_CHARACTERS = -1;

    /** Values of slots that were not inspected. Each has the kind {@link Kind#OTHER}. */
    SlotValues UNKNOWN = new SlotValues() {
        @Override
        public Kind kind(int slot) {
            return Kind.OTHER;
        }

        @Override
        public long integer(int slot) {
            throw new IllegalStateException("the values of this statement are unknown");
        }

        @Override
        public byte[] bytes(int slot) {
            throw new IllegalStateException("the values of this statement are unknown");
        }

        @Override
        public int offset(int slot) {
            throw new IllegalStateException("the values of this statement are unknown");
        }

        @Override
        public int length(int slot) {
            throw new IllegalStateException("the values of this statement are unknown");
        }
    };

    Kind kind(int slot);

    /**
     * Classifies a string.
     *
     * @param utf8Bytes the maximum bytes of a character in the client's UTF-8; 0 for another
     * encoding; {@link #NO_CHARACTERS} if strings have no character set
     */
    static Kind kindOf(byte[] bytes, int from, int to, int utf8Bytes) {
        if (utf8Bytes == NO_CHARACTERS) {
            return Kind.BYTES;
        }
        return Utf8.valid(bytes, from, to, utf8Bytes) ? Kind.TEXT : Kind.OTHER;
    }

    static Kind kindOf(double number) {
        return Math.abs(number) < EXACT_AS_DOUBLE && number == Math.rint(number) ? Kind.WHOLE_DOUBLE : Kind.OTHER;
    }

    /**
     * Returns the number of a LIMIT or OFFSET, or {@code Long.MAX_VALUE} if it is larger; -1 if the
     * value might not be a whole number.
     */
    default long rows(int slot) {
        return kind(slot) == Kind.INTEGER ? integer(slot) : -1;
    }

    /** Returns whether the slot is exactly the literal {@code 1}. */
    default boolean isOne(int slot) {
        return false;
    }

    default boolean areOnes(List<Integer> slots) {
        for (int i = 0; i < slots.size(); i++) {
            if (!isOne(slots.get(i))) {
                return false;
            }
        }
        return true;
    }

    default PlannedStatement chosen(PlannedStatement planned) {
        EqualEnds equal = planned.equalEnds();
        if (equal == null) {
            return planned;
        }
        List<KeyPart> ends = equal.ends();
        for (int i = 0; i < ends.size(); i += 2) {
            KeyPart low = ends.get(i);
            KeyPart high = ends.get(i + 1);
            if (low.negated() != high.negated() || !areSame(low.slot(), high.slot())) {
                return planned;
            }
        }
        return equal.planned();
    }

    /** Returns whether two slots have values of the same kind and spelling. */
    private boolean areSame(int one, int other) {
        Kind kind = kind(one);
        if (kind != kind(other)) {
            return false;
        }
        return switch (kind) {
            case INTEGER, WHOLE_DOUBLE, DATE, DATETIME -> integer(one) == integer(other);
            case DECIMAL, TEXT, BYTES ->
                Arrays.equals(
                        bytes(one),
                        offset(one),
                        offset(one) + length(one),
                        bytes(other),
                        offset(other),
                        offset(other) + length(other));
            case NULL, OTHER -> false;
        };
    }

    /** Returns the literal as the client wrote it, one character per byte; null for a parameter. */
    default @Nullable String literal(int slot) {
        return null;
    }

    /** Returns the number of an INTEGER, WHOLE_DOUBLE, DATE or DATETIME slot. */
    long integer(int slot);

    /**
     * Returns an array that contains the bytes of a DECIMAL, TEXT or BYTES slot from
     * {@link #offset} on. Read-only.
     */
    byte[] bytes(int slot);

    int offset(int slot);

    int length(int slot);
}
