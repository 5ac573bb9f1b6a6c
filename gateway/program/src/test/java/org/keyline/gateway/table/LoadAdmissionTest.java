package org.keyline.gateway.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Traffic with a simulated clock: each second, this many reads miss, each of which is loaded or
 * forwarded.
 */
final class LoadAdmissionTest {
    private static final int MISSES_PER_SECOND = 1_000;
    private static final long SECOND = 1_000_000_000;

    private long now;
    private long hits;
    private long loads;
    private final LoadAdmission admission = new LoadAdmission(() -> hits, time -> SECOND);
    private long nextKey;

    /** Returns how many reads of the last second were loaded. */
    private int run(int seconds, int missesPerSecond, int hitsPerLoad, long loadNanos, long forwardNanos) {
        int loaded = 0;
        for (int second = 0; second < seconds; second++) {
            loaded = 0;
            for (int i = 0; i < missesPerSecond; i++) {
                now += SECOND / missesPerSecond;
                if (admission.admits(nextKey++, now)) {
                    loaded++;
                    loads++;
                    hits += hitsPerLoad;
                    admission.loadTook(loadNanos, 1, 1);
                } else {
                    admission.forwardTook(forwardNanos, 1);
                }
            }
        }
        return loaded;
    }

    @Test
    void linesThatNobodyReadsAgain_areNotLoaded() {
        assertThat(run(20, MISSES_PER_SECOND, 0, 300_000, 100_000)).isZero();
        assertThat(admission.loadsAll()).isFalse();
    }

    @Test
    void slowLoads_withEnoughHits_areMade() {
        assertThat(run(60, MISSES_PER_SECOND, 5, 300_000, 100_000)).isGreaterThan(900);
        assertThat(admission.loadsAll()).isTrue();
    }

    @Test
    void loadsAsFastAsReads_areMade_whateverTheyBring() {
        assertThat(run(60, MISSES_PER_SECOND, 0, 100_000, 100_000)).isGreaterThan(900);
        assertThat(admission.loadsAll()).isTrue();
    }

    /**
     * Ranges with gaps: each load is faster than the read would have been, but all loads that a
     * read waits for are not.
     */
    @Test
    void manyLoadsOfOneRead_areNotMade_thoughEachIsFast() {
        for (int i = 0; i < 20 * MISSES_PER_SECOND; i++) {
            now += SECOND / MISSES_PER_SECOND;
            if (!admission.admits(nextKey++, now)) {
                admission.forwardTook(100_000, 1);
                continue;
            }
            for (int load = 0; load < 3; load++) {
                loads++;
                admission.loadTook(80_000, 1, 1);
                if (load > 0) {
                    admission.loadsAgain();
                }
            }
        }
        assertThat(admission.loadsAll()).isFalse();
    }

    /**
     * A busy store answers a scan of 50 rows about as fast as a load of 90. By time alone, a load
     * would cost nothing.
     */
    @Test
    void rangesOfMoreRowsThanAreAskedFor_needHits_howeverFastTheirLoads() {
        assertThat(ranges(60, 90)).isLessThan(100);
        assertThat(ranges(60, 50)).isGreaterThan(900);
    }

    /**
     * One hit for every four loads, of this many rows; a forwarded read has 50. Returns the result
     * of {@link #run}.
     */
    private int ranges(int seconds, int rowsOfLoad) {
        int loaded = 0;
        for (int i = 0; i < seconds * MISSES_PER_SECOND; i++) {
            now += SECOND / MISSES_PER_SECOND;
            loaded = i % MISSES_PER_SECOND == 0 ? 0 : loaded;
            if (admission.admits(nextKey++, now)) {
                loaded++;
                loads++;
                hits += loads % 4 == 0 ? 1 : 0;
                admission.loadTook(100_000, rowsOfLoad, 1);
                admission.answered(50);
            } else {
                admission.forwardTook(100_000, 50);
            }
        }
        return loaded;
    }

    @Test
    void change_isSeenWithinAMinute_eitherWay() {
        run(30, MISSES_PER_SECOND, 0, 300_000, 100_000);
        assertThat(admission.loadsAll()).isFalse();
        assertThat(run(60, MISSES_PER_SECOND, 10, 300_000, 100_000)).isGreaterThan(900);
        assertThat(admission.loadsAll()).isTrue();
        assertThat(run(60, MISSES_PER_SECOND, 0, 300_000, 100_000)).isLessThan(100);
        assertThat(admission.loadsAll()).isFalse();
    }

    /** Many scans in the past must not keep loads of the next workload off for minutes. */
    @Test
    void pause_afterLoadsThatPaid_isShortAgain() {
        run(600, MISSES_PER_SECOND, 0, 300_000, 100_000);
        assertThat(run(400, MISSES_PER_SECOND, 5, 300_000, 100_000)).isGreaterThan(900);

        assertThat(run(20, MISSES_PER_SECOND, 0, 300_000, 100_000)).isZero();
        assertThat(run(60, MISSES_PER_SECOND, 5, 300_000, 100_000)).isGreaterThan(900);
    }

    @Test
    void wideLoads_payByTheHitsTheyBring() {
        assertThat(run(60, MISSES_PER_SECOND, 20, 2_000_000, 200_000)).isGreaterThan(900);
        assertThat(run(60, MISSES_PER_SECOND, 2, 2_000_000, 200_000)).isLessThan(100);
    }

    /** A miss counts as repeated within the life of a line after the last miss, or after its line. */
    @Test
    void repeatedMisses_areThoseWithinTheLifeOfALine() {
        run(5, MISSES_PER_SECOND, 0, 300_000, 100_000);
        long key = 1L << 40;
        long began = now;
        assertThat(admission.admits(key, began)).isFalse();
        assertThat(admission.admits(key, began + SECOND + 1)).as("too late").isFalse();
        assertThat(admission.admits(key, began + 2 * SECOND)).isTrue();
        assertThat(admission.admits(key, began + 4 * SECOND))
                .as("a life after the line")
                .isTrue();
        assertThat(admission.admits(key + 4_096, began + 4 * SECOND))
                .as("the same place")
                .isFalse();
        assertThat(admission.admits(key, began + 4 * SECOND)).as("displaced").isFalse();
    }

    @Test
    void fewLoads_decideNothing() {
        assertThat(run(30, 1, 0, 300_000, 100_000)).isEqualTo(1);
        assertThat(admission.loadsAll()).isTrue();
    }

    /**
     * No read was forwarded yet, so the saving of a load is unknown; therefore some reads are
     * forwarded.
     */
    @Test
    void timeOfForwardedReads_isLearned_fromFewOfThem() {
        assertThat(run(1, MISSES_PER_SECOND, 1, 100_000, 100_000)).isBetween(980, 990);
        assertThat(run(1, MISSES_PER_SECOND, 1, 100_000, 100_000)).isEqualTo(1_000);
    }

    /**
     * The page states it: before any time is measured, the rows that loads read without benefit are
     * bounded.
     */
    @Test
    void loadsOfAThousandRows_forReadsOfOne_endBeforeTheyCostMoreThanTheCredit() {
        long rows = 0;
        for (int i = 0; i < 10_000; i++) {
            now += SECOND / MISSES_PER_SECOND;
            if (admission.admits(nextKey++, now)) {
                admission.loadTook(100_000, 1_000, 1);
                admission.answered(1);
                rows += 1_000;
            } else {
                admission.forwardTook(100_000, 1);
            }
        }
        // The credit is the work of 1,024 reads, of 21 rows each.
        assertThat(rows).isLessThan(2 * 1_024 * 21);
        assertThat(admission.why()).startsWith("only keys missed twice").contains("cost of a load: 4");
    }

    /**
     * Each line that another gateway has loaded saves a round trip. With one from the store for
     * every eight of them, slow loads pay off.
     */
    @Test
    void linesOfOtherGateways_countAsHits() {
        for (int i = 0; i < 60 * MISSES_PER_SECOND; i++) {
            now += SECOND / MISSES_PER_SECOND;
            if (!admission.admits(nextKey++, now)) {
                admission.forwardTook(100_000, 1);
            } else {
                loads++;
                if (i % 9 == 0) {
                    admission.loadTook(300_000, 1, 1);
                } else {
                    admission.answeredByPeer();
                }
            }
        }
        assertThat(admission.loadsAll()).isTrue();
        assertThat(run(60, MISSES_PER_SECOND, 0, 300_000, 100_000))
                .as("when nobody lends any more")
                .isLessThan(100);
    }

    /**
     * As after an outage of the tier: the few loads that test whether loads pay off again all avoid
     * the store.
     */
    @Test
    void loadsThatDidNotPay_doSoWhenOthersHaveAllLines() {
        run(30, MISSES_PER_SECOND, 0, 300_000, 100_000);
        assertThat(admission.loadsAll()).isFalse();
        for (int i = 0; i < 30 * MISSES_PER_SECOND; i++) {
            now += SECOND / MISSES_PER_SECOND;
            if (admission.admits(nextKey++, now)) {
                loads++;
                admission.answeredByPeer();
            } else {
                admission.forwardTook(100_000, 1);
            }
        }
        assertThat(admission.loadsAll()).isTrue();
    }

    /** A load takes twice the time of a read, and lines live for a second. */
    private final class Traffic {
        private static final int READS_PER_SECOND = 1_000;

        private final Random random = new Random(1);
        private final Map<Long, Long> loadedAt = new HashMap<>();
        private int hitsThen;
        private int loadsThen;

        /**
         * @param often the number of keys that are read often
         * @param share of the reads that are of these; each other read has its own key
         * @param kept whether lines answer
         */
        void run(int seconds, int often, double share, boolean kept) {
            hitsThen = 0;
            loadsThen = 0;
            for (int i = 0; i < seconds * READS_PER_SECOND; i++) {
                now += SECOND / READS_PER_SECOND;
                long number = random.nextDouble() < share ? random.nextInt(often) : often + nextKey++;
                long key = number * 0x9E3779B97F4A7C15L;
                Long loaded = loadedAt.get(key);
                if (kept && loaded != null && now - loaded < SECOND) {
                    hits++;
                    hitsThen++;
                } else if (admission.admits(key, now)) {
                    loadedAt.put(key, now);
                    loads++;
                    loadsThen++;
                    admission.loadTook(200_000, 1, 1);
                } else {
                    admission.forwardTook(100_000, 1);
                }
            }
        }
    }

    @Test
    void whereMostKeysAreReadOnce_thoseThatAreReadOften_areLoaded() {
        Traffic traffic = new Traffic();
        traffic.run(60, 20, 0.3, true);
        assertThat(admission.loadsAll()).isFalse();
        traffic.run(60, 20, 0.3, true);
        // Each of the 20 once a second, and few others; all other reads of 300 per second are hits.
        assertThat(traffic.loadsThen).isLessThan(60 * 35);
        assertThat(traffic.hitsThen).isGreaterThan(60 * 250);
    }

    @Test
    void whereLinesOfKeysThatAreReadOften_haveNoHits_theseAreNotLoadedEither() {
        Traffic traffic = new Traffic();
        traffic.run(60, 20, 0.3, false);
        assertThat(admission.why()).startsWith("no miss loads");
        traffic.run(60, 20, 0.3, false);
        assertThat(traffic.loadsThen).isLessThan(60 * 30);
    }

    @Test
    void whereAllKeysAreReadOften_allAreLoaded_afterTheyWereNot() {
        Traffic traffic = new Traffic();
        traffic.run(60, 20, 0, true);
        assertThat(admission.loadsAll()).isFalse();
        traffic.run(120, 100, 1, true);
        assertThat(admission.loadsAll()).isTrue();
        assertThat(traffic.hitsThen).isGreaterThan(100 * 850);
    }
}
