package org.keyline.ycsb;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import site.ycsb.generator.ScrambledZipfianGenerator;

/**
 * A table with a key k, a text v that k determines, and a number n of updates. Immutable.
 *
 * @param bytes the length of v in characters
 */
record NumberRows(String table, int bytes) {
    private static final int ROWS_OF_INSERT = 1_000;

    String read() {
        return "SELECT v FROM " + table + " WHERE k = ?";
    }

    String write() {
        return "UPDATE " + table + " SET n = n + 1 WHERE k = ?";
    }

    /** Returns a client that reads rows by a Zipfian distribution. */
    ClientGroups.Session reads(int records) {
        return connection -> {
            ScrambledZipfianGenerator keys = new ScrambledZipfianGenerator(records);
            PreparedStatement read = connection.prepareStatement(read());
            return () -> read(read, keys.nextValue());
        };
    }

    /** Drops and fills the table, and executes further statements. */
    void load(Target target, int records, String... also) throws IOException {
        try (Connection connection = target.openCreatingDatabase();
                Statement sql = connection.createStatement()) {
            sql.execute("DROP TABLE IF EXISTS " + table);
            sql.execute("CREATE TABLE " + table + " (k BIGINT PRIMARY KEY, v VARCHAR(1024) NOT NULL, n INT NOT NULL)"
                    + " DEFAULT CHARSET = utf8mb4");
            for (int from = 0; from < records; from += ROWS_OF_INSERT) {
                sql.execute(IntStream.range(from, Math.min(records, from + ROWS_OF_INSERT))
                        .mapToObj(k -> "(" + k + ", '" + value(k) + "', 0)")
                        .collect(Collectors.joining(", ", "INSERT INTO " + table + " VALUES ", "")));
            }
            for (String statement : also) {
                sql.execute(statement);
            }
        } catch (SQLException e) {
            throw new IOException("the tables cannot be filled: " + e.getMessage(), e);
        }
    }

    /** Reads a row. Throws an IllegalStateException if it differs from the row that was written. */
    void read(PreparedStatement read, long key) throws SQLException {
        read.setLong(1, key);
        try (ResultSet row = read.executeQuery()) {
            if (!row.next() || !row.getString(1).equals(value(key))) {
                throw new IllegalStateException("row " + key + " is not as written");
            }
        }
    }

    private String value(long key) {
        String part = key + "-";
        return part.repeat(bytes / part.length() + 1).substring(0, bytes);
    }
}
