package org.keyline.gateway.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.keyline.gateway.config.ConfigKey;
import org.keyline.gateway.config.ConfigKeys;
import org.keyline.planner.ForwardReason;

/** Each reason has an advice of one line, and the keys in it are keys of the configuration. */
final class AdviceTest {
    private static final int MAX_LINE = 140;
    private static final Pattern KEY =
            Pattern.compile("\\b(?:cache|filter|limits|store|tables|access)\\.[A-Za-z]+(?:\\.[A-Za-z]+)*");

    static Stream<String> advices() {
        return Stream.concat(
                Arrays.stream(ForwardReason.values()).map(Advice::of),
                Arrays.stream(MissReason.values()).map(Advice::of));
    }

    @ParameterizedTest
    @MethodSource("advices")
    void advice_isALineThatNamesKnownKeys(String advice) {
        assertThat(advice).isNotBlank().endsWith(".").doesNotContain("\n").hasSizeLessThan(MAX_LINE);
        assertThat(ConfigKeys.ALL.stream().map(ConfigKey::path))
                .containsAll(
                        KEY.matcher(advice).results().map(MatchResult::group).toList());
    }
}
