package org.keyline.gateway.history;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
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
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.MariaDb;

/**
 * Measures whether one SELECT of MariaDB itself, without the gateway, always shows a single moment.
 * Run by {@code -Dhistory.snapshotSeconds=180}. It needs a machine with too few processors, because
 * a thread has to stop in the middle of creating its snapshot.
 */
class StoreSnapshotIT {
    private static final int SECONDS = Integer.getInteger("history.snapshotSeconds", 0);
    private static final int CLIENTS = 64;
    private static final int PAIRS = 4;

    private final AtomicLong values = new AtomicLong();
    private final AtomicLong reads = new AtomicLong();
    private final AtomicLong torn = new AtomicLong();

    /**
     * Both rows of a pair get the same {@code v} in one statement; another statement changes
     * {@code w} of the second row only.
     */
    @Test
    void rowsOfOnePair_haveTheSameValue() throws Exception {
        assumeTrue(SECONDS > 0, "a measurement");
        String url = MariaDb.get("faulty").jdbc("");
        try (Connection connection = DriverManager.getConnection(url);
                Statement sql = connection.createStatement()) {
            sql.execute("CREATE DATABASE IF NOT EXISTS history");
            sql.execute("DROP TABLE IF EXISTS history.torn");
            sql.execute("CREATE TABLE history.torn (id INT, k INT, v BIGINT, w BIGINT, PRIMARY KEY (id, k))");
            for (int id = 0; id < PAIRS; id++) {
                sql.execute("INSERT INTO history.torn VALUES (" + id + ", 0, 0, 0), (" + id + ", 1, 0, 0)");
            }
        }
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        List<Future<?>> clients = new ArrayList<>();
        for (int client = 0; client < CLIENTS; client++) {
            int number = client;
            clients.add(threads.submit(() -> {
                run(url, number, end);
                return null;
            }));
        }
        for (Future<?> client : clients) {
            client.get(SECONDS + 60, TimeUnit.SECONDS);
        }
        threads.shutdown();
        System.out.println(reads + " reads of both rows straight from the store, " + torn + " of no single moment");
    }

    private void run(String url, int number, long end) throws SQLException {
        SplittableRandom random = new SplittableRandom(number);
        try (Connection connection = DriverManager.getConnection(url + "&useServerPrepStmts=true");
                PreparedStatement both = connection.prepareStatement(
                        "INSERT INTO history.torn VALUES (?, 0, ?, 0), (?, 1, ?, 0) ON DUPLICATE KEY UPDATE v = VALUES(v)");
                PreparedStatement second =
                        connection.prepareStatement("UPDATE history.torn SET w = w + 1 WHERE id = ? AND k = 1");
                PreparedStatement read = connection.prepareStatement("SELECT v FROM history.torn WHERE id = ?")) {
            while (System.nanoTime() < end) {
                int id = random.nextInt(PAIRS);
                switch (number % 4) {
                    case 0 -> {
                        long value = values.incrementAndGet();
                        both.setInt(1, id);
                        both.setLong(2, value);
                        both.setInt(3, id);
                        both.setLong(4, value);
                        write(both);
                    }
                    case 1 -> {
                        second.setInt(1, id);
                        write(second);
                    }
                    default -> {
                        read.setInt(1, id);
                        read(read);
                    }
                }
            }
        }
    }

    private static void write(PreparedStatement statement) throws SQLException {
        try {
            statement.executeUpdate();
        } catch (SQLException refused) {
            if (!"40001".equals(refused.getSQLState())) {
                throw refused;
            }
            // A deadlock: the store rolled this one back; the next write follows anyway.
        }
    }

    private void read(PreparedStatement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            rows.next();
            long first = rows.getLong(1);
            rows.next();
            reads.incrementAndGet();
            if (rows.getLong(1) != first) {
                torn.incrementAndGet();
            }
        }
    }
}
