package org.keyline.protocol.client;

/** The kind of a packet in a reply. */
enum ReplyPacket {
    OK,
    ERR,
    /** The server requests a file from the client (LOAD DATA LOCAL). */
    LOCAL_INFILE,
    COLUMN_COUNT,
    PARAMETER,
    COLUMN,
    /** End of definitions; only without CLIENT_DEPRECATE_EOF. */
    DEFINITIONS_END,
    ROW,
    /** End of rows, or of the fields of COM_FIELD_LIST: EOF, or OK with header 0xFE. */
    ROWS_END,
    PREPARE_OK,
    /** Auth switch request or more auth data, during COM_CHANGE_USER. */
    AUTHENTICATION,
    TEXT
}
