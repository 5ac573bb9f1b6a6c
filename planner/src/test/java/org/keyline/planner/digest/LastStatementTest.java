package org.keyline.planner.digest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class LastStatementTest {
    private final LastStatement last = new LastStatement();
    private final int[] starts = new int[4];
    private final int[] ends = new int[4];

    /** The text begins inside the array: positions refer to the array, not to the text. */
    @Test
    void sameStatement_withOtherPlainValues_isARepeat_withTheirPositions() {
        keep("SELECT v FROM t WHERE k = 1 AND l = 'ab'", "1", "'ab'");
        String other = "SELECT v FROM t WHERE k = 2345 AND l = ''";
        assertThat(repeats("..." + other, 3)).isTrue();
        assertThat(starts).startsWith(3 + other.indexOf("2345"), 3 + other.indexOf("''"));
        assertThat(ends).startsWith(3 + other.indexOf(" AND"), 3 + other.length());
    }

    @Test
    void anotherStatement_orOneWithAValueThatIsNotPlain_isNone() {
        keep("SELECT v FROM t WHERE k = 1", "1");
        assertThat(repeats("SELECT w FROM t WHERE k = 1", 0)).isFalse();
        assertThat(repeats("SELECT v FROM t WHERE k = 1 ", 0)).isFalse();
        assertThat(repeats("SELECT v FROM t WHERE k = 1.5", 0)).isFalse();
        assertThat(repeats("SELECT v FROM t WHERE k = '1'", 0)).isFalse();
        last.forget();
        assertThat(repeats("SELECT v FROM t WHERE k = 1", 0)).isFalse();
    }

    private void keep(String sql, String... values) {
        for (int i = 0; i < values.length; i++) {
            starts[i] = sql.indexOf(values[i]);
            ends[i] = starts[i] + values[i].length();
        }
        byte[] bytes = sql.getBytes(UTF_8);
        last.store(bytes, 0, bytes.length, SqlMode.DEFAULT, starts, ends, values.length);
    }

    private boolean repeats(String text, int from) {
        byte[] bytes = text.getBytes(UTF_8);
        return last.isRepeatedBy(bytes, from, bytes.length, SqlMode.DEFAULT, starts, ends);
    }
}
