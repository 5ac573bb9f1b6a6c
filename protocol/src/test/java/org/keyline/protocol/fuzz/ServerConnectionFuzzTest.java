package org.keyline.protocol.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;

final class ServerConnectionFuzzTest {
    private final ServerConnectionTarget target = new ServerConnectionTarget();

    @FuzzTest(maxDuration = "5m")
    void anyInput_satisfiesTheInvariants(byte[] input) {
        target.run(input);
    }
}
