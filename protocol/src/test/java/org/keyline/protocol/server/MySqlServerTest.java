package org.keyline.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.ExtendWith;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.HandshakeV10;
import org.keyline.protocol.auth.AuthPlugin;
import org.keyline.protocol.auth.Credential;
import org.keyline.protocol.auth.ServerAuthenticator;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.fixtures.LeakCheck;
import org.keyline.protocol.fixtures.TinySession;
import org.keyline.protocol.fixtures.Wire;
import org.keyline.protocol.memory.MemoryBudget;
import org.keyline.protocol.transport.Networks;
import org.keyline.protocol.transport.Transport;

/** The listening socket: its limit, its address, its end. */
@ExtendWith(LeakCheck.class)
final class MySqlServerTest {
    private final BlockingQueue<TinySession> sessions = new LinkedBlockingQueue<>();

    /** Receives each command before its session. */
    private Consumer<ByteBuf> ahead = payload -> {};

    /** Receives each command that sessions see ahead of its dispatch. */
    private Consumer<ByteBuf> seen = payload -> {};

    private record Watched(CommandHandler session, Consumer<ByteBuf> commands, Consumer<ByteBuf> ahead)
            implements CommandHandler {
        @Override
        public void ahead(ByteBuf payload) {
            ahead.accept(payload);
        }

        @Override
        public void command(ByteBuf payload, Reply reply) {
            commands.accept(payload);
            session.command(payload, reply);
        }

        @Override
        public void changeUser(Login login, Reply reply) {
            session.changeUser(login, reply);
        }

        @Override
        public void closed() {
            session.closed();
        }
    }

    private MySqlServer start(int maxConnections, int port) throws IOException {
        return start(
                port,
                ServerOptions.of("8.0.36-keyline")
                        .withEventLoops(1)
                        .withLimits(
                                1 << 20,
                                Duration.ofSeconds(10),
                                Duration.ZERO,
                                Duration.ofSeconds(10),
                                maxConnections));
    }

    private MySqlServer start(int port, ServerOptions options) throws IOException {
        Account root = new Account("root@%", Credential.empty(AuthPlugin.NATIVE_PASSWORD));
        return MySqlServer.bind(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                options,
                new ServerAuthenticator(AuthPlugin.NATIVE_PASSWORD, null, new SecureRandom()),
                (user, from) -> user.equals("root") ? root : null,
                (login, peer) -> {
                    TinySession session = new TinySession(login);
                    sessions.add(session);
                    return CompletableFuture.completedFuture(new Watched(session, ahead, seen));
                },
                ServerListener.NONE);
    }

    private static Connection connect(MySqlServer server) throws SQLException {
        String url = "jdbc:mariadb://127.0.0.1:" + server.address().getPort() + "/?user=root&sslMode=disable";
        return DriverManager.getConnection(url);
    }

    @Test
    void close_beforeTheProxyHeader_servesAndClosesThatConnectionToo() throws Exception {
        MySqlServer server = start(
                0,
                ServerOptions.of("8.0.36-keyline")
                        .withEventLoops(1)
                        .withLimits(1 << 20, Duration.ofMinutes(5), Duration.ZERO, Duration.ofHours(1), 2)
                        .withProxies(Networks.parse("127.0.0.1")));
        CompletableFuture<Void> closed;
        try (Socket balancer =
                new Socket(server.address().getAddress(), server.address().getPort())) {
            Awaitility.await().until(() -> server.connections() == 1);
            closed = CompletableFuture.runAsync(server::close, task -> new Thread(task, "blocking-call").start());
            Awaitility.await().until(() -> refuses(server));
            balancer.getOutputStream()
                    .write("PROXY TCP4 127.0.0.9 127.0.0.1 5555 3306\r\n".getBytes(StandardCharsets.US_ASCII));
            balancer.setSoTimeout((int) TimeUnit.MINUTES.toMillis(1));
            assertThat(balancer.getInputStream().readAllBytes())
                    .as("a greeting, then the end, because no client logs in")
                    .isNotEmpty();
        }
        closed.get(1, TimeUnit.MINUTES);
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

    /**
     * The loop blocks in one of many commands that clients have sent in advance, while another
     * client repeatedly sends one of its own. The number of their commands that are answered before
     * it depends on rounds, not on time.
     */
    @Test
    void oneCommandAtATime_besideManySentInAdvance_waitsForARoundOnly() throws Exception {
        int clients = 16;
        int times = 8;
        Semaphore standing = new Semaphore(0);
        Semaphore sent = new Semaphore(0);
        AtomicInteger pings = new AtomicInteger();
        AtomicInteger standAt = new AtomicInteger(1);
        AtomicInteger pingsBefore = new AtomicInteger();
        ahead = payload -> {
            if (payload.getByte(payload.readerIndex()) != CommandCode.COM_PING) {
                pingsBefore.set(pings.get() - standAt.get());
                standAt.set(pings.get() + LoopShare.COMMANDS / 2);
            } else if (pings.incrementAndGet() == standAt.get()) {
                standing.release();
                Awaitility.await().until(sent::tryAcquire);
            }
        };
        List<Socket> hostile = new ArrayList<>();
        try (MySqlServer server = start(clients + 1, 0);
                Socket behaved = loggedIn(server)) {
            try {
                ByteBuf batch = Unpooled.buffer();
                for (int i = 0; i < 10_000; i++) {
                    batch.writeBytes(Wire.command(CommandCode.COM_PING, new byte[0]));
                }
                for (int i = 0; i < clients; i++) {
                    hostile.add(loggedIn(server));
                }
                for (Socket client : hostile) {
                    // The first one blocks the loop, so all bytes of the others wait then.
                    send(client, batch.duplicate());
                }
                for (int time = 0; time <= times; time++) {
                    assertThat(standing.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
                    // The rest of the round in which the loop was blocked, and the commands that may
                    // come first in the next one.
                    assertThat(pingsBefore.get()).isBetween(0, 3 * LoopShare.COMMANDS);
                    send(behaved, query("SET x = 1"));
                    sent.release();
                }
                // Not before: the loop may block when it has answered, but the answer has not been
                // sent.
                sent.release();
                for (int time = 0; time <= times; time++) {
                    assertThat(packet(behaved)[0]).isZero();
                }
            } finally {
                closeAll(hostile);
            }
        }
    }

    /**
     * While one command blocks the loop, commands of several clients arrive: each is announced
     * before any is dispatched.
     */
    @Test
    void commands_thatComeTogether_areSeenAheadOfTheFirstDispatch() throws Exception {
        CountDownLatch standing = new CountDownLatch(1);
        CountDownLatch sent = new CountDownLatch(1);
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        seen = payload -> order.add("saw " + text(payload));
        ahead = payload -> {
            order.add(text(payload));
            if (text(payload).equals("SET x = 0")) {
                standing.countDown();
                Awaitility.await().until(() -> sent.getCount() == 0);
            }
        };
        try (MySqlServer server = start(4, 0);
                Socket first = loggedIn(server);
                Socket second = loggedIn(server);
                Socket third = loggedIn(server)) {
            send(first, query("SET x = 0"));
            assertThat(standing.await(60, TimeUnit.SECONDS)).isTrue();
            send(second, Unpooled.wrappedBuffer(query("SET x = 1"), query("SET x = 2")));
            send(third, query("SET x = 3"));
            sent.countDown();
            assertThat(packet(third)[0]).isZero();
            assertThat(packet(second)[0]).isZero();
            assertThat(packet(second)[0]).isZero();
            assertThat(packet(first)[0]).isZero();
        }
        assertThat(order.subList(0, 4)).containsExactly("SET x = 0", "saw SET x = 1", "saw SET x = 2", "saw SET x = 3");
        assertThat(order.subList(4, 7)).containsExactly("SET x = 1", "SET x = 2", "SET x = 3");
    }

    /** As after a restart: more clients wait to be accepted than the memory for logins allows. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void clients_thatWaitTogether_moreThanMayBeInLogin_allLogIn() throws Exception {
        List<Socket> clients = new ArrayList<>();
        Epoll.ensureAvailability();
        io.netty.channel.unix.Socket queue = io.netty.channel.unix.Socket.newSocketStream();
        queue.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        queue.listen(1024);
        for (int i = 0; i < 56; i++) {
            Socket client = new Socket(
                    InetAddress.getLoopbackAddress(), queue.localAddress().getPort());
            clients.add(client);
            // Before the greeting, so that none of them is silent, however slow this test is.
            sendLogin(client);
        }
        ServerOptions options = placesInLogin(32).withTransport(Transport.EPOLL).withPassedSocket(queue.intValue());
        try (MySqlServer server = start(0, options)) {
            try {
                assertThat(server.address()).isEqualTo(queue.localAddress());
                for (Socket client : clients) {
                    assertThat(packet(client)[0]).isEqualTo((byte) HandshakeV10.PROTOCOL_VERSION);
                    assertThat(packet(client)[0]).isZero();
                }
            } finally {
                closeAll(clients);
            }
        }
    }

    /** Closes them before their server closes, which otherwise waits for them. */
    private static void closeAll(List<Socket> clients) throws IOException {
        for (Socket client : clients) {
            client.close();
        }
    }

    private static ServerOptions placesInLogin(int places) {
        return ServerOptions.of("8.0.36-keyline")
                .withEventLoops(1)
                .withMemory(new MemoryBudget(8L * places * ConnectionMemory.ofLogin(false)))
                .withLimits(1 << 20, Duration.ofMinutes(5), Duration.ZERO, Duration.ofSeconds(10), 1_000);
    }

    private static ByteBuf query(String sql) {
        return Wire.command(CommandCode.COM_QUERY, sql.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(ByteBuf payload) {
        return payload.toString(payload.readerIndex() + 1, payload.readableBytes() - 1, StandardCharsets.UTF_8);
    }

    private static Socket loggedIn(MySqlServer server) throws IOException {
        Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), server.address().getPort());
        logIn(socket);
        return socket;
    }

    private static void logIn(Socket socket) throws IOException {
        assertThat(packet(socket)[0]).isEqualTo((byte) HandshakeV10.PROTOCOL_VERSION);
        sendLogin(socket);
        assertThat(packet(socket)[0]).isZero();
    }

    /** The answer of a user without a password does not depend on the greeting. */
    private static void sendLogin(Socket socket) {
        send(
                socket,
                Wire.packet(1, TestClient.response("root", new byte[0], AuthPlugin.NATIVE_PASSWORD, TestClient.FLAGS)));
    }

    private static void send(Socket socket, ByteBuf bytes) {
        try {
            socket.getOutputStream().write(ByteBufUtil.getBytes(bytes));
        } catch (IOException e) {
            assertThat(socket.isClosed()).isTrue();
        }
    }

    private static byte[] packet(Socket socket) throws IOException {
        byte[] header = socket.getInputStream().readNBytes(Packets.HEADER_BYTES);
        return socket.getInputStream().readNBytes(Packets.payloadLength(Unpooled.wrappedBuffer(header), 0));
    }

    private static boolean refuses(MySqlServer server) {
        try (Socket connected =
                new Socket(server.address().getAddress(), server.address().getPort())) {
            return !connected.isConnected();
        } catch (IOException e) {
            return true;
        }
    }
}
