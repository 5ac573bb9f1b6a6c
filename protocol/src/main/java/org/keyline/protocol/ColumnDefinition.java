package org.keyline.protocol;

import io.netty.buffer.ByteBuf;

/**
 * Column definition: describes one column of a result set, or one parameter of a prepared
 * statement.
 *
 * @param catalog always {@code def}
 * @param schema schema of the table, or empty
 * @param table the table's alias in the query, or empty
 * @param orgTable the table's own name, or empty
 * @param name the column's alias in the query
 * @param orgName the column's own name, or empty
 * @param collation id of the text's collation; 63 (binary) for other types
 * @param flags bit set of {@link ColumnType} flags
 * @param decimals digits after the decimal point, 0..0x51; 0x1F if their number varies
 * @see
 * <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_query_response_text_resultset_column_definition.html">Column
 * definition</a>
 */
public record ColumnDefinition(
        String catalog,
        String schema,
        String table,
        String orgTable,
        String name,
        String orgName,
        int collation,
        long length,
        int type,
        int flags,
        int decimals) {
    private static final int FIXED_FIELDS_BYTES = 12;

    /** Returns the definition of a column that belongs to no table. */
    public static ColumnDefinition of(String name, int collation, long length, int type, int flags, int decimals) {
        return new ColumnDefinition("def", "", "", "", name, "", collation, length, type, flags, decimals);
    }

    public boolean unsigned() {
        return (flags & ColumnType.UNSIGNED_FLAG) != 0;
    }

    public void encode(ByteBuf out) {
        encode(out, false);
    }

    /**
     * Writes the payload. If {@code extended}, it contains an empty field of extended type
     * information (MARIADB_CLIENT_EXTENDED_METADATA).
     */
    public void encode(ByteBuf out, boolean extended) {
        Lenenc.writeString(out, catalog);
        Lenenc.writeString(out, schema);
        Lenenc.writeString(out, table);
        Lenenc.writeString(out, orgTable);
        Lenenc.writeString(out, name);
        Lenenc.writeString(out, orgName);
        if (extended) {
            Lenenc.writeInt(out, 0);
        }
        Lenenc.writeInt(out, FIXED_FIELDS_BYTES);
        out.writeShortLE(collation);
        out.writeIntLE((int) length);
        out.writeByte(type);
        out.writeShortLE(flags);
        out.writeByte(decimals);
        out.writeShortLE(0);
    }

    /** Reads a payload, except for the default value that COM_FIELD_LIST adds at the end. */
    public static ColumnDefinition decode(ByteBuf payload) {
        return decode(payload, false);
    }

    /**
     * Reads a payload, and skips MariaDB's extended type information.
     *
     * @param extended whether MARIADB_CLIENT_EXTENDED_METADATA was negotiated
     */
    public static ColumnDefinition decode(ByteBuf payload, boolean extended) {
        String catalog = Lenenc.readString(payload);
        String schema = Lenenc.readString(payload);
        String table = Lenenc.readString(payload);
        String orgTable = Lenenc.readString(payload);
        String name = Lenenc.readString(payload);
        String orgName = Lenenc.readString(payload);
        if (extended) {
            payload.skipBytes(Lenenc.readLength(payload));
        }
        int fixed = Lenenc.readLength(payload);
        if (fixed < FIXED_FIELDS_BYTES) {
            throw new ProtocolException("fixed fields: " + fixed + " bytes (expected: 12)");
        }
        int end = payload.readerIndex() + fixed;
        int collation = payload.readUnsignedShortLE();
        long length = payload.readUnsignedIntLE();
        int type = payload.readUnsignedByte();
        int flags = payload.readUnsignedShortLE();
        int decimals = payload.readUnsignedByte();
        payload.readerIndex(end);
        return new ColumnDefinition(
                catalog, schema, table, orgTable, name, orgName, collation, length, type, flags, decimals);
    }
}
