package org.keyline.gateway.filter;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.condition.Conjunction;
import org.keyline.gateway.condition.IntervalSet;
import org.keyline.rowcache.KeyEncoder;

final class FilterIndexTest {
    private static final long SEED = 20_261_123;
    private static final int CASES = 3_000;
    private static final int COLUMNS = 3;

    private static byte[] key(int value) {
        return new KeyEncoder().int64(value).toBytes();
    }

    private static Conjunction any(SplittableRandom random) {
        int[] columns = new int[COLUMNS];
        IntervalSet[] sets = new IntervalSet[COLUMNS];
        for (int i = 0; i < COLUMNS; i++) {
            columns[i] = i;
            byte[] key = key(random.nextInt(3));
            sets[i] = switch (random.nextInt(4)) {
                case 0 -> IntervalSet.only(key);
                case 1 -> IntervalSet.below(key, true);
                case 2 -> IntervalSet.ONLY_NULL;
                default -> IntervalSet.ALL;
            };
        }
        List<String> opaque = new ArrayList<>();
        for (String text : List.of("a", "b")) {
            if (random.nextInt(8) == 0) {
                opaque.add(text);
            }
        }
        return Conjunction.of(columns, sets, opaque);
    }

    @Test
    void impliedBy_random_isWhatIsImpliedOfWhatIsThere() {
        SplittableRandom random = new SplittableRandom(SEED);
        FilterIndex index = new FilterIndex();
        Set<Conjunction> there = new HashSet<>();
        int found = 0;
        for (int i = 0; i < CASES; i++) {
            Conjunction next = any(random);
            if (random.nextInt(3) == 0) {
                index.remove(next);
                there.remove(next);
            } else {
                index.add(next);
                there.add(next);
            }
            Conjunction asked = any(random);
            List<Conjunction> expected = there.stream().filter(asked::implies).toList();
            List<Conjunction> implied = index.impliedBy(asked);
            found += implied.size();
            assertThat(implied)
                    .as("seed " + SEED + ", case " + i + ": " + asked)
                    .containsExactlyInAnyOrderElementsOf(expected);
        }
        assertThat(found).isGreaterThan(CASES);
    }

    @Test
    void add_ofMoreAlikeThanAreKept_forgetsTheOldest() {
        FilterIndex index = new FilterIndex();
        List<Conjunction> added = new ArrayList<>();
        for (int i = 0; i < 65; i++) {
            Conjunction next = Conjunction.of(new int[] {0}, new IntervalSet[] {IntervalSet.below(key(i), true)});
            added.add(next);
            index.add(next);
        }
        Conjunction narrowest = Conjunction.of(new int[] {0}, new IntervalSet[] {IntervalSet.only(key(0))});
        assertThat(index.impliedBy(narrowest)).isEqualTo(added.subList(1, 65));
    }

    /** As the lines of clients that each ask for other columns, after these lines have expired. */
    @Test
    void remove_ofTheLastOfAForm_leavesRoomForAnother() {
        FilterIndex index = new FilterIndex();
        Conjunction stays = Conjunction.of(new int[] {0}, new IntervalSet[] {IntervalSet.only(key(1))});
        index.add(stays);
        for (int column = 1; column < 100; column++) {
            Conjunction leaves = Conjunction.of(new int[] {column}, new IntervalSet[] {IntervalSet.only(key(1))});
            index.add(leaves);
            index.remove(leaves);
        }
        assertThat(index.impliedBy(stays)).containsExactly(stays);
    }

    @Test
    void add_ofMoreThanFit_forgetsAll() {
        FilterIndex index = new FilterIndex();
        for (int i = 0; i <= 20_000; i++) {
            index.add(Conjunction.of(new int[] {0}, new IntervalSet[] {IntervalSet.only(key(i))}));
        }
        assertThat(index.impliedBy(Conjunction.of(new int[] {0}, new IntervalSet[] {IntervalSet.only(key(1))})))
                .isEmpty();
    }
}
