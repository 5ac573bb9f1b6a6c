package org.keyline.gateway.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.history.Pair.Change;
import org.keyline.gateway.history.Pair.Insert;
import org.keyline.gateway.history.Pair.InsertRefused;
import org.keyline.gateway.history.Pair.Put;
import org.keyline.gateway.history.Pair.ReadBoth;
import org.keyline.gateway.history.Pair.ReadOne;

/**
 * Histories that are known to be linearizable or not, and random ones, which are compared with a
 * search of every order.
 */
final class LinearizabilityTest {
    private static final int RANDOM_HISTORIES = 20_000;
    private static final int MOMENTS = 14;

    private static Call call(long began, long ended, Step step) {
        return new Call(began, ended, step);
    }

    private static Call unknown(long began, Step step) {
        return new Call(began, Call.UNKNOWN, step);
    }

    private static boolean explained(Call... history) {
        return Linearizability.violation(List.of(history), Pair.state(1, Pair.ABSENT)) == null;
    }

    @Test
    void unknownOutcome_ofAConditionalWrite_explainsWhatItAloneCanHaveDone() {
        Call lost = unknown(0, new Change(true, false, Pair.ABSENT, Pair.NOT_TOLD));
        Call insert = call(10, 11, new Insert(0, 5));
        assertThat(explained(lost, insert)).as("deleted first").isTrue();
        assertThat(explained(insert)).as("the row is there").isFalse();
        assertThat(explained(lost, insert, call(12, 13, new ReadOne(0, Pair.ABSENT))))
                .as("deleted twice")
                .isFalse();
    }

    @Test
    void violation_namesTheCallAndItsSurroundings() {
        List<Call> history = List.of(call(0, 1_000, new Put(2, 3)), call(2_000, 3_000, new ReadOne(0, 1)));
        assertThat(Linearizability.violation(history, Pair.state(1, 0)))
                .contains("nothing explains ReadOne[row=0, value=1]", "2/3", "-2..-1 Put[first=2, second=3]", "<--");
    }

    @Test
    void randomHistories_areJudgedAsByTryingEveryOrder() {
        int good = 0;
        int unknown = 0;
        for (long seed = 1; seed <= RANDOM_HISTORIES; seed++) {
            List<Call> history = history(new SplittableRandom(seed));
            boolean expected = anyOrder(new ArrayList<>(history), Pair.state(1, 0));
            assertThat(Linearizability.violation(history, Pair.state(1, 0)) == null)
                    .as("seed %s: %s", seed, history)
                    .isEqualTo(expected);
            good += expected ? 1 : 0;
            unknown += history.stream().anyMatch(Call::isUnknown) ? 1 : 0;
        }
        // If nearly all histories were of one kind, the test would prove little.
        assertThat(good).isBetween(RANDOM_HISTORIES / 5, RANDOM_HISTORIES * 4 / 5);
        assertThat(unknown).isGreaterThan(RANDOM_HISTORIES / 5);
    }

    /**
     * Returns calls that took effect at single moments, and are therefore linearizable. In half of
     * the histories, one call got another result.
     */
    private static List<Call> history(SplittableRandom random) {
        int calls = 2 + random.nextInt(6);
        long[] moments = random.longs(calls, 0, MOMENTS).sorted().toArray();
        int liar = random.nextBoolean() ? random.nextInt(calls) : -1;
        long state = Pair.state(1, 0);
        List<Call> history = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            long told = i == liar ? Pair.state(random.nextInt(4), random.nextInt(4)) : state;
            Step step = step(random, told);
            long after = step.after(state);
            boolean lost = !step.reads() && random.nextInt(4) == 0;
            if (after != Step.REFUSED && !(lost && random.nextBoolean())) {
                state = after;
            }
            long began = Math.max(0, moments[i] - random.nextInt(5));
            history.add(call(began, lost ? Call.UNKNOWN : moments[i] + random.nextInt(5), step));
        }
        return history;
    }

    private static Step step(SplittableRandom random, long told) {
        int first = (int) (told >>> Integer.SIZE);
        int second = (int) told;
        int value = 1 + random.nextInt(3);
        return switch (random.nextInt(8)) {
            case 0 -> new Put(value, Pair.KEPT);
            case 1 -> new Put(value, random.nextInt(3));
            case 2 -> second == 0 ? new Insert(1, value) : new InsertRefused(1);
            case 3 -> new Change(true, false, 0, first == 0 ? 0 : 1);
            case 4 -> new Change(true, true, value, (first == 0 ? 0 : 1) + (second == 0 ? 0 : 1));
            case 5 -> new ReadBoth(first, second);
            default -> new ReadOne(1, second);
        };
    }

    /**
     * Wing and Gong's definition as a search: a call may be first unless another one ended before
     * it began.
     */
    private static boolean anyOrder(List<Call> remaining, long state) {
        if (remaining.stream().allMatch(Call::isUnknown)) {
            return true;
        }
        long earliestEnd = remaining.stream().mapToLong(Call::endedNanos).min().orElseThrow();
        for (Call call : List.copyOf(remaining)) {
            long after = call.beganNanos() <= earliestEnd ? call.step().after(state) : Step.REFUSED;
            if (after != Step.REFUSED) {
                List<Call> rest = new ArrayList<>(remaining);
                rest.remove(call);
                if (anyOrder(rest, after)) {
                    return true;
                }
            }
        }
        return false;
    }
}
