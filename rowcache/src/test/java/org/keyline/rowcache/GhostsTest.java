package org.keyline.rowcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Virtual loads compared with a plain reference that records everything; the sample; the times of
 * loads.
 */
final class GhostsTest {
    private static final long TTL = Duration.ofSeconds(1).toNanos();
    private static final int CELLS = 3;

    /** Records when each prefix was loaded, exactly. */
    private static final class Reference {
        final Map<List<Long>, Long> loaded = new HashMap<>();
        final long[] loads = new long[CELLS + 1];

        void read(List<Long> key, long now) {
            for (int level = 1; level <= key.size(); level++) {
                List<Long> prefix = key.subList(0, level);
                Long at = loaded.get(prefix);
                if (at == null || now - at > TTL) {
                    loads[level]++;
                    loaded.put(prefix, now);
                }
            }
        }

        void dropped(List<Long> key) {
            loaded.keySet()
                    .removeIf(prefix -> key.isEmpty()
                            || prefix.equals(key.subList(0, Math.min(prefix.size(), key.size())))
                            // A write that binds fewer cells than a line's name has fences the
                            // whole table.
                            || prefix.size() > key.size());
        }

        void droppedPartition(long second) {
            loaded.keySet().removeIf(prefix -> prefix.size() < 2 || prefix.get(1) == second);
        }
    }

    private static KeyEncoder encoded(List<Long> key) {
        KeyEncoder encoder = new KeyEncoder();
        key.forEach(encoder::int64);
        return encoder;
    }

    private static List<Long> anyKey(SplittableRandom random, int least, int spread) {
        List<Long> key = new ArrayList<>();
        int cells = least + random.nextInt(CELLS + 1 - least);
        for (int i = 0; i < cells; i++) {
            key.add((long) random.nextInt(spread));
        }
        return key;
    }

    @Test
    void loads_ofRandomReadsAndWrites_areThoseOfAReferenceThatForgetsNothing() {
        Seeds.forEach(50_001, 40, random -> {
            Ghosts ghosts = new Ghosts(CELLS, random.nextLong(), new AtomicInteger(1));
            Reference reference = new Reference();
            KeyEncoder buffer = new KeyEncoder();
            KeyReader cells = new KeyReader();
            long now = random.nextLong(1L << 40);
            Partitions bySecondCell = (key, from, to) -> {
                KeyReader reader = new KeyReader().wrap(key, from, to);
                reader.skip();
                return reader.next() == null ? Partitions.NONE : reader.int64();
            };
            ghosts.dropped(bySecondCell, List.of(), now);
            for (int step = 0; step < 5_000; step++) {
                now += random.nextLong(20_000_000);
                List<Long> key = anyKey(random, 1, 5);
                switch (random.nextInt(40)) {
                    case 0 -> {
                        List<Long> written = anyKey(random, 0, 5);
                        ghosts.dropped(encoded(written), now);
                        reference.dropped(written);
                    }
                    case 1 -> {
                        ghosts.dropped(now);
                        reference.dropped(List.of());
                    }
                    case 2 -> {
                        long partition = random.nextInt(5);
                        ghosts.dropped(bySecondCell, List.of(partition), now);
                        reference.droppedPartition(partition);
                    }
                    default -> {
                        KeyEncoder asked = encoded(key);
                        if (random.nextBoolean()) {
                            ghosts.read(asked, TTL, now);
                        } else {
                            ghosts.read(asked.buffer(), 0, asked.length(), cells, buffer, TTL, now);
                        }
                        reference.read(key, now);
                    }
                }
                // Ticks are a microsecond long, so no two events happen in one.
                now += 5_000;
            }
            for (int level = 1; level <= CELLS; level++) {
                assertThat((double) ghosts.snapshot().loads()[level])
                        .as("level %s", level)
                        .isCloseTo((double) reference.loads[level], within(5.0));
            }
        });
    }

    /** The entries have room for times of 13 days. */
    @Test
    void dropOfALevel_howeverLongAgo_isBeforeLaterLines() {
        Ghosts ghosts = new Ghosts(CELLS, 11, new AtomicInteger(1));
        KeyEncoder key = encoded(List.of(1L, 2L, 3L));
        ghosts.dropped(0);
        for (int day = 1; day <= 30; day++) {
            long now = Duration.ofDays(day).toNanos();
            long before = ghosts.snapshot().loads()[CELLS];
            ghosts.read(key, TTL, now);
            ghosts.read(key, TTL, now + TTL / 2);
            assertThat(ghosts.snapshot().loads()[CELLS] - before)
                    .as("loads on day %s", day)
                    .isOne();
        }
    }

    @Test
    void share_ofASampleOfManyPrefixes_isThatOfAll() {
        SplittableRandom random = new SplittableRandom(7);
        Ghosts ghosts = new Ghosts(CELLS, 11, new AtomicInteger(1));
        Reference reference = new Reference();
        long now = 0;
        Ghosts.Snapshot before = ghosts.snapshot();
        long[] loadsBefore = reference.loads.clone();
        long readsBefore = 0;
        for (int step = 0; step < 600_000; step++) {
            now += 15_000;
            if (step % 50_000 == 0 && ghosts.snapshot().generation() != before.generation()) {
                // Counts of another sample cannot be compared with those of this one.
                before = ghosts.snapshot();
                loadsBefore = reference.loads.clone();
                readsBefore = step;
                ghosts.adjustRate(TTL, now);
            }
            List<Long> key =
                    List.of((long) random.nextInt(20_000), (long) random.nextInt(4), (long) random.nextInt(10));
            ghosts.read(encoded(key), TTL, now);
            reference.read(key, now);
        }
        Ghosts.Snapshot after = ghosts.snapshot();
        assertThat(after.sampleRate()).isLessThan(0.5);
        assertThat(after.generation()).isEqualTo(before.generation());
        double sampled = after.reads()[CELLS] - before.reads()[CELLS];
        assertThat(sampled).isGreaterThan(2_000);
        for (int level = 1; level <= CELLS; level++) {
            double share = (after.loads()[level] - before.loads()[level]) / sampled;
            double real = (reference.loads[level] - loadsBefore[level]) / (600_000.0 - readsBefore);
            assertThat(share).as("level %s", level).isCloseTo(real, within(0.05 * real));
        }
    }

    @Test
    void sample_ofFewReads_growsAgain() {
        Ghosts ghosts = new Ghosts(2, 3, new AtomicInteger(1));
        for (int i = 0; i < 100_000; i++) {
            ghosts.read(Fixture.key(i, i), TTL, 1_000L * i);
        }
        double small = ghosts.snapshot().sampleRate();
        for (int i = 1; i <= 10; i++) {
            ghosts.adjustRate(TTL, i * 5L * TTL);
        }
        assertThat(small).isLessThan(0.2);
        assertThat(ghosts.snapshot().sampleRate()).isEqualTo(1);
    }

    /**
     * There are more reads than needed if one of 64 first cells is sampled. But the rest must not
     * depend on the habits of a single reader.
     */
    @Test
    void sample_ofMoreReadsThanADecisionNeeds_shrinksWhileManyFirstCellsAreLeft() {
        for (int firstCells : new int[] {20, 2_000}) {
            Ghosts ghosts = new Ghosts(2, 13, new AtomicInteger(1));
            long now = 0;
            long before = 0;
            long seen = 0;
            for (int window = 0; window < 5; window++) {
                for (int i = 0; i < 1_000_000; i++) {
                    ghosts.read(Fixture.key(i % firstCells, 1), TTL, now += 5_000);
                }
                ghosts.adjustRate(TTL, now);
                long reads = ghosts.snapshot().reads()[2];
                seen = reads - before;
                before = reads;
            }
            if (firstCells == 20) {
                assertThat(ghosts.snapshot().sampleRate()).isEqualTo(1);
            } else {
                assertThat(ghosts.snapshot().sampleRate()).isBetween(0.01, 0.05);
                assertThat(seen).isBetween(10_000L, 80_000L);
            }
        }
    }

    /** A table that is idle is replaced by one that is read. */
    @Test
    void room_ofTwoTables_isHadByThoseThatAreRead() {
        AtomicInteger room = new AtomicInteger(1);
        Ghosts first = new Ghosts(2, 3, room);
        Ghosts second = new Ghosts(2, 3, room);
        assertThat(first.isActive()).isFalse();
        first.read(Fixture.key(1, 1), TTL, 0);
        second.read(Fixture.key(1, 1), TTL, 0);
        assertThat(first.isActive()).isTrue();
        assertThat(second.isActive()).isFalse();
        assertThat(second.snapshot().reads()).containsOnly(0);

        int generation = first.snapshot().generation();
        for (int i = 1; i <= 60; i++) {
            first.adjustRate(TTL, i * 5L * TTL);
        }
        assertThat(first.isActive()).isFalse();
        assertThat(first.snapshot().generation()).isNotEqualTo(generation);
        room.set(1);
        second.read(Fixture.key(1, 1), TTL, 300L * TTL);
        first.read(Fixture.key(1, 1), TTL, 300L * TTL);
        assertThat(second.isActive()).isTrue();
        assertThat(second.snapshot().loads()).containsExactly(0, 1, 1);
        assertThat(first.isActive()).isFalse();
    }

    @Test
    void levels_withoutLoads_areRequestedABoundedNumberOfTimes() {
        Ghosts ghosts = new Ghosts(2, 5, new AtomicInteger(1));
        int[] asked = new int[3];
        for (int i = 0; i < 5_000; i++) {
            int level = ghosts.read(Fixture.key(i % 100, i), TTL, 20_000_000L * i);
            if (level > 0) {
                asked[level]++;
                ghosts.loaded(level, level == 1 ? 50 : 1, level == 1 ? 5_000_000 : 1_000_000, true);
            }
        }
        assertThat(asked[1]).isEqualTo(8);
        assertThat(asked[2]).isEqualTo(8);
        assertThat(ghosts.snapshot().loadNanos()[1]).isCloseTo(5_000_000, within(1.0));
        assertThat(ghosts.snapshot().rows()[1]).isEqualTo(50);
    }

    @Test
    void loadTimes_whileTheStoreIsSlower_keepTheirRatio() {
        Ghosts ghosts = new Ghosts(2, 5, new AtomicInteger(1));
        for (int i = 0; i < 200; i++) {
            ghosts.loaded(1, 10, 4_000_000, true);
            ghosts.loaded(2, 1, 1_000_000, true);
        }
        for (int i = 0; i < 1_000; i++) {
            ghosts.loaded(2, 1, 3_000_000, true);
        }
        double[] nanos = ghosts.snapshot().loadNanos();
        assertThat(nanos[2]).isCloseTo(3_000_000, within(1_000.0));
        assertThat(nanos[1]).isCloseTo(12_000_000, within(100_000.0));
    }

    @Test
    void level_ofMoreRowsThanALineMayHave_isOverTheCeiling() {
        Ghosts ghosts = new Ghosts(2, 5, new AtomicInteger(1));
        for (int i = 0; i < 2; i++) {
            ghosts.loaded(1, 1_000, 1_000_000, false);
            ghosts.loaded(2, 1, 1_000_000, true);
        }
        assertThat(ghosts.exceeds(1, 10_000)).isTrue();
        assertThat(ghosts.exceeds(2, 10_000)).isFalse();
    }

    /** A fence, a flush and a load of the real table are reported to the simulation. */
    @Test
    void table_reportsWritesAndLoads() {
        Fixture fixture = new Fixture();
        Ghosts ghosts = new Ghosts(2, 5, new AtomicInteger(1));
        fixture.table.watch(ghosts);
        fixture.loaded(1, Map.of(1L, "one", 2L, "two"));
        assertThat(ghosts.snapshot().rows()[1]).isEqualTo(2);

        KeyEncoder key = Fixture.key(1, 1);
        ghosts.read(key, TTL, fixture.now());
        ghosts.read(key, TTL, fixture.now());
        assertThat(ghosts.snapshot().loads()).containsExactly(0, 1, 1);
        fixture.clock.advance(Duration.ofMillis(10));
        Fence fence = fixture.cache.fence();
        fence.close(fixture.table, key);
        fence.open();
        ghosts.read(key, TTL, fixture.now());
        assertThat(ghosts.snapshot().loads()).containsExactly(0, 2, 2);
        fixture.table.flush(Fixture.key(1, 2));
        fixture.clock.advance(Duration.ofMillis(10));
        ghosts.read(key, TTL, fixture.now());
        assertThat(ghosts.snapshot().loads()).containsExactly(0, 3, 2);
        fixture.table.flush();
        fixture.clock.advance(Duration.ofMillis(10));
        ghosts.read(key, TTL, fixture.now());
        assertThat(ghosts.snapshot().loads()).containsExactly(0, 4, 3);
    }

    /** The rows of a trial load are no answer. */
    @Test
    void tryLoad_ofAShadowTable_cachesNothing() {
        Fixture fixture = new Fixture();
        Ghosts ghosts = new Ghosts(2, 5, new AtomicInteger(1));
        fixture.table.watch(ghosts);
        LineTable shadow = fixture.cache.shadowTable(fixture.table, 2, 1_000);
        LineProbe probe = new LineProbe(shadow).aim(shadow, Fixture.TEXT, Fixture.key(1, 1));
        shadow.tryLoad(probe, fixture.loader);
        fixture.clock.advance(Duration.ofMillis(3));
        Load load = fixture.takeLoad();
        fixture.feed(load, 1, 1, "one");
        load.succeed();

        assertThat(shadow.find(probe, fixture.now())).isNull();
        assertThat(fixture.find(1, 1)).isNull();
        assertThat(ghosts.snapshot().rows()[2]).isEqualTo(1);
        assertThat(fixture.cache.loads()).isZero();
        assertThat(fixture.cache.lineBytes()).isZero();
    }
}
