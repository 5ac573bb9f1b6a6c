package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.keyline.gateway.fixtures.GatewayProcess;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.client.ClientConnection;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.PacketListener;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.protocol.transport.Transport;

/**
 * How many single-row INSERTs of 64 clients a MariaDB with durable commits takes in a second: straight, through a gateway, and through one that
 * merges them, each in a process of its own, in turns; and how much processor time of clients, gateway and server each takes. On demand, with {@code -Dkeyline.merged.seconds=N};
 * {@code -Dkeyline.merged.log=true} gives it a binary log, which each commit flushes, too. {@code -Dkeyline.merged.cgroup=DIRECTORY} puts the
 * server into a control group that exists, as one with a part of a processor, so that the server is what limits all three.
 */
@EnabledIfSystemProperty(named = "keyline.merged.seconds", matches = "\\d+")
final class MergedWritesMeasurement {
    private static final int CLIENTS = Integer.getInteger("keyline.merged.clients", 64);
    private static final int SECONDS = Integer.getInteger("keyline.merged.seconds", 3);
    private static final boolean LOGS = Boolean.getBoolean("keyline.merged.log");
    private static final @Nullable String GROUP = System.getProperty("keyline.merged.cgroup");
    private static final int ROUNDS = 5;
    /** Rounds before, which do not count: gateways compile what they run. */
    private static final int EARLY_ROUNDS = 2;

    private static final AtomicLong NEXT = new AtomicLong();

    /** One that inserts row after row. */
    private static final class Client implements PacketListener {
        private static final String BEFORE = "INSERT INTO merged.t (id, name, n) VALUES (";
        private static final String BEHIND = ", 'some text of a row that is not very long', 7)";

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
            ByteBuf payload = connection.alloc().buffer();
            payload.writeByte(CommandCode.COM_QUERY);
            payload.writeCharSequence(BEFORE + NEXT.incrementAndGet() + BEHIND, StandardCharsets.US_ASCII);
            connection.send(payload, this);
            payload.release();
        }

        @Override
        public void packets(ByteBuf framed, ReplyScanner reply) {
            framed.release();
        }

        @Override
        public void end(ReplyScanner reply) {
            ReplySummary summary = reply.summary();
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
        if (GROUP != null) {
            Files.writeString(Path.of(GROUP, "cgroup.procs"), Long.toString(store.pid()));
        }
        MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, Transport.AUTO.ioHandler());
        List<Way> ways = new ArrayList<>();
        try (GatewayProcess plain = gateway(store);
                GatewayProcess merging = gateway(store, "--set", "tables.merged.t.mergeWrites=true")) {
            ways.add(new Way("straight", store.port(), List.of(store.pid())));
            ways.add(new Way("through", plain, store.pid()));
            ways.add(new Way("merged", merging, store.pid()));
            for (int round = -EARLY_ROUNDS; round < ROUNDS; round++) {
                for (Way way : ways) {
                    way.measured(insert(way, loops.next()), round >= 0);
                }
            }
        } finally {
            loops.shutdownGracefully().awaitUninterruptibly();
        }
        ways.forEach(Way::tell);
        assertThat(median(ways.get(2).rates)).isGreaterThan(median(ways.get(1).rates));
    }

    private static GatewayProcess gateway(MariaDb store, String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("--store", "mysql://127.0.0.1:" + store.port()));
        arguments.addAll(List.of("--store-user", MariaDb.USER, "--store-password", MariaDb.PASSWORD));
        arguments.addAll(List.of("--set", "transport=" + System.getProperty("keyline.transport", "auto")));
        arguments.addAll(List.of(more));
        return GatewayProcess.startInFront(ProcessBuilder.Redirect.INHERIT, arguments.toArray(String[]::new));
    }

    /** A way to the store, and what was measured of it in each round. */
    private static final class Way {
        final String name;
        final int port;
        /** Whose processor time counts, beside this one's: the server, then the gateway. */
        final List<Long> processes;

        final List<Long> rates = new ArrayList<>();
        /** Microseconds a row of the clients, the server and the gateway. */
        final List<List<Long>> costs = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());

        Way(String name, int port, List<Long> processes) {
            this.name = name;
            this.port = port;
            this.processes = processes;
        }

        Way(String name, GatewayProcess gateway, long server) {
            this(
                    name,
                    gateway.address().port(),
                    List.of(server, gateway.process().pid()));
        }

        List<Duration> processorTimes() {
            return Stream.concat(Stream.of(ProcessHandle.current().pid()), processes.stream())
                    .map(MergedWritesMeasurement::processorTime)
                    .toList();
        }

        void measured(Inserted inserted, boolean counts) {
            if (counts) {
                rates.add(inserted.rows / SECONDS);
                for (int i = 0; i < inserted.processorTimes.size(); i++) {
                    long nanos = inserted.processorTimes.get(i).toNanos();
                    costs.get(i).add(nanos / Math.max(1, inserted.rows) / 1000);
                }
            }
        }

        void tell() {
            System.out.printf(
                    "%s: %d rows/s %s, microseconds of processor time a row: clients %d %s, server %d %s, gateway %s%n",
                    name,
                    median(rates),
                    rates,
                    median(costs.get(0)),
                    costs.get(0),
                    median(costs.get(1)),
                    costs.get(1),
                    processes.size() == 1 ? "none" : median(costs.get(2)) + " " + costs.get(2));
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

    /** @param processorTimes of each process, for these rows */
    private record Inserted(long rows, List<Duration> processorTimes) {}

    private static Inserted insert(Way way, EventLoop loop) throws Exception {
        ClientOptions options = ClientOptions.of("127.0.0.1", way.port, MariaDb.USER)
                .password(MariaDb.PASSWORD)
                .retrievePublicKey(true)
                .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), way.port))
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
        List<Duration> spentBefore = way.processorTimes();
        TimeUnit.SECONDS.sleep(SECONDS);
        long rows = inserted.get() - before;
        List<Duration> spent = way.processorTimes();
        List<Duration> each = new ArrayList<>();
        for (int i = 0; i < spent.size(); i++) {
            each.add(spent.get(i).minus(spentBefore.get(i)));
        }
        ended.set(true);
        for (Client client : clients) {
            client.done.get(60, TimeUnit.SECONDS);
            loop.execute(client.connection::close);
        }
        return new Inserted(rows, each);
    }
}
