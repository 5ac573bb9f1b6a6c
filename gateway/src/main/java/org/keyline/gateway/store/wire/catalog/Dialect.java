package org.keyline.gateway.store.wire.catalog;

import java.util.Locale;

/** What kind of store answers behind the MySQL protocol. */
public enum Dialect {
    DORIS,
    STARROCKS,
    MYSQL,
    MARIADB;

    /**
     * Tells stores apart by what they say of themselves.
     *
     * @param version the variable {@code version}; Doris and StarRocks show one of MySQL there
     * @param comment the variable {@code version_comment}
     */
    static Dialect of(String version, String comment) {
        String said = comment.toLowerCase(Locale.ROOT);
        if (said.startsWith("doris") || said.contains("doris version")) {
            return DORIS;
        }
        if (said.startsWith("starrocks") || said.contains("starrocks version")) {
            return STARROCKS;
        }
        boolean mariaDb = version.toLowerCase(Locale.ROOT).contains("mariadb") || said.contains("mariadb");
        return mariaDb ? MARIADB : MYSQL;
    }
}
