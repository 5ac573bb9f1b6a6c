package org.keyline.protocol.client;

/** What a packet of a reply is. */
enum ReplyPacket {
    OK,
    ERR,
    /** The server asks for a file, LOAD DATA LOCAL. */
    LOCAL_INFILE,
    COLUMN_COUNT,
    /** A parameter's definition, after {@link #PREPARE_OK}. */
    PARAMETER,
    /** A column's definition. */
    COLUMN,
    /** Definitions end; only without CLIENT_DEPRECATE_EOF. */
    DEFINITIONS_END,
    ROW,
    /** Rows, or the fields of COM_FIELD_LIST, end: EOF, or OK with header 0xFE. */
    ROWS_END,
    PREPARE_OK,
    /** Auth switch request or more auth data, for COM_CHANGE_USER. */
    AUTHENTICATION,
    /** The text of COM_STATISTICS. */
    TEXT
}
