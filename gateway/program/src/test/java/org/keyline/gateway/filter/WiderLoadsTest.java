package org.keyline.gateway.filter;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.condition.Conjunction;
import org.keyline.gateway.condition.IntervalSet;
import org.keyline.rowcache.KeyEncoder;

class WiderLoadsTest {
    private static final long NARROW_NANOS = 1_000_000;

    private final WiderLoads wider = new WiderLoads();
    private final Set<Conjunction> lines = new HashSet<>();
    private double nanos;
    private int hits;

    /**
     * Simulates a read: from a line of its text, from a line of its own, or by a load with the
     * duration of its kind.
     */
    private void read(Conjunction asked, double widerTimes) {
        for (Conjunction line : List.of(asked.opaqueAlone(), asked)) {
            if (lines.contains(line)) {
                wider.hit(line);
                hits++;
                return;
            }
        }
        Conjunction wanted = wider.toLoad(asked);
        wider.missed(asked);
        lines.add(wanted);
        long took = (long) (NARROW_NANOS * (wanted.columns().isEmpty() ? widerTimes : 1));
        wider.took(wanted, took);
        nanos += took;
    }

    private static Conjunction search(String word, int... bounds) {
        int[] columns = new int[bounds.length];
        IntervalSet[] sets = new IntervalSet[bounds.length];
        for (int i = 0; i < bounds.length; i++) {
            columns[i] = i;
            sets[i] = IntervalSet.only(new KeyEncoder().int64(bounds[i]).toBytes());
        }
        return Conjunction.of(columns, sets, List.of("title LIKE '%" + word + "%'"));
    }

    /**
     * Returns a word out of a hundred, and with equal chance none, one or both of 21 years and
     * 1,000 publishers.
     */
    private static Conjunction mixed(Random random) {
        String word = "w" + random.nextInt(100);
        int year = random.nextInt(21);
        int publisher = 1_000 + random.nextInt(1_000);
        return switch (random.nextInt(3)) {
            case 0 -> search(word);
            case 1 -> search(word, random.nextBoolean() ? year : publisher);
            default -> search(word, year, publisher);
        };
    }

    /**
     * All rows of a text cost little more than some of them. Once that is known, they are loaded at
     * once.
     */
    @Test
    void textsThatComeAgain_andCostNoMore_areLoadedOnceEach() {
        Random random = new Random(1);
        for (int i = 0; i < 6_000; i++) {
            read(mixed(random), 1.1);
        }
        assertThat(hits).isGreaterThan(5_880);
    }

    /** They cost much more, and pay off nevertheless. */
    @Test
    void textsThatComeAgain_areLoadedAlone_whateverTheyCost() {
        Random random = new Random(2);
        for (int i = 0; i < 20_000; i++) {
            read(mixed(random), 8);
        }
        assertThat(hits).isGreaterThan(19_000);
    }

    /**
     * Each text occurs twice, so its line never pays off. The attempts take a small share of all
     * loads.
     */
    @ParameterizedTest
    @ValueSource(ints = {3, 100})
    void textsThatDoNotComeAgain_areLoadedWithTheirBounds(int widerTimes) {
        int reads = 20_000;
        for (int i = 0; i < reads; i++) {
            read(search("w" + i / 2, i % 2), widerTimes);
        }
        assertThat(nanos).isLessThan((double) reads * NARROW_NANOS * 1.1 + 4.0 * widerTimes * NARROW_NANOS);
    }

    /**
     * Lines of texts evict lines that have hits themselves, so a text gains less than the hits of
     * its line.
     */
    @ParameterizedTest
    @ValueSource(doubles = {1.1, 1.5, 2, 3})
    void whereMemoryIsShort_loadsTakeNotMuchLongerThanOfTheBetterKind(double widerTimes) {
        double better =
                Math.min(inShortMemory(widerTimes, Conjunction::opaqueAlone), inShortMemory(widerTimes, a -> a));
        assertThat(inShortMemory(widerTimes, new WiderLoads())).isLessThan(1.3 * better);
    }

    private static double inShortMemory(double widerTimes, UnaryOperator<Conjunction> toLoad) {
        return inShortMemory(widerTimes, toLoad, null);
    }

    private static double inShortMemory(double widerTimes, WiderLoads decides) {
        return inShortMemory(widerTimes, decides::toLoad, decides);
    }

    /**
     * Returns the time of all loads for 30,000 reads of 200 texts within four bounds; some texts
     * and bounds are much more frequent than others.
     */
    private static double inShortMemory(
            double widerTimes, UnaryOperator<Conjunction> toLoad, @Nullable WiderLoads told) {
        Random random = new Random(5);
        Map<Conjunction, Boolean> recent = new LinkedHashMap<>(16, 0.75f, true);
        double nanos = 0;
        for (int i = 0; i < 30_000; i++) {
            Conjunction asked = search("w" + rank(random, 200), rank(random, 4));
            Conjunction line = recent.get(asked.opaqueAlone()) != null ? asked.opaqueAlone() : asked;
            if (recent.get(line) != null) {
                if (told != null) {
                    told.hit(line);
                }
                continue;
            }
            Conjunction wanted = toLoad.apply(asked);
            double took = NARROW_NANOS * (wanted.columns().isEmpty() ? widerTimes : 1);
            nanos += took;
            if (told != null) {
                told.missed(asked);
                told.took(wanted, (long) took);
            }
            recent.put(wanted, true);
            // A text has as many rows as three of its bounds.
            while (recent.keySet().stream()
                            .mapToInt(of -> of.columns().isEmpty() ? 3 : 1)
                            .sum()
                    > 60) {
                recent.remove(recent.keySet().iterator().next());
            }
        }
        return nanos;
    }

    /** Lower ranks are more frequent. */
    private static int rank(Random random, int count) {
        return (int) (count * Math.pow(random.nextDouble(), 3));
    }

    @Test
    void textThatIsRefused_isLoadedWithItsBounds() {
        List<Conjunction> wide = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            Conjunction asked = search("w", i % 50, i);
            Conjunction wanted = wider.toLoad(asked);
            wider.missed(asked);
            if (wanted.columns().isEmpty()) {
                wide.add(wanted);
                wider.refused(wanted);
            } else {
                wider.took(wanted, NARROW_NANOS);
            }
        }
        assertThat(wide).hasSize(1);
    }

    /**
     * Each text occurs ten times. A scan for it ends in a timeout, for which only one read waits.
     */
    @Test
    void textsWhoseLoadsTakeTooLong_areNotTriedOneByOne() {
        assertThat(failures(10_000 * NARROW_NANOS)).isEqualTo(1);
    }

    /**
     * A load that fails at once is tried once for each text, because it shows nothing about other
     * texts.
     */
    @Test
    void textsWhoseLoadsFailAtOnce_areTriedOnceEach() {
        assertThat(failures(0)).isBetween(200, 400);
    }

    /**
     * Returns how many of 400 loads of a text alone fail after that time, while all others succeed.
     */
    private int failures(long afterNanos) {
        int failures = 0;
        for (int i = 0; i < 4_000; i++) {
            Conjunction asked = search("w" + i / 10, i);
            Conjunction wanted = wider.toLoad(asked);
            wider.missed(asked);
            if (wanted.equals(asked)) {
                wider.took(asked, NARROW_NANOS);
            } else {
                failures++;
                wider.failed(wanted, afterNanos);
            }
        }
        return failures;
    }

    @Test
    void boundsAlone_orAText_orAContradiction_areLoadedAsTheyAre() {
        Map<String, Conjunction> asked = new HashMap<>();
        asked.put("text", search("w"));
        asked.put("bounds", Conjunction.of(new int[] {0}, new IntervalSet[] {
            IntervalSet.only(new KeyEncoder().int64(1).toBytes())
        }));
        asked.put(
                "contradiction",
                Conjunction.of(new int[] {0}, new IntervalSet[] {IntervalSet.NONE}, List.of("title LIKE 'x'")));
        for (int i = 0; i < 100; i++) {
            read(search("w", i), 1);
        }
        asked.forEach((name, conjunction) ->
                assertThat(wider.toLoad(conjunction)).as(name).isEqualTo(conjunction));
    }
}
