package org.keyline.stores.ddl;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableSchema;
import org.keyline.planner.digest.SqlMode;
import org.keyline.stores.ddl.DdlStatement.CreateTable;

/** CREATE TABLE with its columns, keys, indexes and clauses. */
final class CreateTableReaderTest {
    /** As MariaDB 11.4.5 prints these definitions in SHOW CREATE TABLE, but for its spelling of current_timestamp(). */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            a INT DEFAULT 5                              | a int DEFAULT 5
            a INT DEFAULT -5                             | a int DEFAULT -5
            a INT DEFAULT +5                             | a int DEFAULT 5
            a INT DEFAULT '5'                            | a int DEFAULT '5'
            a INT DEFAULT NULL                           | a int DEFAULT NULL
            a INT NULL NOT NULL                          | a int NOT NULL
            a INT NOT NULL NULL                          | a int
            a BOOL DEFAULT TRUE                          | a tinyint(1) DEFAULT 1
            a BOOL DEFAULT FALSE                         | a tinyint(1) DEFAULT 0
            a DOUBLE DEFAULT 1.5                         | a double DEFAULT 1.5
            a DOUBLE DEFAULT 1e5                         | a double DEFAULT 1e5
            a VARCHAR(9) DEFAULT 'it''s'                 | a varchar(9) DEFAULT 'it''s'
            a VARCHAR(9) DEFAULT ('x')                   | a varchar(9) DEFAULT 'x'
            a DATETIME DEFAULT NOW()                     | a datetime DEFAULT CURRENT_TIMESTAMP
            a DATETIME DEFAULT (CURRENT_TIMESTAMP)       | a datetime DEFAULT CURRENT_TIMESTAMP
            a DATETIME DEFAULT LOCALTIME ON UPDATE LOCALTIMESTAMP() | a datetime DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP
            a DATETIME(3) DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3) | a datetime(3) DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3)
            a DATETIME DEFAULT CURRENT_TIMESTAMP(0)      | a datetime DEFAULT CURRENT_TIMESTAMP
            a INT COMMENT 'it''s'                        | a int COMMENT it's
            a INT INVISIBLE                              | a int
            a INT COLUMN_FORMAT FIXED STORAGE DISK       | a int
            `a``b` INT                                   | a`b int
            `key` INT                                    | key int
            """)
    void column_hasItsAttributes(String definition, String expected) {
        TableDefinition table = DdlTexts.table("CREATE TABLE t (" + definition + ")");
        assertThat(DdlTexts.column(table.columns().get(0))).isEqualTo(expected);
        assertThat(table.model()).isEqualTo(TableModel.NONE);
    }

    /** Keys and their names as MariaDB 11.4.5 has them. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', nullValues = "-", textBlock = """
            a INT AUTO_INCREMENT PRIMARY KEY             | a | -
            a INT PRIMARY KEY AUTO_INCREMENT             | a | -
            a INT KEY                                    | a | -
            a INT NULL PRIMARY KEY                       | a | -
            a INT, b INT, PRIMARY KEY (b, a)             | b,a | -
            a INT, PRIMARY KEY USING BTREE (a DESC) COMMENT 'x' | a | -
            a INT, CONSTRAINT PRIMARY KEY (a)            | a | -
            a INT, CONSTRAINT c PRIMARY KEY (A)          | a | -
            a VARCHAR(9), PRIMARY KEY (a(3))             | a | -
            a INT UNIQUE                                 | - | unique a[a]
            a INT UNIQUE KEY, b INT                      | - | unique a[a]
            a INT, UNIQUE (a)                            | - | unique a[a]
            a INT, UNIQUE KEY (a)                        | - | unique a[a]
            a INT, UNIQUE INDEX u (a)                    | - | unique u[a]
            a INT, CONSTRAINT c UNIQUE u (a)             | - | unique u[a]
            a INT, CONSTRAINT c UNIQUE (a)               | - | unique c[a]
            a INT, CONSTRAINT UNIQUE (a)                 | - | unique a[a]
            a INT, KEY (a), KEY (a), INDEX (A)           | - | index a[a] index a_2[a] index A_3[A]
            a INT, KEY a_2 (a), KEY (a), KEY (a)         | - | index a_2[a] index a[a] index a_3[a]
            a INT UNIQUE, KEY (a)                        | - | unique a[a] index a_2[a]
            `primary` INT, KEY (`primary`)               | - | index primary_2[primary]
            a INT, b INT, KEY k (b DESC, a ASC)          | - | index k[b, a]
            a INT, b INT, INDEX i USING BTREE (a, b) COMMENT 'c' | - | index i[a, b] BTREE COMMENT c
            a INT, INDEX USING HASH (a)                  | - | index a[a] HASH
            a TEXT, KEY k (a(10)) KEY_BLOCK_SIZE = 8     | - | index k[a]
            a TEXT, FULLTEXT f (a) WITH PARSER ngram     | - | index f[a] FULLTEXT
            a TEXT, FULLTEXT KEY (a)                     | - | index a[a] FULLTEXT
            a INT, INDEX IF NOT EXISTS i (a) INVISIBLE   | - | index i[a]
            """)
    void keys_areRead_withTheNamesThatTheServerGives(String elements, String key, String indexes) {
        TableDefinition table = DdlTexts.table("CREATE TABLE t (" + elements + ")");
        String keys = table.keyColumns().stream()
                .map(ordinal -> table.columns().get(ordinal).name())
                .collect(Collectors.joining(","));
        assertThat(keys).isEqualTo(key == null ? "" : key);
        assertThat(table.model()).isEqualTo(key == null ? TableModel.NONE : TableModel.UNIQUE);
        assertThat(table.indexes().stream().map(DdlTexts::index).collect(Collectors.joining(" ")))
                .isEqualTo(indexes == null ? "" : indexes);
        table.keyColumns()
                .forEach(ordinal -> assertThat(
                                table.columns().get(ordinal).schema().nullable())
                        .as("columns of a primary key have no NULL")
                        .isFalse());
    }

    /** Numbers and SQLSTATEs as of MariaDB 11.4.5, but for 1235, which are features that the embedded store has not. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            (a INT NOT NULL DEFAULT NULL)                | 1067 | 42000
            (a INT DEFAULT NULL PRIMARY KEY)             | 1067 | 42000
            (a INT DEFAULT NULL, PRIMARY KEY (a))        | 1067 | 42000
            (a INT PRIMARY KEY, b INT PRIMARY KEY)       | 1068 | 42000
            (a INT PRIMARY KEY, PRIMARY KEY (a))         | 1068 | 42000
            (a INT, PRIMARY KEY (b))                     | 1072 | 42000
            (a INT, PRIMARY KEY (a, A))                  | 1060 | 42S21
            (a INT, A INT)                               | 1060 | 42S21
            (a INT AUTO_INCREMENT PRIMARY KEY, b INT AUTO_INCREMENT UNIQUE) | 1075 | 42000
            (`` INT)                                     | 1166 | 42000
            (a INT,)                                     | 1064 | 42000
            (a)                                          | 1064 | 42000
            (a INT(                                      | 1064 | 42000
            ()                                           | 1064 | 42000
            (a INT) FROB=1                               | 1064 | 42000
            (a INT DEFAULT)                              | 1064 | 42000
            (a INT DEFAULT - 'x')                        | 1064 | 42000
            (a INT COMMENT 5)                            | 1064 | 42000
            (a DATETIME DEFAULT CURRENT_TIMESTAMP(7))    | 1064 | 42000
            (a DATETIME ON UPDATE 5)                     | 1064 | 42000
            (a INT, KEY k (a(x)))                        | 1064 | 42000
            (a INT, CONSTRAINT c KEY (a))                | 1064 | 42000
            (a INT) COMMENT=                             | 1064 | 42000
            (a INT) x                                    | 1064 | 42000
                                                         | 1064 | 42000
            (a INT) PARTITION BY HASH (a)                | 1235 | 42000
            (a INT) SELECT 1                             | 1235 | 42000
            AS SELECT 1                                  | 1235 | 42000
            (a INT GENERATED ALWAYS AS (1))              | 1235 | 42000
            (a INT AS (1))                               | 1235 | 42000
            (a INT CHECK (a > 1))                        | 1235 | 42000
            (a INT, CHECK (a > 1))                       | 1235 | 42000
            (a INT, CONSTRAINT c CHECK (a > 1))          | 1235 | 42000
            (a INT REFERENCES x (y))                     | 1235 | 42000
            (a INT, FOREIGN KEY (a) REFERENCES x (y))    | 1235 | 42000
            (a INT, CONSTRAINT FOREIGN KEY (a) REFERENCES x (y)) | 1235 | 42000
            (a INT, KEY k ((a + 1)))                     | 1235 | 42000
            (a POINT, SPATIAL INDEX (a))                 | 1235 | 42000
            (a DATE DEFAULT CURRENT_DATE)                | 1235 | 42000
            (a INT AUTO_INCREMENT(5))                    | 1235 | 42000
            """)
    void tableThatIsNone_isRefused(String rest, int code, String state) {
        StatementRefusedException refused =
                DdlTexts.refusal("CREATE TABLE t " + java.util.Objects.requireNonNullElse(rest, ""));
        assertThat(refused.code()).as(refused.getMessage()).isEqualTo(code);
        assertThat(refused.sqlState()).isEqualTo(state);
    }

    @Test
    void options_areKeptInOrder_andTheCommentIsTheTables() {
        TableDefinition table = DdlTexts.table("CREATE TABLE IF NOT EXISTS t (a INT) ENGINE = InnoDB AUTO_INCREMENT 7,"
                + " DEFAULT CHARSET=utf8mb4 COLLATE=UTF8MB4_bin COMMENT='it''s' ROW_FORMAT=DYNAMIC");
        assertThat(DdlTexts.text(table))
                .isEqualTo("MYSQL NONE[] a int ; comment it's ; ENGINE=InnoDB AUTO_INCREMENT=7 CHARSET=utf8mb4"
                        + " COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC");
        assertThat(DdlTexts.table("CREATE TABLE t (a INT) DEFAULT CHARACTER SET utf8mb4")
                        .properties())
                .containsEntry("CHARSET", "utf8mb4");
    }

    /** As in Doris's documentation of CREATE TABLE and of its table models. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            (k BIGINT, v STRING) UNIQUE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 16 | DORIS UNIQUE[k] k bigint / v text ; buckets [k] 16
            (k BIGINT NOT NULL, v INT SUM DEFAULT "0") AGGREGATE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS AUTO | DORIS AGGREGATE[k] k bigint NOT NULL / v int SUM DEFAULT '0' ; buckets [k] AUTO
            (k INT, v INT REPLACE_IF_NOT_NULL) AGGREGATE KEY(k) DISTRIBUTED BY RANDOM | DORIS AGGREGATE[k] k int / v int REPLACE_IF_NOT_NULL ; buckets random null
            (k INT, v INT) DUPLICATE KEY(k) DISTRIBUTED BY RANDOM BUCKETS 3 | DORIS DUPLICATE[k] k int / v int ; buckets random 3
            (a INT, b DATE, c STRING, d INT) DISTRIBUTED BY HASH(a) | DORIS DUPLICATE[a, b] a int / b date / c text / d int ; buckets [a] null
            (a INT, b INT, c INT, d INT) ENGINE=OLAP DISTRIBUTED BY HASH(a) | DORIS DUPLICATE[a, b, c] a int / b int / c int / d int ; buckets [a] null
            (a STRING, b INT) ENGINE=olap | DORIS DUPLICATE[] a text / b int
            (k INT, v INT,) UNIQUE KEY(k) | DORIS UNIQUE[k] k int / v int
            (k INT, v INT) PRIMARY KEY(k) ORDER BY (v) PROPERTIES("a" = "b") | DORIS UNIQUE[k] k int / v int ; cluster [v] ; a=b
            (k INT, v INT) UNIQUE KEY(k) CLUSTER BY (v) COMMENT 'x y' | DORIS UNIQUE[k] k int / v int ; cluster [v] ; comment x y
            (k INT, v TEXT, INDEX i (v) USING INVERTED PROPERTIES("parser" = "english") COMMENT 'z') UNIQUE KEY(k) | DORIS UNIQUE[k] k int / v text ; index i[v] INVERTED parser=english COMMENT z
            (k BIGINT NOT NULL AUTO_INCREMENT(1), v INT) UNIQUE KEY(k) | DORIS UNIQUE[k] k bigint NOT NULL AUTO / v int
            (k INT) UNIQUE KEY(k) PROPERTIES("replication_num" = "1", "a" = 5, "b" = true,) | DORIS UNIQUE[k] k int ; replication_num=1 a=5 b=true
            """)
    void dorisTable_hasItsModelAndClauses(String definition, String expected) {
        assertThat(DdlTexts.text(DdlTexts.table("CREATE TABLE t " + definition)))
                .isEqualTo(expected);
    }

    /** Doris's rules of key columns; StarRocks spells UNIQUE KEY as PRIMARY KEY. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            (a INT, k INT) UNIQUE KEY(k)                 | Key columns must be the first columns
            (k STRING, v INT) UNIQUE KEY(k)              | must not be a key column
            (k DOUBLE, v INT) UNIQUE KEY(k)              | must not be a key column
            (k ARRAY<INT>, v INT) DUPLICATE KEY(k)       | must not be a key column
            (k INT, v INT) AGGREGATE KEY(k)              | needs an aggregation
            (k INT SUM, v INT SUM) AGGREGATE KEY(k)      | must not have the aggregation SUM
            (k INT, v INT MAX) UNIQUE KEY(k)             | must not have the aggregation MAX
            (k INT) UNIQUE KEY(k) DUPLICATE KEY(k)       | Multiple primary key
            (k INT) UNIQUE KEY(z)                        | 'z' of UNIQUE KEY doesn't exist
            (k INT) UNIQUE KEY(k) DISTRIBUTED BY HASH(z) | 'z' of DISTRIBUTED BY doesn't exist
            (k INT) UNIQUE KEY(k) CLUSTER BY (z)         | 'z' of CLUSTER BY doesn't exist
            (k INT) UNIQUE KEY(k) ENGINE=mysql           | ENGINE=mysql
            (k INT) UNIQUE KEY(k) DISTRIBUTED BY k       | expected HASH
            (k INT) UNIQUE KEY(k) FROB                   | a table clause
            (k INT) UNIQUE KEY(k) AS SELECT 1            | CREATE TABLE … AS SELECT
            """)
    void dorisTableThatIsNone_isRefused(String definition, String message) {
        assertThat(DdlTexts.refusal("CREATE TABLE t " + definition).getMessage())
                .contains(message);
    }

    @Test
    void names_areOfTheSessionsDatabase_unlessTheySayOtherwise() {
        assertThat(DdlTexts.table("CREATE TABLE x.y (a INT)").name()).hasToString("x.y");
        assertThat(DdlTexts.table("CREATE TABLE internal.x.y (a INT)").name()).hasToString("x.y");
        assertThat(DdlTexts.refusal("CREATE TABLE hive.x.y (a INT)").code()).isEqualTo(1235);
        DdlReader reader = new DdlReader(SqlMode.DEFAULT);
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> reader.read("CREATE TABLE y (a INT)", ""))
                .hasMessage("No database selected");
    }

    @Test
    void quotes_followTheSqlMode() {
        DdlReader ansi = new DdlReader(new SqlMode(true, true, true));
        TableDefinition table =
                ((CreateTable) ansi.read("CREATE TABLE \"a b\" (c VARCHAR(9) DEFAULT 'x\\')", "d")).definition();
        assertThat(table.name()).hasToString("d.a b");
        assertThat(DdlTexts.column(table.columns().get(0))).isEqualTo("c varchar(9) DEFAULT 'x\\\\'");
    }

    @Test
    void toSchema_isWhatPlansAreMadeOf() {
        TableSchema schema = DdlTexts.table(
                        "CREATE TABLE t (k BIGINT NOT NULL, v STRING) UNIQUE KEY(k) COMMENT 'c' DISTRIBUTED BY HASH(k)"
                                + " PROPERTIES('a' = 'b')")
                .toSchema(7);
        assertThat(schema.id()).isEqualTo(7);
        assertThat(schema.model()).isEqualTo(TableModel.UNIQUE);
        assertThat(schema.keyColumns()).containsExactly(0);
        assertThat(schema.columns()).extracting(ColumnSchema::name).containsExactly("k", "v");
        assertThat(schema.columns()).extracting(ColumnSchema::nullable).containsExactly(false, true);
        assertThat(schema.comment()).isEqualTo("c");
        assertThat(schema.properties()).containsEntry("a", "b");
    }

    @Test
    void renamed_changesTheNameAlone() {
        TableDefinition table = DdlTexts.table("CREATE TABLE t (k INT PRIMARY KEY, v INT) COMMENT 'c'");
        TableDefinition other = table.renamed(new org.keyline.planner.TableName("x", "y"));
        assertThat(other.name()).hasToString("x.y");
        assertThat(DdlTexts.text(other)).isEqualTo(DdlTexts.text(table));
        assertThat(other.ordinal("V")).isEqualTo(1);
        assertThat(other.ordinal("w")).isEqualTo(-1);
    }

    @ParameterizedTest
    @ValueSource(ints = {4_097, 5_000})
    void tooManyColumns_areRefused(int columns) {
        String list =
                IntStream.range(0, columns).mapToObj(i -> "c" + i + " INT").collect(Collectors.joining(","));
        StatementRefusedException refused = DdlTexts.refusal("CREATE TABLE t (" + list + ")");
        assertThat(refused.code()).isEqualTo(1117);
    }

    @Test
    void tooManyIndexes_areRefused() {
        String list =
                IntStream.range(0, 1_025).mapToObj(i -> ", KEY k" + i + " (a)").collect(Collectors.joining());
        assertThat(DdlTexts.refusal("CREATE TABLE t (a INT" + list + ")").code())
                .isEqualTo(1069);
    }
}
