package org.keyline.protocol;

/**
 * MariaDB's own capability flags, a separate 32-bit word in bytes that MySQL reserves. The flags
 * apply only if neither side sets {@link Capabilities#CLIENT_LONG_PASSWORD}, because that flag
 * tells MariaDB that the peer has only MySQL's flags.
 *
 * @see
 * <a href="https://mariadb.com/kb/en/connection/#capabilities">Capabilities</a>
 */
public final class ExtendedCapabilities {
    /** Long statements report their progress in ERR packets with number 0xFFFF within the reply. */
    public static final int MARIADB_CLIENT_PROGRESS = 1;

    /** Allows COM_STMT_BULK_EXECUTE, and id -1 for the last prepared statement. */
    public static final int MARIADB_CLIENT_STMT_BULK_OPERATIONS = 1 << 2;

    /** Column definitions carry the names of types and formats such as {@code json}. */
    public static final int MARIADB_CLIENT_EXTENDED_METADATA = 1 << 3;

    /** The reply to a repeated execution may omit column definitions. Never offered. */
    public static final int MARIADB_CLIENT_CACHE_METADATA = 1 << 4;

    private ExtendedCapabilities() {}
}
