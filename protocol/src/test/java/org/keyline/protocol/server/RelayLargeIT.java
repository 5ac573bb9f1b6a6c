package org.keyline.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.HandshakeV10;
import org.keyline.protocol.auth.AuthPlugin;
import org.keyline.protocol.auth.Credential;
import org.keyline.protocol.auth.ServerAuthenticator;
import org.keyline.protocol.fixtures.LeakCheck;
import org.keyline.protocol.fixtures.MariaDbServer;
import org.keyline.protocol.fixtures.RawClient;
import org.keyline.protocol.fixtures.Relays;
import org.keyline.protocol.fixtures.TinySession;
import org.keyline.protocol.fixtures.Wire;
import org.keyline.protocol.transport.Transport;

/** Commands and replies far over 16 MiB through a relay: complete, and in constant memory. */
@ExtendWith(LeakCheck.class)
@ParameterizedClass
@EnumSource(
        value = Transport.class,
        names = {"EPOLL", "IO_URING"})
final class RelayLargeIT {
    private static final int MAX_PIECE = 0xFFFFFF;

    /** Some wire packets: one being joined, one being sent, and their copies. */
    private static final long MAX_MEMORY_BYTES = 112L << 20;

    private final MySqlServer relay;

    RelayLargeIT(Transport transport) throws IOException {
        assumeThat(transport.unavailabilityCause()).isNull();
        relay = Relays.toMariaDb(Relays.options().withTransport(transport));
    }

    @AfterEach
    void stop() {
        relay.close();
    }

    private static RawClient login(InetSocketAddress to) throws IOException {
        RawClient client = new RawClient(to);
        assertThat(client.login("keyline", MariaDbServer.PASSWORD, RawClient.FLAGS, 0)
                        .get(1)
                        .header())
                .isZero();
        return client;
    }

    private static long memory() {
        return ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT)
                .metric()
                .usedDirectMemory();
    }

    /** Writes a payload of this length with this beginning and end, without building all of it. */
    private static long writeLong(RawClient client, byte[] begin, long length, byte[] end) throws IOException {
        long peak = memory();
        byte[] fill = new byte[1 << 20];
        Arrays.fill(fill, (byte) 'x');
        long at = 0;
        int id = 0;
        while (true) {
            int piece = (int) Math.min(MAX_PIECE, length - at);
            client.writeBytes(new byte[] {(byte) piece, (byte) (piece >> 8), (byte) (piece >> 16), (byte) id++});
            for (long to = at + piece; at < to; ) {
                byte[] part = at < begin.length ? begin : at >= length - end.length ? end : fill;
                long limit = at < begin.length ? begin.length : at >= length - end.length ? to : length - end.length;
                int bytes = (int) Math.min(Math.min(to, limit) - at, part.length);
                int skipped = part == end ? (int) (at - (length - end.length)) : 0;
                client.writeBytes(Arrays.copyOfRange(part, skipped, Math.min(part.length, skipped + bytes)));
                at += bytes;
                peak = Math.max(peak, memory());
            }
            if (piece < MAX_PIECE) {
                return peak;
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {MAX_PIECE - 1, MAX_PIECE, MAX_PIECE + 1, 2L * MAX_PIECE, 160L << 20})
    void statement_ofThatLength_passesInConstantMemory(long length) throws Exception {
        byte[] begin = RawClient.query("SELECT LENGTH('");
        byte[] end = "')".getBytes(StandardCharsets.US_ASCII);
        try (RawClient client = login(relay.address())) {
            long before = memory();
            long peak = writeLong(client, begin, length, end);
            String expected = Long.toString(length - begin.length - end.length);
            client.read();
            client.read();
            client.read();
            assertThat(new String(client.read().payload(), StandardCharsets.US_ASCII))
                    .endsWith(expected);
            client.read();
            assertThat(client.exchange(RawClient.query("DO 1")).get(0).header()).isZero();
            assertThat(peak - before).isLessThan(MAX_MEMORY_BYTES);
        }
    }

    @Test
    void statement_refusedBeforeItIsWhole_getsTheServersError() throws Exception {
        Account root = new Account("root@%", Credential.empty(AuthPlugin.NATIVE_PASSWORD));
        try (MySqlServer store = MySqlServer.bind(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        ServerOptions.of("8.0.36-store")
                                .withEventLoops(1)
                                .withLimits(1 << 20, Duration.ofSeconds(9), Duration.ZERO, Duration.ofSeconds(5), 9),
                        new ServerAuthenticator(AuthPlugin.NATIVE_PASSWORD, null, new SecureRandom()),
                        (user, from) -> root,
                        (login, peer) -> CompletableFuture.completedFuture(new TinySession(login)),
                        ServerListener.NONE);
                MySqlServer front =
                        Relays.to(Relays.upstream(store.address()).build(), Relays.options(), ServerListener.NONE);
                RawClient client = new RawClient(front.address())) {
            assertThat(client.login("root", "", RawClient.FLAGS, 0).get(1).header())
                    .isZero();
            Thread writer = new Thread(() -> {
                try {
                    writeLong(client, RawClient.query("SELECT '"), 40 << 20, new byte[] {'\''});
                } catch (IOException closed) {
                    // only the answer matters
                }
            });
            writer.start();
            assertThat(ErrPacket.decode(client.read().buffer()).code()).isEqualTo(1153);
        }
    }

    @Test
    void result_toAClientThatDoesNotRead_waitsAtTheServer() throws Exception {
        try (RawClient admin = login(MariaDbServer.get().address());
                RawClient client = new RawClient(relay.address())) {
            List<Wire.Packet> login = client.login("keyline", MariaDbServer.PASSWORD, RawClient.FLAGS, 0);
            int id = HandshakeV10.decode(login.get(0).buffer()).connectionId();
            long before = memory();
            int rows = 60_000;
            client.write(
                    0,
                    RawClient.query("WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 1000)"
                            + " SELECT REPEAT('x', 1200) FROM n a, n b WHERE b.i <= 60"));
            byte[] state = RawClient.query("SELECT STATE FROM information_schema.processlist WHERE ID = " + id);
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> admin.exchange(state).stream()
                            .anyMatch(row ->
                                    new String(row.payload(), StandardCharsets.US_ASCII).contains("Writing to net")));
            assertThat(memory() - before).isLessThan(16L << 20);
            client.read();
            client.read();
            client.read();
            long peak = memory();
            for (int i = 0; i < rows; i++) {
                assertThat(client.read().payload()).hasSize(1203);
                peak = Math.max(peak, memory());
            }
            assertThat(client.read().header()).isEqualTo(0xFE);
            assertThat(peak - before).isLessThan(16L << 20);
        }
    }
}
