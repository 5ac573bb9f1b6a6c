package org.keyline.stores.ddl;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

/** Doris's PARTITION BY, as its pages of range, list and automatic partitioning spell it. */
final class PartitionReaderTest {
    private static final String HEAD = "CREATE TABLE t (k INT, d DATE, s VARCHAR(9)) DUPLICATE KEY(k) ";

    private static Partitioning read(String clause) {
        return requireNonNull(
                DdlTexts.table(HEAD + clause + " DISTRIBUTED BY RANDOM").partitioning());
    }

    @ParameterizedTest
    @CsvFileSource(
            resources = "PartitionReaderTest.partitions_haveTheirBounds.txt",
            delimiter = '|',
            quoteCharacter = '~')
    void partitions_haveTheirBounds(String clause, String expected) {
        Partitioning read = read(clause);
        assertThat(DdlTexts.partitioning(read)).isEqualTo(expected);
        assertThat(read.text()).isEqualTo(clause);
    }

    @ParameterizedTest
    @CsvFileSource(
            resources = "PartitionReaderTest.invalidClause_isAnErrorThatNamesTheExpectedSyntax.txt",
            delimiter = '|',
            quoteCharacter = '~')
    void invalidClause_isAnErrorThatNamesTheExpectedSyntax(String clause, String expected) {
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
