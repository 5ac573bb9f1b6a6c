package org.keyline.planner;

import com.code_intelligence.jazzer.junit.FuzzTest;
import org.keyline.planner.digest.Digester;
import org.keyline.planner.digest.DigesterChecks;
import org.keyline.planner.digest.SqlMode;
import org.keyline.planner.statement.KeylineReader;

/**
 * Any bytes are lexed, digested and planned without an exception; the first byte chooses the mode.
 */
final class PlannerFuzzTest {
    private final TestCatalog catalog = TestCatalog.shared();

    @FuzzTest(maxDuration = "5m")
    void anyInput_hasAPlan(byte[] input) {
        if (input.length == 0) {
            return;
        }
        SqlMode mode = new SqlMode((input[0] & 1) != 0, (input[0] & 2) != 0, (input[0] & 4) != 0);
        byte[] sql = java.util.Arrays.copyOfRange(input, 1, input.length);
        DigesterChecks.check(sql, mode);
        Digester digester = new Digester();
        digester.digest(sql, 0, sql.length, mode);
        Plans.text(Plans.PLANNER.plan(digester, "d", catalog).plan());
        KeylineReader.read(digester);
    }
}
