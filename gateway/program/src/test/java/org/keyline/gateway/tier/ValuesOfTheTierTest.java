package org.keyline.gateway.tier;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.keyline.gateway.metrics.TierFigures;
import org.keyline.gateway.table.CachedTable;
import org.keyline.planner.ColumnType;

/**
 * The use of the tier's values at the gateway that requests them: the age of its line, and which
 * values are rejected.
 */
final class ValuesOfTheTierTest extends LentLinesFixture {

    /** The last received number of the requesting gateway is from after the query of the store. */
    @Test
    void rows_areNotDatedByWhatWasHeardWhileTheyWereLoaded() throws Exception {
        Gateway a = new Gateway("a", "1");
        Gateway b = new Gateway("b", "2");
        long[] beganNanos = new long[1];
        a.during = () -> {
            beganNanos[0] = clock.get();
            clock.addAndGet(TTL / 4);
            a.meets(b);
        };
        Answer answer = lent(a, b, id -> {}, b);
        assertThat(answer.value()).isEqualTo(TierFigures.Value.HIT);
        assertThat(answer.line().loadBeganNanos()).isLessThan(beganNanos[0]);
    }

    @Test
    void rows_olderThanATtl_areNotUsed() throws Exception {
        Gateway a = new Gateway("a", "1");
        Gateway b = new Gateway("b", "2");
        Answer answer = lent(a, b, id -> clock.addAndGet(TTL), b);
        assertThat(answer.value()).isEqualTo(TierFigures.Value.OLD);
        assertThat(answer.text()).isEqualTo("2");
    }

    private enum Other {
        DEFINITION,
        COLUMNS,
        ACCOUNT,
        FORMAT
    }

    @ParameterizedTest
    @EnumSource
    void rows_ofAnotherOrigin_areNotFound(Other other) throws Exception {
        Gateway a = new Gateway("a", "1");
        Gateway b = new Gateway(
                "b",
                "2",
                other == Other.ACCOUNT ? "another" : "account",
                schema(other == Other.DEFINITION ? ColumnType.Kind.INT : ColumnType.Kind.BIGINT),
                columns(other == Other.COLUMNS ? 11 : 20));
        b.kind = other == Other.FORMAT ? CachedTable.BINARY : CachedTable.TEXT;
        Answer answer = lent(a, b, id -> {}, b);
        assertThat(answer.value()).isEqualTo(TierFigures.Value.MISS);
        assertThat(answer.text()).isEqualTo("2");
    }

    @Test
    void rows_thatNameNoNumberOfThisProcess_areNotUsed() throws Exception {
        Gateway a = new Gateway("a", "1");
        Gateway b = new Gateway("b", "2");
        Gateway again = new Gateway("b", "3");
        Answer answer = lent(
                a,
                b,
                id -> {
                    assertThat(again.peers.next(List::of).number()).isPositive();
                    clock.addAndGet(SOON);
                },
                again);
        assertThat(answer.value()).isEqualTo(TierFigures.Value.UNDATED);
        assertThat(answer.text()).isEqualTo("3");
    }

    @Test
    void rows_ofWhichOneCannotBeRead_areForgotten() throws Exception {
        Gateway a = new Gateway("a", "1");
        Gateway b = new Gateway("b", "2");
        a.second = new byte[] {100, 1};
        Answer answer = lent(a, b, id -> {}, b);
        assertThat(answer.value()).isEqualTo(TierFigures.Value.DAMAGED);
        assertThat(answer.text()).isEqualTo("2");
        assertThat(answer.line().rows()).isEqualTo(1);
    }

    @Test
    void aReply_thatComesAfterTheStoreWasAsked_countsForNothing() throws Exception {
        Gateway a = new Gateway("a", "1");
        Gateway b = new Gateway("b", "2");
        assertThat(lent(a, b, id -> {}, b).value()).isEqualTo(TierFigures.Value.HIT);
        long id = a.lend();
        redis.run("CLIENT PAUSE 1000 ALL");
        Answer late = b.read(id);
        assertThat(late.value()).isEqualTo(TierFigures.Value.LATE);
        assertThat(late.text()).isEqualTo("2");
        assertThat(lent(a, b, other -> {}, b).value()).isEqualTo(TierFigures.Value.HIT);
        long counted = b.counts.sums().entrySet().stream()
                .filter(count -> count.getKey() != TierFigures.Value.PUT && count.getKey() != TierFigures.Value.WAITED)
                .mapToLong(Map.Entry::getValue)
                .sum();
        assertThat(counted).isEqualTo(b.asked);
    }

    private static ValueCipher cipher(int key) {
        byte[] bytes = new byte[ValueCipher.KEY_BYTES];
        bytes[5] = (byte) key;
        return new ValueCipher(bytes, new SecureRandom());
    }

    @Test
    void rows_thatAreEncrypted_areUsedByWhoHasTheKey() throws Exception {
        Answer answer = lent(new Gateway("a", "1", cipher(1)), new Gateway("b", "2", cipher(1)));
        assertThat(answer.value()).isEqualTo(TierFigures.Value.HIT);
        assertThat(answer.text()).isEqualTo("1");
    }

    /** A value under another key counts as a miss. */
    @Test
    void rows_thatAreEncryptedByAnotherKey_orOnlyByOneOfBoth_areNotUsed() throws Exception {
        Answer other = lent(new Gateway("a", "1", cipher(1)), new Gateway("b", "2", cipher(2)));
        assertThat(other.value()).isEqualTo(TierFigures.Value.FOREIGN);
        Answer none = lent(new Gateway("a", "1", cipher(1)), new Gateway("b", "2"));
        assertThat(none.value()).isEqualTo(TierFigures.Value.DAMAGED);
        Answer plain = lent(new Gateway("a", "1"), new Gateway("b", "2", cipher(2)));
        assertThat(plain.value()).isEqualTo(TierFigures.Value.DAMAGED);
        assertThat(List.of(other.text(), none.text(), plain.text())).containsOnly("2");
    }

    private Answer lent(Gateway from, Gateway to) throws Exception {
        return lent(from, to, id -> {}, to);
    }
}
