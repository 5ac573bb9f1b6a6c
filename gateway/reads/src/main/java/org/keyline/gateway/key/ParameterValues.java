package org.keyline.gateway.key;

import org.jspecify.annotations.Nullable;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.codec.ExecuteParameters;

/**
 * Literals and parameters of the last execution passed to {@link #of}. Confined to one event loop.
 */
public final class ParameterValues implements SlotValues {
    /** The index of a slot that is a literal and not a parameter. */
    public static final int LITERAL = -1;

    private LiteralValues literals = new LiteralValues();
    private int[] parameters = {};
    private ExecuteParameters values = new ExecuteParameters();
    private boolean @Nullable [] uncertain;
    private int utf8Bytes;

    /**
     * Takes the values of one execution.
     *
     * @param parameters the index of the parameter of each slot, or {@link #LITERAL}
     * @param uncertain true for each parameter that the store may read with a type other than the
     * client's; null if there is no such parameter
     * @param utf8Bytes the maximum bytes of a character in the client's UTF-8; 0 for another
     * encoding; {@link SlotValues#NO_CHARACTERS} if strings have no character set
     */
    public ParameterValues of(
            LiteralValues literals,
            int[] parameters,
            ExecuteParameters values,
            boolean @Nullable [] uncertain,
            int utf8Bytes) {
        this.literals = literals;
        this.parameters = parameters;
        this.values = values;
        this.uncertain = uncertain;
        this.utf8Bytes = utf8Bytes;
        return this;
    }

    @Override
    public Kind kind(int slot) {
        int i = parameters[slot];
        if (i == LITERAL) {
            return literals.kind(slot);
        }
        if (values.isNull(i)) {
            return Kind.NULL;
        }
        if (values.isLongData(i) || (uncertain != null && uncertain[i])) {
            return Kind.OTHER;
        }
        return switch (values.type(i)) {
            case ColumnType.TINY, ColumnType.SHORT, ColumnType.LONG, ColumnType.INT24 -> Kind.INTEGER;
            // A whole number above the signed range would be {@link Kind#DECIMAL}, but its digits
            // are not available as text.
            case ColumnType.LONGLONG -> values.unsigned(i) && values.int64(i) < 0 ? Kind.OTHER : Kind.INTEGER;
            case ColumnType.DOUBLE -> SlotValues.kindOf(values.float64(i));
            case ColumnType.DECIMAL, ColumnType.NEWDECIMAL -> Kind.DECIMAL;
            case ColumnType.VARCHAR, ColumnType.VAR_STRING, ColumnType.STRING -> text(i);
            case ColumnType.DATE -> isDate(i) ? Kind.DATE : Kind.OTHER;
            // TIMESTAMP is excluded: MariaDB reads it as a moment in the session's time zone, in
            // which some dates and times do not exist.
            case ColumnType.DATETIME -> packed(i) != PackedTime.NONE ? Kind.DATETIME : Kind.OTHER;
            default -> Kind.OTHER;
        };
    }

    @Override
    public long rows(int slot) {
        return parameters[slot] == LITERAL ? literals.rows(slot) : SlotValues.super.rows(slot);
    }

    @Override
    public boolean isOne(int slot) {
        return parameters[slot] == LITERAL && literals.isOne(slot);
    }

    @Override
    public @Nullable String literal(int slot) {
        return parameters[slot] == LITERAL ? literals.literal(slot) : null;
    }

    private Kind text(int i) {
        int from = values.offset(i);
        return SlotValues.kindOf(values.source(i), from, from + values.length(i), utf8Bytes);
    }

    private boolean isDate(int i) {
        long packed = packed(i);
        return packed != PackedTime.NONE && PackedTime.isDate(packed);
    }

    /** Returns {@link PackedTime#NONE} for dates outside the calendar. A zero date has no bytes. */
    private long packed(int i) {
        return PackedTime.ofBinary(values.source(i), values.offset(i), values.length(i));
    }

    @Override
    public long integer(int slot) {
        int i = parameters[slot];
        if (i == LITERAL) {
            return literals.integer(slot);
        }
        return switch (values.type(i)) {
            case ColumnType.DATE, ColumnType.DATETIME, ColumnType.TIMESTAMP -> packed(i);
            case ColumnType.DOUBLE -> (long) values.float64(i);
            default -> values.int64(i);
        };
    }

    @Override
    public byte[] bytes(int slot) {
        int i = parameters[slot];
        return i == LITERAL ? literals.bytes(slot) : values.source(i);
    }

    @Override
    public int offset(int slot) {
        int i = parameters[slot];
        return i == LITERAL ? literals.offset(slot) : values.offset(i);
    }

    @Override
    public int length(int slot) {
        int i = parameters[slot];
        return i == LITERAL ? literals.length(slot) : values.length(i);
    }
}
