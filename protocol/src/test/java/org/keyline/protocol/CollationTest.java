package org.keyline.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Ids from SHOW COLLATION of MySQL 8.4 and MariaDB 11.4. */
final class CollationTest {
    @ParameterizedTest
    @CsvSource({
        "8, latin1_swedish_ci, latin1",
        "33, utf8mb3_general_ci, utf8mb3",
        "45, utf8mb4_general_ci, utf8mb4",
        "46, utf8mb4_bin, utf8mb4",
        "63, binary, binary",
        "101, utf16_unicode_ci, utf16",
        "120, utf16_sinhala_ci, utf16",
        "151, ucs2_vietnamese_ci, ucs2",
        "192, utf8mb3_unicode_ci, utf8mb3",
        "224, utf8mb4_unicode_ci, utf8mb4",
        "245, utf8mb4_croatian_ci, utf8mb4",
        "246, utf8mb4_unicode_520_ci, utf8mb4",
        "247, utf8mb4_vietnamese_ci, utf8mb4",
        "255, utf8mb4_0900_ai_ci, utf8mb4",
        "309, utf8mb4_0900_bin, utf8mb4",
        "1032, latin1_swedish_nopad_ci, latin1",
        "1069, utf8mb4_general_nopad_ci, utf8mb4",
        "1070, utf8mb4_nopad_bin, utf8mb4",
        "1248, utf8mb4_unicode_nopad_ci, utf8mb4",
        "1270, utf8mb4_unicode_520_nopad_ci, utf8mb4",
        "2048, utf8mb3_uca1400_ai_ci, utf8mb3",
        "2304, utf8mb4_uca1400_ai_ci, utf8mb4",
        "2308, utf8mb4_uca1400_nopad_ai_ci, utf8mb4"
    })
    void byId_knownIds_haveTheServersNames(int id, String name, String charset) {
        Collation collation = Objects.requireNonNull(Collation.byId(id));
        assertThat(collation).isEqualTo(new Collation(id, name, charset));
        assertThat(Collation.byName(name)).isEqualTo(collation);
    }

    @Test
    void byId_zeroOrUnknown_isNull() {
        assertThat(Collation.byId(0)).isNull();
        assertThat(Collation.byId(17)).isNull();
        assertThat(Collation.byId(65_535)).isNull();
    }

    /** A collation id of 0 or one that nobody knows must not break the connection. */
    @Test
    void charsetOf_unknown_isUtf8() {
        assertThat(Collation.charsetOf(0)).isEqualTo(StandardCharsets.UTF_8);
        assertThat(Collation.charsetOf(4000)).isEqualTo(StandardCharsets.UTF_8);
        assertThat(Collation.charsetOf(8)).isEqualTo(Charset.forName("windows-1252"));
        assertThat(Collation.charsetOf(63)).isEqualTo(StandardCharsets.ISO_8859_1);
    }

    @Test
    void byName_anyCaseAndOldUtf8_isFound() {
        assertThat(Objects.requireNonNull(Collation.byName("UTF8_general_CI")).id())
                .isEqualTo(33);
        assertThat(Objects.requireNonNull(Collation.defaultOf("UTF8")).id()).isEqualTo(33);
        assertThat(Objects.requireNonNull(Collation.defaultOf("utf8mb4")).id()).isEqualTo(255);
        assertThat(Objects.requireNonNull(Collation.defaultOf("latin1")).id()).isEqualTo(8);
        assertThat(Collation.defaultOf("klingon")).isNull();
    }
}
