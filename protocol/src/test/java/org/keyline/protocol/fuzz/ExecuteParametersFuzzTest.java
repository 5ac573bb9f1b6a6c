package org.keyline.protocol.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;

final class ExecuteParametersFuzzTest {
    private final ExecuteParametersTarget target = new ExecuteParametersTarget();

    @FuzzTest(maxDuration = "5m")
    void anyInput_satisfiesTheInvariants(byte[] input) {
        target.run(input);
    }
}
