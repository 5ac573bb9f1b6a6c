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
import site.ycsb.DB;
import site.ycsb.Workload;
import site.ycsb.measurements.Measurements;
import site.ycsb.measurements.exporter.TextMeasurementsExporter;

/**
 * One small load and run with one thread: its additions to the measurements, which YCSB stores for
 * the whole JVM.
 *
 * @param failed operations and verifications
 * @param verified rows or requests
 */
record WorkloadRun(double failed, double verified) {
    /**
     * Creates, loads and runs in this JVM; {@code tampering} is a statement between load and run.
     */
    static WorkloadRun run(
            String url, String ddl, String file, int operations, @Nullable String tampering, String... more)
            throws Exception {
        List<String> options = new ArrayList<>(List.of("-P", file));
        for (String property : List.of(
                "db.url=" + url,
                "ddl=" + ddl,
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
        Results before = result();
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
            try (Connection connection = DriverManager.getConnection(url, "root", "");
                    Statement statement = connection.createStatement()) {
                assertThat(statement.executeUpdate(tampering)).isPositive();
            }
        }
        for (int i = 0; i < operations; i++) {
            workload.doTransaction(db, thread);
        }
        workload.cleanup();
        db.cleanup();
        Results after = result();
        return new WorkloadRun(after.failed() - before.failed(), after.verified() - before.verified());
    }

    private static Results result() throws Exception {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        TextMeasurementsExporter exporter = new TextMeasurementsExporter(text);
        Measurements.getMeasurements().exportMeasurements(exporter);
        exporter.close();
        return Results.ofYcsb(text.toString(StandardCharsets.UTF_8).lines().toList());
    }
}
