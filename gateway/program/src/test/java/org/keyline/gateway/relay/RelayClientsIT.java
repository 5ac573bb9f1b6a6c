package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.gateway.fixtures.Lines.soon;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.protocol.client.ClientConnection;
import org.keyline.protocol.client.ClientOptions;

/** MariaDB clients with their capabilities, through the gateway to a MariaDB. */
class RelayClientsIT {
    private static RelayGateway gateway;

    @BeforeAll
    static void start() throws Exception {
        MariaDb store = MariaDb.get("second");
        store.run(
                "DROP DATABASE IF EXISTS clients",
                "CREATE DATABASE clients CHARACTER SET utf8mb4",
                "CREATE TABLE clients.t (id INT PRIMARY KEY, name VARCHAR(20), doc JSON, at "
                        + (MariaDb.isMySql() ? "VARCHAR(40)" : "INET6") + ")",
                "INSERT INTO clients.t VALUES (1, 'één', '{}', '::1')");
        gateway = RelayGateway.start(store);
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    private static String client(String input, String... more) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                MariaDb.CLIENT.toString(),
                "--no-defaults",
                "--skip-ssl",
                "-h127.0.0.1",
                "-P" + gateway.port(),
                "-u" + MariaDb.USER,
                "-p" + MariaDb.PASSWORD,
                "--default-character-set=utf8mb4",
                "-N",
                "-f"));
        command.addAll(List.of(more));
        command.add("clients");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().write(input.getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }

    @ParameterizedTest
    @ValueSource(strings = {"--silent", "--compress"})
    void commandLine_readsStoreLineAndGateway(String option) throws Exception {
        String output = client(
                "SELECT name FROM t WHERE id = 1;\n".repeat(4)
                        + "KEYLINE LAST;\nSHOW STATUS LIKE 'keyline_forwarded';\nSELECT nothing FROM t;\nSELECT 'on';\n",
                option);
        assertThat(output.lines().toList())
                .startsWith("één", "één", "één", "één")
                .contains("source\tline", "on")
                .anyMatch(line -> line.startsWith("Keyline_forwarded\t"))
                .anyMatch(line -> line.contains("ERROR 1054 (42S22)"));
    }

    @Test
    void commandLine_loadsALocalFile(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("rows.tsv"), "10\tten\n11\televen\n");
        String output = client(
                "LOAD DATA LOCAL INFILE '" + file + "' REPLACE INTO TABLE t (id, name);\n"
                        + "SELECT name FROM t WHERE id = 11;\nSELECT name FROM t WHERE id = 11;\n",
                "--local-infile=1");
        assertThat(output.lines()).containsExactly("eleven", "eleven");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "useServerPrepStmts=false",
                "useServerPrepStmts=true",
                "useServerPrepStmts=true&useCompression=true",
                "useServerPrepStmts=true&useBulkStmts=true"
            })
    void mariaDbConnector_readsAndWritesInBulk(String parameters) throws Exception {
        String url = "jdbc:mariadb://127.0.0.1:" + gateway.port() + "/clients?sslMode=disable&" + parameters;
        try (Connection connection = DriverManager.getConnection(url, MariaDb.USER, MariaDb.PASSWORD);
                PreparedStatement insert =
                        connection.prepareStatement("REPLACE INTO t (id, name, doc) VALUES (?, ?, ?)");
                PreparedStatement read = connection.prepareStatement("SELECT * FROM t WHERE id = ?")) {
            for (int round = 0; round < 4; round++) {
                for (int id = 100; id < 120; id++) {
                    insert.setInt(1, id);
                    insert.setString(2, "name " + round);
                    insert.setString(3, "[" + round + "]");
                    insert.addBatch();
                }
                insert.executeBatch();
                for (int id = 100; id < 120; id++) {
                    for (int again = 0; again < 3; again++) {
                        read.setInt(1, id);
                        try (ResultSet rows = read.executeQuery()) {
                            assertThat(rows.next()).isTrue();
                            assertThat(rows.getString("name")).isEqualTo("name " + round);
                            assertThat(rows.getString("doc")).isEqualTo("[" + round + "]");
                            assertThat(rows.next()).isFalse();
                        }
                    }
                }
            }
        }
    }

    @Test
    void longBulk_writesByItsOwnStatement() throws Exception {
        String url = "jdbc:mariadb://127.0.0.1:" + gateway.port()
                + "/clients?sslMode=disable&useServerPrepStmts=true&useBulkStmts=true&maxAllowedPacket=100000000";
        try (Connection connection = DriverManager.getConnection(url, MariaDb.USER, MariaDb.PASSWORD);
                Statement sql = connection.createStatement()) {
            sql.execute("DROP TABLE IF EXISTS big");
            sql.execute("CREATE TABLE big (id INT PRIMARY KEY, content LONGTEXT)");
            try (PreparedStatement other = connection.prepareStatement("DELETE FROM t WHERE id = ?");
                    PreparedStatement insert = connection.prepareStatement("INSERT INTO big VALUES (?, ?)")) {
                other.setInt(1, -1);
                other.executeUpdate();
                for (int id = 0; id < 5; id++) {
                    insert.setInt(1, id);
                    insert.setString(2, "x".repeat(6 << 20));
                    insert.addBatch();
                }
                insert.executeBatch();
            }
            try (ResultSet rows = sql.executeQuery("SELECT COUNT(*), MIN(LENGTH(content)) FROM big")) {
                rows.next();
                assertThat(rows.getInt(1)).isEqualTo(5);
                assertThat(rows.getInt(2)).isEqualTo(6 << 20);
            }
        }
    }

    @Test
    void localUsers_areAccountsOfTheStore() throws Exception {
        try (RelayGateway local = RelayGateway.start(
                        MariaDb.get("second"),
                        Path.of("src/test/resources/org/keyline/gateway/relay/local-users.yaml"));
                Connection connection = DriverManager.getConnection(
                        "jdbc:mysql://127.0.0.1:" + local.port() + "/clients?useServerPrepStmts=true&useSSL=false",
                        "app",
                        "");
                PreparedStatement read = connection.prepareStatement("SELECT name FROM t WHERE id = ?");
                Statement sql = connection.createStatement()) {
            for (int i = 0; i < 5; i++) {
                read.setInt(1, 1);
                try (ResultSet rows = read.executeQuery()) {
                    assertThat(rows.next()).isTrue();
                    assertThat(rows.getString(1)).isEqualTo("één");
                }
            }
            sql.execute("KEYLINE LAST");
            try (ResultSet last = sql.getResultSet()) {
                last.next();
                assertThat(last.getString(2)).isEqualTo("line");
            }
            try (ResultSet user = sql.executeQuery("SELECT CURRENT_USER()")) {
                user.next();
                assertThat(user.getString(1)).isEqualTo(MariaDb.USER + "@127.0.0.1");
            }
        }
    }

    /**
     * A driver cancels by KILL QUERY with the id of its greeting, which the gateway assigns here.
     */
    @Test
    void localUsers_cancelTheirStatements() throws Exception {
        try (RelayGateway local = RelayGateway.start(
                        MariaDb.get("second"),
                        Path.of("src/test/resources/org/keyline/gateway/relay/local-users.yaml"));
                Connection connection = DriverManager.getConnection(
                        "jdbc:mysql://127.0.0.1:" + local.port() + "/clients?useSSL=false", "app", "");
                Statement sleeping = connection.createStatement();
                Connection straight = MariaDb.get("second").connect("");
                Statement look = straight.createStatement()) {
            String marked = "SELECT SLEEP(600), 'to be cancelled'";
            CompletableFuture<Boolean> interrupted = CompletableFuture.supplyAsync(() -> {
                try (ResultSet slept = sleeping.executeQuery(marked)) {
                    return slept.next() && slept.getInt(1) == 1;
                } catch (SQLException received) {
                    return true;
                }
            });
            soon("the sleep").until(() -> {
                try (ResultSet running = look.executeQuery(
                        "SELECT COUNT(*) FROM information_schema.processlist WHERE info = \"" + marked + "\"")) {
                    running.next();
                    return running.getInt(1) == 1;
                }
            });
            sleeping.cancel();
            assertThat(interrupted.get(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** The gateway assigns the ids of greetings here, also within a text of several statements. */
    @Test
    void localUsers_endEachOthersSessions() throws Exception {
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try (RelayGateway local = RelayGateway.start(
                        MariaDb.get("second"),
                        Path.of("src/test/resources/org/keyline/gateway/relay/local-users.yaml"));
                Connection killer = DriverManager.getConnection(
                        "jdbc:mysql://127.0.0.1:" + local.port() + "/clients?useSSL=false&allowMultiQueries=true",
                        "app",
                        "");
                Statement sql = killer.createStatement()) {
            ClientOptions options =
                    ClientOptions.of("127.0.0.1", local.port(), "app").build();
            ClientConnection victim = ClientConnection.connect(options, loops.next())
                    .toCompletableFuture()
                    .get();
            sql.execute("SELECT 1; KILL " + victim.connectionId());
            assertThat(victim.closed().toCompletableFuture().get(1, TimeUnit.MINUTES))
                    .isNotNull();
        } finally {
            loops.shutdownGracefully().awaitUninterruptibly();
        }
    }
}
