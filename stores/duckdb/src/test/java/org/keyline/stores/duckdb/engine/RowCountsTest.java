package org.keyline.stores.duckdb.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The number of rows per statement. */
final class RowCountsTest {
    @Test
    void rows_areTaken_inFewStatementsOfFewSizes() {
        Set<Integer> sizes = new TreeSet<>();
        for (int rows = 1; rows <= 1_000; rows++) {
            int left = rows;
            int statements = 0;
            while (left > 0) {
                int next = RowCounts.of(left);
                assertThat(next).as("of %d", left).isBetween(1, left);
                sizes.add(next);
                left -= next;
                statements++;
            }
            assertThat(statements).as("statements for %d rows", rows).isLessThanOrEqualTo(rows / 64 + 2);
        }
        assertThat(sizes).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64);
    }
}
