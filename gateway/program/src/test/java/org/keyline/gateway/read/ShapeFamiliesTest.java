package org.keyline.gateway.read;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ShapeFamiliesTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT a FROM t WHERE k IN ( ? , ? , ? )|SELECT a FROM t WHERE k IN ( ? )",
                "SELECT a FROM t WHERE k in ( ? , ? ) AND l = ?|SELECT a FROM t WHERE k in ( ? ) AND l = ?",
                "SELECT a FROM t WHERE ( k , l ) IN ( ( ? , ? ) , ( ? , ? ) )"
                        + "|SELECT a FROM t WHERE ( k , l ) IN ( ( ? , ? ) )",
                "SELECT a FROM t WHERE k IN ( ? , ? ) AND l IN ( ? , ? , ? )|SELECT a FROM t WHERE k IN ( ? ) AND l IN ( ? )"
            })
    void anyLength_ofLists_isTheirFirstValue(String text, String expected) {
        assertThat(ShapeFamilies.anyLength(text)).isEqualTo(expected);
    }

    /**
     * A list that contains anything but plain values keeps its text, so it has separate templates.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT a FROM t WHERE k = ?",
                "SELECT a FROM t WHERE k IN ( ? )",
                "SELECT `IN ( ? , ? )` FROM t WHERE k = ?",
                "SELECT a FROM t WHERE k IN ( - ? , ? )",
                "SELECT a FROM t WHERE k IN ( SELECT ? , ? )",
                "SELECT a FROM t WHERE k IN ( b , c )",
                "SELECT a FROM t WHERE ( k , l ) IN ( ( ? , ? ) , ( ? , NULL ) )",
                "SELECT a FROM t WHERE k IN",
                "SELECT a FROM t WHERE k IN ("
            })
    void anyLength_ofAnythingElse_isNull(String text) {
        assertThat(ShapeFamilies.anyLength(text)).isNull();
    }

    @Test
    void anyLength_ofListWithAnOddValue_keepsTheRest() {
        assertThat(ShapeFamilies.anyLength("SELECT a FROM t WHERE k IN ( ? , ? , NULL , ? )"))
                .isEqualTo("SELECT a FROM t WHERE k IN ( ? , NULL , ? )");
    }
}
