package org.keyline.stores.ddl;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Doris's PARTITION BY, as its pages of range, list and automatic partitioning spell it. */
final class PartitionReaderTest {
    private static final String HEAD = "CREATE TABLE t (k INT, d DATE, s VARCHAR(9)) DUPLICATE KEY(k) ";

    private static Partitioning read(String clause) {
        return requireNonNull(
                DdlTexts.table(HEAD + clause + " DISTRIBUTED BY RANDOM").partitioning());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            PARTITION BY RANGE(k) ()                     | RANGE[k]
            PARTITION BY RANGE(`k`) (PARTITION p1 VALUES LESS THAN ("10"), PARTITION p2 VALUES LESS THAN (20)) | RANGE[k]p1[-..10) p2[-..20)
            PARTITION BY RANGE(k) (PARTITION p VALUES LESS THAN (-5)) | RANGE[k]p[-..-5)
            PARTITION BY RANGE(k) (PARTITION p VALUES LESS THAN MAXVALUE) | RANGE[k]p[-..MAXVALUE)
            PARTITION BY RANGE(k) (PARTITION p VALUES LESS THAN (MAXVALUE)) | RANGE[k]p[-..MAXVALUE)
            PARTITION BY RANGE(d) (PARTITION p VALUES [("2020-01-01"), ("2021-01-01"))) | RANGE[d]p[2020-01-01..2021-01-01)
            PARTITION BY RANGE(k, d) (PARTITION p VALUES [("1", "2020-01-01"), ("2", MAXVALUE))) | RANGE[k, d]p[1,2020-01-01..2,MAXVALUE)
            PARTITION BY RANGE(k) (PARTITION IF NOT EXISTS p VALUES LESS THAN ("1"),) | RANGE[k]p[-..1)
            PARTITION BY RANGE(d) (FROM ("2020-01-01") TO ("2021-01-01") INTERVAL 1 MONTH) | RANGE[d][2020-01-01..2021-01-01)
            PARTITION BY RANGE(k) (FROM (1) TO (100) INTERVAL 10) | RANGE[k][1..100)
            PARTITION BY LIST(s) (PARTITION p1 VALUES IN ("a", 'b'), PARTITION p2 VALUES IN ("c")) | LIST[s]p1{a b} p2{c}
            PARTITION BY LIST(k, s) (PARTITION p VALUES IN ((1, "a"), (2, NULL))) | LIST[k, s]p{1,a 2,NULL}
            PARTITION BY LIST(k) (PARTITION p VALUES IN (TRUE, NULL)) | LIST[k]p{true NULL}
            PARTITION BY LIST(s) (PARTITION p VALUES IN ("a") ("replication_num" = "1")) | LIST[s]p{a}
            AUTO PARTITION BY LIST(s) ()                 | auto LIST[s]
            AUTO PARTITION BY RANGE (date_trunc(d, 'month')) () | auto RANGE[]
            AUTO PARTITION BY RANGE (date_trunc(d, 'month')) (PARTITION p VALUES LESS THAN ("2020-01-01")) | auto RANGE[]p[-..2020-01-01)
            """)
    void partitions_haveTheirBounds(String clause, String expected) {
        Partitioning read = read(clause);
        assertThat(DdlTexts.partitioning(read)).isEqualTo(expected);
        assertThat(read.text()).isEqualTo(clause);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            PARTITION BY HASH(k) ()                      | RANGE or LIST
            PARTITION BY RANGE k                         | '('
            PARTITION BY RANGE(k) (p VALUES LESS THAN (1)) | PARTITION
            PARTITION BY RANGE(k) (PARTITION p LESS THAN (1)) | VALUES
            PARTITION BY RANGE(k) (PARTITION p VALUES IN (1)) | '['
            PARTITION BY LIST(k) (PARTITION p VALUES LESS THAN (1)) | IN
            PARTITION BY RANGE(k) (PARTITION p VALUES LESS (1)) | THAN
            PARTITION BY RANGE(k) (PARTITION p VALUES LESS THAN 1) | '('
            PARTITION BY RANGE(k) (PARTITION p VALUES [(1), (2)]) | ')'
            PARTITION BY RANGE(k) (FROM (1) INTERVAL 1)  | TO
            PARTITION BY RANGE(k) (FROM (1) TO (2))      | INTERVAL
            PARTITION BY RANGE(k) (PARTITION p VALUES LESS THAN (x)) | a value
            PARTITION BY RANGE(k) (PARTITION p VALUES LESS THAN (1)  | ')'
            """)
    void clauseThatIsNone_tellsWhatWasExpected(String clause, String expected) {
        assertThat(DdlTexts.refusal(HEAD + clause + " DISTRIBUTED BY RANDOM"))
                .hasMessageContaining("expected " + expected);
    }

    @Test
    void tooManyPartitions_areRefusedWithTheServersError() {
        String partitions = IntStream.range(0, 8_193)
                .mapToObj(i -> "PARTITION p" + i + " VALUES LESS THAN (" + i + ")")
                .collect(Collectors.joining(","));
        assertThat(DdlTexts.refusal(HEAD + "PARTITION BY RANGE(k) (" + partitions + ")")
                        .code())
                .isEqualTo(1499);
    }

    @Test
    void tooManyValues_areRefused() {
        String values = IntStream.range(0, 16_385).mapToObj(String::valueOf).collect(Collectors.joining(","));
        assertThat(DdlTexts.refusal(HEAD + "PARTITION BY LIST(k) (PARTITION p VALUES IN (" + values + "))"))
                .hasMessageContaining("at most 16384 values");
    }
}
