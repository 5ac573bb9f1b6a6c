package org.keyline.stores.ddl;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;
import org.keyline.planner.StatementRefusedException;

/** The changes of ALTER TABLE, and of CREATE INDEX and DROP INDEX, which are equivalent to it. */
final class AlterTableReaderTest {
    /** The examples in the pages of ALTER TABLE of MySQL, MariaDB and Doris. */
    @ParameterizedTest
    @CsvFileSource(resources = "AlterTableReaderTest.changes_areReadInOrder.txt", delimiter = '|', quoteCharacter = '~')
    void changes_areReadInOrder(String changes, String expected) {
        assertThat(DdlTexts.changes("ALTER TABLE t " + changes)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvFileSource(
            resources = "AlterTableReaderTest.otherChanges_areRefused.txt",
            delimiter = '|',
            quoteCharacter = '~')
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
