package org.keyline.gateway.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.keyline.gateway.tier.TierModel.Flaw;
import org.keyline.gateway.tier.TierModel.Result;
import org.keyline.gateway.tier.TierModel.Shape;

/**
 * Every order of the steps of a few gateways with a bad tier between them: right by the rules,
 * wrong if one is left out. {@code -Dmodel.tier=large} has larger shapes, which take two minutes
 * and some gigabytes.
 */
@Tag("explores")
final class TierModelTest {
    // Gateways, those that write, writes; reads at the first and at others, readers; loads, values;
    // heartbeats of the first and of others, restarts; outside writes; ttl; greeted; strict;
    // joining.

    /** One writes, another one reads, and they know each other. */
    private static final Shape PEERS = new Shape(2, 1, 1, 0, 2, 1, 1, 1, 1, 1, 0, 0, 2, true, false, false);

    /** The same with gateways that have just started. */
    private static final Shape STRANGERS = new Shape(2, 1, 1, 0, 2, 1, 1, 1, 1, 1, 0, 0, 2, false, false, false);

    /** The writer also reads. */
    private static final Shape OWN = new Shape(2, 1, 1, 2, 1, 1, 1, 1, 0, 0, 0, 0, 2, true, false, false);

    /** Both write and read. */
    private static final Shape BOTH = new Shape(2, 2, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 2, true, false, false);

    /** Two readers, one of which may wait for the other's load. */
    private static final Shape TOGETHER = new Shape(2, 1, 1, 0, 2, 2, 1, 1, 0, 0, 0, 0, 2, true, false, false);

    /** The writer is killed and restarted. */
    private static final Shape RESTART = new Shape(2, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 0, 2, true, false, false);

    /** The same with heartbeats, for errors after the restart. */
    private static final Shape LIFE_AFTER = new Shape(2, 1, 1, 0, 2, 1, 1, 1, 1, 1, 1, 0, 2, true, false, false);

    /** A client writes past the gateways. */
    private static final Shape OUTSIDE = new Shape(2, 0, 0, 0, 2, 1, 1, 1, 1, 1, 0, 1, 2, true, false, false);

    /** A write waits until no other gateway may miss it. */
    private static final Shape STRICT = new Shape(2, 1, 1, 0, 2, 1, 1, 1, 0, 1, 0, 0, 2, true, true, false);

    /** The same with gateways that have just started. */
    private static final Shape STRICT_STRANGERS = new Shape(2, 1, 1, 0, 2, 1, 1, 1, 0, 1, 0, 0, 2, false, true, false);

    private static final Shape THREE = new Shape(3, 1, 1, 0, 1, 1, 1, 1, 0, 0, 0, 0, 2, true, false, false);

    /** One writes whose entries the reader has not received, but the third one has. */
    private static final Shape JOINING = new Shape(3, 1, 1, 0, 2, 1, 1, 0, 0, 1, 0, 0, 2, true, false, true);

    private static final Shape[] LARGE = {
        LIFE_AFTER,
        new Shape(2, 1, 1, 0, 2, 1, 1, 1, 1, 1, 0, 0, 2, true, true, false),
        new Shape(2, 2, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 2, true, true, false),
        new Shape(2, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 2, true, true, false),
        new Shape(2, 1, 1, 0, 2, 1, 1, 1, 1, 2, 0, 0, 2, true, false, false),
        new Shape(2, 1, 1, 0, 2, 1, 1, 1, 1, 1, 0, 0, 3, true, false, false),
        new Shape(2, 1, 1, 0, 2, 1, 1, 1, 1, 1, 0, 1, 2, true, false, false),
        new Shape(2, 2, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0, 2, true, false, false),
        new Shape(2, 1, 2, 1, 2, 1, 1, 2, 0, 0, 0, 0, 2, true, false, false),
        new Shape(3, 1, 1, 0, 1, 1, 1, 1, 1, 0, 0, 0, 2, true, false, false),
    };

    private static Result explore(Shape shape, Flaw flaw) {
        Result result = new TierModel(shape, flaw).explore();
        System.out.printf("%s, %s: %d states, %d steps%n", flaw, shape, result.states(), result.steps());
        return result;
    }

    @Test
    void rules_inEveryOrderOfSteps_keepReadsFresh() {
        for (Shape shape : new Shape[] {
            PEERS, STRANGERS, OWN, BOTH, TOGETHER, RESTART, OUTSIDE, STRICT, STRICT_STRANGERS, THREE, JOINING
        }) {
            Result result = explore(shape, Flaw.NONE);
            assertThat(result.violation()).as("%s", shape).isNull();
            assertThat(result.states()).isGreaterThan(10_000);
        }
    }

    @Test
    void rules_inLargerShapes_keepReadsFresh() {
        assumeThat(System.getProperty("model.tier", "small")).isEqualTo("large");
        for (Shape shape : LARGE) {
            assertThat(explore(shape, Flaw.NONE).violation()).as("%s", shape).isNull();
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void rules_withOneRemoved_failTheCheck(Flaw flaw) {
        Result result = explore(shapeThatShows(flaw), flaw);
        assertThat(result.violation()).contains("was answered version");
        System.out.println("  " + result.violation());
    }

    private static Shape shapeThatShows(Flaw flaw) {
        return switch (flaw) {
            case VOUCHED_WITHOUT_ALL_MEMBERS -> STRANGERS;
            case OWN_WRITE_LEAVES_THE_FLOOR -> OWN;
            case OLD_LOAD_JOINED, JUDGED_WHEN_IT_WAS_READ -> TOGETHER;
            case RESTART_OVERLOOKED -> LIFE_AFTER;
            case ANY_SIGN_OF_LIFE_TAKEN_FOR_AN_ECHO -> STRICT;
            case ACKNOWLEDGED_WITHOUT_ALL_MEMBERS -> STRICT_STRANGERS;
            case STRANGER_OVERLOOKED -> JOINING;
            default -> PEERS;
        };
    }
}
