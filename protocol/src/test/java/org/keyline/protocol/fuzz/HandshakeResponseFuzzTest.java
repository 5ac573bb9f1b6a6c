package org.keyline.protocol.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;

final class HandshakeResponseFuzzTest {
    private final HandshakeResponseTarget target = new HandshakeResponseTarget();

    @FuzzTest(maxDuration = "5m")
    void anyInput_satisfiesTheInvariants(byte[] input) {
        target.run(input);
    }
}
