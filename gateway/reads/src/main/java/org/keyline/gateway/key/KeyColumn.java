package org.keyline.gateway.key;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.KeyReader;

/**
 * Converts a key column between three forms: a value in a statement, a cell in a row of the store,
 * and canonical key bytes. Two values have the same bytes exactly if the store considers them
 * equal. If the bytes cannot decide this, or the store might store a value differently, the session
 * forwards the statement. Immutable; thread-safe.
 */
public abstract sealed class KeyColumn permits WholeKey, ExactKey, TextKey, BytesKey, TemporalKey {
    /** Wire types of the parameters that loads bind. */
    static final int TYPE_LONGLONG = 0x08;

    static final int TYPE_NEWDECIMAL = 0xF6;
    static final int TYPE_BLOB = 0xFC;
    static final int TYPE_VAR_STRING = 0xFD;
    static final int UNSIGNED = 0x80;

    /** Returns a column's converter; null if bytes cannot decide which values are equal. */
    public static @Nullable KeyColumn of(ColumnSchema column) {
        ColumnType type = column.type();
        return switch (type.kind()) {
            case BOOLEAN -> new WholeKey(0, 1, 1, false);
            case TINYINT -> new WholeKey(Byte.MIN_VALUE, Byte.MAX_VALUE, 0xFF, type.unsigned());
            case SMALLINT -> new WholeKey(Short.MIN_VALUE, Short.MAX_VALUE, 0xFFFF, type.unsigned());
            case MEDIUMINT -> new WholeKey(-0x80_0000, 0x7F_FFFF, 0xFF_FFFF, type.unsigned());
            case INT -> new WholeKey(Integer.MIN_VALUE, Integer.MAX_VALUE, 0xFFFF_FFFFL, type.unsigned());
            case BIGINT -> new WholeKey(Long.MIN_VALUE, Long.MAX_VALUE, -1, type.unsigned());
            case LARGEINT -> ExactKey.largeint();
            case DECIMAL -> ExactKey.decimal(type.length(), type.scale(), type.unsigned());
            case DATE -> TemporalKey.days();
            case DATETIME -> TemporalKey.moments(type.scale());
            case CHAR, VARCHAR, TEXT -> TextKey.of(type);
            case BINARY, VARBINARY -> new BytesKey(type.kind() == ColumnType.Kind.BINARY, type.length());
            // The store compares these types inexactly, by time zone, or both as numbers and as
            // texts.
            case FLOAT,
                    DOUBLE,
                    TIMESTAMP,
                    TIME,
                    YEAR,
                    BIT,
                    BLOB,
                    ENUM,
                    SET,
                    JSON,
                    IPV4,
                    IPV6,
                    GEOMETRY,
                    ARRAY,
                    MAP,
                    STRUCT,
                    VARIANT,
                    OTHER -> null;
        };
    }

    /**
     * Appends a slot's value, or its negative if {@code negated}. Returns false, without any
     * change, if the value has no exact key bytes.
     */
    public abstract boolean bind(SlotValues values, int slot, boolean negated, KeyEncoder key);

    /** Appends a text row's cell; false, without any change, if it has no exact key bytes. */
    public abstract boolean text(byte[] row, int offset, int length, KeyEncoder key);

    /** Appends a binary row's cell like {@link #text}. Its length bytes precede {@code offset}. */
    public abstract boolean binary(byte[] row, int offset, int length, KeyEncoder key);

    public abstract void literal(KeyReader key, ByteBuf sql);

    /** Returns the two type bytes of the parameter that loads bind, as one little-endian number. */
    public abstract int parameterType();

    public abstract void parameter(KeyReader key, ByteBuf values);

    /** Returns whether key bytes sort as the store's ORDER BY does. */
    public boolean ordered() {
        return true;
    }

    /** Returns whether cells with the same key bytes are identical, even in case and padding. */
    public boolean isWrittenOneWay() {
        return true;
    }
}
