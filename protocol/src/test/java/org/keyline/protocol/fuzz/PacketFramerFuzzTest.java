package org.keyline.protocol.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;

final class PacketFramerFuzzTest {
    private final PacketFramerTarget target = new PacketFramerTarget();

    @FuzzTest(maxDuration = "5m")
    void anyInput_keepsThePromises(byte[] input) {
        target.run(input);
    }
}
