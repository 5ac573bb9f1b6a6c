package org.keyline.gateway.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.protocol.fixtures.TcpProxy;

/**
 * The reads of clients through the gateway must be linearizable, while store and network fail.
 * Lines live for an hour, so only fences make reads fresh. {@code -Dhistory.operations=1000000}
 * runs longer, with proportionally more faults.
 */
@Tag("explores")
class FreshnessIT {
    private static final long OPERATIONS = Long.getLong("history.operations", 20_000);
    private static final int CLIENTS = Integer.getInteger("history.clients", 12);
    private static final long PAUSE_MS = Long.getLong("history.pauseMs", 700);

    private static MariaDb store;
    private static TcpProxy proxy;
    private static RelayGateway gateway;

    @BeforeAll
    static void start() throws Exception {
        store = MariaDb.get("faulty");
        straight(Sql.TABLES);
        straight("SET GLOBAL innodb_lock_wait_timeout = 3", "SET GLOBAL lock_wait_timeout = 3");
        proxy = new TcpProxy(store.address());
        gateway = RelayGateway.start(
                store,
                "store.url=mysql://127.0.0.1:" + proxy.port(),
                "store.refresh=1s",
                "cache.loadTimeout=300ms",
                "tables.history.couples.prefix=1",
                "tables.history.spans.prefix=0",
                // Otherwise all rows of that table would be one range.
                "cache.maxRowsPerLine=6",
                "filter.enabled=true");
        await().until(() -> ask("KEYLINE EXPLAIN SELECT v FROM history.couples WHERE id = 1 AND k = 0")
                .startsWith("SHORT-CIRCUIT"));
    }

    @AfterAll
    static void stop() throws Exception {
        gateway.close();
        proxy.close();
    }

    private static void straight(String... statements) throws SQLException {
        try (Connection connection = store.connect("");
                Statement sql = connection.createStatement()) {
            for (String statement : statements) {
                sql.execute(statement);
            }
        }
    }

    private static String ask(String statement) throws SQLException {
        try (Connection connection = gateway.connect("");
                Statement sql = connection.createStatement()) {
            sql.execute(statement);
            try (ResultSet rows = sql.getResultSet()) {
                return rows.next() ? rows.getString(2) : "";
            }
        }
    }

    private static long filterHits() throws SQLException {
        try (Connection connection = gateway.connect("");
                Statement sql = connection.createStatement();
                ResultSet rows = sql.executeQuery("SELECT exact_hits, contained_hits FROM keyline.filters")) {
            long hits = 0;
            while (rows.next()) {
                hits += rows.getLong(1) + rows.getLong(2);
            }
            return hits;
        }
    }

    /** A counter of the gateway, which restarts when a table is replaced. */
    private static final class Counter {
        private final String name;
        private long last;
        private long sum;

        Counter(String name) {
            this.name = name;
        }

        void look() throws SQLException {
            long now = Long.parseLong(ask("SHOW STATUS LIKE '" + name + "'"));
            sum += now < last ? now : now - last;
            last = now;
        }
    }

    private static String url(int client) {
        String url = gateway.jdbc("history") + "&socketTimeout=20000&connectTimeout=10000";
        return client % 2 == 0 ? url : url + "&useServerPrepStmts=true&cachePrepStmts=true";
    }

    @Test
    void historiesOfClients_underFaults_areLinearizable() throws Exception {
        long began = System.nanoTime();
        Traffic traffic = new Traffic();
        Faults faults = new Faults(store, gateway.jdbc("history"), proxy);
        AtomicBoolean ended = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        List<Future<?>> clients = new ArrayList<>();
        for (int client = 0; client < CLIENTS; client++) {
            clients.add(threads.submit(new Client(url(client), client, traffic, faults, ended::get)));
        }
        Counter hits = new Counter("keyline_hits");
        Counter absent = new Counter("keyline_absent_hits");
        SplittableRandom random = new SplittableRandom(1);
        Faults.Kind[] kinds = Faults.Kind.values();
        while (traffic.operations() < OPERATIONS || faults.count() < kinds.length) {
            long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PAUSE_MS);
            long before = traffic.operations();
            await().atMost(60, TimeUnit.SECONDS)
                    .until(() -> System.nanoTime() > until && traffic.operations() > before + 500);
            // Each kind once, then at random; a crash takes as long as ten other faults.
            Faults.Kind kind = kinds[faults.count() < kinds.length ? faults.count() : random.nextInt(kinds.length)];
            if (kind != Faults.Kind.CRASH || faults.count() < kinds.length || random.nextInt(5) == 0) {
                hits.look();
                absent.look();
                faults.inject(kind);
            }
        }
        ended.set(true);
        for (Future<?> client : clients) {
            client.get(60, TimeUnit.SECONDS);
        }
        threads.shutdown();
        double seconds = (System.nanoTime() - began) / 1e9;
        List<String> violations = traffic.violations();
        hits.look();
        absent.look();
        double share = (double) hits.sum / traffic.reads();
        long filtered = filterHits();
        System.out.printf(
                "%d operations (%d reads) of %d pairs of rows in %.1f s; faults %s; failures %s; %.1f %% of reads from lines,"
                        + " %.1f %% told of absence there, %d from filter lines; judged in %.1f s; %d violations%n",
                traffic.operations(),
                traffic.reads(),
                traffic.histories(),
                seconds,
                faults.counts(),
                traffic.failures(),
                100 * share,
                100.0 * absent.sum / traffic.reads(),
                filtered,
                (System.nanoTime() - began) / 1e9 - seconds,
                violations.size());
        assertThat(violations).isEmpty();
        assertThat(share).as("share of reads from lines").isGreaterThan(0.4);
        // Few on a slow machine, where a write drops most lines before their next read. Without
        // any, the test would prove nothing.
        assertThat(filtered).as("reads from filter lines").isGreaterThan(OPERATIONS / 3000);
    }
}
