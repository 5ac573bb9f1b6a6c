package org.keyline.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

/** Ids from SHOW COLLATION of MySQL 8.4 and MariaDB 11.4. */
final class CollationTest {
    @ParameterizedTest
    @CsvFileSource(resources = "CollationTest.byId_knownIds_haveTheServersNames.txt", quoteCharacter = '\'')
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

    /** A collation id of 0 or an unknown one must not break the connection. */
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
