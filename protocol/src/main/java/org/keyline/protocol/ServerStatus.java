package org.keyline.protocol;

/**
 * Status flags of the session, sent with every OK and EOF packet.
 *
 * @see
 * <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/mysql__com_8h.html#a1d854e841086925be1883e4d7b4e8cad">SERVER_STATUS_flags_enum</a>
 */
public final class ServerStatus {
    public static final int SERVER_STATUS_IN_TRANS = 1;

    public static final int SERVER_STATUS_AUTOCOMMIT = 1 << 1;

    public static final int SERVER_MORE_RESULTS_EXISTS = 1 << 3;

    public static final int SERVER_QUERY_NO_GOOD_INDEX_USED = 1 << 4;

    public static final int SERVER_QUERY_NO_INDEX_USED = 1 << 5;

    /** A cursor is open: COM_STMT_FETCH returns the rows. */
    public static final int SERVER_STATUS_CURSOR_EXISTS = 1 << 6;

    public static final int SERVER_STATUS_LAST_ROW_SENT = 1 << 7;

    /** A backslash is an ordinary character in string literals. */
    public static final int SERVER_STATUS_NO_BACKSLASH_ESCAPES = 1 << 9;

    public static final int SERVER_STATUS_IN_TRANS_READONLY = 1 << 13;

    /** The OK packet carries changes of session state. */
    public static final int SERVER_SESSION_STATE_CHANGED = 1 << 14;

    /** MariaDB: double quotes enclose names. */
    public static final int SERVER_STATUS_ANSI_QUOTES = 1 << 15;

    private ServerStatus() {}
}
