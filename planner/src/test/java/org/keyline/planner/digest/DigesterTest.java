package org.keyline.planner.digest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

final class DigesterTest {
    private final Digester digester = new Digester();

    @ParameterizedTest
    @CsvFileSource(resources = "DigesterTest.digest_text_isNormalised.txt", delimiter = '|', quoteCharacter = '~')
    void digest_text_isNormalised(String sql, String normalised) {
        digest(sql, SqlMode.DEFAULT);
        assertThat(digester.normalised()).isEqualTo(normalised);
    }

    @Test
    void digest_ansiQuotes_areWrittenAsBackquotes() {
        digest("\"a\"\"b`c\" 'd'", new SqlMode(true, false, false));
        assertThat(digester.normalised()).isEqualTo("`a\"b``c` ?");
        digest("\"a\"", SqlMode.DEFAULT);
        assertThat(digester.normalised()).isEqualTo("?");
    }

    @Test
    void slots_literals_haveKindPlaceAndValue() {
        digest(
                "f('a\\n''\\\\\\%\\x', \"b\"\"'\", 18446744073709551615, 18446744073709551616, 007, 1.50, 2e3, x'4a4B', 0xABC, b'101', 0b100000001, ?)",
                SqlMode.DEFAULT);
        assertThat(digester.slots()).isEqualTo(12);
        assertThat(string(0)).isEqualTo("a\n'\\\\%x");
        assertThat(string(1)).isEqualTo("b\"'");
        assertThat(digester.slotKind(2)).isEqualTo(SlotKind.INTEGER);
        assertThat(digester.integerValue(2)).isEqualTo(-1L);
        assertThat(digester.slotKind(3)).isEqualTo(SlotKind.DECIMAL);
        assertThat(digester.integerValue(4)).isEqualTo(7);
        assertThat(digester.slotKind(5)).isEqualTo(SlotKind.DECIMAL);
        assertThat(digester.slotText(5)).isEqualTo("1.50");
        assertThat(digester.slotKind(6)).isEqualTo(SlotKind.FLOAT);
        assertThat(string(7)).isEqualTo("JK");
        assertThat(digester.stringValue(8)).containsExactly(0x0A, 0xBC);
        assertThat(digester.stringValue(9)).containsExactly(5);
        assertThat(digester.stringValue(10)).containsExactly(1, 1);
        assertThat(digester.slotKind(11)).isEqualTo(SlotKind.PLACEHOLDER);
    }

    @Test
    void slots_ofAnotherKind_areRefused() {
        digest("1 'a'", SqlMode.DEFAULT);
        assertThatThrownBy(() -> digester.stringValue(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> digester.integerValue(1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> digester.slotKind(2)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void slots_noBackslashEscapes_retainsBackslashes() {
        digest("'a\\n'", new SqlMode(false, true, false));
        assertThat(string(0)).isEqualTo("a\\n");
    }

    @Test
    void slots_withinALargerArray_areOffsetsIntoIt() {
        byte[] sql = "xxSELECT 'a'yy".getBytes(UTF_8);
        digester.digest(sql, 2, 12, SqlMode.DEFAULT);
        assertThat(digester.normalised()).isEqualTo("SELECT ?");
        assertThat(digester.slotStart(0)).isEqualTo(9);
        assertThat(digester.slotEnd(0)).isEqualTo(12);
        assertThat(digester.source()).isEqualTo("SELECT 'a'");
    }

    @Test
    void digest_badTexts_haveTheirOutcome() {
        assertThat(digest("SELECT 'a", SqlMode.DEFAULT)).isEqualTo(Outcome.MALFORMED);
        assertThat(digest("SELECT 5--3", SqlMode.DEFAULT)).isEqualTo(Outcome.AMBIGUOUS);
        assertThat(digest("SELECT /*! 1 */", SqlMode.DEFAULT)).isEqualTo(Outcome.EXECUTABLE_COMMENT);
        assertThat(digest("x".repeat(Digester.DEFAULT_MAX_BYTES + 1), SqlMode.DEFAULT))
                .isEqualTo(Outcome.TOO_LONG);
        assertThat(digest("x".repeat(Digester.DEFAULT_MAX_BYTES), SqlMode.DEFAULT))
                .isEqualTo(Outcome.DIGESTED);
        assertThat(digest("", SqlMode.DEFAULT)).isEqualTo(Outcome.DIGESTED);
        assertThat(digester.statements()).isZero();
    }

    @Test
    void digest_sameShape_hasTheSameHash() {
        digest("SELECT v FROM t WHERE k = 1", SqlMode.DEFAULT);
        long high = digester.hashHigh();
        long low = digester.hashLow();
        digest("SELECT  v FROM t WHERE k='other'", SqlMode.DEFAULT);
        assertThat(digester.hashHigh()).isEqualTo(high);
        assertThat(digester.hashLow()).isEqualTo(low);
        digest("SELECT V FROM t WHERE k='other'", SqlMode.DEFAULT);
        assertThat(digester.hashLow()).isNotEqualTo(low);
    }

    private Outcome digest(String sql, SqlMode mode) {
        byte[] bytes = sql.getBytes(UTF_8);
        return digester.digest(bytes, 0, bytes.length, mode);
    }

    private String string(int slot) {
        return new String(digester.stringValue(slot), UTF_8);
    }
}
