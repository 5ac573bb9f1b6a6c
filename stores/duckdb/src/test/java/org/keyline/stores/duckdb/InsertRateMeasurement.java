package org.keyline.stores.duckdb;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.keyline.protocol.client.ClientConnection;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.protocol.client.ResultListener;
import org.keyline.stores.duckdb.engine.EngineOptions;

/**
 * How many single-row INSERTs of 64 clients the embedded store takes in a second, on a file: each with a commit of its own; with commits
 * that many share; and as one statement of many rows, too. In turns, on demand, with {@code -Dkeyline.inserts.seconds=N}.
 */
@EnabledIfSystemProperty(named = "keyline.inserts.seconds", matches = "\\d+")
final class InsertRateMeasurement {
    private static final int CLIENTS = Integer.getInteger("keyline.inserts.clients", 64);
    private static final int SECONDS = Integer.getInteger("keyline.inserts.seconds", 2);
    private static final int ROUNDS = 5;

    private static final AtomicLong NEXT = new AtomicLong();

    @TempDir
    private Path directory;

    /** A way to insert a row, and what was measured of it in each round. */
    private record Way(String name, StoreServer server, String values, List<Long> rates) {}

    @Test
    void inserts_apartTogetherAndAsOne() throws Exception {
        EngineOptions shared = EngineOptions.of(directory.resolve("shared.db"));
        EngineOptions apart = new EngineOptions(
                directory.resolve("apart.db"),
                shared.workers(),
                shared.queuedCommands(),
                shared.queuedWrites(),
                1,
                shared.memoryBytes(),
                shared.threads(),
                shared.preparedStatements(),
                shared.cachedStatements(),
                shared.maxExecutionTime());
        MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try (StoreServer one = StoreServer.start(apart);
                StoreServer many = StoreServer.start(shared)) {
            define(one);
            define(many);
            // What is computed goes as a statement of its own.
            List<Way> ways = List.of(
                    new Way("a commit each", one, "7", new ArrayList<>()),
                    new Way("shared commits", many, "7 + 0", new ArrayList<>()),
                    new Way("one statement", many, "7", new ArrayList<>()));
            for (int round = -1; round < ROUNDS; round++) {
                for (Way way : ways) {
                    long inserted = insert(way, loops.next());
                    if (round >= 0) {
                        way.rates.add(inserted / SECONDS);
                    }
                }
            }
            for (Way way : ways) {
                System.out.printf(
                        "%s: %d rows/s %s%n",
                        way.name, way.rates.stream().sorted().toList().get(ROUNDS / 2), way.rates);
            }
        } finally {
            loops.shutdownGracefully().awaitUninterruptibly();
        }
    }

    private static void define(StoreServer server) throws Exception {
        try (Connection connection = server.connect(null)) {
            StatementsTest.run(connection, "CREATE DATABASE d");
            StatementsTest.run(connection, "CREATE TABLE d.t (id BIGINT PRIMARY KEY, name VARCHAR(60), n INT)");
        }
    }

    private static long insert(Way way, EventLoop loop) throws Exception {
        ClientOptions options = ClientOptions.of("127.0.0.1", way.server.port(), "root")
                .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), way.server.port()))
                .build();
        AtomicBoolean ended = new AtomicBoolean();
        AtomicLong inserted = new AtomicLong();
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            ClientConnection connection = ClientConnection.connect(options, loop)
                    .toCompletableFuture()
                    .get(60, TimeUnit.SECONDS);
            clients.add(new Client(connection, way.values, ended, inserted));
        }
        clients.forEach(client -> loop.execute(client::next));
        TimeUnit.SECONDS.sleep(1);
        long before = inserted.get();
        TimeUnit.SECONDS.sleep(SECONDS);
        long after = inserted.get();
        ended.set(true);
        for (Client client : clients) {
            client.done.get(60, TimeUnit.SECONDS);
            loop.execute(client.connection::close);
        }
        return after - before;
    }

    /** One that inserts row after row. */
    private static final class Client implements ResultListener {
        final ClientConnection connection;
        final String values;
        final AtomicBoolean ended;
        final AtomicLong inserted;
        final CompletableFuture<Void> done = new CompletableFuture<>();

        Client(ClientConnection connection, String values, AtomicBoolean ended, AtomicLong inserted) {
            this.connection = connection;
            this.values = values;
            this.ended = ended;
            this.inserted = inserted;
        }

        void next() {
            connection.query(
                    "INSERT INTO d.t (id, name, n) VALUES (" + NEXT.incrementAndGet()
                            + ", 'some text of a row that is not very long', " + values + ")",
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
}
