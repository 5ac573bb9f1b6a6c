package org.keyline.gateway.condition;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.keyline.rowcache.KeyEncoder;

/**
 * Sets of intervals against sets of the values of a small domain, NULL among them.
 *
 * <p>{@code -Dkeyline.sets.cases=N} sets how many are compared, {@code -Dkeyline.sets.seed=N}
 * which.
 */
final class IntervalSetTest {
    private static final int CASES = Integer.getInteger("keyline.sets.cases", 20_000);
    private static final long SEED = Long.getLong("keyline.sets.seed", 20_261_122);
    /** The domain: bit 0 is NULL, bit i the value i. */
    private static final int VALUES = 6;

    private static final int EVERYTHING = (1 << (VALUES + 1)) - 1;
    private static final int NULL = 1;

    /** A set in both representations. */
    private record Both(IntervalSet set, int members) {}

    @Test
    void sets_random_areWhatTheirMembersSay() {
        SplittableRandom random = new SplittableRandom(SEED);
        int contained = 0;
        for (int i = 0; i < CASES; i++) {
            Both one = any(random, 3);
            Both other = any(random, 3);
            String context = "seed " + SEED + ", case " + i + ": " + one + ", " + other;
            assertThat(members(one.set)).as(context).isEqualTo(one.members);
            assertThat(members(one.set.and(other.set))).as(context).isEqualTo(one.members & other.members);
            boolean contains = one.set.contains(other.set);
            contained += contains ? 1 : 0;
            // Values exist between those of the domain, so a set may have all members of another
            // set without containing it.
            if (contains) {
                assertThat(other.members & ~one.members).as(context).isZero();
            }
            assertThat(contains).as(context).isEqualTo(one.set.and(other.set).equals(other.set));
            assertThat(one.set.contains(one.set.and(other.set))).as(context).isTrue();
            assertThat(IntervalSet.union(List.of(one.set, other.set)).contains(other.set))
                    .as(context)
                    .isTrue();
        }
        assertThat(contained).isGreaterThan(CASES / 20);
    }

    /**
     * For sets of points alone, containment equals containment of the members, in both directions.
     */
    @Test
    void contains_ofPoints_isThatOfMembers() {
        SplittableRandom random = new SplittableRandom(SEED);
        for (int i = 0; i < CASES; i++) {
            Both one = points(random);
            Both other = points(random);
            assertThat(one.set.contains(other.set))
                    .as("seed %d, case %d: %s, %s", SEED, i, one, other)
                    .isEqualTo((other.members & ~one.members) == 0);
        }
    }

    @Test
    void null_isInNoComparison() {
        byte[] key = key(1);
        byte[] nothing = new KeyEncoder().nullCell().toBytes();
        for (IntervalSet set : List.of(
                IntervalSet.only(key),
                IntervalSet.allBut(key),
                IntervalSet.below(key, true),
                IntervalSet.above(key, true),
                IntervalSet.VALUES)) {
            assertThat(set.contains(nothing, 0, nothing.length)).as("%s", set).isFalse();
        }
        assertThat(IntervalSet.ONLY_NULL.contains(nothing, 0, nothing.length)).isTrue();
        assertThat(IntervalSet.VALUES.and(IntervalSet.ONLY_NULL).isEmpty()).isTrue();
    }

    private static Both any(SplittableRandom random, int depth) {
        if (depth > 0 && random.nextBoolean()) {
            List<IntervalSet> sets = new ArrayList<>();
            boolean either = random.nextBoolean();
            int members = either ? 0 : EVERYTHING;
            IntervalSet both = IntervalSet.ALL;
            for (int count = 2 + random.nextInt(2); count > 0; count--) {
                Both next = any(random, depth - 1);
                sets.add(next.set);
                both = both.and(next.set);
                members = either ? members | next.members : members & next.members;
            }
            return new Both(either ? IntervalSet.union(sets) : both, members);
        }
        int value = 1 + random.nextInt(VALUES);
        int bit = 1 << value;
        int below = bit - 1 - NULL;
        int above = EVERYTHING & ~(below | bit | NULL);
        byte[] key = key(value);
        return switch (random.nextInt(9)) {
            case 0 -> new Both(IntervalSet.only(key), bit);
            case 1 -> new Both(IntervalSet.allBut(key), EVERYTHING & ~(bit | NULL));
            case 2 -> new Both(IntervalSet.below(key, false), below);
            case 3 -> new Both(IntervalSet.below(key, true), below | bit);
            case 4 -> new Both(IntervalSet.above(key, false), above);
            case 5 -> new Both(IntervalSet.above(key, true), above | bit);
            case 6 -> new Both(IntervalSet.ONLY_NULL, NULL);
            case 7 -> new Both(IntervalSet.VALUES, EVERYTHING & ~NULL);
            default -> random.nextBoolean() ? new Both(IntervalSet.ALL, EVERYTHING) : new Both(IntervalSet.NONE, 0);
        };
    }

    private static Both points(SplittableRandom random) {
        int members = random.nextInt(EVERYTHING + 1);
        List<IntervalSet> points = new ArrayList<>(List.of(IntervalSet.NONE));
        for (int value = 0; value <= VALUES; value++) {
            if ((members & (1 << value)) != 0) {
                points.add(value == 0 ? IntervalSet.ONLY_NULL : IntervalSet.only(key(value)));
            }
        }
        return new Both(IntervalSet.union(points), members);
    }

    private static int members(IntervalSet set) {
        byte[] nothing = new KeyEncoder().nullCell().toBytes();
        int members = set.contains(nothing, 0, nothing.length) ? NULL : 0;
        for (int value = 1; value <= VALUES; value++) {
            byte[] key = key(value);
            members |= set.contains(key, 0, key.length) ? 1 << value : 0;
        }
        return members;
    }

    private static byte[] key(int value) {
        return new KeyEncoder().int64(10L * value).toBytes();
    }
}
