package org.keyline.rowcache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.keyline.rowcache.FreshnessModel.Flaw;
import org.keyline.rowcache.FreshnessModel.Result;
import org.keyline.rowcache.FreshnessModel.Shape;

/**
 * Every order of the steps of a few writers, readers and loads: right by the rules, wrong if one is
 * left out.
 */
final class FreshnessModelTest {
    /** Writers and readers of two rows, whose lines do not expire. */
    private static final Shape FENCES = new Shape(2, 2, 1, 2, 1, 2, 0, 0);

    /**
     * Writers and readers of one row; {@code -Dmodel.writes=2} lets each write more than once,
     * which takes a minute.
     */
    private static final Shape AGAIN = new Shape(1, 2, Integer.getInteger("model.writes", 1), 2, 2, 2, 0, 0);

    /** A clock, and writes past the gateway. */
    private static final Shape OUTSIDE = new Shape(1, 1, 1, 2, 2, 2, 1, 3);

    private static Result explore(Shape shape, Flaw flaw) {
        Result result = new FreshnessModel(shape, flaw).explore((from, move, to) -> {});
        System.out.printf("%s, %s: %d states, %d steps%n", flaw, shape, result.states(), result.steps());
        return result;
    }

    @Test
    void rules_inEveryOrderOfSteps_keepReadsFresh() {
        for (Shape shape : new Shape[] {FENCES, AGAIN, OUTSIDE}) {
            Result result = explore(shape, Flaw.NONE);
            assertThat(result.violation()).as("%s", shape).isNull();
            assertThat(result.states()).isGreaterThan(10_000);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void rules_withOneRemoved_failTheCheck(Flaw flaw) {
        boolean ofTime = flaw == Flaw.EXPIRY_FROM_THE_END_OF_THE_LOAD || flaw == Flaw.OLD_LOAD_JOINED;
        Result result = explore(ofTime ? OUTSIDE : AGAIN, flaw);
        assertThat(result.violation()).contains("was answered version");
        System.out.println("  " + result.violation());
    }
}
