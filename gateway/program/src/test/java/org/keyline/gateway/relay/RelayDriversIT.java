package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.keyline.gateway.fixtures.Lines.soon;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.client.ClientConnection;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.StatementArguments;

/**
 * Differences between a MariaDB and the gateway in front of it that driver test suites found
 * (docs/driver-suites.md).
 */
class RelayDriversIT {
    @RegisterExtension
    static final TwinSessions SESSIONS = new TwinSessions();

    /** Less than the period in which the gateway itself checks whether the store is alive. */
    private static final Duration AT_ONCE = Duration.ofMillis(400);

    /**
     * A driver that sends PREPARE and EXECUTE together does not know the number of parameters yet.
     */
    @Test
    void executeOfTheLastPrepared_withTooFewValues_isRefusedAsByTheStore() throws Exception {
        try (Twins twins = SESSIONS.open()) {
            for (String sql : new String[] {"SELECT 1", "SELECT ?", "SELECT ?, ?, ?"}) {
                for (String values :
                        new String[] {"", "00", "0000", "0001", "000103", "00010300", "000103000100000000"}) {
                    twins.prepare(sql);
                    ByteBuf execute = Unpooled.buffer()
                            .writeByte(CommandCode.COM_STMT_EXECUTE)
                            .writeIntLE(-1)
                            .writeByte(0)
                            .writeIntLE(1)
                            .writeBytes(ByteBufUtil.decodeHexDump(values));
                    twins.send(execute, "EXECUTE of the last prepared, " + values);
                }
            }
        }
    }

    @Test
    void calledProcedure_withACursorWithin_answersAllItsResults() throws Exception {
        try (Twins twins = SESSIONS.open(options ->
                options.capabilities(ClientOptions.DEFAULT_CAPABILITIES & ~Capabilities.CLIENT_DEPRECATE_EOF))) {
            twins.throughOnly("CREATE OR REPLACE DATABASE suites");
            twins.throughOnly(
                    "CREATE OR REPLACE PROCEDURE suites.walk() BEGIN DECLARE v INT; DECLARE c CURSOR FOR SELECT 7; "
                            + "OPEN c; FETCH c INTO v; SELECT v; SELECT v + 1; CLOSE c; END");
            Twins.Statement call = twins.prepare("CALL suites.walk()");
            twins.execute(call, new StatementArguments(), "CALL");
            twins.query("SELECT 1");
        }
    }

    @Test
    void moreThan65535Columns_pass() throws Exception {
        try (Twins twins = SESSIONS.open()) {
            assertThat(twins.query("SELECT 1" + ",1".repeat(69_999)).isError()).isFalse();
        }
    }

    @Test
    void killedInAStatement_looksLikeIt() throws Exception {
        SQLException straight = killed(SESSIONS.store().port());
        SQLException through = killed(SESSIONS.gateway().port());
        assertThat(through.getSQLState()).startsWith("08").isEqualTo(straight.getSQLState());
        assertThat(through.getErrorCode()).isEqualTo(straight.getErrorCode());
    }

    /** A pool expects this when it kills one of its connections and then uses it. */
    @Test
    void killedWhileIdle_inATextOfSeveralStatements_isHeardOfAtOnce() throws Exception {
        try (Connection other = killer("");
                Statement sql = other.createStatement()) {
            assertThat(soonestHeard(id -> sql.execute("KILL " + id + "; SELECT SLEEP(0.05)")))
                    .isLessThan(AT_ONCE);
        }
    }

    @Test
    void killedWhileIdle_byAPreparedStatement_isHeardOfAtOnce() throws Exception {
        try (Connection other = killer("&useServerPrepStmts=true");
                PreparedStatement sql = other.prepareStatement("KILL ?")) {
            assertThat(soonestHeard(id -> {
                        sql.setInt(1, id);
                        sql.execute();
                    }))
                    .isLessThan(AT_ONCE);
        }
    }

    /** Kills a session of the store. */
    private interface Kill {
        void of(int connectionId) throws SQLException;
    }

    private static Connection killer(String options) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:mariadb://127.0.0.1:" + SESSIONS.gateway().port() + "/?sslMode=disable&allowMultiQueries=true"
                        + options,
                MariaDb.USER,
                MariaDb.PASSWORD);
    }

    /**
     * Returns the shortest time until an idle client's connection was closed; on a busy machine,
     * single times may be long.
     */
    private static Duration soonestHeard(Kill kill) throws Exception {
        Duration soonest = Duration.ofMinutes(1);
        for (int i = 0; i < 10 && soonest.compareTo(AT_ONCE) >= 0; i++) {
            ClientConnection victim = SESSIONS.idle();
            long began = System.nanoTime();
            kill.of(victim.connectionId());
            victim.closed().toCompletableFuture().get(1, TimeUnit.MINUTES);
            soonest = Collections.min(List.of(soonest, Duration.ofNanos(System.nanoTime() - began)));
        }
        return soonest;
    }

    /** Returns the error of a client whose connection is killed while its statement runs. */
    private static SQLException killed(int port) throws Exception {
        String url = "jdbc:mariadb://127.0.0.1:" + port + "/?sslMode=disable";
        try (Connection victim = DriverManager.getConnection(url, MariaDb.USER, MariaDb.PASSWORD);
                Statement asleep = victim.createStatement();
                Connection other = DriverManager.getConnection(url, MariaDb.USER, MariaDb.PASSWORD);
                Statement kill = other.createStatement()) {
            long id;
            try (ResultSet row = asleep.executeQuery("SELECT CONNECTION_ID()")) {
                row.next();
                id = row.getLong(1);
            }
            CompletableFuture<SQLException> heard = CompletableFuture.supplyAsync(
                    () -> catchThrowableOfType(SQLException.class, () -> asleep.execute("SELECT SLEEP(60)")));
            soon("the sleep").until(() -> {
                try (ResultSet row = kill.executeQuery(
                        "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE STATE = 'User sleep' AND ID = "
                                + id)) {
                    return row.next() && row.getInt(1) == 1;
                }
            });
            kill.execute("KILL " + id);
            return heard.get();
        }
    }
}
