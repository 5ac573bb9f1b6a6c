package org.keyline.gateway;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.keyline.gateway.config.HostPort;
import org.keyline.gateway.fixtures.Arrivals;
import org.keyline.gateway.fixtures.ClientProcess;
import org.keyline.gateway.fixtures.GatewayProcess;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.gateway.fixtures.TestClient;
import org.keyline.gateway.handover.Predecessor;
import org.keyline.protocol.client.ClientOptions;

/**
 * Each process hands its listening socket to the next one, in front of a MariaDB: no client is refused, and no read misses a write that was
 * acknowledged by the other process. On demand more of them: {@code -Dkeyline.restarts=100 -Dkeyline.connects=500}, restarts and connects a second.
 */
@EnabledOnOs(OS.LINUX)
final class HandoverIT {
    private static final int RESTARTS = Integer.getInteger("keyline.restarts", 2);
    private static final int CONNECTS = Integer.getInteger("keyline.connects", 50);
    private static final String ONE = "SELECT v FROM t WHERE id = 1";
    private static final String TWO = "SELECT v FROM t WHERE id = 2";
    private static final List<String> FROM_LINES = List.of("source", "line");

    private static MariaDb store;

    @TempDir
    private Path directory;

    @BeforeAll
    static void define() throws Exception {
        store = MariaDb.with("handover", "--max-connections=5000");
        try (Connection session = DriverManager.getConnection(store.jdbc(""));
                Statement sql = session.createStatement()) {
            sql.execute("CREATE DATABASE passed");
            sql.execute("CREATE TABLE passed.t (id INT PRIMARY KEY, v INT)");
            sql.execute("INSERT INTO passed.t VALUES (1, 0), (2, 0)");
        }
    }

    @Test
    void restarts_refuseNobody_andNoReadMissesAWriteOfTheOtherProcess() throws Exception {
        GatewayProcess serving = start();
        HostPort address = serving.address();
        try (Arrivals arrivals = Arrivals.begin(options(address).build(), ONE, CONNECTS)) {
            for (int i = 1; i <= RESTARTS; i++) {
                try (TestClient busy = connect(address)) {
                    done(busy, "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
                    done(busy, "BEGIN");
                    untilLinesAnswer(busy, TWO);
                    done(busy, "UPDATE t SET v = " + i + " WHERE id = 1");

                    GatewayProcess next = start();
                    GatewayProcess before = serving;
                    serving = next;
                    assertThat(next.address()).isEqualTo(address);
                    try (TestClient client = connect(address)) {
                        for (int again = 0; again < 3; again++) {
                            assertThat(value(client, ONE)).isEqualTo("" + (i - 1));
                        }
                        done(client, "UPDATE t SET v = " + i + " WHERE id = 2");
                        assertThat(value(busy, TWO))
                                .as("in the process that ends, after a write in the next one")
                                .isEqualTo("" + i);
                        done(busy, "COMMIT");
                        assertThat(value(client, ONE))
                                .as("in the next process, after a write in the one that ends")
                                .isEqualTo("" + i);
                    }
                    assertThat(before.await()).isZero();
                }
                try (TestClient client = connect(address)) {
                    untilLinesAnswer(client, ONE);
                }
            }
            arrivals.end();
            System.out.println("handovers: " + RESTARTS + ", meanwhile " + arrivals);
            assertThat(arrivals.failures()).isEmpty();
            assertThat(arrivals.served()).isPositive();
        } finally {
            serving.close();
        }
    }

    @Test
    void processThatEndsBeforeItServes_leavesTheOneThatServesAsItWas() throws Exception {
        Path socket = directory.resolve("socket");
        try (RelayGateway gateway = RelayGateway.start(store, "handover=" + socket);
                TestClient client = connect(new HostPort("127.0.0.1", gateway.port()))) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
                    .isEqualTo("rw-------");
            untilLinesAnswer(client, ONE);
            try (Predecessor asked = Predecessor.find(socket)) {
                assertThat(requireNonNull(asked).address().getPort()).isEqualTo(gateway.port());
                assertThat(Predecessor.find(socket))
                        .as("a second one at a time")
                        .isNull();
                asked.take();
                for (int i = 0; i < 5; i++) {
                    assertThat(client.query(ONE).error()).isNull();
                    assertThat(client.query("KEYLINE LAST").rows()).doesNotContain(FROM_LINES);
                }
                asked.leaveSocket();
            }
            untilLinesAnswer(client, ONE);
            try (TestClient later = connect(new HostPort("127.0.0.1", gateway.port()))) {
                assertThat(later.query(ONE).error()).isNull();
            }
        }
    }

    @Test
    void processThatEndsBeforeItHandsOver_leavesTheSocket() throws Exception {
        Path socket = directory.resolve("socket");
        RelayGateway gateway = RelayGateway.start(store, "handover=" + socket);
        try (Predecessor asked = requireNonNull(Predecessor.find(socket))) {
            gateway.close();
            asked.take();
            asked.ended().toCompletableFuture().get(1, TimeUnit.MINUTES);
            try (Socket waiting = new Socket()) {
                // The system takes the connection, for whoever will accept it.
                waiting.connect(asked.address());
                assertThat(waiting.isConnected()).isTrue();
            }
            asked.leaveSocket();
        }
        assertThat(Predecessor.find(socket)).as("nobody is there any more").isNull();
    }

    @Test
    void otherAccount_getsNothing_evenWhereItReachesTheSocket() throws Exception {
        assumeTrue((Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0, "needs root's rights");
        Path socket = directory.resolve("socket");
        try (RelayGateway gateway = RelayGateway.start(store, "handover=" + socket)) {
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-rw-rw-"));
            String ask = """
                    import os, socket, sys
                    if len(sys.argv) > 2:
                        os.setgid(65534)
                        os.setuid(65534)
                    s = socket.socket(socket.AF_UNIX)
                    s.connect(sys.argv[1])
                    s.settimeout(30)
                    data, fds, flags, address = socket.recv_fds(s, 1, 4)
                    print(len(fds))
                    """;
            assertThat(ClientProcess.python(ask, socket.toString())).isEqualTo("1\n");
            assertThat(ClientProcess.python(ask, socket.toString(), "as nobody"))
                    .isEqualTo("0\n");
            assertThat(gateway.port()).isPositive();
        }
    }

    @Test
    void fileInThePlaceOfTheSocket_staysAndRefusesTheStart() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "kept");
        assertThatThrownBy(() -> RelayGateway.start(store, "handover=" + file))
                .isInstanceOf(StartException.class)
                .hasMessageContaining(file + " is a file (expected: a unix socket, or nothing)");
        assertThat(file).hasContent("kept");
    }

    private GatewayProcess start() throws Exception {
        return GatewayProcess.startInFront(
                ProcessBuilder.Redirect.appendTo(directory.resolve("stderr").toFile()),
                "--store",
                "mysql://127.0.0.1:" + store.port(),
                "--store-user",
                MariaDb.USER,
                "--store-password",
                MariaDb.PASSWORD,
                "--handover",
                directory.resolve("socket").toString(),
                "--set",
                "eventLoops=2",
                "--ttl",
                "1h");
    }

    private static TestClient connect(HostPort address) throws Exception {
        return TestClient.connect(address, HandoverIT::as);
    }

    private static ClientOptions.Builder options(HostPort address) {
        ClientOptions.Builder options = ClientOptions.of(address.host(), address.port(), MariaDb.USER);
        as(options);
        return options;
    }

    private static void as(ClientOptions.Builder options) {
        options.user(MariaDb.USER).password(MariaDb.PASSWORD).database("passed").connectTimeout(Duration.ofMinutes(1));
    }

    private static void done(TestClient client, String sql) throws Exception {
        assertThat(client.query(sql).error()).as(sql).isNull();
    }

    private static String value(TestClient client, String read) throws Exception {
        TestClient.Answer answer = client.query(read);
        assertThat(answer.error()).as(read).isNull();
        return answer.rows().get(0).get(0);
    }

    private static void untilLinesAnswer(TestClient client, String read) {
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> {
            done(client, read);
            return client.query("KEYLINE LAST").rows().contains(FROM_LINES);
        });
    }
}
