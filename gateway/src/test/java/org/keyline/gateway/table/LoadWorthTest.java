package org.keyline.gateway.table;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.keyline.gateway.table.LoadWorth.Tally;

/** Traffic under a clock of its own: each second so many reads lack a line, each of which is loaded for or forwarded. */
final class LoadWorthTest {
    private static final int MISSES_PER_SECOND = 1_000;
    private static final long SECOND = 1_000_000_000;
    private static final long HIT_NANOS = 1_000;

    private long now;
    private long hits;
    private long loads;
    private long rangeRows;
    private final LoadWorth worth = new LoadWorth(() -> new Tally(hits, loads, rangeRows, HIT_NANOS));

    /** Answers how many of the reads of the last second were loaded for. */
    private int run(int seconds, int missesPerSecond, int hitsPerLoad, long loadNanos, long forwardNanos) {
        int loaded = 0;
        for (int second = 0; second < seconds; second++) {
            loaded = 0;
            for (int i = 0; i < missesPerSecond; i++) {
                now += SECOND / missesPerSecond;
                if (worth.admits(now)) {
                    loaded++;
                    loads++;
                    hits += hitsPerLoad;
                    worth.loadTook(loadNanos);
                } else {
                    worth.forwardTook(forwardNanos, 1);
                }
            }
        }
        return loaded;
    }

    @Test
    void linesThatNobodyReadsAgain_areNotLoaded() {
        assertThat(run(20, MISSES_PER_SECOND, 0, 300_000, 100_000)).isBetween(20, 40);
        assertThat(worth.pays()).isFalse();
    }

    @Test
    void slowLoads_withEnoughHits_areMade() {
        assertThat(run(60, MISSES_PER_SECOND, 5, 300_000, 100_000)).isGreaterThan(900);
        assertThat(worth.pays()).isTrue();
    }

    @Test
    void loadsAsFastAsReads_areMade_whateverTheyBring() {
        assertThat(run(60, MISSES_PER_SECOND, 0, 100_000, 100_000)).isGreaterThan(900);
        assertThat(worth.pays()).isTrue();
    }

    /** Ranges with gaps: each load is faster than the read would have been, all that a read waits for are not. */
    @Test
    void manyLoadsOfOneRead_areNotMade_thoughEachIsFast() {
        for (int i = 0; i < 20 * MISSES_PER_SECOND; i++) {
            now += SECOND / MISSES_PER_SECOND;
            if (!worth.admits(now)) {
                worth.forwardTook(100_000, 1);
                continue;
            }
            for (int load = 0; load < 3; load++) {
                loads++;
                worth.loadTook(80_000);
                worth.waits(load > 0);
            }
        }
        assertThat(worth.pays()).isFalse();
    }

    /** A busy store answers a scan of 50 rows about as fast as a load of 90: by time alone, a load would cost nothing. */
    @Test
    void rangesOfMoreRowsThanAreAskedFor_needHits_howeverFastTheirLoads() {
        assertThat(ranges(60, 90)).isLessThan(100);
        assertThat(ranges(60, 50)).isGreaterThan(900);
    }

    /** One hit for each four loads, of so many rows; a read that is forwarded has 50. Answers as {@link #run}. */
    private int ranges(int seconds, int rowsOfLoad) {
        int loaded = 0;
        for (int i = 0; i < seconds * MISSES_PER_SECOND; i++) {
            now += SECOND / MISSES_PER_SECOND;
            loaded = i % MISSES_PER_SECOND == 0 ? 0 : loaded;
            if (worth.admits(now)) {
                loaded++;
                loads++;
                rangeRows += rowsOfLoad;
                hits += loads % 4 == 0 ? 1 : 0;
                worth.waits(false);
                worth.loadTook(100_000);
            } else {
                worth.forwardTook(100_000, 50);
            }
        }
        return loaded;
    }

    @Test
    void change_isSeenWithinAMinute_eitherWay() {
        run(30, MISSES_PER_SECOND, 0, 300_000, 100_000);
        assertThat(worth.pays()).isFalse();
        assertThat(run(60, MISSES_PER_SECOND, 10, 300_000, 100_000)).isGreaterThan(900);
        assertThat(worth.pays()).isTrue();
        assertThat(run(60, MISSES_PER_SECOND, 0, 300_000, 100_000)).isLessThan(100);
        assertThat(worth.pays()).isFalse();
    }

    @Test
    void wideLoads_payByTheHitsTheyBring() {
        assertThat(run(60, MISSES_PER_SECOND, 20, 2_000_000, 200_000)).isGreaterThan(900);
        assertThat(run(60, MISSES_PER_SECOND, 2, 2_000_000, 200_000)).isLessThan(100);
    }

    @Test
    void fewLoads_decideNothing() {
        assertThat(run(30, 1, 0, 300_000, 100_000)).isEqualTo(1);
        assertThat(worth.pays()).isTrue();
    }

    /** Nothing was forwarded yet, so that nobody knows what a load saves: some reads are, where lines have few hits. */
    @Test
    void timeOfForwardedReads_isLearned_onlyWhereItMatters() {
        assertThat(run(4, MISSES_PER_SECOND, 1, 100_000, 100_000)).isBetween(900, 960);
        LoadWorth other = new LoadWorth(() -> new Tally(100 * loads, loads, 0, HIT_NANOS));
        for (int i = 0; i < 10 * MISSES_PER_SECOND; i++) {
            now += SECOND / MISSES_PER_SECOND;
            loads++;
            other.loadTook(300_000);
            assertThat(other.admits(now)).isTrue();
        }
    }

    /** Lines that others have loaded spare a trip each: with one from the store for each eight of them, slow loads pay. */
    @Test
    void linesOfOtherGateways_countAsHits() {
        for (int i = 0; i < 60 * MISSES_PER_SECOND; i++) {
            now += SECOND / MISSES_PER_SECOND;
            if (!worth.admits(now)) {
                worth.forwardTook(100_000, 1);
            } else {
                loads++;
                if (i % 9 == 0) {
                    worth.loadTook(300_000);
                } else {
                    worth.lent();
                }
            }
        }
        assertThat(worth.pays()).isTrue();
        assertThat(run(60, MISSES_PER_SECOND, 0, 300_000, 100_000))
                .as("when nobody lends any more")
                .isLessThan(100);
    }

    /** As after a tier was away: the few loads by which is seen whether they pay again have no trip to the store at all. */
    @Test
    void loadsThatDidNotPay_doSoWhenOthersHaveAllLines() {
        run(30, MISSES_PER_SECOND, 0, 300_000, 100_000);
        assertThat(worth.pays()).isFalse();
        for (int i = 0; i < 30 * MISSES_PER_SECOND; i++) {
            now += SECOND / MISSES_PER_SECOND;
            if (worth.admits(now)) {
                loads++;
                worth.lent();
            } else {
                worth.forwardTook(100_000, 1);
            }
        }
        assertThat(worth.pays()).isTrue();
    }
}
