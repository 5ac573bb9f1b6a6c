package org.keyline.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.client.ClientConnection;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.TlsMode;
import org.keyline.protocol.fixtures.Clients;
import org.keyline.protocol.fixtures.LeakCheck;
import org.keyline.protocol.fixtures.MariaDbServer;
import org.keyline.protocol.fixtures.RawClient;
import org.keyline.protocol.fixtures.Relays;
import org.keyline.protocol.fixtures.Rows;
import org.keyline.protocol.fixtures.Wire;

/**
 * The compressed protocol on either side of a relay, with drivers and the client program, and with
 * this module's client directly.
 */
@ExtendWith(LeakCheck.class)
final class RelayCompressionIT {
    /** A combination of driver, compression and TLS. */
    record Way(String driver, boolean client, boolean store, boolean tls) {}

    static List<Way> ways() {
        List<Way> ways = new ArrayList<>();
        for (String driver : List.of("mysql", "mariadb")) {
            ways.add(new Way(driver, true, false, false));
            ways.add(new Way(driver, false, true, false));
            ways.add(new Way(driver, true, true, false));
            ways.add(new Way(driver, true, true, true));
        }
        return ways;
    }

    private static MySqlServer relay(boolean client, boolean store, boolean tls) throws Exception {
        ClientOptions upstream = Relays.upstream(MariaDbServer.get().address())
                .capabilities(
                        store
                                ? ClientOptions.DEFAULT_CAPABILITIES | Capabilities.CLIENT_COMPRESS
                                : ClientOptions.DEFAULT_CAPABILITIES)
                .tls(tls ? TlsMode.REQUIRED : TlsMode.OFF, null)
                .build();
        return Relays.to(upstream, Relays.tlsOptions().withCompression(client), ServerListener.NONE);
    }

    private static Connection connect(Way way, InetSocketAddress to) throws Exception {
        boolean mysql = way.driver().equals("mysql");
        return DriverManager.getConnection(
                "jdbc:" + way.driver() + "://127.0.0.1:" + to.getPort()
                        + "/test?useServerPrepStmts=true&allowMultiQueries=true&allowLoadLocalInfile=true"
                        + "&allowLocalInfile=true&useCompression=" + way.client() + "&sslMode="
                        + (way.tls() ? (mysql ? "REQUIRED" : "trust") : mysql ? "DISABLED" : "disable"),
                "keyline",
                MariaDbServer.PASSWORD);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void drivers_smallAndLarge_getWhatTheyAskFor(Way way) throws Exception {
        try (MySqlServer relay = relay(way.client(), way.store(), way.tls());
                Connection connection = connect(way, relay.address());
                Statement statement = connection.createStatement()) {
            try (ResultSet row = statement.executeQuery("SHOW SESSION STATUS LIKE 'Compression'")) {
                assertThat(row.next()).isTrue();
                assertThat(row.getString(2)).isEqualTo(way.store() || way.client() ? "ON" : "OFF");
            }
            for (int length : new int[] {0, 1, 49, 50, 100_000, 0x1000000}) {
                String text = "x".repeat(length);
                try (PreparedStatement echo = connection.prepareStatement("SELECT ?, 1")) {
                    echo.setString(1, text);
                    try (ResultSet row = echo.executeQuery()) {
                        assertThat(row.next()).isTrue();
                        assertThat(row.getString(1)).hasSize(length);
                        assertThat(row.getInt(2)).isEqualTo(1);
                    }
                }
            }
            byte[] random = new byte[300_000];
            new Random(1).nextBytes(random);
            try (PreparedStatement echo = connection.prepareStatement("SELECT ?")) {
                echo.setBinaryStream(1, new ByteArrayInputStream(random));
                try (ResultSet row = echo.executeQuery()) {
                    assertThat(row.next()).isTrue();
                    assertThat(row.getBytes(1)).isEqualTo(random);
                }
            }
            several(statement);
            localFile(way, statement);
        }
    }

    /**
     * Runs a command of several results, each of which the server flushes. After each flush, it
     * restarts the ids of the inner packets.
     */
    private static void several(Statement statement) throws Exception {
        boolean rows =
                statement.execute("SELECT 1; SELECT REPEAT('y', 100000); DO 1; SELECT 2 UNION SELECT 3; SELECT 4");
        int results = 0;
        while (rows || statement.getUpdateCount() >= 0) {
            results++;
            rows = statement.getMoreResults();
        }
        assertThat(results).isEqualTo(5);
    }

    private static void localFile(Way way, Statement statement) throws Exception {
        statement.execute("CREATE OR REPLACE TABLE test.compressed (a TEXT)");
        byte[] file = "line\n".repeat(100_000).getBytes(StandardCharsets.US_ASCII);
        if (way.driver().equals("mysql")) {
            statement
                    .unwrap(com.mysql.cj.jdbc.JdbcStatement.class)
                    .setLocalInfileInputStream(new ByteArrayInputStream(file));
        } else {
            statement
                    .unwrap(org.mariadb.jdbc.Statement.class)
                    .setLocalInfileInputStream(new ByteArrayInputStream(file));
        }
        assertThat(statement.executeUpdate("LOAD DATA LOCAL INFILE 'x' INTO TABLE test.compressed"))
                .isEqualTo(100_000);
    }

    /** The C library checks the ids of compressed packets, which the drivers do not. */
    @Test
    void clientProgram_compressed_readsAndWrites() throws Exception {
        Path program = Path.of("/usr/bin/mysql");
        Assumptions.assumeTrue(Files.exists(program));
        Path data = Files.createTempFile(Path.of("target"), "lines", ".txt");
        Files.writeString(data, "a line of text\n".repeat(200_000));
        Path script = Files.createTempFile(Path.of("target"), "script", ".sql");
        Files.writeString(
                script,
                "CREATE OR REPLACE TABLE program (a TEXT);\nLOAD DATA LOCAL INFILE '" + data.toAbsolutePath()
                        + "' INTO TABLE program;\nSELECT COUNT(*) FROM program;\nSELECT a FROM program LIMIT 100000;\n"
                        + "SELECT LENGTH('" + "z".repeat(3_000_000) + "');\nSHOW SESSION STATUS LIKE 'Compression';\n");
        for (boolean store : new boolean[] {false, true}) {
            try (MySqlServer relay = relay(true, store, false)) {
                Path output = Files.createTempFile(Path.of("target"), "output", ".txt");
                Process process = new ProcessBuilder(
                                program.toString(),
                                "--no-defaults",
                                "--compress",
                                "--local-infile",
                                "--max-allowed-packet=1G",
                                "-h127.0.0.1",
                                "-P" + relay.address().getPort(),
                                "-ukeyline",
                                "-p" + MariaDbServer.PASSWORD,
                                "--default-character-set=utf8mb4",
                                "-N",
                                "test")
                        .redirectInput(script.toFile())
                        .redirectOutput(output.toFile())
                        .redirectErrorStream(true)
                        .start();
                assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
                List<String> lines = Files.readAllLines(output);
                assertThat(process.exitValue()).as(String.join("\n", lines)).isZero();
                assertThat(lines).hasSize(100_003).contains("200000", "3000000");
                assertThat(lines.get(100_002)).isEqualTo("Compression\tON");
            }
        }
    }

    @Test
    void ownClient_straight_pipelinesAndReadsSeveralResults() throws Exception {
        ClientConnection connection =
                Clients.connect(ClientOptions.of(MariaDbServer.get().address(), "keyline")
                        .password(MariaDbServer.PASSWORD)
                        .capabilities(ClientOptions.DEFAULT_CAPABILITIES | Capabilities.CLIENT_COMPRESS)
                        .build());
        List<Rows> all = new ArrayList<>();
        connection.loop().execute(() -> {
            for (int i = 0; i < 50; i++) {
                Rows rows = new Rows();
                all.add(rows);
                connection.query("SELECT " + i + ", REPEAT('x', 1000); SELECT 'next'", rows);
            }
        });
        assertThat(Clients.query(connection, "SHOW SESSION STATUS LIKE 'Compression'")
                        .text(0))
                .containsExactly("Compression", "ON");
        for (int i = 0; i < 50; i++) {
            assertThat(all.get(i).await().text(0).get(0)).isEqualTo(Integer.toString(i));
            assertThat(all.get(i).results).isEqualTo(2);
        }
        Clients.close(connection);
    }

    /**
     * After each result, when it flushes, a server restarts with the id of the compressed packet;
     * strict clients check that.
     */
    @Test
    void packetsWithin_ofEveryResult_areNumberedAsTheServerDoes() throws Exception {
        String text = "x".repeat(0x1000000);
        try (MySqlServer relay = relay(true, true, false);
                RawClient straight = compressed(MariaDbServer.get().address());
                RawClient through = compressed(relay.address())) {
            exchange(straight, "CREATE OR REPLACE PROCEDURE test.two() BEGIN SELECT 1; SELECT 2; END", 1);
            for (int again = 0; again < 20; again++) {
                same(straight, through, "SELECT 1", 5);
                same(straight, through, "SELECT 1; SELECT 2", 10);
                same(straight, through, "SELECT 1; SELECT 2 UNION SELECT 3; SELECT missing", 12);
                same(straight, through, "CALL test.two()", 11);
            }
            same(straight, through, "DO '" + text + "'", 1);
            same(straight, through, "SELECT LENGTH('" + text + "') AS l; SELECT 2", 10);
            same(straight, through, "DO '" + text + text + "'", 1);
        }
    }

    private static RawClient compressed(InetSocketAddress address) throws Exception {
        RawClient client = new RawClient(address);
        client.login("keyline", MariaDbServer.PASSWORD, RawClient.FLAGS | Capabilities.CLIENT_COMPRESS, 0);
        client.compress();
        return client;
    }

    private static List<String> exchange(RawClient client, String sql, int packets) throws Exception {
        client.write(0, RawClient.query(sql));
        List<String> reply = new ArrayList<>();
        for (int i = 0; i < packets; i++) {
            Wire.Packet packet = client.read();
            reply.add(packet.sequenceId() + " " + HexFormat.of().formatHex(packet.payload()));
        }
        return reply;
    }

    private static void same(RawClient straight, RawClient through, String sql, int packets) throws Exception {
        assertThat(exchange(through, sql, packets))
                .as(sql.substring(0, Math.min(80, sql.length())))
                .isEqualTo(exchange(straight, sql, packets));
    }
}
