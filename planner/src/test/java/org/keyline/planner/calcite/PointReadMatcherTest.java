package org.keyline.planner.calcite;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;
import org.keyline.planner.ForwardReason;
import org.keyline.planner.Plans;

final class PointReadMatcherTest {
    @ParameterizedTest
    @CsvFileSource(
            resources = "PointReadMatcherTest.match_memberOfTheFamily_isPointRead.txt",
            delimiter = '|',
            quoteCharacter = '~')
    void match_memberOfTheFamily_isPointRead(String sql, String plan) {
        assertThat(Plans.text(Plans.plan(sql))).isEqualTo(plan);
    }

    @ParameterizedTest
    @CsvFileSource(
            resources = "PointReadMatcherTest.match_anythingElse_isForwardedWithItsReason.txt",
            delimiter = '|',
            quoteCharacter = '~')
    void match_anythingElse_isForwardedWithItsReason(String sql, ForwardReason reason) {
        assertThat(Plans.reason(sql)).isEqualTo(reason);
    }

    @Test
    void match_pipes_isDisjunctionWhateverTheMode() {
        assertThat(Plans.reason("SELECT v FROM t WHERE k=1 || k=2")).isEqualTo(ForwardReason.DISJUNCTION);
    }

    @Test
    void match_manyKeys_isBounded() {
        String most = String.join(",", Collections.nCopies(1000, "?"));
        assertThat(Plans.text(Plans.plan("SELECT v FROM t WHERE k IN (" + most + ")")))
                .startsWith("t (0) (1)");
        assertThat(Plans.reason("SELECT v FROM t WHERE k IN (" + most + ",?)")).isEqualTo(ForwardReason.TOO_MANY_KEYS);
        String some = String.join(",", Collections.nCopies(101, "?"));
        assertThat(Plans.reason("SELECT v FROM c WHERE k1 IN (" + some + ") AND k2 IN (" + some + ")"))
                .isEqualTo(ForwardReason.TOO_MANY_KEYS);
    }

    @Test
    void match_deepNesting_isRefusedBeforeTheParser() {
        for (int depth : List.of(17, 1000, 20_000)) {
            String sql = "SELECT v FROM t WHERE " + "(".repeat(depth) + "k=1" + ")".repeat(depth);
            assertThat(Plans.reason(sql)).isEqualTo(ForwardReason.TOO_COMPLEX);
        }
        String flat = "SELECT v FROM t WHERE k=1" + " AND k=1".repeat(5000);
        assertThat(Plans.reason(flat)).isEqualTo(ForwardReason.TOO_COMPLEX);
        assertThat(Plans.reason("SELECT v FROM t WHERE k=" + "- ".repeat(20_000) + "1"))
                .isEqualTo(ForwardReason.TOO_COMPLEX);
        assertThat(Plans.reason("SELECT v FROM t WHERE k=" + "k=".repeat(20_000) + "1"))
                .isEqualTo(ForwardReason.TOO_COMPLEX);
        String columns = String.join(", ", Collections.nCopies(2000, "v"));
        assertThat(Plans.text(Plans.plan("SELECT " + columns + " FROM t WHERE k=-1")))
                .startsWith("t (-0)");
        assertThat(Plans.reason("SELECT " + columns + ", " + columns + " FROM t WHERE k=1"))
                .isEqualTo(ForwardReason.TOO_COMPLEX);
    }

    /** For tables with filter lines, reads may have conditions alone. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            SELECT v FROM t WHERE v = 1                               | t () 1: EQUAL 0 -> 1
            SELECT v FROM t WHERE v > 1 AND w < 2 ORDER BY k DESC LIMIT 3 | t () 1: ABOVE 0 2: BELOW 1 -> 1 DESC limit 2
            SELECT v FROM t WHERE k > 1                               | t () 0: ABOVE 0 -> 1
            SELECT COUNT(*) FROM c WHERE k2 = 1                       | c () 1: EQUAL 0 -> 0 COUNT
            SELECT COUNT(*) FROM c WHERE v <> 5 AND k3 IN (1, 2)      | c () 3: NOT_EQUAL 0 2: EQUAL 1 or EQUAL 2 -> 0 COUNT
            SELECT MIN(k1) FROM c WHERE v = 5                         | c () 3: EQUAL 0 -> 0 AGGREGATES [MIN]
            SELECT v FROM c WHERE k1 = 1 AND v = 2                    | c (0) 3: EQUAL 1 -> 3
            SELECT v FROM c WHERE k1 > 1 AND k2 = 2                   | c () 0: ABOVE 0 1: EQUAL 1 -> 3
            """)
    void plan_conditionsAlone_areFilters(String sql, String plan) {
        assertThat(Plans.text(Plans.planWithFilters(sql))).isEqualTo(plan);
    }

    /**
     * A condition that only the store can evaluate is stored as one text, whatever is around it,
     * and its values retain their slots.
     */
    @ParameterizedTest
    @CsvFileSource(
            resources = "PointReadMatcherTest.plan_opaqueConditions_areFilters.txt",
            delimiter = '|',
            quoteCharacter = '~')
    void plan_opaqueConditions_areFilters(String sql, String plan) {
        assertThat(Plans.text(Plans.planWithFilters(sql))).isEqualTo(plan);
    }

    @ParameterizedTest
    @CsvFileSource(
            resources = "PointReadMatcherTest.plan_notCertainlyOpaque_isForwarded.txt",
            delimiter = '|',
            quoteCharacter = '~')
    void plan_notCertainlyOpaque_isForwarded(String sql, ForwardReason reason) {
        assertThat(Plans.reason(sql, Plans.planWithFilters(sql))).isEqualTo(reason);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            SELECT v FROM t                                           | NO_CONDITION
            SELECT v FROM t WHERE v = 1 ORDER BY v                    | ORDER_NOT_BY_KEY
            SELECT v FROM c WHERE v = 1 ORDER BY k1                   | ORDER_NOT_BY_KEY
            SELECT v FROM t WHERE v = w                               | VALUE_COLUMN_CONDITION
            SELECT v FROM t WHERE v = 1 OR w = 1                      | VALUE_COLUMN_CONDITION
            SELECT v FROM t WHERE v LIKE 'a%'                         | OTHER_CONDITION
            SELECT MIN(v) FROM t WHERE v = 1                          | AGGREGATE
            SELECT v FROM c WHERE (k2, k3) > (1, 2) AND v = 1         | RANGE
            """)
    void plan_moreThanConditions_isForwardedWithFiltersToo(String sql, ForwardReason reason) {
        assertThat(Plans.reason(sql, Plans.planWithFilters(sql))).isEqualTo(reason);
    }

    @ParameterizedTest
    @CsvFileSource(
            resources = "PointReadMatcherTest.plan_rangesWithoutAKeyPrefix_ofATableCachedAsRanges.txt",
            delimiter = '|',
            quoteCharacter = '~')
    void plan_rangesWithoutAKeyPrefix_ofATableCachedAsRanges(String sql, String expected) {
        assertThat(Plans.text(Plans.planOfRanges(sql))).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            SELECT v FROM t WHERE k > 1                               | RANGE_WITHOUT_ORDER
            SELECT v FROM c WHERE k1 > 1 ORDER BY k1 LIMIT 5          | ORDER_NOT_BY_KEY
            SELECT v FROM c WHERE k2 > 1 ORDER BY k1, k2, k3          | RANGE
            SELECT v FROM t                                           | RANGE_WITHOUT_ORDER
            SELECT v FROM t LIMIT 5                                   | LIMIT_WITHOUT_ORDER
            SELECT v FROM t ORDER BY v LIMIT 5                        | ORDER_NOT_BY_KEY
            SELECT MAX(k2) FROM c                                     | AGGREGATE
            SELECT DISTINCT k2 FROM c ORDER BY k2                     | DISTINCT
            SELECT v FROM t WHERE 1 = 1                               | NO_CONDITION
            """)
    void plan_otherRangesOfATableCachedAsRanges_areForwarded(String sql, ForwardReason reason) {
        assertThat(Plans.reason(sql, Plans.planOfRanges(sql))).isEqualTo(reason);
    }
}
