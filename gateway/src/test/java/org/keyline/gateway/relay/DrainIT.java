package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/** A gateway that stops ends what the store still runs for its clients, whoever logged them in. */
@DisabledIf("org.keyline.gateway.fixtures.MariaDb#isMySql") // KILL of a SLEEP is no error there
final class DrainIT {
    /** Far longer than the test waits. */
    private static final String SLEEP = "SELECT SLEEP(600)";

    @Test
    void close_underALongQuery_endsItAtTheStore() throws Exception {
        MariaDb store = MariaDb.get("drained");
        assertEnded(store, RelayGateway.start(store, "drainTimeout=100ms"));
    }

    @Test
    void close_underALongQueryOfALocalUser_endsItAtTheStore(@TempDir Path directory) throws Exception {
        MariaDb store = MariaDb.get("drained");
        Path config = Files.writeString(directory.resolve("users.yaml"), """
                drainTimeout: 100ms
                users:
                  - {name: keyline, plugin: mysql_native_password, hash: "*14E65567ABDB5135D0CFD9A70B3032C179A49EE7", storeUser: keyline, storePassword: secret}
                """);
        assertEnded(store, RelayGateway.start(store, config));
    }

    private static void assertEnded(MariaDb store, RelayGateway gateway) throws Exception {
        try (Connection admin = DriverManager.getConnection(store.jdbc(""))) {
            CompletableFuture<Integer> client = CompletableFuture.supplyAsync(() -> sleep(gateway));
            await().atMost(1, TimeUnit.MINUTES).until(() -> sleeping(admin) == 1);
            gateway.close();
            await().atMost(1, TimeUnit.MINUTES).until(() -> sleeping(admin) == 0);
            // What the store said, passed on before the connection ended.
            assertThat(client.get(1, TimeUnit.MINUTES)).isIn(1317, 1927);
        }
    }

    private static int sleep(RelayGateway gateway) {
        try (Connection connection = DriverManager.getConnection(gateway.jdbc(""));
                Statement sql = connection.createStatement()) {
            sql.execute(SLEEP);
            return 0;
        } catch (SQLException e) {
            return e.getErrorCode();
        }
    }

    private static int sleeping(Connection admin) throws SQLException {
        try (Statement sql = admin.createStatement();
                ResultSet rows = sql.executeQuery(
                        "SELECT COUNT(*) FROM information_schema.processlist WHERE info = '" + SLEEP + "'")) {
            rows.next();
            return rows.getInt(1);
        }
    }
}
