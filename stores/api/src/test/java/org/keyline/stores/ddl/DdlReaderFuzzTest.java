package org.keyline.stores.ddl;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.Arrays;
import org.keyline.planner.digest.SqlMode;

/**
 * Any bytes are read as DDL without an exception other than MySQL's errors; the first byte chooses
 * the mode.
 */
final class DdlReaderFuzzTest {
    @FuzzTest(maxDuration = "5m")
    void anyInput_isReadOrRefused(byte[] input) {
        if (input.length == 0) {
            return;
        }
        SqlMode mode = new SqlMode((input[0] & 1) != 0, (input[0] & 2) != 0, (input[0] & 4) != 0);
        DdlChecks.check(Arrays.copyOfRange(input, 1, input.length), mode);
    }
}
