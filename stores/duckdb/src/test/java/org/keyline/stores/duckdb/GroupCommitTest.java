package org.keyline.stores.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.stores.duckdb.StatementsTest.rows;
import static org.keyline.stores.duckdb.StatementsTest.run;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Single-row writes that arrive together commit together, and only invalid ones fail. */
final class GroupCommitTest {
    private static final int WRITERS = 16;
    private static final int WRITES = 100;

    @TempDir
    private Path directory;

    @Test
    void writes_ofManyClients_shareCommits() throws Exception {
        AtomicInteger failed = new AtomicInteger();
        try (StoreServer server = StoreServer.onFile(directory.resolve("store.db"));
                Connection reader = server.connect(null)) {
            run(reader, "CREATE DATABASE d");
            run(reader, "CREATE TABLE d.t (k INT PRIMARY KEY, w INT, v VARCHAR(20))");
            long commits = server.store().commits();
            ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
            CyclicBarrier together = new CyclicBarrier(WRITERS);
            List<CompletableFuture<Void>> writers = new ArrayList<>();
            for (int w = 0; w < WRITERS; w++) {
                int writer = w;
                writers.add(CompletableFuture.runAsync(() -> write(server, writer, together, failed), threads));
            }
            CompletableFuture.allOf(writers.toArray(new CompletableFuture<?>[0]))
                    .get();
            threads.shutdown();
            int good = WRITERS * WRITES;
            assertThat(rows(reader, "SELECT COUNT(*), COUNT(DISTINCT k) FROM d.t WHERE v = CONCAT('v', k)"))
                    .containsExactly(good + "|" + good);
            assertThat(failed).hasValue(WRITERS * (WRITES / 10));
            assertThat(server.store().writes()).isEqualTo(good);
            assertThat(server.store().commits() - commits).isLessThan(good);
        }
    }

    /** Every tenth write is followed by one with a duplicate key. */
    private static void write(StoreServer server, int writer, CyclicBarrier together, AtomicInteger failed) {
        try (Connection connection = server.connect("d", "&useServerPrepStmts=true");
                PreparedStatement insert = connection.prepareStatement("INSERT INTO t VALUES (?, ?, ?)")) {
            together.await();
            for (int i = 0; i < WRITES; i++) {
                int key = i * WRITERS + writer;
                insert.setInt(1, key);
                insert.setInt(2, writer);
                insert.setString(3, "v" + key);
                assertThat(insert.executeUpdate()).isEqualTo(1);
                if (i % 10 == 0) {
                    try {
                        insert.executeUpdate();
                    } catch (SQLException e) {
                        assertThat(e.getErrorCode()).isEqualTo(1062);
                        failed.incrementAndGet();
                    }
                }
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void write_whileTheStoreCloses_getsAnAnswer() throws Exception {
        for (int round = 0; round < 3; round++) {
            StoreServer server = StoreServer.inMemory();
            try (Connection client = server.connect(null)) {
                run(client, "CREATE DATABASE d");
                run(client, "CREATE TABLE d.t (k INT PRIMARY KEY)");
            }
            ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
            CountDownLatch writing = new CountDownLatch(WRITERS);
            List<Future<String>> lastAnswers = new ArrayList<>();
            for (int w = 0; w < WRITERS; w++) {
                int first = w * 1_000_000;
                lastAnswers.add(threads.submit(() -> {
                    try (Connection connection = server.connect("d")) {
                        for (int i = 0; ; i++) {
                            run(connection, "INSERT INTO t VALUES (" + (first + i) + ")");
                            writing.countDown();
                        }
                    } catch (SQLException e) {
                        return String.valueOf(e.getCause());
                    }
                }));
            }
            writing.await();
            server.store().close();
            for (Future<String> answer : lastAnswers) {
                assertThat(answer.get()).doesNotContain("timed out");
            }
            threads.shutdown();
            server.close();
        }
    }

    @Test
    void updatesAndDeletes_ofRowsByTheirKeys_goThroughTheGroupWriter() throws Exception {
        try (StoreServer server = StoreServer.onFile(directory.resolve("store.db"));
                Connection client = server.connect(null)) {
            run(client, "CREATE DATABASE d");
            run(client, "CREATE TABLE d.t (a INT, b VARCHAR(9), n INT, PRIMARY KEY (a, b))");
            run(client, "INSERT INTO d.t VALUES (1, 'x', 0), (1, 'y', 0), (2, 'x', 0), (3, 'x', 0)");
            long before = server.store().writes();
            run(client, "UPDATE d.t SET n = n + 1 WHERE a = 1 AND `b` = 'x'");
            run(client, "UPDATE d.t AS u SET u.n = 5 WHERE u.b='y' AND u.a IN (1, 2)");
            run(client, "DELETE FROM d.t WHERE a = 3 AND b = 'x'");
            assertThat(server.store().writes() - before).isEqualTo(3);
            run(client, "UPDATE d.t SET n = n + 1 WHERE a = 1 AND b >= ''");
            run(client, "UPDATE d.t SET n = n + 1 WHERE a = n AND b = 'y'");
            run(client, "DELETE FROM d.t WHERE a > 1 AND b = 'z'");
            run(client, "UPDATE d.t SET n = 7 WHERE a = 9 AND b = (SELECT MAX(v.b) FROM d.t v)");
            assertThat(server.store().writes() - before)
                    .as("statements of unknown size run where they can be interrupted")
                    .isEqualTo(3);
            assertThat(rows(client, "SELECT * FROM d.t ORDER BY a, b")).containsExactly("1|x|2", "1|y|6", "2|x|0");
        }
    }

    /**
     * New rows are inserted without a lookup of old ones. An existing row is replaced, and nothing
     * else is lost.
     */
    @Test
    void upserts_ofNewRowsAndOldOnes_replaceTheOld() throws Exception {
        try (StoreServer server = StoreServer.onFile(directory.resolve("store.db"));
                Connection client = server.connect(null)) {
            run(client, "CREATE DATABASE d");
            run(client, "CREATE TABLE d.t (k INT, v INT) UNIQUE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 1");
            for (int round = 1; round <= 3; round++) {
                for (int k = 0; k < 40; k++) {
                    run(client, "INSERT INTO d.t VALUES (" + k * round + ", " + round + ")");
                }
            }
            run(client, "INSERT INTO d.t VALUES (500, 1), (3, 4), (500, 2)");
            List<String> expected = new ArrayList<>();
            for (int k = 0; k < 120; k++) {
                if (k < 40 || (k < 80 && k % 2 == 0) || k % 3 == 0) {
                    expected.add(k + "|" + (k == 3 ? 4 : k % 3 == 0 ? 3 : k % 2 == 0 ? 2 : 1));
                }
            }
            expected.add("500|2");
            assertThat(rows(client, "SELECT k, v FROM d.t ORDER BY k")).isEqualTo(expected);
        }
    }

    /** Each writer upserts its own key and a shared one; of its own key the last write remains. */
    @Test
    void upserts_ofTheSameKeys_areDoneInTheirOrder() throws Exception {
        try (StoreServer server = StoreServer.onFile(directory.resolve("store.db"));
                Connection reader = server.connect(null)) {
            run(reader, "CREATE DATABASE d");
            run(
                    reader,
                    "CREATE TABLE d.t (a INT, b VARCHAR(5), w INT, n INT) UNIQUE KEY(a, b) DISTRIBUTED BY HASH(a) BUCKETS 1");
            ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
            List<CompletableFuture<Void>> writers = new ArrayList<>();
            for (int w = 0; w < WRITERS; w++) {
                int writer = w;
                writers.add(CompletableFuture.runAsync(() -> upsert(server, writer), threads));
            }
            CompletableFuture.allOf(writers.toArray(new CompletableFuture<?>[0]))
                    .get();
            threads.shutdown();
            assertThat(rows(reader, "SELECT COUNT(*) FROM d.t")).containsExactly(Integer.toString(WRITERS + 1));
            assertThat(rows(reader, "SELECT DISTINCT n FROM d.t WHERE b <> 'all'"))
                    .containsExactly(Integer.toString(WRITES - 1));
            assertThat(rows(reader, "SELECT w - w FROM d.t WHERE b = 'all'")).containsExactly("0");
        }
    }

    private static void upsert(StoreServer server, int writer) {
        try (Connection connection = server.connect("d", "&useServerPrepStmts=true");
                PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO t VALUES (?, ?, ?, ?), (0, 'all', ?, ?)")) {
            for (int i = 0; i < WRITES; i++) {
                insert.setInt(1, writer);
                insert.setString(2, "own");
                insert.setInt(3, writer);
                insert.setInt(4, i);
                insert.setInt(5, writer);
                insert.setInt(6, i);
                assertThat(insert.executeUpdate()).isEqualTo(2);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
