package org.keyline.protocol.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;

final class PacketFramerFuzzTest {
    private final PacketFramerTarget target = new PacketFramerTarget();

    @FuzzTest(maxDuration = "5m")
    void anyInput_satisfiesTheInvariants(byte[] input) {
        target.run(input);
    }
}
