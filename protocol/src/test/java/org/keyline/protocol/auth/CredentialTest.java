package org.keyline.protocol.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class CredentialTest {
    private final Random random = new Random(3);

    /** {@code SELECT PASSWORD('password')} of any MySQL before 8.0, and of MariaDB. */
    @Test
    void ofPassword_native_isMySqlsHash() {
        Credential credential = Credential.ofPassword(AuthPlugin.NATIVE_PASSWORD, "password", random);
        assertThat(credential.stored()).isEqualTo("*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19");
        assertThat(credential.checkPassword(ascii("password"))).isTrue();
        assertThat(credential.checkPassword(ascii("Password"))).isFalse();
    }

    /**
     * The example of hashcat's mode 7401, created by MySQL 8; its salt and digest are in
     * hexadecimal.
     */
    @Test
    void checkPassword_cryptMadeByMySql_matches() {
        String salt = latin1("F9CC98CE08892924F50A213B6BC571A2C11778C5");
        String digest =
                latin1("625479393559393965414D45316477456B484F41316E64484742577A2E3162785353526B7554584647562F");
        Credential credential = Credential.parse("$A$005$" + salt + digest);
        assertThat(credential.checkPassword(ascii("hashcat"))).isTrue();
        assertThat(credential.checkPassword(ascii("hashcat "))).isFalse();
        assertThat(credential.checkPassword(ascii(""))).isFalse();
    }

    /** Created by {@code openssl passwd -5} and by glibc's crypt. */
    @Test
    void crypt_isThatOfOtherImplementations() {
        assertThat(crypt("Hello world!", "saltstring", 5_000)).isEqualTo("5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5");
        assertThat(crypt("a rather longer password, of more than thirty-two bytes", "abcdefghijklmnop", 5_000))
                .isEqualTo("kvchWV41qGudGcTHk8Zpu4HNBKKGKN0IQgpOuJA1No4");
        assertThat(crypt("Hello world!", "saltstringsaltst", 10_000))
                .isEqualTo("3xv.VbSHBb41AL9AvLeujZkZRBAwqFMz2.opqey6IcA");
    }

    @Test
    void ofPassword_crypt_roundTripsThroughItsStoredForm() {
        for (String password : new String[] {"a", "pässwörd €", "x".repeat(31), "x".repeat(64), "x".repeat(256)}) {
            Credential made = Credential.ofPassword(AuthPlugin.CACHING_SHA2_PASSWORD, password, random);
            assertThat(made.stored()).matches("\\$A\\$005\\$[0-9A-Za-z]{20}[./0-9A-Za-z]{43}");
            Credential read = Credential.parse(made.stored());
            assertThat(read).isEqualTo(made);
            assertThat(read.checkPassword(password.getBytes(StandardCharsets.UTF_8)))
                    .isTrue();
            assertThat(read.checkPassword((password + "x").getBytes(StandardCharsets.UTF_8)))
                    .isFalse();
        }
    }

    @Test
    void ofPassword_empty_storesNothingAndTakesOnlyEmpty() {
        for (AuthPlugin plugin : AuthPlugin.values()) {
            Credential credential = Credential.ofPassword(plugin, "", random);
            assertThat(credential.stored()).isEmpty();
            assertThat(credential.checkPassword(new byte[0])).isTrue();
            assertThat(credential.checkPassword(ascii("x"))).isFalse();
        }
    }

    @Test
    void parse_anythingElse_isRefusedWithoutRepeatingIt() {
        String[] broken = {
            "secret",
            "*secret",
            "*" + "G".repeat(40),
            "$A$005$short",
            "$A$00x$" + "a".repeat(63),
            "$A$001$" + "a".repeat(63),
            "$A$0050" + "a".repeat(63)
        };
        for (String stored : broken) {
            assertThatThrownBy(() -> Credential.parse(stored))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageNotContaining("secret");
        }
        assertThatThrownBy(() -> Credential.parse(AuthPlugin.CACHING_SHA2_PASSWORD, "*" + "A".repeat(40)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void ofPassword_longerThanMySqlTakes_isRefused() {
        assertThatThrownBy(() -> Credential.ofPassword(AuthPlugin.NATIVE_PASSWORD, "x".repeat(257), random))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("257");
    }

    @Test
    void toString_hasNoHash() {
        Credential credential = Credential.ofPassword(AuthPlugin.NATIVE_PASSWORD, "password", random);
        assertThat(credential.toString()).isEqualTo("Credential[mysql_native_password]");
    }

    private static String crypt(String password, String salt, int rounds) {
        return new String(Sha256Crypt.digest(ascii(password), ascii(salt), rounds), StandardCharsets.US_ASCII);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static String latin1(String hex) {
        return new String(HexFormat.of().parseHex(hex), StandardCharsets.ISO_8859_1);
    }
}
