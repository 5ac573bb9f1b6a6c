package org.keyline.ycsb;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** A table with rows of 100 bytes, whose content follows from the key. */
final class NumberRows {
    static final String READ = "SELECT v FROM numbers WHERE k = ?";
    /** Does not change the column that {@link #READ} selects. */
    static final String WRITE = "UPDATE numbers SET n = n + 1 WHERE k = ?";

    private static final int VALUE_BYTES = 100;
    private static final int ROWS_OF_INSERT = 1_000;

    private NumberRows() {}

    /** Drops and fills the table. */
    static void load(Target straight, int records, String... also) throws IOException {
        try (Connection connection = straight.openCreatingDatabase();
                Statement sql = connection.createStatement()) {
            sql.execute("DROP TABLE IF EXISTS numbers");
            sql.execute("CREATE TABLE numbers (k BIGINT PRIMARY KEY, v VARCHAR(200) NOT NULL, n INT NOT NULL)"
                    + " DEFAULT CHARSET = utf8mb4");
            for (int from = 0; from < records; from += ROWS_OF_INSERT) {
                StringBuilder insert = new StringBuilder("INSERT INTO numbers VALUES ");
                for (int k = from; k < Math.min(records, from + ROWS_OF_INSERT); k++) {
                    insert.append(k == from ? "" : ",").append('(').append(k).append(", '");
                    insert.append(value(k)).append("', 0)");
                }
                sql.execute(insert.toString());
            }
            for (String statement : also) {
                sql.execute(statement);
            }
        } catch (SQLException e) {
            throw new IOException("the tables cannot be filled: " + e.getMessage(), e);
        }
    }

    /**
     * Reads a row.
     *
     * @param read of {@link #READ}
     * @throws IllegalStateException if the row differs from the one written
     */
    static void read(PreparedStatement read, long key) throws SQLException {
        read.setLong(1, key);
        try (ResultSet row = read.executeQuery()) {
            if (!row.next() || !row.getString(1).equals(value(key))) {
                throw new IllegalStateException("row " + key + " is not as written");
            }
        }
    }

    private static String value(long key) {
        return (key + "-").repeat(VALUE_BYTES).substring(0, VALUE_BYTES);
    }
}
