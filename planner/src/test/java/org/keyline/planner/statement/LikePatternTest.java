package org.keyline.planner.statement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.keyline.planner.Seeds;

final class LikePatternTest {
    @ParameterizedTest
    @CsvFileSource(resources = "LikePatternTest.matches_patternAndText_isLikesAnswer.txt", quoteCharacter = '"')
    void matches_patternAndText_isLikesAnswer(String pattern, String text, boolean expected) {
        assertThat(LikePattern.of(pattern).matches(text)).isEqualTo(expected);
    }

    @Test
    void matches_generatedPatterns_isAsByTheDefinition() {
        Seeds.forEach(1, 20_000, random -> {
            String pattern = text(random, "ab%_\\");
            String text = text(random, "abA%_\\");
            assertThat(LikePattern.of(pattern).matches(text))
                    .as("'%s' LIKE '%s'", text, pattern)
                    .isEqualTo(defined(text.toLowerCase(java.util.Locale.ROOT), pattern));
        });
    }

    @Test
    void matches_manyAnyTexts_takesNoTime() {
        String pattern = "%a_".repeat(20_000) + "b";
        assertThatCode(() -> Assertions.assertTimeoutPreemptively(
                        Duration.ofSeconds(2), () -> LikePattern.of(pattern).matches("a".repeat(60_000))))
                .doesNotThrowAnyException();
        assertThat(LikePattern.of("keyline" + "%".repeat(60) + "!").matches("keyline_" + "x".repeat(60)))
                .isFalse();
    }

    private static String text(SplittableRandom random, String of) {
        StringBuilder text = new StringBuilder();
        int length = random.nextInt(8);
        for (int i = 0; i < length; i++) {
            text.append(of.charAt(random.nextInt(of.length())));
        }
        return text.toString();
    }

    /** Evaluates the definition literally. */
    private static boolean defined(String text, String pattern) {
        if (pattern.isEmpty()) {
            return text.isEmpty();
        }
        char c = pattern.charAt(0);
        if (c == '%') {
            return defined(text, pattern.substring(1)) || (!text.isEmpty() && defined(text.substring(1), pattern));
        }
        boolean escaped = c == '\\' && pattern.length() > 1;
        char wanted = escaped ? pattern.charAt(1) : c;
        boolean one = !text.isEmpty() && ((c == '_' && !escaped) || text.charAt(0) == wanted);
        return one && defined(text.substring(1), pattern.substring(escaped ? 2 : 1));
    }
}
