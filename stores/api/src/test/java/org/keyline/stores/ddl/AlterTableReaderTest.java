package org.keyline.stores.ddl;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.keyline.planner.StatementRefusedException;

/** The changes of ALTER TABLE, and of CREATE INDEX and DROP INDEX, which are other spellings of it. */
final class AlterTableReaderTest {
    /** As in the pages of ALTER TABLE of MySQL, MariaDB and Doris. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            ADD x INT                                    | add x int
            ADD COLUMN x INT NOT NULL DEFAULT 5          | add x int NOT NULL DEFAULT 5
            ADD x INT FIRST                              | add x int first
            ADD COLUMN x INT AFTER `y z`                 | add x int after y z
            ADD COLUMN IF NOT EXISTS x INT               | add x int unless there
            ADD IF NOT EXISTS x INT AFTER y              | add x int after y unless there
            ADD COLUMN (x INT, y DATE)                   | add x int; add y date
            ADD (x INT)                                  | add x int
            ADD COLUMN IF NOT EXISTS (x INT, y DATE)     | add x int unless there; add y date unless there
            ADD x INT UNIQUE                             | add x int; add unique [x]
            ADD x INT PRIMARY KEY                        | add x int NOT NULL; primary key [x]
            ADD x STRING                                 | add x text
            ADD x LARGEINT                               | add x largeint
            ADD x VARCHAR                                | add x varchar(65533)
            DROP x                                       | drop x
            DROP COLUMN x RESTRICT                       | drop x
            DROP COLUMN IF EXISTS x                      | drop x if there
            DROP IF EXISTS x                             | drop x if there
            MODIFY x BIGINT NOT NULL                     | modify x to x bigint NOT NULL
            MODIFY COLUMN x VARCHAR(9) COMMENT 'c'       | modify x to x varchar(9) COMMENT c
            CHANGE x y INT                               | modify x to y int
            CHANGE COLUMN x x INT DEFAULT 3              | modify x to x int DEFAULT 3
            RENAME COLUMN x TO y                         | rename x to y
            ALTER x SET DEFAULT 5                        | default of x 5
            ALTER COLUMN x SET DEFAULT ('y')             | default of x 'y'
            ALTER COLUMN x DROP DEFAULT                  | default of x null
            RENAME TO u                                  | rename to d.u
            RENAME AS x.u                                | rename to x.u
            RENAME u                                     | rename to d.u
            RENAME `column`                              | rename to d.column
            ADD INDEX (x)                                | add index [x]
            ADD KEY k (x, y DESC)                        | add index k[x, y]
            ADD INDEX IF NOT EXISTS k (x)                | add index k[x]
            ADD UNIQUE (x)                               | add unique [x]
            ADD UNIQUE INDEX u USING BTREE (x)           | add unique u[x] BTREE
            ADD CONSTRAINT c UNIQUE (x)                  | add unique c[x]
            ADD CONSTRAINT c UNIQUE KEY u (x)            | add unique u[x]
            ADD FULLTEXT INDEX f (x)                     | add index f[x] FULLTEXT
            ADD INDEX i (x) USING INVERTED PROPERTIES("parser" = "english") COMMENT 'z' | add index i[x] INVERTED parser=english COMMENT z
            ADD PRIMARY KEY (x, y)                       | primary key [x, y]
            ADD CONSTRAINT PRIMARY KEY (x)               | primary key [x]
            ADD CONSTRAINT c PRIMARY KEY USING BTREE (x) | primary key [x]
            DROP INDEX k                                 | drop index k
            DROP KEY k                                   | drop index k
            DROP INDEX IF EXISTS k                       | drop index k if there
            COMMENT 'x'                                  | comment x
            COMMENT = 'x'                                | comment x
            MODIFY COMMENT 'x'                           | comment x
            ENGINE=InnoDB, COMMENT='y'                   | set ENGINE=InnoDB; comment y
            AUTO_INCREMENT = 5                           | set AUTO_INCREMENT=5
            DEFAULT CHARACTER SET utf8mb4                | set CHARSET=utf8mb4
            SET ("a" = "b", "c" = 5)                     | set a=b c=5
            DISABLE KEYS                                 | ~~
            ENABLE KEYS, ADD x INT                       | add x int
            ADD a INT, DROP b, RENAME TO u               | add a int; drop b; rename to d.u
            """)
    void changes_areReadInOrder(String changes, String expected) {
        assertThat(DdlTexts.changes("ALTER TABLE t " + changes)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            DROP PRIMARY KEY                             | 1235
            DROP FOREIGN KEY f                           | 1235
            DROP CONSTRAINT c                            | 1235
            DROP ROLLUP r                                | 1235
            ADD FOREIGN KEY (x) REFERENCES y (z)         | 1235
            ADD CONSTRAINT c FOREIGN KEY (x) REFERENCES y (z) | 1235
            ADD CONSTRAINT c CHECK (x > 1)               | 1235
            ADD SPATIAL INDEX (x)                        | 1235
            ADD ROLLUP r (x)                             | 1235
            ADD PARTITION p VALUES LESS THAN ("9")       | 1235
            ADD PARTITION IF NOT EXISTS p VALUES [("1"), ("9")) | 1235
            DROP PARTITION p                             | 1235
            DROP PARTITION IF EXISTS p FORCE             | 1235
            ADD TEMPORARY PARTITION p VALUES LESS THAN ("9") | 1235
            ADD COLUMN x INT TO r                        | 1235
            MODIFY x INT FIRST                           | 1235
            CHANGE x x INT AFTER y                       | 1235
            MODIFY PARTITION p SET ("a" = "b")           | 1235
            MODIFY ENGINE TO x                           | 1235
            MODIFY DISTRIBUTION DISTRIBUTED BY HASH(x)   | 1235
            RENAME INDEX k TO l                          | 1235
            RENAME KEY k TO l                            | 1235
            RENAME PARTITION p q                         | 1235
            RENAME ROLLUP p q                            | 1235
            ENABLE FEATURE 'x'                           | 1235
            ORDER BY x                                   | 1235
            CONVERT TO CHARACTER SET utf8mb4             | 1235
            REPLACE PARTITION p WITH TEMPORARY PARTITION q | 1235
            FROB                                         | 1235
            5                                            | 1064
            ADD                                          | 1064
            ADD x                                        | 1064
            ADD x INT y                                  | 1064
            ADD x INT AFTER                              | 1064
            ADD (x INT                                   | 1064
            ADD x INT,                                   | 1064
            ADD INDEX k                                  | 1064
            ADD PRIMARY (x)                              | 1064
            DROP                                         | 1064
            DROP INDEX                                   | 1064
            ALTER x                                      | 1064
            ALTER x SET 5                                | 1064
            ALTER x DROP                                 | 1064
            RENAME COLUMN x                              | 1064
            COMMENT x                                    | 1064
            SET "a" = "b"                                | 1064
            DISABLE                                      | 1064
            """)
    void otherChanges_areRefused(String changes, int code) {
        StatementRefusedException refused = DdlTexts.refusal("ALTER TABLE t " + changes);
        assertThat(refused.code()).as(refused.getMessage()).isEqualTo(code);
        assertThat(refused.sqlState()).isEqualTo("42000");
    }

    @Test
    void refusal_namesTheChange() {
        assertThat(DdlTexts.refusal("ALTER TABLE t ADD ROLLUP r (x)")).hasMessageContaining("ADD ROLLUP");
        assertThat(DdlTexts.refusal("ALTER TABLE t FROB x")).hasMessageContaining("ALTER TABLE … FROB");
        assertThat(DdlTexts.refusal("ALTER TABLE t 5")).hasMessageContaining("a change of the table");
    }

    @Test
    void tooManyChanges_areRefused() {
        String changes = String.join(",", Collections.nCopies(1_024, "DROP x"));
        assertThat(DdlTexts.changes("ALTER TABLE t " + changes)).startsWith("drop x; drop x");
        assertThat(DdlTexts.refusal("ALTER TABLE t " + changes + ", DROP x").code())
                .isEqualTo(1064);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            CREATE INDEX i ON t (a)                      | add index i[a]
            CREATE INDEX i USING BTREE ON x.t (a DESC, b(5)) | add index i[a, b]
            CREATE UNIQUE INDEX i ON t (a) COMMENT 'c'   | add unique i[a] COMMENT c
            CREATE FULLTEXT INDEX i ON t (a)             | add index i[a] FULLTEXT
            CREATE INDEX IF NOT EXISTS i ON t (a) USING INVERTED PROPERTIES("parser" = "unicode") | add index i[a] INVERTED parser=unicode unless there
            DROP INDEX i ON t                            | drop index i
            DROP INDEX IF EXISTS i ON t                  | drop index i if there
            ALTER IGNORE TABLE t DROP x                  | drop x
            """)
    void otherSpellings_areChangesToo(String sql, String expected) {
        assertThat(DdlTexts.changes(sql)).isEqualTo(expected);
    }
}
