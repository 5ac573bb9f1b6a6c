package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.keyline.gateway.fixtures.Lines.run;

import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.fixtures.Lines;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/**
 * A store of two servers: all sessions use the primary, and follow when another server becomes the
 * primary.
 */
@DisabledIf("org.keyline.gateway.fixtures.MariaDb#isMySql") // the replica is set up in MariaDB's way
final class FailoverIT {
    private static final String READ = "SELECT v FROM failover.t WHERE id = 1";

    private final MariaDb first = MariaDb.logging("first server");
    private final MariaDb second = MariaDb.logging("second server", "--server-id=8", "--log-slave-updates");
    private Connection atFirst;
    private Connection atSecond;

    @BeforeEach
    void replicate() throws SQLException {
        atFirst = first.connect("");
        atSecond = second.connect("");
        run(atFirst, "SET GLOBAL read_only = OFF");
        run(atSecond, "STOP SLAVE");
        run(atSecond, "SET GLOBAL read_only = OFF");
        for (Connection server : new Connection[] {atFirst, atSecond}) {
            run(server, "CREATE OR REPLACE DATABASE failover");
            run(server, "CREATE TABLE failover.t (id INT PRIMARY KEY, v INT)");
            run(server, "INSERT INTO failover.t VALUES (1, 0)");
        }
        String position = Lines.one(atFirst, "SELECT @@GLOBAL.gtid_binlog_pos");
        run(atSecond, "RESET MASTER");
        run(atSecond, "SET GLOBAL gtid_slave_pos = '" + position + "'");
        run(
                atSecond,
                "CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = " + first.port() + ", MASTER_USER = '"
                        + MariaDb.USER + "', MASTER_PASSWORD = '" + MariaDb.PASSWORD
                        + "', MASTER_USE_GTID = slave_pos, MASTER_SSL = 0, MASTER_SSL_VERIFY_SERVER_CERT = 0");
        run(atSecond, "START SLAVE");
        run(atSecond, "SET GLOBAL read_only = ON");
    }

    @AfterEach
    void disconnect() throws SQLException {
        atFirst.close();
        atSecond.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "binlog"})
    void switchover_endsSessions_andReadsFollowThePrimary(String signal) throws Exception {
        try (RelayGateway gateway = start(signal);
                Connection before = gateway.connect("")) {
            run(before, "UPDATE failover.t SET v = 1");
            Lines.warm(before, READ);
            Lines.soon("the replica has it")
                    .until(() -> Lines.one(atSecond, READ).equals("1"));
            run(atFirst, "SET GLOBAL read_only = ON");
            promoteSecond();
            // A cache that is unaware of the failover would not show this value.
            run(atSecond, "UPDATE failover.t SET v = 2");
            Lines.soon("the session at the replica ends").until(() -> isEnded(before));
            try (Connection after = connect(gateway)) {
                assertThat(Lines.one(after, READ)).isEqualTo("2");
                Lines.warm(after, READ);
                assertThat(Lines.one(after, READ)).isEqualTo("2");
                run(after, "UPDATE failover.t SET v = 3");
                assertThat(Lines.one(atSecond, READ)).isEqualTo("3");
                Lines.warm(after, READ);
                assertThat(Lines.one(after, READ)).isEqualTo("3");
                if (signal.equals("binlog")) {
                    // The write of the new primary.
                    run(atSecond, "UPDATE failover.t SET v = 4");
                    Lines.soon("a write past the gateway")
                            .until(() -> Lines.one(after, READ).equals("4"));
                }
            }
        }
    }

    @Test
    void crash_ofThePrimary_anotherOneIsUsedOnceItIsPromoted() throws Exception {
        try (RelayGateway gateway = start("binlog");
                Connection before = gateway.connect("")) {
            run(before, "UPDATE failover.t SET v = 1");
            Lines.soon("the replica has it")
                    .until(() -> Lines.one(atSecond, READ).equals("1"));
            ProcessHandle server = ProcessHandle.of(first.pid()).orElseThrow();
            server.destroyForcibly();
            server.onExit().join();
            // A replica may lack acknowledged writes of the former primary, so it is not used.
            assertThatThrownBy(() -> gateway.connect("")).isInstanceOf(SQLException.class);
            promoteSecond();
            try (Connection after = connect(gateway)) {
                assertThat(Lines.one(after, READ)).isEqualTo("1");
                run(after, "UPDATE failover.t SET v = 2");
                Lines.warm(after, READ);
                assertThat(Lines.one(after, READ)).isEqualTo("2");
            }
        }
        first.startAgain();
    }

    @Test
    void start_withTheReplicaFirst_usesThePrimary() throws Exception {
        try (RelayGateway gateway = RelayGateway.start(first, urlOf(second, first));
                Connection connection = gateway.connect("")) {
            assertThat(Lines.one(connection, "SELECT @@server_id")).isEqualTo("7");
            run(connection, "UPDATE failover.t SET v = 5");
        }
    }

    @Test
    void start_withoutAPrimary_tellsWhyOfEach() throws Exception {
        run(atFirst, "SET GLOBAL read_only = ON");
        assertThatThrownBy(() -> RelayGateway.start(first, urlOf(first, second)).close())
                .hasMessageContaining("mysql://127.0.0.1:" + first.port() + ": it is a replica: read_only = ON")
                .hasMessageContaining("mysql://127.0.0.1:" + second.port() + ": it is a replica: read_only = ON");
    }

    private RelayGateway start(String signal) throws Exception {
        return RelayGateway.start(first, urlOf(first, second), "store.signal=" + signal, "store.refresh=1h");
    }

    private static String urlOf(MariaDb preferred, MariaDb other) {
        return "store.url=mysql://127.0.0.1:" + preferred.port() + ",127.0.0.1:" + other.port();
    }

    private void promoteSecond() throws SQLException {
        run(atSecond, "STOP SLAVE");
        run(atSecond, "SET GLOBAL read_only = OFF");
    }

    private static boolean isEnded(Connection connection) {
        try {
            Lines.one(connection, READ);
            return false;
        } catch (SQLException e) {
            return true;
        }
    }

    /** Connects as soon as the gateway uses a server. */
    private static Connection connect(RelayGateway gateway) {
        Connection[] opened = {null};
        Lines.soon("a login").until(() -> {
            try {
                opened[0] = gateway.connect("");
                return true;
            } catch (SQLException notYet) {
                return false;
            }
        });
        return opened[0];
    }
}
