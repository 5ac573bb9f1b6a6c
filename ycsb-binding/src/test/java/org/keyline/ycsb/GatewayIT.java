package org.keyline.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The workloads through the gateway on its embedded store: no operation fails, and all rows verify.
 */
final class GatewayIT {
    private final List<GatewayProcess> gateways = new ArrayList<>();

    private String gateway(String cache, String... settings) throws IOException {
        List<String> options = new ArrayList<>(List.of("--store", "duckdb:memory", "--cache", cache));
        for (String setting : settings) {
            options.addAll(List.of("--set", setting));
        }
        GatewayProcess gateway = GatewayProcess.start(
                ServerProcess.freePort(),
                Path.of("../gateway/target/keyline.jar"),
                List.of("-Xmx512m", "-XX:TieredStopAtLevel=1"),
                options);
        gateways.add(gateway);
        return gateway.target().url();
    }

    @AfterEach
    void stop() {
        gateways.forEach(GatewayProcess::close);
    }

    @Test
    void coreWorkloads_everyRow_verifies() throws Exception {
        runCoreWorkloads("on");
    }

    @Test
    @Tag("nightly")
    void coreWorkloads_withoutTheCache_everyRowVerifies() throws Exception {
        runCoreWorkloads("off");
    }

    @Test
    void strategyWorkload_linesOfAPrefix_everyRowVerifies() throws Exception {
        runStrategyWorkload("2", "in");
    }

    @ParameterizedTest
    @Tag("nightly")
    @CsvSource({"1, in", "2, point", "full, in"})
    void strategyWorkload_everyGranularity_verifies(String prefix, String shape) throws Exception {
        runStrategyWorkload(prefix, shape);
    }

    private void runCoreWorkloads(String cache) throws Exception {
        String url = gateway(cache);
        for (String letter : List.of("a", "b", "c", "d", "e", "f")) {
            WorkloadRun result = WorkloadRun.run(url, "doris", "workloads/workload" + letter, 200, null);

            assertThat(result.failed()).as("workload " + letter).isZero();
            assertThat(result.verified()).as("workload " + letter).isPositive();
        }
    }

    private void runStrategyWorkload(String prefix, String shape) throws Exception {
        String url = gateway("on", "tables.ycsb.strategy_vertex.prefix=" + prefix);

        WorkloadRun result = WorkloadRun.run(
                url,
                "doris",
                "workloads/strategy",
                200,
                null,
                "strategy.request.shape=" + shape,
                "strategy.update=0.2");

        assertThat(result.failed()).isZero();
        assertThat(result.verified()).isPositive();
    }
}
