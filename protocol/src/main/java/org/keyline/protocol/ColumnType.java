package org.keyline.protocol;

/**
 * Column types and column flags of column definitions and of the parameter types of
 * COM_STMT_EXECUTE.
 *
 * @see
 * <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/field__types_8h.html">enum_field_types</a>
 * @see
 * <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/group__group__cs__column__definition__flags.html">Column
 * definition flags</a>
 */
public final class ColumnType {
    public static final int DECIMAL = 0x00;
    public static final int TINY = 0x01;
    public static final int SHORT = 0x02;
    public static final int LONG = 0x03;
    public static final int FLOAT = 0x04;
    public static final int DOUBLE = 0x05;
    public static final int NULL = 0x06;
    public static final int TIMESTAMP = 0x07;
    public static final int LONGLONG = 0x08;
    public static final int INT24 = 0x09;
    public static final int DATE = 0x0A;
    public static final int TIME = 0x0B;
    public static final int DATETIME = 0x0C;
    public static final int YEAR = 0x0D;
    public static final int NEWDATE = 0x0E;
    public static final int VARCHAR = 0x0F;
    public static final int BIT = 0x10;
    public static final int TIMESTAMP2 = 0x11;
    public static final int DATETIME2 = 0x12;
    public static final int TIME2 = 0x13;
    public static final int VECTOR = 0xF2;
    public static final int BOOL = 0xF4;
    public static final int JSON = 0xF5;
    public static final int NEWDECIMAL = 0xF6;
    public static final int ENUM = 0xF7;
    public static final int SET = 0xF8;
    public static final int TINY_BLOB = 0xF9;
    public static final int MEDIUM_BLOB = 0xFA;
    public static final int LONG_BLOB = 0xFB;
    public static final int BLOB = 0xFC;
    public static final int VAR_STRING = 0xFD;
    public static final int STRING = 0xFE;
    public static final int GEOMETRY = 0xFF;

    public static final int NOT_NULL_FLAG = 1;
    public static final int PRI_KEY_FLAG = 1 << 1;
    public static final int BLOB_FLAG = 1 << 4;
    public static final int UNSIGNED_FLAG = 1 << 5;
    public static final int ZEROFILL_FLAG = 1 << 6;
    public static final int BINARY_FLAG = 1 << 7;
    public static final int AUTO_INCREMENT_FLAG = 1 << 9;
    public static final int TIMESTAMP_FLAG = 1 << 10;
    public static final int NO_DEFAULT_VALUE_FLAG = 1 << 12;
    /** Flag of unsigned values in the parameter types of COM_STMT_EXECUTE. */
    public static final int PARAMETER_UNSIGNED = 0x8000;

    /** Result of {@link #binaryLength}: a length-encoded integer precedes the cell. */
    public static final int LENGTH_ENCODED = -1;

    /** Result of {@link #binaryLength}: a date or time, preceded by one length byte. */
    public static final int LENGTH_BYTE = -2;

    /** Result of {@link #binaryLength}: the number is not a column type. */
    public static final int UNKNOWN = -3;

    private ColumnType() {}

    /**
     * Returns the fixed width in bytes of a cell in a binary row. If the type has no fixed width,
     * returns {@link #LENGTH_ENCODED}, {@link #LENGTH_BYTE}, or {@link #UNKNOWN}.
     *
     * @see
     * <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_binary_resultset.html">Binary
     * protocol values</a>
     */
    public static int binaryLength(int type) {
        return switch (type) {
            case NULL -> 0;
            case TINY, BOOL -> 1;
            case SHORT, YEAR -> 2;
            case LONG, INT24, FLOAT -> 4;
            case LONGLONG, DOUBLE -> 8;
            case DATE, NEWDATE, DATETIME, DATETIME2, TIMESTAMP, TIMESTAMP2, TIME, TIME2 -> LENGTH_BYTE;
            case DECIMAL, NEWDECIMAL, VARCHAR, VAR_STRING, STRING, ENUM, SET, BIT, JSON, GEOMETRY, VECTOR ->
                LENGTH_ENCODED;
            case TINY_BLOB, MEDIUM_BLOB, LONG_BLOB, BLOB -> LENGTH_ENCODED;
            default -> UNKNOWN;
        };
    }
}
