package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.Counters;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/** A store that is paused, killed and started again while clients read and write through the gateway. */
class RelayFaultsIT {
    private static final int CLIENTS = 4;

    private static MariaDb store;
    private static RelayGateway gateway;

    @BeforeAll
    static void start() throws Exception {
        store = MariaDb.get("faulty");
        gateway = RelayGateway.start(store, "cache.loadTimeout=500ms", "cache.ttl=200ms", "store.refresh=200ms");
        try (Connection straight = DriverManager.getConnection(store.jdbc(""));
                Statement sql = straight.createStatement()) {
            sql.execute("CREATE DATABASE IF NOT EXISTS f");
            sql.execute("USE f");
            Counters.create(sql, "(id INT PRIMARY KEY, n INT NOT NULL)");
        }
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    private static void signal(long pid, String signal) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + signal, Long.toString(pid))
                        .start()
                        .waitFor())
                .isZero();
    }

    @Test
    void storePausedKilledAndStartedAgain_nobodyReadsAWrongRow() throws Exception {
        String url = gateway.jdbc("f") + "&useServerPrepStmts=true&socketTimeout=20000&connectTimeout=5000";
        try (Counters load = new Counters(url).begin()) {
            load.awaitReads(2_000);

            long pid = store.pid();
            signal(pid, "STOP");
            // Nobody can log in to a store that does not answer, and nobody is told anything wrong meanwhile.
            assertThatThrownBy(() -> DriverManager.getConnection(
                                    gateway.jdbc("f") + "&connectTimeout=1000&socketTimeout=1000")
                            .close())
                    .isInstanceOf(SQLException.class);
            signal(pid, "CONT");
            load.awaitReads(2_000);

            int before = load.failures();
            signal(pid, "KILL");
            await().until(() -> load.failures() >= before + CLIENTS);
            assertThatThrownBy(
                            () -> DriverManager.getConnection(gateway.jdbc("f")).close())
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("Can't connect");
            store.startAgain();
            load.awaitReads(2_000);
        }
    }
}
