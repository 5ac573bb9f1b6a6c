package org.keyline.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.keyline.gateway.fixtures.DemoGateway;
import org.keyline.gateway.fixtures.TestClient;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.auth.AuthPlugin;
import org.keyline.protocol.auth.Credential;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.protocol.client.ResultListener;

/** Malicious and faulty clients do not affect other clients. */
final class HostileClientsIT {
    private static final long SEED = 20_261_121;

    @Test
    void garbageSenders_inParallel_harmNobody() throws Exception {
        try (DemoGateway demo = DemoGateway.start("eventLoops=2", "limits.loginTimeout=1s")) {
            AtomicBoolean stop = new AtomicBoolean();
            ExecutorService hostile = Executors.newFixedThreadPool(4);
            List<Future<?>> senders = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Random random = new Random(SEED + i);
                senders.add(hostile.submit(() -> {
                    while (!stop.get()) {
                        attack(demo, random);
                    }
                }));
            }
            try (Connection good = DriverManager.getConnection(
                            demo.jdbc("mysql", "demo", "useSSL=false&useServerPrepStmts=true"), "root", "");
                    PreparedStatement read = good.prepareStatement("SELECT name FROM users WHERE user_id = ?")) {
                for (int i = 0; i < 3_000; i++) {
                    read.setLong(1, 1 + i % 100);
                    try (ResultSet rows = read.executeQuery()) {
                        assertThat(rows.next()).isTrue();
                        assertThat(rows.getString(1)).isEqualTo("user " + (1 + i % 100));
                    }
                }
            } finally {
                stop.set(true);
                hostile.shutdown();
            }
            for (Future<?> sender : senders) {
                sender.get(30, TimeUnit.SECONDS);
            }
        }
    }

    /**
     * Garbage after the greeting; half a packet, then silence; a packet with a claimed length of
     * 2^24-1 bytes.
     */
    private static void attack(DemoGateway demo, Random random) {
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), demo.address().port())) {
            socket.setSoTimeout(200);
            InputStream in = socket.getInputStream();
            byte[] greeting = new byte[4];
            int greeted = in.readNBytes(greeting, 0, 4);
            if (greeted < 4) {
                return;
            }
            OutputStream out = socket.getOutputStream();
            switch (random.nextInt(3)) {
                case 0 -> {
                    byte[] garbage = new byte[random.nextInt(2_000)];
                    random.nextBytes(garbage);
                    out.write(garbage);
                }
                case 1 -> out.write(new byte[] {(byte) 200, 0, 0, 1, 1, 2, 3});
                default -> {
                    out.write(new byte[] {-1, -1, -1, 1});
                    out.write(new byte[random.nextInt(100_000)]);
                }
            }
            while (in.read() >= 0) {
                // the answer is discarded
            }
        } catch (IOException closed) {
            // the expected end
        }
    }

    @Test
    void likePatterns_ofManyWildcards_stopNoLoop() throws Exception {
        String any = "%".repeat(60);
        try (DemoGateway demo = DemoGateway.start("eventLoops=1");
                TestClient client = TestClient.connect(demo.address(), "demo")) {
            for (String statement : List.of("STATUS", "VARIABLES", "TABLES")) {
                assertThat(client.query("SHOW " + statement + " LIKE 'keyline" + any + "_" + any + "!'")
                                .rows())
                        .isEmpty();
            }
            assertThat(client.query("SHOW STATUS LIKE 'keyline" + any + "s'").rows())
                    .isNotEmpty();
            ColumnNames names = new ColumnNames();
            ByteBuf payload = Unpooled.buffer().writeByte(CommandCode.COM_FIELD_LIST);
            payload.writeCharSequence("users\0" + any + "_ame" + any, StandardCharsets.UTF_8);
            client.connection().loop().execute(() -> client.connection().send(payload, names));
            assertThat(names.ended.get(20, TimeUnit.SECONDS)).containsExactly("name");
        }
    }

    /** The columns of a COM_FIELD_LIST. */
    private static final class ColumnNames implements ResultListener {
        final CompletableFuture<List<String>> ended = new CompletableFuture<>();
        private final List<String> names = new ArrayList<>();

        @Override
        public void columns(List<ColumnDefinition> definitions) {
            definitions.forEach(definition -> names.add(definition.name()));
        }

        @Override
        public void end(ReplySummary summary) {
            ended.complete(names);
        }

        @Override
        public void failed(Throwable cause) {
            ended.completeExceptionally(cause);
        }
    }

    @Test
    void changeUser_startsAfreshAsTheOther(@TempDir Path directory) throws Exception {
        Path users = Files.writeString(directory.resolve("users.yaml"), users());
        try (DemoGateway demo = DemoGateway.start(users);
                Connection connection = DriverManager.getConnection(
                        demo.jdbc("mysql", "demo", "sslMode=REQUIRED"), "ann", "ann's secret")) {
            var mysql = connection.unwrap(com.mysql.cj.jdbc.JdbcConnection.class);
            try (var statement = connection.createStatement()) {
                statement.execute("SET wait_timeout = 77");
            }
            mysql.changeUser("bob", "bob's secret");
            try (var statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("SELECT USER()")) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getString(1)).startsWith("bob@");
            }
            assertThatThrownBy(() -> mysql.changeUser("ann", "wrong")).isInstanceOf(SQLException.class);
        }
    }

    @Test
    void tlsRequired_plainClient_isRefused() throws Exception {
        try (DemoGateway demo = DemoGateway.start("tls.mode=required")) {
            assertThatThrownBy(() -> TestClient.connect(demo.address(), "demo"))
                    .hasMessageContaining("insecure transport");
            try (Connection connection =
                    DriverManager.getConnection(demo.jdbc("mysql", "demo", "sslMode=REQUIRED"), "root", "")) {
                assertThat(connection.isValid(5)).isTrue();
            }
        }
    }

    @Test
    void unknownDatabase_atLogin_isError1049() throws Exception {
        try (DemoGateway demo = DemoGateway.start()) {
            assertThatThrownBy(() -> TestClient.connect(demo.address(), "nowhere"))
                    .hasMessageContaining("nowhere");
        }
    }

    private static String users() {
        Random random = new Random(SEED);
        String sha2 = Credential.ofPassword(AuthPlugin.CACHING_SHA2_PASSWORD, "ann's secret", random)
                .stored();
        String sha1 = Credential.ofPassword(AuthPlugin.NATIVE_PASSWORD, "bob's secret", random)
                .stored();
        return "users:\n- {name: ann, hash: '" + sha2 + "'}\n- {name: bob, plugin: mysql_native_password, hash: '"
                + sha1 + "'}\n";
    }
}
