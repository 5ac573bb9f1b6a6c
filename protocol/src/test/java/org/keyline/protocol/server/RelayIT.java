package org.keyline.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ExtendedCapabilities;
import org.keyline.protocol.HandshakeV10;
import org.keyline.protocol.fixtures.LeakCheck;
import org.keyline.protocol.fixtures.MariaDbServer;
import org.keyline.protocol.fixtures.RawClient;
import org.keyline.protocol.fixtures.Relays;
import org.keyline.protocol.fixtures.Wire;

/** A real server directly and through a relay: the same bytes. */
@ExtendWith(LeakCheck.class)
final class RelayIT {
    private static final int EXTENDED = ExtendedCapabilities.MARIADB_CLIENT_STMT_BULK_OPERATIONS
            | ExtendedCapabilities.MARIADB_CLIENT_EXTENDED_METADATA;

    private static MySqlServer relay;

    @BeforeAll
    static void start() throws IOException {
        relay = Relays.toMariaDb(Relays.options());
    }

    @AfterAll
    static void stop() {
        relay.close();
    }

    private static RawClient straight() throws IOException {
        return new RawClient(MariaDbServer.get().address());
    }

    private static RawClient relayed() throws IOException {
        return new RawClient(relay.address());
    }

    @Test
    void greeting_isTheServersOwnButForFlags() throws Exception {
        try (RawClient straight = straight();
                RawClient relayed = relayed()) {
            HandshakeV10 real = HandshakeV10.decode(straight.read().buffer());
            Wire.Packet packet = relayed.read();
            HandshakeV10 shown = HandshakeV10.decode(packet.buffer());
            assertThat(packet.sequenceId()).isZero();
            assertThat(shown.serverVersion()).isEqualTo(real.serverVersion());
            assertThat(shown.authPlugin()).isEqualTo(real.authPlugin());
            assertThat(shown.collation()).isEqualTo(real.collation());
            assertThat(shown.status()).isEqualTo(real.status());
            assertThat(shown.connectionId()).isGreaterThan(real.connectionId());
            assertThat(shown.capabilities() & ~real.capabilities()).isZero();
            assertThat(shown.capabilities() & Capabilities.CLIENT_SSL).isZero();
            assertThat(HandshakeV10.extendedCapabilities(packet.buffer()) & EXTENDED)
                    .isEqualTo(EXTENDED);
            assertThat(HandshakeV10.extendedCapabilities(packet.buffer())
                            & ExtendedCapabilities.MARIADB_CLIENT_CACHE_METADATA)
                    .isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void commands_everyKind_areAnsweredByteForByte(boolean deprecateEof) throws Exception {
        int flags = RawClient.FLAGS | (deprecateEof ? Capabilities.CLIENT_DEPRECATE_EOF : 0);
        try (RawClient straight = straight();
                RawClient relayed = relayed()) {
            List<Wire.Packet> real = straight.login("keyline", MariaDbServer.PASSWORD, flags, EXTENDED);
            List<Wire.Packet> shown = relayed.login("keyline", MariaDbServer.PASSWORD, flags, EXTENDED);
            // Its text proves the server's certificate by password and scramble: the length is the
            // same, the text differs.
            assertThat(shown.get(1).sequenceId()).isEqualTo(real.get(1).sequenceId());
            assertThat(shown.get(1).payload()).hasSameSizeAs(real.get(1).payload());
            assertThat(shown.get(1).payload())
                    .startsWith(Arrays.copyOf(real.get(1).payload(), 9));
            assertThat(shown.get(1).payload()).endsWith(utf8("test"));
            byte[][] commands = {
                RawClient.query("SELECT 1 AS a, NULL, '', 'é€𝄞' UNION ALL SELECT 2, 3, 'x', 'y'"),
                RawClient.query("SELECT nothing FROM nowhere.nothing"),
                RawClient.query("SELECT 1; DO 2; SELECT 3 LIMIT 0; SELECT 4, 5"),
                RawClient.query("SELECT CAST('x' AS SIGNED); SHOW WARNINGS"),
                RawClient.query("SET NAMES latin1; USE test; SET autocommit = 0; ROLLBACK; SET autocommit = 1"),
                RawClient.command(CommandCode.COM_STMT_PREPARE, utf8("SELECT 1, ? AS b")),
                RawClient.command(CommandCode.COM_STMT_PREPARE, utf8("SELECT oops")),
                RawClient.command(CommandCode.COM_PING, new byte[0]),
                RawClient.command(CommandCode.COM_INIT_DB, utf8("test")),
                RawClient.command(CommandCode.COM_INIT_DB, utf8("nowhere")),
                RawClient.command(0x77, new byte[0]),
                RawClient.command(CommandCode.COM_SET_OPTION, new byte[] {0, 0}),
                RawClient.command(CommandCode.COM_RESET_CONNECTION, new byte[0]),
            };
            assertSame(straight.exchange(commands), relayed.exchange(commands));
        }
    }

    static void assertSame(List<Wire.Packet> real, List<Wire.Packet> shown) {
        for (int i = 0; i < Math.min(real.size(), shown.size()); i++) {
            assertThat(shown.get(i).payload())
                    .as("packet %d: %s", i, new String(real.get(i).payload(), StandardCharsets.ISO_8859_1))
                    .isEqualTo(withStatementIdOf(shown.get(i), real.get(i).payload()));
            assertThat(shown.get(i).sequenceId()).isEqualTo(real.get(i).sequenceId());
        }
        assertThat(shown).hasSameSizeAs(real);
    }

    /**
     * Returns a PREPARE_OK with the other's statement id: MariaDB continues the count of the
     * thread's former user.
     */
    private static byte[] withStatementIdOf(Wire.Packet other, byte[] payload) {
        byte[] patched = payload.clone();
        if (payload.length == 12 && payload[0] == 0 && other.payload().length == 12 && other.sequenceId() == 1) {
            System.arraycopy(other.payload(), 1, patched, 1, 4);
        }
        return patched;
    }

    @Test
    void login_wrongPasswordOrUser_isRefusedInTheServersWords() throws Exception {
        for (String user : List.of("keyline", "nobody")) {
            try (RawClient straight = straight();
                    RawClient relayed = relayed()) {
                Wire.Packet real =
                        straight.login(user, "wrong", RawClient.FLAGS, 0).get(1);
                Wire.Packet shown =
                        relayed.login(user, "wrong", RawClient.FLAGS, 0).get(1);
                assertThat(shown.header()).isEqualTo(0xFF);
                assertThat(shown.payload()).isEqualTo(real.payload());
                assertThat(shown.sequenceId()).isEqualTo(real.sequenceId());
                assertThat(relayed.readToEnd()).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"mysql", "mariadb"})
    void drivers_connectAndKill(String driver) throws SQLException {
        String url = "jdbc:" + driver + "://127.0.0.1:" + relay.address().getPort()
                + "/test?useServerPrepStmts=true&permitMysqlScheme=true&sslMode="
                + (driver.equals("mysql") ? "DISABLED" : "disable");
        try (Connection victim = DriverManager.getConnection(url, "keyline", MariaDbServer.PASSWORD);
                Connection killer = DriverManager.getConnection(url, "keyline", MariaDbServer.PASSWORD);
                Statement statement = victim.createStatement();
                Statement kill = killer.createStatement()) {
            try (ResultSet row = statement.executeQuery("SELECT CONNECTION_ID(), CURRENT_USER()")) {
                assertThat(row.next()).isTrue();
                assertThat(row.getString(2)).isEqualTo("keyline@127.0.0.1");
                kill.execute("KILL " + row.getLong(1));
            }
            assertThatThrownBy(() -> statement.execute("SELECT 1")).isInstanceOf(SQLException.class);
            assertThatThrownBy(() -> DriverManager.getConnection(url, "keyline", "wrong"))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("Access denied for user 'keyline'@'127.0.0.1'");
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
