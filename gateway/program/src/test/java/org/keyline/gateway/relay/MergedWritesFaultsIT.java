package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.gateway.fixtures.Lines.one;
import static org.keyline.gateway.fixtures.Lines.soon;
import static org.keyline.gateway.fixtures.Lines.status;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.GatewayProcess;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.protocol.fixtures.TcpProxy;

/**
 * Merged INSERTs while connections, the store or the gateway are lost. Acknowledged rows exist, and
 * nothing was written twice; a second write would be refused as a duplicate key.
 */
class MergedWritesFaultsIT {
    private static final int CLIENTS = 12;
    private static final int ER_DUP_ENTRY = 1062;
    private static final String INSERTS = "SET STATEMENT";
    private static final String COMMITS = "COMMIT AND NO CHAIN";

    private static MariaDb store;
    private static ExecutorService threads;

    @BeforeAll
    static void start() {
        store = MariaDb.get("faulty");
        threads = Executors.newCachedThreadPool();
    }

    @AfterAll
    static void stop() {
        threads.shutdownNow();
    }

    @BeforeEach
    void define() throws SQLException {
        store.run(
                "DROP DATABASE IF EXISTS merged",
                "CREATE DATABASE merged",
                "CREATE TABLE merged.t (id BIGINT PRIMARY KEY, n INT NOT NULL)");
    }

    private static Set<Long> stored() throws SQLException {
        Set<Long> ids = new TreeSet<>();
        try (Connection connection = store.connect("merged");
                Statement sql = connection.createStatement();
                ResultSet rows = sql.executeQuery("SELECT id FROM t")) {
            while (rows.next()) {
                ids.add(rows.getLong(1));
            }
        }
        return ids;
    }

    private static int insert(Connection connection, long id) throws SQLException {
        try (Statement sql = connection.createStatement()) {
            return sql.executeUpdate("INSERT INTO merged.t (id, n) VALUES (" + id + ", 1)");
        }
    }

    private static CompletableFuture<Integer> begin(Connection connection, long id) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return insert(connection, id);
                    } catch (SQLException e) {
                        throw new CompletionException(e);
                    }
                },
                threads);
    }

    // ---------------------------------------------------------------- one batch

    /**
     * A batch of two INSERTs, stopped at one of its commands: the store has run it, and its reply
     * is held.
     */
    private static final class HeldBatch implements AutoCloseable {
        final TcpProxy proxy = new TcpProxy(store.address());
        final RelayGateway gateway = RelayGateway.start(
                store, "store.url=mysql://127.0.0.1:" + proxy.port(), "tables.merged.t.mergeWrites=true");
        private final List<Connection> connections = new ArrayList<>();
        /** The proxy between one of the clients and the gateway. */
        final TcpProxy front = new TcpProxy(new InetSocketAddress(InetAddress.getLoopbackAddress(), gateway.port()));

        final Connection one;
        final Connection two;
        CompletableFuture<Integer> first = CompletableFuture.completedFuture(0);
        CompletableFuture<Integer> second = CompletableFuture.completedFuture(0);
        long id = 100;

        HeldBatch(String command) throws Exception {
            this(command, 0);
        }

        /** @param behind which of the clients is connected through the proxy in front */
        HeldBatch(String command, int behind) throws Exception {
            for (int i = 0; i < 3; i++) {
                String url = gateway.jdbc("");
                connections.add(DriverManager.getConnection(
                        i == behind ? url.replace(":" + gateway.port(), ":" + front.port()) : url));
                assertThat(insert(connections.get(i), i)).isEqualTo(1);
            }
            one = connections.get(1);
            two = connections.get(2);
            Connection waits = connections.get(0);
            while (!proxy.holds()) {
                id += 10;
                assertThat(id).as("rounds without a batch").isLessThan(1000);
                try (Connection holder = store.connect("merged")) {
                    holder.setAutoCommit(false);
                    assertThat(insert(holder, id)).isEqualTo(1);
                    // This one runs alone for a while; those that arrive meanwhile are merged.
                    CompletableFuture<Integer> blocked = begin(waits, id);
                    soon("the state of the batch").until(() -> inserting() == 1);
                    proxy.holdNext(request -> request.contains(command));
                    first = begin(one, id + 1);
                    second = begin(two, id + 2);
                    soon("the state of the batch").until(() -> proxy.holds() || (first.isDone() && second.isDone()));
                    holder.rollback();
                    assertThat(blocked.get(30, TimeUnit.SECONDS)).isEqualTo(1);
                }
            }
        }

        private static int inserting() throws SQLException {
            return processes("info LIKE 'INSERT INTO merged.t%'");
        }

        Set<Long> written() throws SQLException {
            Set<Long> written = stored();
            written.retainAll(Set.of(id + 1, id + 2));
            return written;
        }

        @Override
        public void close() throws IOException {
            front.close();
            gateway.close();
            proxy.close();
        }
    }

    @Test
    void clientThatLeavesABatch_takesNobodyWithIt() throws Exception {
        for (boolean leader : new boolean[] {true, false}) {
            define();
            try (HeldBatch batch = new HeldBatch(INSERTS, leader ? 1 : 2)) {
                batch.front.reset();
                // The connection is lost for the gateway once it has closed its own side.
                soon("the state of the batch")
                        .untilAsserted(() -> assertThat(clients(batch.gateway)).isEqualTo(3));
                batch.proxy.release();
                CompletableFuture<Integer> other = leader ? batch.second : batch.first;
                assertThat(other.get(30, TimeUnit.SECONDS)).isEqualTo(1);
                assertThat(batch.written()).hasSize(2);
            }
        }
    }

    /** Returns the number of client connections, including the caller's. */
    private static long clients(RelayGateway gateway) throws SQLException {
        try (Connection connection = gateway.connect("")) {
            return status(connection, "Keyline_sessions");
        }
    }

    private static int processes(String condition) throws SQLException {
        try (Connection connection = store.connect("")) {
            return Integer.parseInt(
                    one(connection, "SELECT COUNT(*) FROM information_schema.processlist WHERE " + condition));
        }
    }

    private static List<Integer> read(Connection connection, long id) throws SQLException {
        List<Integer> values = new ArrayList<>();
        try (Statement sql = connection.createStatement();
                ResultSet rows = sql.executeQuery("SELECT n FROM merged.t WHERE id = " + id)) {
            while (rows.next()) {
                values.add(rows.getInt(1));
            }
        }
        return values;
    }

    @Test
    void rowsOfABatch_areReadAtTheStore_untilTheirClientsHear() throws Exception {
        try (HeldBatch batch = new HeldBatch(INSERTS);
                Connection reader = batch.gateway.connect("")) {
            for (int i = 0; i < 3; i++) {
                // Not committed yet, so the absence of the row must not be cached.
                assertThat(read(reader, batch.id + 1)).isEmpty();
                assertThat(read(reader, batch.id + 2)).isEmpty();
            }
            batch.proxy.release();
            assertThat(batch.first.get(30, TimeUnit.SECONDS)).isEqualTo(1);
            assertThat(batch.second.get(30, TimeUnit.SECONDS)).isEqualTo(1);
            assertThat(read(reader, batch.id + 1)).containsExactly(1);
            assertThat(read(reader, batch.id + 2)).containsExactly(1);
        }
    }

    @Test
    void connectionLostBeforeCommit_onlyItsOwnClientIsTold_andTheOthersRowsAreWrittenOnce() throws Exception {
        try (HeldBatch batch = new HeldBatch(INSERTS)) {
            batch.proxy.cutHeld();
            soon("the state of the batch").until(() -> batch.first.isDone() && batch.second.isDone());
            assertThat(batch.first.isCompletedExceptionally()).isNotEqualTo(batch.second.isCompletedExceptionally());
            long acknowledged = batch.first.isCompletedExceptionally() ? batch.id + 2 : batch.id + 1;
            assertThat(batch.written()).containsExactly(acknowledged);
        }
    }

    @Test
    void connectionLostAtCommit_theOutcomeIsUnknownToAll_andNothingIsWrittenAgain() throws Exception {
        try (HeldBatch batch = new HeldBatch(COMMITS)) {
            batch.proxy.cutHeld();
            soon("the state of the batch").until(() -> batch.first.isDone() && batch.second.isDone());
            for (CompletableFuture<Integer> received : List.of(batch.first, batch.second)) {
                assertThat(received)
                        .failsWithin(Duration.ZERO)
                        .withThrowableThat()
                        .withStackTraceContaining("Communications link failure");
            }
            assertThat(batch.written()).hasSize(2);
        }
    }

    // ---------------------------------------------------------------- many

    /** Clients that insert rows with unique keys, and reconnect when they lose their connection. */
    private static final class Load implements AutoCloseable {
        final AtomicLong next = new AtomicLong();
        final AtomicInteger losses = new AtomicInteger();
        final Set<Long> acknowledged = new ConcurrentSkipListSet<>();
        private final Set<String> errors = new ConcurrentSkipListSet<>();
        private final AtomicBoolean ended = new AtomicBoolean();
        private final List<CompletableFuture<Void>> clients = new ArrayList<>();

        Load(String url) {
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(CompletableFuture.runAsync(() -> client(url), threads));
            }
        }

        private void client(String url) {
            while (!ended.get()) {
                try (Connection connection = DriverManager.getConnection(url)) {
                    while (!ended.get()) {
                        long id = next.incrementAndGet();
                        assertThat(insert(connection, id)).isEqualTo(1);
                        acknowledged.add(id);
                    }
                } catch (SQLException e) {
                    losses.incrementAndGet();
                    if (e.getErrorCode() == ER_DUP_ENTRY) {
                        errors.add(String.valueOf(e.getMessage()));
                    }
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
                }
            }
        }

        /** Waits until this many more rows are acknowledged. */
        void goesOn(int rows) {
            int before = acknowledged.size();
            soon("the state of the batch").until(() -> acknowledged.size() >= before + rows);
        }

        void end() throws Exception {
            ended.set(true);
            for (CompletableFuture<Void> client : clients) {
                client.get(60, TimeUnit.SECONDS);
            }
            assertThat(errors).isEmpty();
            Set<Long> stored = stored();
            System.out.printf(
                    "%d rows acknowledged, %d stored, %d of %d sent, %d connections lost%n",
                    acknowledged.size(), stored.size(), stored.size(), next.get(), losses.get());
            assertThat(stored).containsAll(acknowledged);
            assertThat(losses).hasPositiveValue();
        }

        @Override
        public void close() {
            ended.set(true);
        }
    }

    @Test
    void connectionsAndStoreLost_nothingAcknowledgedIsLost_andNothingIsWrittenTwice() throws Exception {
        try (TcpProxy proxy = new TcpProxy(store.address());
                RelayGateway gateway = RelayGateway.start(
                        store, "store.url=mysql://127.0.0.1:" + proxy.port(), "tables.merged.t.mergeWrites=true");
                Load load = new Load(gateway.jdbc("") + "&socketTimeout=20000")) {
            load.goesOn(300);
            for (int i = 0; i < 15; i++) {
                proxy.cut(0.3);
                load.goesOn(50);
            }
            kill(store.pid());
            store.startAgain();
            load.goesOn(300);
            load.end();
            try (Connection connection = gateway.connect("");
                    Statement sql = connection.createStatement();
                    ResultSet rows = sql.executeQuery("SHOW STATUS LIKE 'Keyline_merged%'")) {
                while (rows.next()) {
                    System.out.println(rows.getString(1) + " " + rows.getString(2));
                }
            }
        }
    }

    @Test
    void gatewayKilled_nothingAcknowledgedIsLost() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.startInFront(
                ProcessBuilder.Redirect.INHERIT,
                "--store",
                "mysql://127.0.0.1:" + store.port(),
                "--store-user",
                MariaDb.USER,
                "--store-password",
                MariaDb.PASSWORD,
                "--set",
                "tables.merged.t.mergeWrites=true")) {
            String url = "jdbc:mysql://127.0.0.1:" + gateway.address().port() + "/?user=" + MariaDb.USER + "&password="
                    + MariaDb.PASSWORD + "&allowPublicKeyRetrieval=true";
            try (Load load = new Load(url)) {
                load.goesOn(500);
                gateway.process().destroyForcibly();
                soon("the state of the batch").until(() -> load.losses.get() >= CLIENTS);
                load.end();
            }
        }
    }

    private static void kill(long pid) throws Exception {
        assertThat(new ProcessBuilder("kill", "-9", Long.toString(pid)).start().waitFor())
                .isZero();
        soon("the state of the batch")
                .until(() ->
                        ProcessHandle.of(pid).map(process -> !process.isAlive()).orElse(true));
    }
}
