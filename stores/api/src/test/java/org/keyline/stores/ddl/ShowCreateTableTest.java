package org.keyline.stores.ddl;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.keyline.planner.digest.SqlMode;

/** SHOW CREATE TABLE, and the quotes of its strings and names. */
final class ShowCreateTableTest {
    private static String printed(String sql) {
        return ShowCreateTable.of(DdlTexts.table(sql));
    }

    /**
     * As MySQL 8 prints it: integers without width, defaults in quotes, DEFAULT NULL spelled out
     * where a column may have one.
     */
    @Test
    void mysqlTable_isPrintedAsTheServerDoes() {
        assertThat(
                        printed(
                                "CREATE TABLE t (id BIGINT UNSIGNED AUTO_INCREMENT, s VARCHAR(30) COLLATE utf8mb4_bin DEFAULT"
                                        + " 'it''s \\\\ \\n', n INT DEFAULT -5, p INT, x TEXT, j JSON, b BLOB, e ENUM('a','b') NOT NULL,"
                                        + " at DATETIME(3) DEFAULT NOW(3) ON UPDATE NOW(3) COMMENT 'when', PRIMARY KEY (id),"
                                        + " UNIQUE (s, n), KEY (n) COMMENT 'c', FULLTEXT f (x)) COMMENT='a table' AUTO_INCREMENT=7"))
                .isEqualTo("""
                        CREATE TABLE `t` (
                          `id` bigint unsigned NOT NULL AUTO_INCREMENT,
                          `s` varchar(30) COLLATE utf8mb4_bin DEFAULT 'it''s \\\\ \\n',
                          `n` int DEFAULT '-5',
                          `p` int DEFAULT NULL,
                          `x` text,
                          `j` json,
                          `b` blob,
                          `e` enum('a','b') NOT NULL,
                          `at` datetime(3) DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3) COMMENT 'when',
                          PRIMARY KEY (`id`),
                          UNIQUE KEY `s` (`s`,`n`),
                          KEY `n` (`n`) COMMENT 'c',
                          FULLTEXT KEY `f` (`x`)
                        ) ENGINE=InnoDB AUTO_INCREMENT=7 DEFAULT CHARSET=utf8mb4 COMMENT='a table'""");
    }

    @Test
    void mysqlOptions_arePrintedWhereTheyAreNames() {
        assertThat(printed("CREATE TABLE t (a INT) ENGINE=Aria CHARSET=latin1 COLLATE=latin1_bin"))
                .endsWith(") ENGINE=Aria DEFAULT CHARSET=latin1 COLLATE=latin1_bin");
        assertThat(printed("CREATE TABLE t (a INT) ENGINE='a b' CHARSET='x;y'"))
                .endsWith(") ENGINE=InnoDB DEFAULT CHARSET=utf8mb4");
    }

    /** As Doris prints it: in double quotes, with all of its clauses, and a semicolon. */
    @Test
    void dorisTable_isPrintedAsTheServerDoes() {
        assertThat(
                        printed(
                                "CREATE TABLE t (k BIGINT NOT NULL AUTO_INCREMENT, d DATE DEFAULT \"2020-01-01\", v INT REPLACE"
                                        + " NULL DEFAULT \"5\" COMMENT 'a \"b\"', at DATETIME REPLACE DEFAULT CURRENT_TIMESTAMP ON UPDATE"
                                        + " CURRENT_TIMESTAMP, INDEX i (v) USING INVERTED PROPERTIES(\"a\" = \"b\", \"c\" = \"d\") COMMENT"
                                        + " 'it''s') AGGREGATE KEY(k, d) COMMENT 'x' PARTITION BY RANGE(d) (PARTITION p VALUES LESS THAN"
                                        + " (\"2021-01-01\")) DISTRIBUTED BY HASH(k) BUCKETS AUTO PROPERTIES(\"p\" = \"q\\\"r\")"))
                .isEqualTo("""
                        CREATE TABLE `t` (
                          `k` bigint NOT NULL AUTO_INCREMENT(1),
                          `d` date NULL DEFAULT "2020-01-01",
                          `v` int REPLACE NULL DEFAULT "5" COMMENT "a \\"b\\"",
                          `at` datetime REPLACE NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
                          INDEX `i` (`v`) USING INVERTED PROPERTIES("a" = "b", "c" = "d") COMMENT 'it''s'
                        ) ENGINE=OLAP
                        AGGREGATE KEY(`k`, `d`)
                        COMMENT 'x'
                        PARTITION BY RANGE(d) (PARTITION p VALUES LESS THAN ("2021-01-01"))
                        DISTRIBUTED BY HASH(`k`) BUCKETS AUTO
                        PROPERTIES (
                        "p" = "q\\"r"
                        );""");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            UNIQUE KEY(k) DISTRIBUTED BY HASH(k)         | DISTRIBUTED BY HASH(`k`) BUCKETS 10
            UNIQUE KEY(k) DISTRIBUTED BY HASH(k, v) BUCKETS 3 | DISTRIBUTED BY HASH(`k`, `v`) BUCKETS 3
            DUPLICATE KEY(k) DISTRIBUTED BY RANDOM       | DISTRIBUTED BY RANDOM BUCKETS 10
            UNIQUE KEY(k) CLUSTER BY (v)                 | CLUSTER BY(`v`)
            UNIQUE KEY(k)                                | PROPERTIES ($);
            """)
    void dorisClauses_arePrintedWhereTheyAre(String clauses, String line) {
        assertThat(printed("CREATE TABLE t (k INT, v INT) " + clauses)).contains(line.replace('$', '\n'));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            it's                                         | 'it''s'
            a\\b                                         | 'a\\\\b'
            "x"                                          | '"x"'
            """)
    void quoted_isReadAsTheSameValue(String value, String expected) {
        assertThat(SqlText.quoted(value)).isEqualTo(expected);
        assertThat(Strings.value(SqlText.quoted(value), SqlMode.DEFAULT)).isEqualTo(value);
        assertThat(Strings.value(SqlText.doubleQuoted(value), SqlMode.DEFAULT)).isEqualTo(value);
    }

    @Test
    void quoted_controlCharacters_areEscaped() {
        String value = "a\nb\rc\0d";
        assertThat(SqlText.quoted(value)).isEqualTo("'a\\nb\\rc\\0d'");
        assertThat(Strings.value(SqlText.quoted(value), SqlMode.DEFAULT)).isEqualTo(value);
        assertThat(SqlText.name("a`b")).isEqualTo("`a``b`");
        assertThat(SqlText.plain("'it''s'")).isEqualTo("it's");
        assertThat(SqlText.plain("-5")).isEqualTo("-5");
    }

    /**
     * The escapes of the page "String Literals" of MySQL's manual: an unknown one is its character,
     * % and _ retain the backslash.
     */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            'a\\tb'                                      | 61 09 62
            'a\\Zb'                                      | 61 1a 62
            'a\\bb'                                      | 61 08 62
            '\\0\\n\\r'                                  | 00 0a 0d
            '\\%\\_'                                     | 5c 25 5c 5f
            '\\x\\''                                     | 78 27
            "a""b'c"                                     | 61 22 62 27 63
            """)
    void value_followsTheEscapes(String literal, String bytes) {
        StringBuilder hex = new StringBuilder();
        Strings.value(literal, SqlMode.DEFAULT).chars().forEach(c -> hex.append(String.format(" %02x", c)));
        assertThat(hex.substring(1)).isEqualTo(bytes);
    }

    @Test
    void value_withoutBackslashEscapes_retainsThem() {
        assertThat(Strings.value("'a\\nb'", new SqlMode(false, true, false))).isEqualTo("a\\nb");
    }
}
