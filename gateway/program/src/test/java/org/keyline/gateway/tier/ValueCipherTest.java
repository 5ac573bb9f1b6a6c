package org.keyline.gateway.tier;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Encrypted values can be read only with the key, under their name. */
final class ValueCipherTest {
    private static final byte[] NAME = "keyline:line:1".getBytes(UTF_8);
    private static final byte[] VALUE = "secret rows, secret rows".getBytes(UTF_8);
    private static final int NONCE_AT = 1 + 8;

    private static ValueCipher cipher(int key) {
        byte[] bytes = new byte[ValueCipher.KEY_BYTES];
        bytes[31] = (byte) key;
        return new ValueCipher(bytes, new SecureRandom());
    }

    @Test
    void open_byAnotherGatewayWithTheSameKey_isTheValue() throws Exception {
        ValueCipher writer = cipher(1);
        ValueCipher reader = cipher(1);
        for (int i = 0; i < 3; i++) {
            byte[] sealed = writer.seal(NAME, VALUE);
            assertThat(new String(sealed, UTF_8)).doesNotContain("secret");
            assertThat(reader.open(NAME, sealed)).isEqualTo(VALUE);
        }
        assertThat(reader.open(NAME, writer.seal(NAME, new byte[0]))).isEmpty();
    }

    @Test
    void open_underAnotherName_withAnotherKey_orChangedAnywhere_isRefused() {
        byte[] sealed = cipher(1).seal(NAME, VALUE);
        ValueCipher reader = cipher(1);
        assertUnfit(reader, "keyline:line:2".getBytes(UTF_8), sealed);
        assertUnfit(cipher(2), NAME, sealed);
        assertUnfit(reader, NAME, VALUE);
        for (int bit = 0; bit < sealed.length * 8; bit++) {
            byte[] changed = sealed.clone();
            changed[bit / 8] ^= (byte) (1 << (bit % 8));
            assertUnfit(reader, NAME, changed);
        }
        for (int length = 0; length < sealed.length; length++) {
            assertUnfit(reader, NAME, Arrays.copyOf(sealed, length));
        }
    }

    private static void assertUnfit(ValueCipher reader, byte[] name, byte[] sealed) {
        assertThatThrownBy(() -> reader.open(name, sealed)).isInstanceOf(ValueCodec.Unfit.class);
    }

    /** A nonce that occurs twice with one key would reveal the difference of two values. */
    @Test
    void seal_ofAnyWriter_takesNoNonceTwice() {
        Set<String> nonces = new HashSet<>();
        for (int writer = 0; writer < 3; writer++) {
            ValueCipher cipher = cipher(1);
            for (int i = 0; i < 100; i++) {
                byte[] sealed = cipher.seal(NAME, VALUE);
                nonces.add(Arrays.toString(Arrays.copyOfRange(sealed, NONCE_AT, NONCE_AT + 24)));
            }
        }
        assertThat(nonces).hasSize(300);
    }
}
