package org.keyline.protocol;

/**
 * MariaDB's own capability flags. They stand in a word of their own, in bytes that MySQL reserves, and hold where neither
 * side sets {@link Capabilities#CLIENT_LONG_PASSWORD}, which MariaDB reads as "speaks like MySQL".
 *
 * @see <a href="https://mariadb.com/kb/en/connection/#capabilities">Capabilities</a>
 */
public final class ExtendedCapabilities {
    /** Long statements report their progress in ERR packets of number 0xFFFF amid the reply. */
    public static final int MARIADB_CLIENT_PROGRESS = 1;

    /** COM_MULTI, which no release has. Never offered. */
    public static final int MARIADB_CLIENT_COM_MULTI = 1 << 1;

    /** COM_STMT_BULK_EXECUTE, and statement id -1 for the one prepared last. */
    public static final int MARIADB_CLIENT_STMT_BULK_OPERATIONS = 1 << 2;

    /** Column definitions carry the names of types and formats such as {@code json}. */
    public static final int MARIADB_CLIENT_EXTENDED_METADATA = 1 << 3;

    /** Column definitions may be left out when a statement is executed again. Never offered. */
    public static final int MARIADB_CLIENT_CACHE_METADATA = 1 << 4;

    /** COM_STMT_BULK_EXECUTE is answered by a result for each row. Never offered. */
    public static final int MARIADB_CLIENT_BULK_UNIT_RESULTS = 1 << 5;

    private ExtendedCapabilities() {}
}
