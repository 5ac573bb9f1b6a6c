package org.keyline.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.keyline.protocol.auth.AuthPlugin;
import org.keyline.protocol.auth.Credential;
import org.keyline.protocol.auth.ServerAuthenticator;
import org.keyline.protocol.fixtures.LeakCheck;
import org.keyline.protocol.fixtures.TinySession;

/** The listening socket: its limit, its address, its end. */
@ExtendWith(LeakCheck.class)
final class MySqlServerTest {
    private final BlockingQueue<TinySession> sessions = new LinkedBlockingQueue<>();

    private MySqlServer start(int maxConnections, int port) throws IOException {
        ServerOptions options = ServerOptions.of("8.0.36-keyline")
                .withEventLoops(1)
                .withLimits(1 << 20, Duration.ofSeconds(10), Duration.ZERO, Duration.ofSeconds(10), maxConnections);
        Account root = new Account("root@%", Credential.empty(AuthPlugin.NATIVE_PASSWORD));
        return MySqlServer.bind(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                options,
                new ServerAuthenticator(AuthPlugin.NATIVE_PASSWORD, null, new SecureRandom()),
                (user, from) -> user.equals("root") ? root : null,
                (login, peer) -> {
                    TinySession session = new TinySession(login);
                    sessions.add(session);
                    return CompletableFuture.completedFuture(session);
                },
                ServerListener.NONE);
    }

    private static Connection connect(MySqlServer server) throws SQLException {
        String url = "jdbc:mariadb://127.0.0.1:" + server.address().getPort() + "/?user=root&sslMode=disable";
        return DriverManager.getConnection(url);
    }

    @Test
    void connect_overTheLimit_isError1040AndAFreedPlaceIsGivenAgain() throws Exception {
        try (MySqlServer server = start(2, 0)) {
            try (Connection first = connect(server);
                    Connection second = connect(server)) {
                assertThat(first.isValid(5)).isTrue();
                assertThat(second.isValid(5)).isTrue();
                assertThat(server.connections()).isEqualTo(2);
                assertThatThrownBy(() -> connect(server).close())
                        .isInstanceOf(SQLException.class)
                        .hasMessageContaining("Too many connections");
            }
            Awaitility.await().until(() -> server.connections() == 0);
            connect(server).close();
        }
    }

    @Test
    void bind_addressInUse_saysWhich() throws Exception {
        try (MySqlServer server = start(2, 0)) {
            int port = server.address().getPort();
            assertThatThrownBy(() -> start(2, port).close())
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(Integer.toString(port));
        }
    }

    @Test
    void close_withACommandInHand_waitsForItsAnswer() throws Exception {
        MySqlServer server = start(5, 0);
        // Both calls block, and the common pool may have a single thread.
        Executor threads = task -> new Thread(task, "blocking-call").start();
        Connection connection = connect(server);
        Statement statement = connection.createStatement();
        TinySession session = sessions.poll(10, TimeUnit.SECONDS);
        CompletableFuture<Boolean> answered = CompletableFuture.supplyAsync(
                () -> {
                    try {
                        statement.execute("LATER");
                        return true;
                    } catch (SQLException e) {
                        return false;
                    }
                },
                threads);
        Awaitility.await().until(() -> session != null && session.awaited() == 1);
        CompletableFuture<Void> closed = CompletableFuture.runAsync(server::close, threads);
        Awaitility.await().until(() -> refuses(server));
        assertThat(closed).isNotDone();
        session.answerOnLoop();
        assertThat(answered.get(10, TimeUnit.SECONDS)).isTrue();
        closed.get(10, TimeUnit.SECONDS);
        assertThat(session.closedCount()).isEqualTo(1);
        assertThatThrownBy(() -> statement.execute("SET x = 1")).isInstanceOf(SQLException.class);
    }

    private static boolean refuses(MySqlServer server) {
        try {
            connect(server).close();
            return false;
        } catch (SQLException e) {
            return true;
        }
    }
}
