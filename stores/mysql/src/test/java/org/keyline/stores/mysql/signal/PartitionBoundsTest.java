package org.keyline.stores.mysql.signal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.keyline.stores.PartitionSpans;

/** Bounds in the format of Doris (3.0) and StarRocks (3.5) frontends. */
final class PartitionBoundsTest {
    private final PartitionBounds bounds = new PartitionBounds();

    private static PartitionSpans.Span span(long id, String from, @Nullable String to) {
        return new PartitionSpans.Span(id, from, to);
    }

    @Test
    void doris_rangeOfDatetime() {
        bounds.add(
                8,
                "ts",
                "[types: [DATETIMEV2]; keys: [2025-01-01 00:00:00]; ..types: [DATETIMEV2]; keys: [2025-01-02 12:00:00.5]; )");
        bounds.add(
                9,
                "ts",
                "[types: [DATETIMEV2]; keys: [2025-01-02 12:00:00.5]; ..types: [DATETIMEV2]; keys: [MAXVALUE]; )");
        assertThat(bounds.partitioning())
                .isEqualTo(new PartitionSpans(
                        "ts",
                        "DATETIME",
                        List.of(
                                span(8, "2025-01-01 00:00:00", "2025-01-02 12:00:00.5"),
                                span(9, "2025-01-02 12:00:00.5", null))));
    }

    @Test
    void doris_list_withADefaultPartition() {
        bounds.add(60, "c", "[types: [INT]; keys: [default key]; ]");
        bounds.add(58, "c", "[types: [INT]; keys: [1]; , types: [INT]; keys: [2]; ]");
        assertThat(bounds.partitioning())
                .isEqualTo(new PartitionSpans(
                        "c",
                        "INT",
                        List.of(span(60, "default key", "default key"), span(58, "1", "1"), span(58, "2", "2"))));
    }

    @Test
    void starRocks_rangeOfIntegers() {
        bounds.add(26, "`k` int(11) NOT NULL COMMENT \"\"", "[types: [INT]; keys: [-5]; ..types: [INT]; keys: [10]; )");
        assertThat(bounds.partitioning()).isEqualTo(new PartitionSpans("k", "INT", List.of(span(26, "-5", "10"))));
    }

    @Test
    void starRocks_list_whoseQuotedValuesAreNotRead() {
        bounds.add(39, "`c` varchar(20) NOT NULL COMMENT \"\"", "[[\"a\"],[\"b\\u0027c, d\"]]");
        bounds.add(42, "`c` varchar(20) NOT NULL COMMENT \"\"", "[[\"x\"],[\"y z\"]]");
        assertThat(bounds.partitioning())
                .isEqualTo(new PartitionSpans("c", "VARCHAR", List.of(span(42, "x", "x"), span(42, "y z", "y z"))));
    }

    /** The automatic partition has no rows. */
    @Test
    void starRocks_automaticPartitions() {
        String key = "`ts` datetime NOT NULL COMMENT \"\"";
        bounds.add(
                64,
                key,
                "[types: [DATETIME]; keys: [0000-00-00 00:00:00]; ..types: [DATETIME]; keys: [0000-00-00 00:00:00]; )");
        bounds.add(
                65,
                key,
                "[types: [DATETIME]; keys: [2025-03-01 00:00:00]; ..types: [DATETIME]; keys: [2025-03-02 00:00:00]; )");
        assertThat(bounds.partitioning())
                .isEqualTo(new PartitionSpans(
                        "ts", "DATETIME", List.of(span(65, "2025-03-01 00:00:00", "2025-03-02 00:00:00"))));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''|''",
                "'k, id'|[types: [INT, BIGINT]; keys: [-2147483648, -9]; ..types: [INT, BIGINT]; keys: [1, 10]; )",
                "'`k` int(11) NOT NULL COMMENT \"\", `id` bigint(20) NOT NULL'|[types: [INT, BIGINT]; keys: [0, 0]; ..types: [INT, BIGINT]; keys: [1, 10]; )",
                // from_unixtime(k): the bounds are not those of the column
                "'`k` bigint(20) NOT NULL COMMENT \"\"'|[types: [DATETIME]; keys: [2025-01-01 00:00:00]; ..types: [DATETIME]; keys: [2025-01-02 00:00:00]; )",
                "c|'[types: [VARCHAR]; keys: [a]; , types: [VARCHAR]; keys: [b''c, d]; ]'",
                "k|[types: [INT]; keys: [1]; ..types: [BIGINT]; keys: [5]; )",
            })
    void othersAreNotUnderstood(String key, String text) {
        bounds.add(1, key, text);
        assertThat(bounds.partitioning()).isNull();
    }

    @Test
    void partitionsOfDifferentColumns_areNotUnderstood() {
        bounds.add(1, "a", "[types: [INT]; keys: [1]; ..types: [INT]; keys: [5]; )");
        bounds.add(2, "b", "[types: [INT]; keys: [5]; ..types: [INT]; keys: [9]; )");
        assertThat(bounds.partitioning()).isNull();
    }
}
