package org.keyline.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The workloads on a real server: right rows verify, tampered ones do not. */
final class WorkloadIT {
    private static final String URL = MariaDb.url("mysql", "workloads");

    @ParameterizedTest
    @ValueSource(strings = {"a", "b", "c", "d", "e", "f"})
    void coreWorkload_untouchedRows_verify(String letter) throws Exception {
        WorkloadRun result = run("workloads/workload" + letter, 200, null);

        assertThat(result.failed()).isZero();
        assertThat(result.verified()).isPositive();
    }

    @ParameterizedTest
    @ValueSource(strings = {"c", "e"})
    void coreWorkload_changedRows_failVerification(String letter) throws Exception {
        WorkloadRun result = run("workloads/workload" + letter, 200, "UPDATE usertable SET field3 = REVERSE(field3)");

        // Only rows that the run itself inserts are right.
        assertThat(result.failed()).isGreaterThan(10 * result.verified());
    }

    @Test
    void coreWorkload_rowWithAFieldMissing_failsVerification() throws Exception {
        WorkloadRun result = run("workloads/workloadc", 200, "UPDATE usertable SET field3 = NULL");

        assertThat(result.verified()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"in", "point"})
    void strategyWorkload_everyShape_verifies(String shape) throws Exception {
        WorkloadRun result = run("workloads/strategy", 200, null, "strategy.request.shape=" + shape);

        assertThat(result.failed()).isZero();
        assertThat(result.verified()).isPositive();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DELETE FROM strategy_vertex WHERE vertex_id % 2 = 0",
                "UPDATE strategy_vertex SET payload = REVERSE(payload)",
                "UPDATE strategy_vertex SET revision = revision + 1",
                "INSERT INTO strategy_vertex SELECT user_id, graph_id, vertex_id + 20, revision, payload FROM strategy_vertex"
            })
    void strategyWorkload_tamperedRows_failVerification(String tampering) throws Exception {
        WorkloadRun result =
                run("workloads/strategy", 200, tampering, "strategy.request.absent=0.5", "strategy.update=0");

        assertThat(result.failed()).isPositive();
    }

    private static WorkloadRun run(String file, int operations, @Nullable String tampering, String... more)
            throws Exception {
        return WorkloadRun.run(URL, "mysql", file, operations, tampering, more);
    }
}
