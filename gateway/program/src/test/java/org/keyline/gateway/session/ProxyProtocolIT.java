package org.keyline.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.keyline.gateway.fixtures.Lines.one;
import static org.keyline.gateway.fixtures.Lines.source;

import com.mysql.cj.conf.PropertySet;
import com.mysql.cj.protocol.StandardSocketFactory;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.fixtures.FreePorts;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/**
 * A gateway behind a load balancer and in front of MariaDB, both by the PROXY protocol. MariaDB
 * sees the client's address, and its host-based accounts decide. The test writes the headers
 * itself, byte by byte as in the specification; if HAProxy is installed, a real one writes them.
 */
final class ProxyProtocolIT {
    private static final String FAR = "127.0.0.9";
    private static final String VERSION_1 = "PROXY TCP4 " + FAR + " 127.0.0.1 5555 3306\r\n";
    private static final byte[] VERSION_2 = HexFormat.of()
            .parseHex("0d0a0d0a000d0a515549540a" + "21" + "11" + "000c" + "7f000009" + "7f000001" + "15b3" + "0cea");
    private static final byte[] VERSION_2_LOCAL =
            HexFormat.of().parseHex("0d0a0d0a000d0a515549540a" + "20" + "00" + "0000");

    private static final int HANDSHAKE_ERROR = 1043;
    private static final Path HAPROXY = Path.of("/usr/sbin/haproxy");

    private static MariaDb store;
    private static RelayGateway gateway;

    @BeforeAll
    static void start() throws Exception {
        store = MariaDb.get("ProxyProtocolIT");
        store.run(
                "SET GLOBAL proxy_protocol_networks = '127.0.0.1'",
                "CREATE DATABASE p",
                "CREATE TABLE p.t (id INT PRIMARY KEY, v INT)",
                "INSERT INTO p.t VALUES (1, 10)",
                "CREATE USER far@'" + FAR + "' IDENTIFIED BY 'secret'",
                "GRANT SELECT ON p.* TO far@'" + FAR + "'");
        gateway = RelayGateway.start(
                store, "proxies=127.0.0.1, ::1", "store.proxyProtocol=true", "limits.loginTimeout=2s");
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void anAccountByHost_isTheOneOfTheClientsAddress(int version) throws Exception {
        byte[] header = version == 1 ? VERSION_1.getBytes(StandardCharsets.US_ASCII) : VERSION_2;
        try (Connection connection = connect(gateway.port(), header, "far")) {
            assertThat(one(connection, "SELECT CONCAT(USER(), ' ', CURRENT_USER())"))
                    .isEqualTo("far@" + FAR + " far@" + FAR);
            for (int read = 0; read < 3; read++) {
                assertThat(one(connection, "SELECT v FROM p.t WHERE id = 1")).isEqualTo("10");
            }
            assertThat(source(connection)).isEqualTo("line");
        }
    }

    @Test
    void theBalancersOwnConnection_hasItsOwnAddress() throws Exception {
        try (Connection connection = connect(gateway.port(), VERSION_2_LOCAL, MariaDb.USER)) {
            assertThat(one(connection, "SELECT USER()")).isEqualTo(MariaDb.USER + "@127.0.0.1");
        }
        assertThatThrownBy(() -> connect(gateway.port(), VERSION_2_LOCAL, "far"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("Access denied");
    }

    @Test
    void whoeverIsNoBalancer_tellsNoAddress() throws Exception {
        try (RelayGateway closed = RelayGateway.start(store, "proxies=127.0.0.8/32", "store.proxyProtocol=true")) {
            assertThatThrownBy(() -> connect(closed.port(), VERSION_2, "far")).isInstanceOf(SQLException.class);
            try (Connection connection = connect(closed.port(), new byte[0], MariaDb.USER)) {
                assertThat(one(connection, "SELECT USER()")).isEqualTo(MariaDb.USER + "@127.0.0.1");
            }
        }
    }

    /** The connection ends after the time limit for logins. */
    @ParameterizedTest
    @ValueSource(strings = {"", "PROXY TCP4 127.0"})
    void withoutAWholeHeader_theConnectionEndsWithAnError(String sent) throws Exception {
        byte[] packet = answer(sent);
        assertThat(packet[4]).isEqualTo((byte) 0xFF);
        assertThat((packet[5] & 0xFF) | (packet[6] & 0xFF) << 8).isEqualTo(HANDSHAKE_ERROR);
        assertThat(new String(packet, StandardCharsets.UTF_8)).contains("Bad handshake: no PROXY header");
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET / HTTP/1.1\r\nHost: keyline\r\n\r\n", "PROXY TCP4 nobody nowhere 1 2\r\n"})
    void withSomethingElse_theConnectionEnds(String sent) throws Exception {
        assertThat(answer(sent)).isEmpty();
    }

    private static byte[] answer(String sent) throws IOException {
        return answer(sent.getBytes(StandardCharsets.US_ASCII));
    }

    /** Returns all bytes that arrive until the connection ends. */
    private static byte[] answer(byte[] sent) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.port())) {
            socket.setSoTimeout((int) TimeUnit.MINUTES.toMillis(1));
            socket.getOutputStream().write(sent);
            return socket.getInputStream().readAllBytes();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"send-proxy", "send-proxy-v2"})
    void throughHaProxy_theStoreSeesTheClient(String option, @TempDir Path directory) throws Exception {
        assumeTrue(Files.isExecutable(HAPROXY), "no HAProxy on this machine");
        try (HaProxy balancer = HaProxy.start(directory, gateway.port(), option);
                Connection connection = DriverManager.getConnection("jdbc:mysql://127.0.0.1:" + balancer.port
                        + "/?user=far&password=secret&allowPublicKeyRetrieval=true&localSocketAddress=" + FAR)) {
            assertThat(one(connection, "SELECT USER()")).isEqualTo("far@" + FAR);
        }
    }

    private static Connection connect(int port, byte[] header, String user) throws SQLException {
        HeaderSockets.header = header;
        return DriverManager.getConnection("jdbc:mysql://127.0.0.1:" + port + "/?user=" + user
                + "&password=secret&allowPublicKeyRetrieval=true&socketFactory=" + HeaderSockets.class.getName());
    }

    /** Sockets that send a header first; Connector/J loads the class by its name. */
    public static final class HeaderSockets extends StandardSocketFactory {
        private static volatile byte[] header = {};

        @Override
        @SuppressWarnings("TypeParameterUnusedInFormals") // as Connector/J declares it
        public <T extends Closeable> T connect(String host, int port, PropertySet properties, int loginTimeout)
                throws IOException {
            T socket = super.connect(host, port, properties, loginTimeout);
            rawSocket.getOutputStream().write(header);
            return socket;
        }
    }

    /** A HAProxy process in front of one port. */
    private record HaProxy(Process process, int port) implements AutoCloseable {
        static HaProxy start(Path directory, int to, String option) throws IOException, InterruptedException {
            int port = FreePorts.next();
            Path settings = Files.writeString(directory.resolve("haproxy.cfg"), """
                    defaults
                      mode tcp
                      timeout connect 60s
                      timeout client 60s
                      timeout server 60s
                    listen keyline
                      bind 127.0.0.1:%d
                      server one 127.0.0.1:%d %s
                    """.formatted(port, to, option));
            Process process = new ProcessBuilder(HAPROXY.toString(), "-db", "-f", settings.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(directory.resolve("haproxy.log").toFile())
                    .start();
            HaProxy started = new HaProxy(process, port);
            for (int tries = 0; !accepts(port); tries++) {
                if (tries == 600 || process.waitFor(100, TimeUnit.MILLISECONDS)) {
                    started.close();
                    throw new IOException(Files.readString(directory.resolve("haproxy.log")));
                }
            }
            return started;
        }

        private static boolean accepts(int port) {
            try {
                new Socket(InetAddress.getLoopbackAddress(), port).close();
                return true;
            } catch (IOException e) {
                return false;
            }
        }

        @Override
        public void close() {
            process.destroyForcibly();
            process.onExit().join();
        }
    }
}
