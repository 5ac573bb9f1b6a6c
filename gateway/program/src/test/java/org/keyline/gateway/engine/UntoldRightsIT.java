package org.keyline.gateway.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.gateway.fixtures.Lines.one;
import static org.keyline.gateway.fixtures.Lines.source;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/**
 * A MySQL of another vendor without accounts. It has no schema {@code mysql} and refuses SHOW
 * GRANTS; its {@code information_schema} shows no indexes, triggers or constraints. All statements
 * are then forwarded, and none fails.
 */
@EnabledIfSystemProperty(named = "keyline.engines", matches = "go-mysql-server(,.*)?")
class UntoldRightsIT {
    @Test
    void gateway_startsAndForwards() throws Exception {
        MariaDb store = MariaDb.get("untold");
        try (RelayGateway gateway = RelayGateway.start(store, "store.refresh=1s");
                Connection connection = DriverManager.getConnection(gateway.jdbc(""));
                Statement sql = connection.createStatement()) {
            for (String statement : List.of(
                    "CREATE DATABASE d",
                    "CREATE TABLE d.t (id INT PRIMARY KEY, n INT)",
                    "INSERT INTO d.t VALUES (1, 10)",
                    "CREATE TABLE d.u (id INT PRIMARY KEY, n INT)",
                    "INSERT INTO d.u VALUES (1, 10)",
                    "USE d",
                    "CREATE TRIGGER told AFTER UPDATE ON t FOR EACH ROW UPDATE u SET n = NEW.n WHERE id = 1")) {
                sql.execute(statement);
            }
            for (int n = 11; n < 40; n++) {
                sql.execute("UPDATE t SET n = " + n + " WHERE id = 1");
                for (int i = 0; i < 3; i++) {
                    assertThat(one(connection, "SELECT n FROM t WHERE id = 1")).isEqualTo(String.valueOf(n));
                    assertThat(source(connection)).isEqualTo("store");
                    assertThat(one(connection, "SELECT n FROM u WHERE id = 1")).isEqualTo(String.valueOf(n));
                }
            }
            assertThat(one(connection, "KEYLINE EXPLAIN SELECT n FROM d.t WHERE id = 1", 2))
                    .contains("key");
        }
    }
}
