package org.keyline.gateway.signal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.keyline.gateway.signal.SharedSignalModel.Flaw;
import org.keyline.gateway.signal.SharedSignalModel.Result;

/**
 * Every order of the steps by which one gateway reads the change signal for another: right by the rules, wrong where one is left out.
 * {@code -Dmodel.tier=large} has larger shapes, which take a minute and some gigabytes.
 */
@Tag("model")
final class SharedSignalModelTest {
    private static Result explore(int writes, int questions, int losses, Flaw flaw) {
        Result result = new SharedSignalModel(writes, questions, losses, flaw).explore();
        System.out.printf(
                "%s, %d writes, %d questions, %d losses: %d states%n",
                flaw, writes, questions, losses, result.states());
        return result;
    }

    @Test
    void rules_inEveryOrderOfSteps_vouchForNoOldLine() {
        Result result = explore(2, 1, 1, Flaw.NONE);

        assertThat(result.violation()).isNull();
        assertThat(result.states()).isGreaterThan(1_000_000);
    }

    @Test
    void rules_inLargerShapes_vouchForNoOldLine() {
        assumeThat(System.getProperty("model.tier", "small")).isEqualTo("large");
        assertThat(explore(2, 2, 1, Flaw.NONE).violation()).isNull();
        assertThat(explore(3, 1, 1, Flaw.NONE).violation()).isNull();
        assertThat(explore(2, 1, 2, Flaw.NONE).violation()).isNull();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void rules_withOneLeftOut_vouchForAnOldLine(Flaw flaw) {
        assertThat(explore(2, 2, 1, flaw).violation()).isNotNull();
    }
}
