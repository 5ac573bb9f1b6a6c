package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/**
 * Hits of many sessions at once. Lines live for an hour here.
 */
class RelayTrapsIT {
    private static final int ROWS = 64;
    private static MariaDb store;
    private static RelayGateway gateway;

    @BeforeAll
    static void start() throws Exception {
        store = MariaDb.get("second");
        gateway = RelayGateway.start(store);
        try (Connection through = DriverManager.getConnection(gateway.jdbc(""));
                Statement sql = through.createStatement()) {
            sql.execute("DROP DATABASE IF EXISTS traps");
            sql.execute("CREATE DATABASE traps CHARACTER SET utf8mb4");
            sql.execute("CREATE TABLE traps.numbered (id INT PRIMARY KEY, v VARCHAR(2000))");
            for (int i = 0; i < ROWS; i++) {
                sql.execute("INSERT INTO traps.numbered VALUES (" + i + ", REPEAT('" + (char) ('A' + i % 26) + i
                        + " ', " + (1 + 37 * i % 400) + "))");
            }
        }
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    private static Connection through(String parameters) throws SQLException {
        return DriverManager.getConnection(gateway.jdbc("traps") + parameters);
    }

    /**
     * Buffers are pooled and reused: a reply that still refers to one would show another session's
     * row.
     */
    @Test
    void manySessionsAtOnce_eachGetTheirOwnRows() throws Exception {
        int sessions = 8;
        ExecutorService threads = Executors.newFixedThreadPool(sessions);
        try {
            List<Callable<Integer>> readers = new ArrayList<>();
            for (int reader = 0; reader < sessions; reader++) {
                int seed = reader;
                readers.add(() -> readNumbered(seed));
            }
            for (Future<Integer> read : threads.invokeAll(readers)) {
                assertThat(read.get()).isEqualTo(1_000);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static int readNumbered(int seed) throws SQLException {
        int right = 0;
        try (Connection through = through("&useServerPrepStmts=" + (seed % 2 == 0));
                PreparedStatement select = through.prepareStatement("SELECT v FROM numbered WHERE id = ?")) {
            for (int i = 0; i < 1_000; i++) {
                int id = (seed * 31 + i * 7) % ROWS;
                select.setInt(1, id);
                try (ResultSet row = select.executeQuery()) {
                    String expected = ((char) ('A' + id % 26) + "" + id + " ").repeat(1 + 37 * id % 400);
                    right += row.next() && row.getString(1).equals(expected) ? 1 : 0;
                }
            }
        }
        return right;
    }
}
