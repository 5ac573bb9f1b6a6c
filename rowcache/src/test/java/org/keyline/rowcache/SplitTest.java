package org.keyline.rowcache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Prefixes with more rows than one line may hold. */
final class SplitTest {
    private static final int CEILING = 3;

    private final Fixture fixture =
            new Fixture(TableOptions.DEFAULT.withTtl(Fixture.TTL).withCeilings(CEILING, 1000));
    private final Map<Long, String> rows = new TreeMap<>();

    SplitTest() {
        for (long key = 0; key < 100; key += 10) {
            rows.put(key, "row " + key);
        }
    }

    @Test
    void load_beyondTheCeiling_cachesARange() {
        Fixture.SessionAnswer outcome = fixture.read(1, 20);
        Load load = fixture.takeLoad();
        assertThat(load.maxRows()).isEqualTo(CEILING);
        fixture.serve(load, 1, rows);
        assertThat(outcome.line).isNotNull();
        assertThat(fixture.get(1, -5)).isEqualTo("absent");
        assertThat(fixture.get(1, 0)).isEqualTo("row 0");
        assertThat(fixture.get(1, 20)).isEqualTo("row 20");
        assertThat(fixture.get(1, 29)).isEqualTo("absent");
        assertThat(fixture.get(1, 30)).isNull();
        assertThat(fixture.find(1)).as("not the whole prefix").isNull();
        assertThat(fixture.read(1).decline).isEqualTo(Decline.SPLIT);
        assertThat(fixture.started).isEmpty();
        fixture.checkInvariants();
    }

    @Test
    void reader_whoseKeyLiesBehindTheRange_goesToTheStore() {
        Fixture.SessionAnswer whole = fixture.read(1);
        Fixture.SessionAnswer behind = fixture.read(1, 50);
        Fixture.SessionAnswer within = fixture.read(1, 5);
        fixture.serve(fixture.takeLoad(), 1, rows);
        assertThat(whole.decline).isEqualTo(Decline.SPLIT);
        assertThat(behind.decline).isEqualTo(Decline.SPLIT);
        assertThat(within.line).isNotNull();
    }

    @Test
    void ranges_moreThanMayBe_areForgotten() {
        RowCacheOptions options = Fixture.options();
        Fixture small = new Fixture(
                new RowCacheOptions(options.maxBytes(), 10, 10, 2, 2, 3, 0, options.ticker(), options.executor()),
                TableOptions.DEFAULT.withCeilings(1, 1000));
        for (long key : new long[] {0, 30, 50, 70}) {
            small.read(1, key);
            small.serve(small.takeLoad(), 1, rows);
            assertThat(small.get(1, key)).isEqualTo("row " + key);
            small.checkInvariants();
        }
        assertThat(small.get(1, 0)).isNull();
    }

    @Test
    void prefix_beyondTheCeiling_whereLoadsAreNotInOrder_isNotCached() {
        Fixture unordered =
                new Fixture(TableOptions.DEFAULT.withCeilings(CEILING, 1000).withOrdered(false));
        Fixture.SessionAnswer outcome = unordered.read(1, 0);
        unordered.serve(unordered.takeLoad(), 1, rows);
        assertThat(outcome.decline).isEqualTo(Decline.UNCACHEABLE);
        assertThat(unordered.find(1, 0)).isNull();
        assertThat(unordered.read(1, 0).decline).isEqualTo(Decline.UNCACHEABLE);
        unordered.checkInvariants();
    }

    @Test
    void rowsOutOfOrder_beyondTheCeiling_areNotCached() {
        Fixture.SessionAnswer outcome = fixture.read(1, 0);
        Load load = fixture.takeLoad();
        for (long key : new long[] {40, 20, 60, 10}) {
            fixture.feed(load, 1, key, "row");
        }
        load.succeed();
        assertThat(outcome.decline).isEqualTo(Decline.UNCACHEABLE);
    }

    @Test
    void row_biggerThanALine_isNotCached() {
        Fixture.SessionAnswer outcome = fixture.read(1, 0);
        Load load = fixture.takeLoad();
        assertThat(fixture.feed(load, 1, 0, "x".repeat(2000))).isFalse();
        load.succeed();
        assertThat(outcome.decline).as("an empty range in front of it").isEqualTo(Decline.SPLIT);
        assertThat(fixture.get(1, -1)).isEqualTo("absent");
        Fixture.SessionAnswer again = fixture.read(1, 0);
        Load next = fixture.takeLoad();
        assertThat(fixture.feed(next, 1, 0, "x".repeat(2000))).isFalse();
        next.succeed();
        assertThat(again.decline).isEqualTo(Decline.UNCACHEABLE);
    }

    @Test
    void rangesWith_againstAReference_areDisjointAndInOrder() {
        Seeds.forEach(1, 500, SplitTest::checkRanges);
    }

    private static void checkRanges(SplittableRandom random) {
        Fixture fixture = new Fixture();
        Ranges ranges = Ranges.none(0, (byte) 0, Bytes.NONE, fixture.table.epoch());
        for (int round = 0; round < 12; round++) {
            int from = random.nextInt(63);
            int to = 1 + from + random.nextInt(63 - from);
            ranges = ranges.with(new byte[] {(byte) from}, to == 63 ? null : new byte[] {(byte) to}, 64);
            for (int i = 0; i < ranges.count(); i++) {
                if (i + 1 < ranges.count()) {
                    byte[] upper = Objects.requireNonNull(ranges.upper(i));
                    assertThat(ranges.lower(i + 1)[0]).isGreaterThanOrEqualTo(upper[0]);
                }
            }
            int place = random.nextInt(from, to);
            int floor = ranges.floor(new byte[] {(byte) place}, 0, 1);
            assertThat(ranges.lower(floor)[0]).isEqualTo((byte) from);
            assertThat(ranges.upper(floor)).isEqualTo(to == 63 ? null : new byte[] {(byte) to});
            assertThat(ranges.with(ranges.lower(floor), ranges.upper(floor), 64))
                    .isSameAs(ranges);
        }
    }
}
