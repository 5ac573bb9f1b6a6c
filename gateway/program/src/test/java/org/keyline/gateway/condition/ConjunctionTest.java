package org.keyline.gateway.condition;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.keyline.rowcache.KeyEncoder;

/**
 * Conjunctions against the rows of a small domain: two columns of NULL and a few values.
 *
 * <p>{@code -Dkeyline.sets.cases=N} sets how many are compared, {@code -Dkeyline.sets.seed=N}
 * which.
 */
final class ConjunctionTest {
    private static final int CASES = Integer.getInteger("keyline.sets.cases", 20_000);
    private static final long SEED = Long.getLong("keyline.sets.seed", 20_261_123);
    /** Values 0, 10, 20, …; the values between and beyond them are in no row. */
    private static final int VALUES = 5;

    private static final byte[] NULL = new KeyEncoder().nullCell().toBytes();

    /**
     * Every second value and those between, so that any two different intervals differ in a member.
     */
    private static List<byte[]> cells() {
        List<byte[]> cells = new ArrayList<>(List.of(NULL));
        for (int value = -5; value <= 10 * VALUES; value += 5) {
            cells.add(key(value));
        }
        return cells;
    }

    private static byte[] key(int value) {
        return new KeyEncoder().int64(value).toBytes();
    }

    private static IntervalSet any(SplittableRandom random) {
        byte[] key = key(10 * random.nextInt(VALUES));
        byte[] other = key(10 * random.nextInt(VALUES));
        return switch (random.nextInt(9)) {
            case 0 -> IntervalSet.only(key);
            case 1 -> IntervalSet.allBut(key);
            case 2 -> IntervalSet.below(key, random.nextBoolean());
            case 3 -> IntervalSet.above(key, random.nextBoolean());
            case 4 -> IntervalSet.VALUES;
            case 5 -> IntervalSet.union(List.of(IntervalSet.ONLY_NULL, IntervalSet.above(key, true)));
            case 6 -> IntervalSet.union(List.of(IntervalSet.only(key), IntervalSet.only(other)));
            case 7 -> IntervalSet.below(key, true).and(IntervalSet.above(other, false));
            default -> IntervalSet.ALL;
        };
    }

    private static Conjunction conjunction(SplittableRandom random) {
        return Conjunction.of(new int[] {3, 1}, new IntervalSet[] {any(random), any(random)});
    }

    private static boolean admits(Conjunction conjunction, byte[] one, byte[] three) {
        return conjunction.set(1).contains(one, 0, one.length)
                && conjunction.set(3).contains(three, 0, three.length);
    }

    /**
     * A row with known cells may meet exactly the conjunctions that it meets. Each unknown cell
     * adds more.
     */
    @Test
    void mayMeet_random_isWhetherSomeRowWithTheKnownCellsDoes() {
        SplittableRandom random = new SplittableRandom(SEED);
        List<byte[]> cells = cells();
        for (int i = 0; i < CASES; i++) {
            Conjunction one = conjunction(random);
            byte[] identity = one.identity();
            byte[] first = cells.get(random.nextInt(cells.size()));
            byte[] third = cells.get(random.nextInt(cells.size()));
            String context = "seed " + SEED + ", case " + i + ": " + one;
            assertThat(Conjunction.mayMeet(identity, column -> column == 1 ? first : third))
                    .as(context)
                    .isEqualTo(admits(one, first, third));
            assertThat(Conjunction.mayMeet(identity, column -> column == 1 ? first : null))
                    .as(context)
                    .isEqualTo(one.set(1).contains(first, 0, first.length));
            assertThat(Conjunction.mayMeet(identity, column -> null))
                    .as(context)
                    .isTrue();
        }
    }

    @Test
    void mayMeet_besideOpaqueConditions_isDecidedByTheOthers() {
        Conjunction opaque = Conjunction.of(
                new int[] {2}, new IntervalSet[] {IntervalSet.below(key(5), true)}, List.of("`t` LIKE 'a%'", "x"));
        assertThat(Conjunction.mayMeet(opaque.identity(), column -> key(5))).isTrue();
        assertThat(Conjunction.mayMeet(opaque.identity(), column -> key(6))).isFalse();
        assertThat(Conjunction.mayMeet(opaque.opaqueAlone().identity(), column -> key(6)))
                .isTrue();
    }

    @Test
    void implies_random_isThatOfRows() {
        SplittableRandom random = new SplittableRandom(SEED);
        List<byte[]> cells = cells();
        int implied = 0;
        for (int i = 0; i < CASES; i++) {
            Conjunction one = conjunction(random);
            Conjunction other = conjunction(random);
            boolean within = true;
            boolean empty = true;
            for (byte[] first : cells) {
                for (byte[] second : cells) {
                    boolean admitted = admits(one, first, second);
                    within &= !admitted || admits(other, first, second);
                    empty &= !admitted;
                }
            }
            String context = "seed " + SEED + ", case " + i + ": " + one + ", " + other;
            implied += one.implies(other) ? 1 : 0;
            // A conjunction without rows need not imply the conjunctions that it does not narrow.
            assertThat(one.implies(other)).as(context).isEqualTo(within && (one.implies(other) || !empty));
            assertThat(one.isContradiction()).as(context).isEqualTo(empty);
            assertThat(Arrays.equals(one.identity(), other.identity()))
                    .as(context)
                    .isEqualTo(one.equals(other));
            assertThat(one.equals(other)).as(context).isEqualTo(one.implies(other) && other.implies(one));
        }
        assertThat(implied).isGreaterThan(CASES / 20);
    }

    @Test
    void of_columnsInAnyOrder_isTheSame() {
        IntervalSet one = IntervalSet.only(key(10));
        IntervalSet other = IntervalSet.below(key(20), true);
        Conjunction conjunction = Conjunction.of(new int[] {1, 3, 2}, new IntervalSet[] {one, other, IntervalSet.ALL});
        assertThat(Conjunction.of(new int[] {3, 1}, new IntervalSet[] {other, one}))
                .isEqualTo(conjunction);
        assertThat(conjunction.columns()).containsExactly(1, 3);
    }
}
