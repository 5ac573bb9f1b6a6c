package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.protocol.client.ClientConnection;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.protocol.client.ResultListener;

/**
 * How many single-row INSERTs of 64 clients a MariaDB with durable commits takes in a second: straight, through a gateway, and through one that
 * merges them, in turns; and how much processor time of the server each takes. On demand, with {@code -Dkeyline.merged.seconds=N};
 * {@code -Dkeyline.merged.log=true} gives it a binary log, which each commit flushes, too.
 */
@EnabledIfSystemProperty(named = "keyline.merged.seconds", matches = "\\d+")
final class MergedWritesMeasurement {
    private static final int CLIENTS = Integer.getInteger("keyline.merged.clients", 64);
    private static final int SECONDS = Integer.getInteger("keyline.merged.seconds", 3);
    private static final boolean LOGS = Boolean.getBoolean("keyline.merged.log");
    private static final int ROUNDS = 5;

    private static final AtomicLong NEXT = new AtomicLong();

    /** One that inserts row after row. */
    private static final class Client implements ResultListener {
        final ClientConnection connection;
        final AtomicBoolean ended;
        final AtomicLong inserted;
        final CompletableFuture<Void> done = new CompletableFuture<>();

        Client(ClientConnection connection, AtomicBoolean ended, AtomicLong inserted) {
            this.connection = connection;
            this.ended = ended;
            this.inserted = inserted;
        }

        void next() {
            connection.query(
                    "INSERT INTO merged.t (id, name, n) VALUES (" + NEXT.incrementAndGet()
                            + ", 'some text of a row that is not very long', 7)",
                    this);
        }

        @Override
        public void end(ReplySummary summary) {
            if (summary.error() != null || summary.affectedRows() != 1) {
                done.completeExceptionally(new AssertionError(String.valueOf(summary.error())));
            } else if (ended.get()) {
                done.complete(null);
            } else {
                inserted.incrementAndGet();
                next();
            }
        }

        @Override
        public void failed(Throwable cause) {
            done.completeExceptionally(cause);
        }
    }

    @Test
    void inserts_straightThroughAndMerged() throws Exception {
        String[] durable = {"--innodb-flush-log-at-trx-commit=1", "--sync-binlog=1", "--max-connections=500"};
        MariaDb store = LOGS ? MariaDb.logging("logging", durable) : MariaDb.with("durable", durable);
        try (Connection connection = DriverManager.getConnection(store.jdbc(""));
                Statement sql = connection.createStatement()) {
            sql.execute("CREATE OR REPLACE DATABASE merged");
            sql.execute("CREATE TABLE merged.t (id BIGINT PRIMARY KEY, name VARCHAR(60), n INT)");
        }
        MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        List<Way> ways = new ArrayList<>();
        try (RelayGateway plain = RelayGateway.start(store);
                RelayGateway merging = RelayGateway.start(store, "tables.merged.t.mergeWrites=true")) {
            ways.add(new Way("straight", store.port()));
            ways.add(new Way("through", plain.port()));
            ways.add(new Way("merged", merging.port()));
            for (int round = -1; round < ROUNDS; round++) {
                for (Way way : ways) {
                    Inserted inserted = insert(way.port, loops.next(), store.pid());
                    if (round >= 0) {
                        way.rates.add(inserted.rows / SECONDS);
                        way.costs.add(inserted.processorTime.toNanos() / Math.max(1, inserted.rows) / 1000);
                    }
                }
            }
        } finally {
            loops.shutdownGracefully().awaitUninterruptibly();
        }
        for (Way way : ways) {
            System.out.printf(
                    "%s: %d rows/s %s, %d us of the server's processor time a row %s%n",
                    way.name, median(way.rates), way.rates, median(way.costs), way.costs);
        }
        assertThat(median(ways.get(2).rates)).isGreaterThan(median(ways.get(1).rates));
    }

    /** A way to the store, and what was measured of it in each round. */
    private static final class Way {
        final String name;
        final int port;
        final List<Long> rates = new ArrayList<>();
        final List<Long> costs = new ArrayList<>();

        Way(String name, int port) {
            this.name = name;
            this.port = port;
        }
    }

    private static long median(List<Long> of) {
        return of.stream().sorted().toList().get(of.size() / 2);
    }

    private static Duration processorTime(long pid) {
        return ProcessHandle.of(pid)
                .flatMap(process -> process.info().totalCpuDuration())
                .orElseThrow();
    }

    /** @param processorTime of the server, for these rows */
    private record Inserted(long rows, Duration processorTime) {}

    private static Inserted insert(int port, EventLoop loop, long server) throws Exception {
        ClientOptions options = ClientOptions.of("127.0.0.1", port, MariaDb.USER)
                .password(MariaDb.PASSWORD)
                .retrievePublicKey(true)
                .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .build();
        AtomicBoolean ended = new AtomicBoolean();
        AtomicLong inserted = new AtomicLong();
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            ClientConnection connection = ClientConnection.connect(options, loop)
                    .toCompletableFuture()
                    .get(60, TimeUnit.SECONDS);
            clients.add(new Client(connection, ended, inserted));
        }
        clients.forEach(client -> loop.execute(client::next));
        // Until all have begun, and what they do at first is done.
        TimeUnit.SECONDS.sleep(1);
        long before = inserted.get();
        Duration spentBefore = processorTime(server);
        TimeUnit.SECONDS.sleep(SECONDS);
        Inserted measured =
                new Inserted(inserted.get() - before, processorTime(server).minus(spentBefore));
        ended.set(true);
        for (Client client : clients) {
            client.done.get(60, TimeUnit.SECONDS);
            loop.execute(client.connection::close);
        }
        return measured;
    }
}
