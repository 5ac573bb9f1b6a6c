package org.keyline.protocol;

/**
 * Capability flags, negotiated in the handshake. A connection uses the flags that the server offers
 * and the client requests.
 *
 * @see
 * <a
 * href="https://dev.mysql.com/doc/dev/mysql-server/latest/group__group__cs__capabilities__flags.html">Capability
 * flags</a>
 */
public final class Capabilities {
    /** Only MariaDB's clients clear this flag. They then use {@link ExtendedCapabilities}. */
    public static final int CLIENT_LONG_PASSWORD = 1;

    /** UPDATE reports the rows that matched, not the rows that changed. */
    public static final int CLIENT_FOUND_ROWS = 1 << 1;

    public static final int CLIENT_LONG_FLAG = 1 << 2;

    public static final int CLIENT_CONNECT_WITH_DB = 1 << 3;

    /** The client forbids {@code schema.table.column} in its statements. */
    public static final int CLIENT_NO_SCHEMA = 1 << 4;

    /** Compressed protocol (zlib). Offered if the options enable it. */
    public static final int CLIENT_COMPRESS = 1 << 5;

    /** The client is an ODBC driver: informational. */
    public static final int CLIENT_ODBC = 1 << 6;

    public static final int CLIENT_LOCAL_FILES = 1 << 7;

    /** The SQL parser ignores spaces before {@code (}. */
    public static final int CLIENT_IGNORE_SPACE = 1 << 8;

    public static final int CLIENT_PROTOCOL_41 = 1 << 9;

    /** {@code interactive_timeout} applies instead of {@code wait_timeout}. */
    public static final int CLIENT_INTERACTIVE = 1 << 10;

    public static final int CLIENT_SSL = 1 << 11;

    /** The client ignores SIGPIPE: informational. */
    public static final int CLIENT_IGNORE_SIGPIPE = 1 << 12;

    /** The client reads status flags. Always set in protocol 4.1. */
    public static final int CLIENT_TRANSACTIONS = 1 << 13;

    /** Has no effect. Formerly CLIENT_PROTOCOL_41. */
    public static final int CLIENT_RESERVED = 1 << 14;

    /** Authentication data has a length byte. */
    public static final int CLIENT_SECURE_CONNECTION = 1 << 15;

    public static final int CLIENT_MULTI_STATEMENTS = 1 << 16;

    public static final int CLIENT_MULTI_RESULTS = 1 << 17;

    public static final int CLIENT_PS_MULTI_RESULTS = 1 << 18;

    public static final int CLIENT_PLUGIN_AUTH = 1 << 19;

    /** The handshake response carries connection attributes. */
    public static final int CLIENT_CONNECT_ATTRS = 1 << 20;

    /** The length of the authentication data is a length-encoded integer. */
    public static final int CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA = 1 << 21;

    /** The client can log in with an expired password, to change it. */
    public static final int CLIENT_CAN_HANDLE_EXPIRED_PASSWORDS = 1 << 22;

    /** OK packets may carry changes of session state. */
    public static final int CLIENT_SESSION_TRACK = 1 << 23;

    /** No EOF packet follows column definitions. Rows end with an OK packet with header 0xFE. */
    public static final int CLIENT_DEPRECATE_EOF = 1 << 24;

    /** Replies may omit column definitions. Never offered. */
    public static final int CLIENT_OPTIONAL_RESULTSET_METADATA = 1 << 25;

    /** Compressed protocol (zstd). Never offered. */
    public static final int CLIENT_ZSTD_COMPRESSION_ALGORITHM = 1 << 26;

    /** COM_QUERY and COM_STMT_EXECUTE carry query attributes. */
    public static final int CLIENT_QUERY_ATTRIBUTES = 1 << 27;

    /** More than one authentication factor. Never offered. */
    public static final int MULTI_FACTOR_AUTHENTICATION = 1 << 28;

    public static final int CLIENT_CAPABILITY_EXTENSION = 1 << 29;

    /** The client verifies the server's certificate: informational. */
    public static final int CLIENT_SSL_VERIFY_SERVER_CERT = 1 << 30;

    /** The client retains its options after a failed connect: informational. */
    public static final int CLIENT_REMEMBER_OPTIONS = 1 << 31;

    private Capabilities() {}

    public static boolean has(int capabilities, int flags) {
        return (capabilities & flags) == flags;
    }
}
