package org.keyline.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The light client at a gateway: it reads YCSB's rows, and accepts no other row instead. */
final class LightClientIT {
    private static final int RECORDS = 200;
    private static GatewayProcess gateway;

    /** The rows are those of YCSB's own workload: 200 records, verified by it. */
    @BeforeAll
    static void start() throws Exception {
        gateway = GatewayProcess.start(
                ServerProcess.freePort(),
                Path.of("../gateway/target/keyline.jar"),
                List.of("-Xmx512m", "-XX:TieredStopAtLevel=1"),
                List.of("--store", "duckdb:memory"));
        WorkloadRun run = WorkloadRun.run(gateway.target().url(), "doris", "workloads/workloadc", 10, null);
        assertThat(run.failed()).isZero();
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    private static Results read(boolean prepared) throws IOException {
        Target target = prepared ? gateway.target() : gateway.target().withoutPreparing();
        try (LightClient client = new LightClient(target, 5, new LightClient.Rows(RECORDS))) {
            return client.run(1);
        }
    }

    /** The responder has one row, so the client, which compares every row, reads no other. */
    @Test
    void run_responder_answersWithTheFirstRow() throws Exception {
        int port = ServerProcess.freePort();
        Target bare = Target.onLoopback(port);
        try (ServerProcess responder =
                PointQueryExperiment.responder(Path.of("../gateway/target/keyline.jar"), port, "epoll")) {
            assertThat(responder.processorTime()).isNotNull();
            for (Target target : List.of(bare, bare.withoutPreparing())) {
                try (LightClient client = new LightClient(target, 5, new LightClient.Rows(1))) {
                    assertThat(client.run(1).get("operations")).isPositive();
                }
            }
        }
    }

    private static void change(String sql) throws Exception {
        try (Connection connection = gateway.target().open();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void run_rowsOfYcsb_areThoseExpected_andAnotherRowIsNotTakenForOne() throws Exception {
        for (boolean prepared : new boolean[] {true, false}) {
            Results seen = read(prepared);

            assertThat(seen.get("operations")).isPositive();
            assertThat(seen.get("operations/s")).isLessThanOrEqualTo(seen.get("operations"));
        }
        change("UPDATE usertable SET FIELD9 = CONCAT(LEFT(FIELD9, 99), '?') WHERE YCSB_KEY > ''");
        for (boolean prepared : new boolean[] {true, false}) {
            assertThatThrownBy(() -> read(prepared)).hasMessageStartingWith("expected the row of its key, but was ");
        }
        change("DELETE FROM usertable WHERE YCSB_KEY > ''");
        assertThatThrownBy(() -> read(true)).hasMessageStartingWith("expected a row of key user");
        change("DROP TABLE usertable");
        assertThatThrownBy(() -> read(false)).hasMessageMatching("an error instead of a result: .*42S02.*usertable.*");
    }
}
