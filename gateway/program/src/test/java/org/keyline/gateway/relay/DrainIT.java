package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.keyline.gateway.fixtures.Lines.soon;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.keyline.gateway.fixtures.Lines;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/**
 * A gateway that stops also ends the statements that the store still runs for its clients,
 * whichever side logged them in.
 */
@DisabledIf("org.keyline.gateway.fixtures.MariaDb#isMySql") // KILL of a SLEEP is no error there
final class DrainIT {
    /** Far longer than the test. */
    private static final String SLEEP = "SELECT SLEEP(600)";

    @Test
    void close_underALongQuery_endsItAtTheStore() throws Exception {
        MariaDb store = MariaDb.get("second");
        assertEnded(store, RelayGateway.start(store, "drainTimeout=100ms"));
    }

    @Test
    void close_afterAShorterDrainTimeoutWasSet_isThatOfNow() throws Exception {
        MariaDb store = MariaDb.get("second");
        RelayGateway gateway = RelayGateway.start(store, "drainTimeout=1h");
        try (Connection connection = gateway.connect("")) {
            Lines.run(connection, "KEYLINE SET drainTimeout = '100ms'");
        }
        assertEnded(store, gateway);
    }

    @Test
    void close_underALongQueryOfALocalUser_endsItAtTheStore(@TempDir Path directory) throws Exception {
        MariaDb store = MariaDb.get("second");
        Path config = Files.writeString(directory.resolve("users.yaml"), """
                drainTimeout: 100ms
                users:
                  - {name: keyline, plugin: mysql_native_password, hash: "*14E65567ABDB5135D0CFD9A70B3032C179A49EE7", storeUser: keyline, storePassword: secret}
                """);
        assertEnded(store, RelayGateway.start(store, config));
    }

    @Test
    void close_whileATransactionIsOpen_letsItCommit() throws Exception {
        MariaDb store = MariaDb.get("second");
        store.run(
                "CREATE OR REPLACE DATABASE drained",
                "CREATE TABLE drained.t (id INT PRIMARY KEY, v INT)",
                "INSERT INTO drained.t VALUES (1, 1)");
        try (Connection admin = store.connect("")) {
            RelayGateway gateway = RelayGateway.start(store, "drainTimeout=1h");
            try (Connection idle = gateway.connect("drained");
                    Connection busy = gateway.connect("drained");
                    Statement sql = busy.createStatement()) {
                busy.setAutoCommit(false);
                sql.execute("UPDATE t SET v = 2");
                CompletableFuture<Void> closing = CompletableFuture.runAsync(gateway::close);
                soon("the sleep, or its end").until(() -> !idle.isValid(10));
                assertThatThrownBy(() -> gateway.connect("")).isInstanceOf(SQLException.class);
                sql.execute("UPDATE t SET v = v + 1");
                busy.commit();
                // The connection closes with its transaction, and the gateway with its last
                // connection.
                closing.get(1, TimeUnit.MINUTES);
                assertThat(busy.isValid(10)).isFalse();
            }
            assertThat(Lines.one(admin, "SELECT v FROM drained.t")).isEqualTo("3");
        }
    }

    private static void assertEnded(MariaDb store, RelayGateway gateway) throws Exception {
        try (Connection admin = store.connect("")) {
            CompletableFuture<Integer> client = CompletableFuture.supplyAsync(() -> sleep(gateway));
            soon("the sleep, or its end").until(() -> sleeping(admin).equals("1"));
            gateway.close();
            soon("the sleep, or its end").until(() -> sleeping(admin).equals("0"));
            // The store's error, sent before the connection closed.
            assertThat(client.get(1, TimeUnit.MINUTES)).isIn(1317, 1927);
        }
    }

    private static int sleep(RelayGateway gateway) {
        try (Connection connection = gateway.connect("");
                Statement sql = connection.createStatement()) {
            sql.execute(SLEEP);
            return 0;
        } catch (SQLException e) {
            return e.getErrorCode();
        }
    }

    private static String sleeping(Connection admin) throws SQLException {
        return Lines.one(admin, "SELECT COUNT(*) FROM information_schema.processlist WHERE info = '" + SLEEP + "'");
    }
}
