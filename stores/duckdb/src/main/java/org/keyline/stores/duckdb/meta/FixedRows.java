package org.keyline.stores.duckdb.meta;

import org.keyline.protocol.Collation;

/** Rows of {@code information_schema} that never change: character sets, collations, engines, plugins, privileges of all. */
final class FixedRows {
    private static final int MAX_COLLATION = 323;

    private static final String RESERVED_WORDS = """
            ADD ALL ALTER ANALYZE AND AS ASC BETWEEN BIGINT BINARY BLOB BOTH BY CASCADE CASE CHANGE CHAR CHECK COLLATE COLUMN
            CONSTRAINT CREATE CROSS CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP DATABASE DATABASES DECIMAL DEFAULT DELETE DESC
            DESCRIBE DISTINCT DIV DOUBLE DROP ELSE EXISTS EXPLAIN FALSE FLOAT FOR FORCE FOREIGN FROM FULLTEXT GRANT GROUP HAVING
            IF IGNORE IN INDEX INNER INSERT INT INTEGER INTERVAL INTO IS JOIN KEY KEYS KILL LEADING LEFT LIKE LIMIT LINES LOAD
            LOCK LONG LONGBLOB LONGTEXT MATCH MEDIUMBLOB MEDIUMINT MEDIUMTEXT MOD NATURAL NOT NULL NUMERIC ON OPTION OR ORDER
            OUTER PRIMARY PROCEDURE RANGE READ REAL REFERENCES REGEXP RENAME REPLACE RESTRICT REVOKE RIGHT RLIKE SELECT SET SHOW
            SMALLINT TABLE THEN TINYBLOB TINYINT TINYTEXT TO TRAILING TRIGGER TRUE UNION UNIQUE UNLOCK UNSIGNED UPDATE USAGE USE
            USING VALUES VARBINARY VARCHAR WHEN WHERE WITH WRITE XOR ZEROFILL
            """;

    private FixedRows() {}

    static void fill(InformationRows rows) {
        for (int id = 1; id <= MAX_COLLATION; id++) {
            Collation collation = Collation.byId(id);
            if (collation != null) {
                collation(rows, collation);
            }
        }
        rows.add("ENGINES", "OLAP", "DEFAULT", "Rows of Doris DDL, kept by DuckDB", "YES", "NO", "NO");
        rows.add("ENGINES", "InnoDB", "YES", "Rows of MySQL DDL, kept by DuckDB", "YES", "NO", "NO");
        for (String plugin : new String[] {"mysql_native_password", "caching_sha2_password"}) {
            rows.add(
                    "PLUGINS",
                    plugin,
                    "1.0",
                    "ACTIVE",
                    "AUTHENTICATION",
                    "1.0",
                    null,
                    null,
                    "Keyline",
                    "authentication",
                    "Apache-2.0",
                    "FORCE");
        }
        for (String privilege :
                new String[] {"SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "ALTER", "PROCESS"}) {
            rows.add("USER_PRIVILEGES", "'root'@'%'", InformationSchema.CATALOG, privilege, "YES");
        }
        for (String word : RESERVED_WORDS.strip().split("\\s+", -1)) {
            rows.add("KEYWORDS", word, 1);
        }
    }

    private static void collation(InformationRows rows, Collation collation) {
        Collation byDefault = Collation.defaultOf(collation.charset());
        boolean isDefault = byDefault != null && byDefault.id() == collation.id();
        boolean noPad = collation.name().contains("_0900_") || collation.name().equals("binary");
        rows.add(
                "COLLATIONS",
                collation.name(),
                collation.charset(),
                collation.id(),
                isDefault ? "Yes" : "",
                "Yes",
                1,
                noPad ? "NO PAD" : "PAD SPACE");
        rows.add("COLLATION_CHARACTER_SET_APPLICABILITY", collation.name(), collation.charset());
        if (isDefault) {
            rows.add(
                    "CHARACTER_SETS",
                    collation.charset(),
                    collation.name(),
                    collation.charset(),
                    collation.maxBytesPerCharacter());
        }
    }
}
