package org.keyline.gateway.change;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.key.SlotValues;
import org.keyline.gateway.table.CachedTable;
import org.keyline.planner.Assignment;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.KeyPart;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.Lenenc;
import org.keyline.protocol.codec.BinaryRowWriter;
import org.keyline.protocol.codec.RowReader;
import org.keyline.rowcache.RowChange;

/**
 * New cells of a row in the store's format: the values that a statement assigns. The store writes
 * values of these types unchanged. Immutable.
 */
final class CellChange implements RowChange {
    /*
     * Allowed are whole numbers in the range of their column, and UTF-8 text that fits its column.
     * Everything else is excluded: CHAR (trailing spaces), DECIMAL and approximate numbers
     * (rounding), dates and times (rounding, time zones), ENUM and SET (spelling), BIT, JSON. Empty
     * text is excluded as well, because some settings make it NULL.
     */
    private static final int MAX_TEXT_BYTES = 16 << 10;
    private static final int MIN_TEXT_CAPACITY = 255;
    private static final int BINARY_ROW_HEADER = 1;
    private static final int MEDIUMINT_BITS = 24;

    private final CachedTable table;
    /** By ordinal: whether the column has a new cell. */
    private final boolean[] assigned;
    /** By ordinal: a new text; null for a number or NULL. */
    private final @Nullable String[] texts;
    /** By ordinal: a new number; null for a text or NULL. */
    private final @Nullable Long[] numbers;

    private CellChange(CachedTable table) {
        int columns = table.schema().columns().size();
        this.table = table;
        assigned = new boolean[columns];
        texts = new String[columns];
        numbers = new Long[columns];
    }

    /**
     * Returns the cells that a statement assigns; null if one of them is not exact. The result has
     * copies of the values.
     */
    static @Nullable CellChange of(CachedTable table, List<Assignment> assignments, SlotValues values) {
        CellChange change = new CellChange(table);
        for (Assignment assignment : assignments) {
            if (!change.assign(assignment.column(), assignment.value(), values)) {
                return null;
            }
        }
        return change;
    }

    /** Returns whether the store writes a value unchanged. */
    static boolean isCertain(CachedTable table, Assignment given, SlotValues values) {
        return new CellChange(table).assign(given.column(), given.value(), values);
    }

    private boolean assign(int column, KeyPart value, SlotValues values) {
        ColumnSchema schema = table.schema().columns().get(column);
        if (schema.autoIncrement() || schema.computed()) {
            return false;
        }
        assigned[column] = true;
        return switch (schema.type().kind()) {
            case TINYINT, SMALLINT, MEDIUMINT, INT, BIGINT ->
                isNull(schema, value, values) || number(column, schema.type(), value, values);
            case VARCHAR, TEXT -> isNull(schema, value, values) || text(column, schema.type(), value, values);
            default -> false;
        };
    }

    private static boolean isNull(ColumnSchema column, KeyPart value, SlotValues values) {
        return column.nullable() && !value.negated() && values.kind(value.slot()) == SlotValues.Kind.NULL;
    }

    private boolean number(int column, ColumnType type, KeyPart value, SlotValues values) {
        if (values.kind(value.slot()) != SlotValues.Kind.INTEGER) {
            return false;
        }
        long given = values.integer(value.slot());
        if (value.negated() && given == Long.MIN_VALUE) {
            return false;
        }
        long number = value.negated() ? -given : given;
        int bits = bits(type.kind());
        long max = bits == Long.SIZE ? Long.MAX_VALUE : (1L << (type.unsigned() ? bits : bits - 1)) - 1;
        long min = type.unsigned() ? 0 : bits == Long.SIZE ? Long.MIN_VALUE : -(1L << (bits - 1));
        numbers[column] = number;
        return number >= min && number <= max;
    }

    private static int bits(ColumnType.Kind kind) {
        return switch (kind) {
            case TINYINT -> Byte.SIZE;
            case SMALLINT -> Short.SIZE;
            case MEDIUMINT -> MEDIUMINT_BITS;
            case INT -> Integer.SIZE;
            default -> Long.SIZE;
        };
    }

    private boolean text(int column, ColumnType type, KeyPart value, SlotValues values) {
        boolean unicode = type.collation() != null && type.collation().startsWith("utf8mb4_");
        if (!unicode || value.negated() || values.kind(value.slot()) != SlotValues.Kind.TEXT) {
            return false;
        }
        int length = values.length(value.slot());
        if (length == 0 || length > MAX_TEXT_BYTES) {
            return false;
        }
        int from = values.offset(value.slot());
        // The text is valid UTF-8, so that encoding the string restores the same bytes.
        String text = new String(values.bytes(value.slot()), from, length, StandardCharsets.UTF_8);
        texts[column] = text;
        return type.kind() == ColumnType.Kind.VARCHAR
                ? text.codePointCount(0, text.length()) <= type.length()
                : length <= (type.length() == 0 ? MIN_TEXT_CAPACITY : type.length());
    }

    @Override
    public byte @Nullable [] changed(int kind, byte[] bytes, int from, int length) {
        if (!table.knowsColumns(kind) || !isShown(kind)) {
            return null;
        }
        boolean binary = kind == CachedTable.BINARY;
        RowReader row = table.reader(kind);
        row.read(bytes, from, length);
        ByteBuf out = Unpooled.buffer(length);
        if (binary) {
            out.writeZero(BINARY_ROW_HEADER + BinaryRowWriter.bitmapBytes(assigned.length));
        }
        for (int column = 0; column < assigned.length; column++) {
            if (assigned[column]) {
                cell(column, binary, out);
            } else if (binary && row.isNull(column)) {
                setNull(column, out);
            } else {
                out.writeBytes(bytes, row.cellOffset(column), row.cellLength(column));
            }
        }
        return ByteBufUtil.getBytes(out);
    }

    /** Returns whether the store returns each new cell exactly as written here. */
    private boolean isShown(int kind) {
        boolean shown = true;
        for (int column = 0; column < assigned.length; column++) {
            if (assigned[column] && numbers[column] != null) {
                ColumnDefinition definition = table.column(kind, column);
                shown &= (definition.flags() & org.keyline.protocol.ColumnType.ZEROFILL_FLAG) == 0
                        && isWhole(definition.type());
            }
        }
        return shown;
    }

    private static boolean isWhole(int type) {
        return switch (type) {
            case org.keyline.protocol.ColumnType.TINY,
                    org.keyline.protocol.ColumnType.SHORT,
                    org.keyline.protocol.ColumnType.INT24,
                    org.keyline.protocol.ColumnType.LONG,
                    org.keyline.protocol.ColumnType.LONGLONG -> true;
            default -> false;
        };
    }

    private void cell(int column, boolean binary, ByteBuf out) {
        Long number = numbers[column];
        String text = texts[column];
        if (number != null && binary) {
            switch (table.column(CachedTable.BINARY, column).type()) {
                case org.keyline.protocol.ColumnType.TINY -> out.writeByte(number.intValue());
                case org.keyline.protocol.ColumnType.SHORT -> out.writeShortLE(number.intValue());
                case org.keyline.protocol.ColumnType.LONGLONG -> out.writeLongLE(number);
                default -> out.writeIntLE(number.intValue());
            }
        } else if (number != null) {
            Lenenc.writeBytes(out, Long.toString(number).getBytes(StandardCharsets.US_ASCII));
        } else if (text != null) {
            Lenenc.writeString(out, text);
        } else if (binary) {
            setNull(column, out);
        } else {
            out.writeByte(Lenenc.NULL);
        }
    }

    private static void setNull(int column, ByteBuf out) {
        int bit = column + BinaryRowWriter.BITMAP_OFFSET;
        int at = BINARY_ROW_HEADER + bit / 8;
        out.setByte(at, out.getByte(at) | (1 << (bit % 8)));
    }
}
