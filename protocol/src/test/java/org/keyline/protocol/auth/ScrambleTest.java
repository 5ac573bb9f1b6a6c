package org.keyline.protocol.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class ScrambleTest {
    private static final byte[] SCRAMBLE = "eF!@34gH%^78eF!@34gH".getBytes(StandardCharsets.US_ASCII);

    @Test
    void create_neverHoldsNulOrDollarOrHighBytes() {
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            for (byte b : Scramble.create(random)) {
                assertThat(b).isPositive().isNotEqualTo((byte) '$');
            }
        }
    }

    @Test
    void of_dataWithClosingNul_dropsIt() {
        byte[] data = Arrays.copyOf(SCRAMBLE, 21);
        assertThat(Scramble.of(data)).isEqualTo(SCRAMBLE);
        assertThat(Scramble.of(SCRAMBLE)).isEqualTo(SCRAMBLE);
    }

    /** Computed by the formulas of the documentation with Python's hashlib. */
    @Test
    void proofs_ofKnownPasswordAndScramble_areThoseOfTheFormulas() {
        byte[] scramble = HexFormat.of().parseHex("546a5c1c241c450b6e2027012c2f362c545d4f01");
        byte[] password = "abc".getBytes(StandardCharsets.US_ASCII);
        assertThat(HexFormat.of().formatHex(Scramble.nativeProof(password, scramble)))
                .isEqualTo("362fc4e33c10f948ddd388c4be236ffb168841f6");
        assertThat(HexFormat.of().formatHex(Scramble.sha2Proof(password, scramble)))
                .isEqualTo("62fd2672e2621f69fefdfca6e1a0b49d4dff2c427b5a4a9f01ef63a8382b0792");
    }

    @Test
    void check_proofOfWrongLength_isFalse() {
        assertThat(Scramble.checkNative(new byte[0], SCRAMBLE, new byte[20])).isFalse();
        assertThat(Scramble.checkNative(new byte[21], SCRAMBLE, new byte[20])).isFalse();
        assertThat(Scramble.checkSha2(new byte[31], SCRAMBLE, new byte[32])).isFalse();
    }
}
