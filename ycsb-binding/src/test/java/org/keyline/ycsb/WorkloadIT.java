package org.keyline.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import site.ycsb.DB;
import site.ycsb.Workload;
import site.ycsb.measurements.Measurements;
import site.ycsb.measurements.exporter.TextMeasurementsExporter;

/** The workloads on a real server: what is right verifies, what was tampered with does not. */
final class WorkloadIT {
    /** What one run added to the measurements, which YCSB keeps for the whole JVM. */
    private record Outcome(long failed, long verified) {}

    private static final String URL = MariaDb.url("mysql", "workloads");

    @ParameterizedTest
    @ValueSource(strings = {"a", "b", "c", "d", "e", "f"})
    void coreWorkload_untouchedRows_verify(String letter) throws Exception {
        Outcome result = run("workloads/workload" + letter, 200, null);

        assertThat(result.failed()).isZero();
        assertThat(result.verified()).isPositive();
    }

    @ParameterizedTest
    @ValueSource(strings = {"c", "e"})
    void coreWorkload_changedRows_failVerification(String letter) throws Exception {
        Outcome result = run("workloads/workload" + letter, 200, "UPDATE usertable SET field3 = REVERSE(field3)");

        // Only rows that the run itself inserts are right.
        assertThat(result.failed()).isGreaterThan(10 * result.verified());
    }

    @Test
    void coreWorkload_rowWithAFieldMissing_failsVerification() throws Exception {
        Outcome result = run("workloads/workloadc", 200, "UPDATE usertable SET field3 = NULL");

        assertThat(result.verified()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"in", "point", "tuples"})
    void strategyWorkload_everyShape_verifies(String shape) throws Exception {
        Outcome result = run("workloads/strategy", 200, null, "strategy.request.shape=" + shape);

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
        Outcome result = run("workloads/strategy", 200, tampering, "strategy.request.absent=0.5", "strategy.update=0");

        assertThat(result.failed()).isPositive();
    }

    /** Creates, loads and runs with one thread in this JVM; {@code tampering} is a statement between load and run. */
    private static Outcome run(String file, int operations, @Nullable String tampering, String... more)
            throws Exception {
        List<String> options = new ArrayList<>(List.of("-P", file));
        for (String property : List.of(
                "db.url=" + URL,
                "ddl=mysql",
                "drop=true",
                "recordcount=200",
                "strategy.graphs=4",
                "requestdistribution=uniform")) {
            options.addAll(List.of("-p", property));
        }
        Arrays.stream(more).forEach(property -> options.addAll(List.of("-p", property)));
        Properties properties = Ycsb.properties(options);
        Ycsb.createTable(properties);
        Measurements.setProperties(properties);
        YcsbResult before = result();
        DB db = new KeylineClient();
        db.setProperties(properties);
        db.init();
        Workload workload = Class.forName(properties.getProperty("workload"))
                .asSubclass(Workload.class)
                .getDeclaredConstructor()
                .newInstance();
        workload.init(properties);
        Object thread = workload.initThread(properties, 0, 1);
        for (int i = 0; i < 200; i++) {
            assertThat(workload.doInsert(db, thread)).isTrue();
        }
        if (tampering != null) {
            try (Connection connection = DriverManager.getConnection(URL, "root", "");
                    Statement statement = connection.createStatement()) {
                assertThat(statement.executeUpdate(tampering)).isPositive();
            }
        }
        for (int i = 0; i < operations; i++) {
            workload.doTransaction(db, thread);
        }
        workload.cleanup();
        db.cleanup();
        YcsbResult after = result();
        return new Outcome(after.failed() - before.failed(), after.verified() - before.verified());
    }

    private static YcsbResult result() throws Exception {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        TextMeasurementsExporter exporter = new TextMeasurementsExporter(text);
        Measurements.getMeasurements().exportMeasurements(exporter);
        exporter.close();
        return YcsbResult.parse(text.toString(StandardCharsets.UTF_8).lines().toList());
    }
}
