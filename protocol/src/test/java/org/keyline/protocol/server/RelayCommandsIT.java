package org.keyline.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.EdECPrivateKeySpec;
import java.security.spec.NamedParameterSpec;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ExtendedCapabilities;
import org.keyline.protocol.HandshakeV10;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.TlsMode;
import org.keyline.protocol.fixtures.LeakCheck;
import org.keyline.protocol.fixtures.MariaDbServer;
import org.keyline.protocol.fixtures.RawClient;
import org.keyline.protocol.fixtures.Relays;
import org.keyline.protocol.fixtures.Wire;

/**
 * Logins and commands on twin connections to a real server: the same packets directly and through
 * a relay.
 */
@ExtendWith(LeakCheck.class)
final class RelayCommandsIT {
    private static final int EXTENDED = ExtendedCapabilities.MARIADB_CLIENT_STMT_BULK_OPERATIONS
            | ExtendedCapabilities.MARIADB_CLIENT_EXTENDED_METADATA;

    /** In MariaDB, the statement that was prepared last. */
    private static final int LAST_STATEMENT = -1;

    private static MySqlServer relay;

    @BeforeAll
    static void start() throws Exception {
        relay = Relays.toMariaDb(Relays.options());
        try (Connection admin = DriverManager.getConnection(url("mariadb", true), "keyline", MariaDbServer.PASSWORD);
                Statement statement = admin.createStatement()) {
            statement.execute("CREATE OR REPLACE PROCEDURE test.three(IN a INT, OUT b INT, INOUT c TEXT)"
                    + " BEGIN SET b = a + 1; SET c = CONCAT(c, 'x'); SELECT a, b; SELECT c; END");
            statement.execute("CREATE OR REPLACE TABLE test.bulk (a INT AUTO_INCREMENT PRIMARY KEY, b INT, j JSON)");
            statement.execute("CREATE OR REPLACE TABLE test.ten (a INT PRIMARY KEY)");
            statement.execute("INSERT INTO test.ten VALUES (1),(2),(3),(4),(5),(6),(7),(8),(9),(10)");
        }
    }

    @AfterAll
    static void stop() {
        relay.close();
    }

    private static String url(String driver, boolean straight) {
        int port = (straight ? MariaDbServer.get().address() : relay.address()).getPort();
        return "jdbc:" + driver + "://127.0.0.1:" + port + "/test?allowLoadLocalInfile=true&allowLocalInfile=true"
                + "&sslMode=" + (driver.equals("mysql") ? "DISABLED" : "disable");
    }

    private static RawClient connect(boolean straight) throws IOException {
        return new RawClient(straight ? MariaDbServer.get().address() : relay.address());
    }

    private static RawClient login(boolean straight, int flags, int extended) throws IOException {
        RawClient client = connect(straight);
        Wire.Packet ok =
                client.login("keyline", MariaDbServer.PASSWORD, flags, extended).get(1);
        assertThat(ok.header()).isZero();
        return client;
    }

    @Test
    void greeting_isTheServersOwnButForFlags() throws Exception {
        try (RawClient straight = connect(true);
                RawClient relayed = connect(false)) {
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

    /**
     * Returns COM_STMT_EXECUTE or, with 0xFA, COM_STMT_BULK_EXECUTE, which has other flags: see
     * {@link #bulk}.
     */
    private static byte[] execute(int flags, int... arguments) {
        ByteBuf out = Unpooled.buffer();
        out.writeByte(CommandCode.COM_STMT_EXECUTE)
                .writeIntLE(LAST_STATEMENT)
                .writeByte(flags)
                .writeIntLE(1);
        if (arguments.length > 0) {
            out.writeZero((arguments.length + 7) / 8).writeByte(1);
            for (int unused : arguments) {
                out.writeShortLE(ColumnType.LONG);
            }
            for (int argument : arguments) {
                out.writeIntLE(argument);
            }
        }
        return Arrays.copyOf(out.array(), out.writerIndex());
    }

    private static byte[] bulk(int... rows) {
        ByteBuf out = Unpooled.buffer();
        out.writeByte(CommandCode.COM_STMT_BULK_EXECUTE)
                .writeIntLE(LAST_STATEMENT)
                .writeShortLE(128)
                .writeShortLE(ColumnType.LONG);
        for (int row : rows) {
            out.writeByte(0).writeIntLE(row);
        }
        return Arrays.copyOf(out.array(), out.writerIndex());
    }

    private static byte[] prepare(String sql) {
        return RawClient.command(CommandCode.COM_STMT_PREPARE, utf8(sql));
    }

    private static byte[] fetch(int rows) {
        ByteBuf out = Unpooled.buffer();
        out.writeByte(CommandCode.COM_STMT_FETCH).writeIntLE(LAST_STATEMENT).writeIntLE(rows);
        return Arrays.copyOf(out.array(), out.writerIndex());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void repliesOfManyShapes_areTheSamePackets(boolean deprecateEof) throws Exception {
        int flags = RawClient.FLAGS | (deprecateEof ? Capabilities.CLIENT_DEPRECATE_EOF : 0);
        byte[][] commands = {
            RawClient.query("SET @c = 'c'; CALL three(1, @b, @c); SELECT @b, @c"),
            prepare("CALL three(?, ?, ?)"),
            execute(0, 1, 2, 3),
            execute(0, 4, 5, 6),
            prepare("SELECT a FROM ten ORDER BY a"),
            execute(1),
            fetch(3),
            fetch(30),
            fetch(30),
            RawClient.query("TRUNCATE bulk"),
            prepare("INSERT INTO bulk (b) VALUES (?)"),
            bulk(7, 8, 9),
            prepare("INSERT INTO bulk (b) VALUES (?) RETURNING a, b, j"),
            bulk(10, 11, 12),
            prepare("INSERT INTO bulk (a) VALUES (?)"),
            bulk(1, 1),
            RawClient.query("SET session_track_system_variables = '*', session_track_schema = 1,"
                    + " session_track_state_change = 1, session_track_transaction_info = 'CHARACTERISTICS'"),
            RawClient.query("SET NAMES latin1; USE mysql; USE test; BEGIN; SELECT a FROM ten FOR UPDATE; COMMIT"),
            RawClient.query("SET sql_mode = 'ANSI_QUOTES'; SELECT 1 FROM ten LIMIT 0"),
            RawClient.query("SET @x = REPEAT('y', 300); SELECT @x; DO 1; SELECT 'a' INTO @y"),
            RawClient.query("SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no'"),
            RawClient.query("SELECT 1; SIGNAL SQLSTATE '45000'; SELECT 2"),
            RawClient.query("SHOW WARNINGS; EXPLAIN SELECT * FROM ten; ANALYZE SELECT * FROM ten WHERE a = 0"),
            RawClient.query(
                    "SELECT * FROM bulk; SELECT j, ST_GeomFromText('POINT(1 2)'), CAST('::1' AS INET6) FROM bulk"),
            RawClient.query("EXECUTE IMMEDIATE 'SELECT ?' USING 5; HANDLER ten OPEN; HANDLER ten READ FIRST"),
            RawClient.command(CommandCode.COM_FIELD_LIST, utf8("bulk\0")),
            RawClient.command(CommandCode.COM_STMT_RESET, new byte[] {-1, -1, -1, -1}),
            RawClient.query("SELECT 1 AS a, NULL, '', 'é€𝄞' UNION ALL SELECT 2, 3, 'x', 'y'"),
            RawClient.query("SELECT nothing FROM nowhere.nothing"),
            RawClient.query("SELECT 1; DO 2; SELECT 3 LIMIT 0; SELECT 4, 5"),
            RawClient.query("SET autocommit = 0; ROLLBACK; SET autocommit = 1; SELECT CAST('x' AS SIGNED)"),
            prepare("SELECT 1, ? AS b"),
            prepare("SELECT oops"),
            RawClient.command(CommandCode.COM_PING, new byte[0]),
            RawClient.command(CommandCode.COM_INIT_DB, utf8("test")),
            RawClient.command(CommandCode.COM_INIT_DB, utf8("nowhere")),
            RawClient.command(0x77, new byte[0]),
            RawClient.command(CommandCode.COM_SET_OPTION, new byte[] {0, 0}),
            RawClient.command(CommandCode.COM_RESET_CONNECTION, new byte[0]),
        };
        try (RawClient straight = connect(true);
                RawClient relayed = connect(false)) {
            List<Wire.Packet> greeted = straight.login("keyline", MariaDbServer.PASSWORD, flags, EXTENDED);
            List<Wire.Packet> shown = relayed.login("keyline", MariaDbServer.PASSWORD, flags, EXTENDED);
            // Its text proves the server's certificate by password and scramble: the length is the
            // same, the text differs.
            assertThat(shown.get(1).sequenceId()).isEqualTo(greeted.get(1).sequenceId());
            assertThat(shown.get(1).payload()).hasSameSizeAs(greeted.get(1).payload());
            assertThat(shown.get(1).payload())
                    .startsWith(Arrays.copyOf(greeted.get(1).payload(), 9))
                    .endsWith(utf8("test"));
            List<Wire.Packet> real = straight.exchange(commands);
            assertThat(real).hasSizeGreaterThan(180);
            assertSame(real, relayed.exchange(commands));
        }
    }

    private static void assertSame(List<Wire.Packet> real, List<Wire.Packet> shown) {
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
            try (RawClient straight = connect(true);
                    RawClient relayed = connect(false)) {
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

    @Test
    void longAlter_reportsProgress_andItsOkEndsTheReply() throws Exception {
        try (RawClient relayed = login(false, RawClient.FLAGS, ExtendedCapabilities.MARIADB_CLIENT_PROGRESS)) {
            List<Wire.Packet> answers = relayed.exchange(
                    RawClient.query("SET progress_report_time = 1"),
                    RawClient.query("CREATE OR REPLACE TABLE test.slow (a INT)"),
                    RawClient.query("INSERT INTO test.slow SELECT x.a FROM test.ten x, test.ten y WHERE y.a <= 5"),
                    RawClient.query("ALTER TABLE test.slow ADD COLUMN b VARCHAR(200)"
                            + " AS (SHA2(REPEAT('a', 5000000 + a), 512)) STORED, ALGORITHM = COPY"),
                    RawClient.query("SELECT COUNT(b) FROM test.slow"));
            long reports = answers.stream()
                    .filter(packet -> packet.header() == 0xFF && packet.payload()[1] == -1 && packet.payload()[2] == -1)
                    .count();
            assertThat(reports).isPositive();
            assertThat(answers.stream().filter(packet -> packet.header() == 0xFF))
                    .hasSize((int) reports);
            assertThat(answers).extracting(Wire.Packet::payload).contains(new byte[] {2, '5', '0'});
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void localInfile_passesInThePiecesItCameIn(boolean straight) throws Exception {
        try (RawClient client = login(straight, RawClient.FLAGS, 0)) {
            client.exchange(RawClient.query("CREATE OR REPLACE TABLE test.file_" + straight + " (a LONGTEXT)"));
            client.write(0, RawClient.query("LOAD DATA LOCAL INFILE 'f' INTO TABLE test.file_" + straight));
            Wire.Packet request = client.read();
            assertThat(request.payload()).isEqualTo(new byte[] {-5, 'f'});
            byte[] line = new byte[0xFFFFFF];
            Arrays.fill(line, (byte) 'x');
            client.write(2, "one\ntw".getBytes(StandardCharsets.US_ASCII));
            client.write(3, "o\n".getBytes(StandardCharsets.US_ASCII));
            // A piece of 16 MiB: its continuation is empty, and not the end of the file.
            client.write(4, line);
            client.write(6, "\nfour\n".getBytes(StandardCharsets.US_ASCII));
            client.write(7, new byte[0]);
            Wire.Packet ok = client.read();
            assertThat(ok.header()).isZero();
            assertThat(ok.sequenceId()).isEqualTo(8);
            List<Wire.Packet> rows = client.exchange(
                    RawClient.query("SELECT LENGTH(a) FROM test.file_" + straight + " ORDER BY LENGTH(a) DESC"));
            assertThat(rows.stream().map(row -> new String(row.payload(), StandardCharsets.UTF_8)))
                    .containsSubsequence("\b16777215", "\u00014", "\u00013", "\u00013");
        }
    }

    /** The server decides whether a former answer to the greeting's scramble is accepted later. */
    @Test
    void changeUser_formerAnswerAgain_isAnsweredAsByTheServer() throws Exception {
        assertThat(changeUserByFormerAnswer(false)).isEqualTo(changeUserByFormerAnswer(true));
    }

    /**
     * MariaDB's plugin signs the server's challenge, which must pass unchanged, whichever side uses
     * TLS.
     */
    @Test
    void changeUser_ed25519WithTlsToTheServerOnly_passes() throws Exception {
        assumeTrue(MariaDbServer.hasPlugin("auth_ed25519.so"));
        String password = "0123456789abcdef0123456789abcdef";
        try (Connection admin = DriverManager.getConnection(url("mariadb", true), "keyline", MariaDbServer.PASSWORD);
                Statement statement = admin.createStatement()) {
            statement.execute("INSTALL PLUGIN IF NOT EXISTS ed25519 SONAME 'auth_ed25519'");
            statement.execute("CREATE OR REPLACE USER edwin@'127.0.0.1' IDENTIFIED VIA ed25519 USING PASSWORD('"
                    + password + "')");
        }
        ClientOptions secured = Relays.upstream(MariaDbServer.get().address())
                .tls(TlsMode.REQUIRED, null)
                .build();
        try (MySqlServer half = Relays.to(secured, Relays.options(), ServerListener.NONE);
                RawClient client = new RawClient(half.address())) {
            client.login("keyline", MariaDbServer.PASSWORD, RawClient.FLAGS, 0);
            ByteBuf out = Unpooled.buffer();
            out.writeByte(CommandCode.COM_CHANGE_USER).writeBytes("edwin\0\0\0".getBytes(StandardCharsets.UTF_8));
            out.writeShortLE(45).writeBytes("client_ed25519\0\0".getBytes(StandardCharsets.UTF_8));
            client.write(0, Arrays.copyOf(out.array(), out.writerIndex()));
            Wire.Packet asked = client.read();
            byte[] request = "\u00FEclient_ed25519\0".getBytes(StandardCharsets.ISO_8859_1);
            assertThat(asked.payload()).startsWith(request);
            Signature signature = Signature.getInstance("Ed25519");
            signature.initSign(KeyFactory.getInstance("Ed25519")
                    .generatePrivate(new EdECPrivateKeySpec(
                            NamedParameterSpec.ED25519, password.getBytes(StandardCharsets.US_ASCII))));
            signature.update(asked.payload(), request.length, 32);
            client.write(asked.sequenceId() + 1, signature.sign());
            assertThat(client.read().header()).isZero();
        }
    }

    /** Returns the first bytes of the server's packets, until OK or ERR. */
    private static List<Integer> changeUserByFormerAnswer(boolean straight) throws IOException {
        List<Integer> answers = new ArrayList<>();
        try (RawClient client = connect(straight)) {
            List<Wire.Packet> login = client.login("keyline", MariaDbServer.PASSWORD, RawClient.FLAGS, 0);
            byte[] scramble = HandshakeV10.decode(login.get(0).buffer()).scramble();
            byte[] proof = RawClient.proof(MariaDbServer.PASSWORD, scramble);
            ByteBuf out = Unpooled.buffer();
            out.writeByte(CommandCode.COM_CHANGE_USER).writeBytes("keyline\0".getBytes(StandardCharsets.UTF_8));
            out.writeByte(proof.length).writeBytes(proof).writeByte(0).writeShortLE(45);
            out.writeBytes("mysql_native_password\0\0".getBytes(StandardCharsets.UTF_8));
            client.write(0, Arrays.copyOf(out.array(), out.writerIndex()));
            Wire.Packet next = client.read();
            answers.add(next.header());
            while (next.header() == 0xFE) {
                client.write(next.sequenceId() + 1, proof);
                next = client.read();
                answers.add(next.header());
            }
        }
        return answers;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
