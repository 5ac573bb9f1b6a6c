package org.keyline.protocol.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;

final class ReplyScannerFuzzTest {
    private final ReplyScannerTarget target = new ReplyScannerTarget();

    @FuzzTest(maxDuration = "5m")
    void anyInput_satisfiesTheInvariants(byte[] input) {
        target.run(input);
    }
}
