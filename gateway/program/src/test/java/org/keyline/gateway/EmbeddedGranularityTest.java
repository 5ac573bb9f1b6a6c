package org.keyline.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.DemoGateway;

/**
 * {@code prefix: auto} over the wire. Reads iterate over all rows of a visitor, so one load for all
 * of them is cheapest.
 */
final class EmbeddedGranularityTest {
    private static final int VISITORS = 40;
    private static final int VISITS = 25;
    /** One in this many reads follows a write of its row. */
    private static final int READS_PER_WRITE = 50;

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(90);

    private final Random random = new Random(20_261_124);
    private final int[][] counts = new int[VISITORS][VISITS];

    @Test
    void granularity_ofATableReadByPrefix_becomesThatPrefixAndNoReadIsOld() throws Exception {
        try (DemoGateway gateway = DemoGateway.start("demo=false", "http=off", "cache.prefix=auto", "cache.ttl=300ms");
                Connection connection = connect(gateway)) {
            create(connection);
            long began = System.nanoTime();
            String granularity = "";
            while (!granularity.equals("1") && System.nanoTime() - began < PATIENCE_NANOS) {
                for (int i = 0; i < VISITORS; i++) {
                    readAll(connection, random.nextInt(VISITORS));
                }
                granularity = inForce(connection);
            }
            assertThat(granularity)
                    .as(told(connection, "SELECT * FROM keyline.granularities"))
                    .isEqualTo("1");
            for (int i = 0; i < VISITORS; i++) {
                readAll(connection, i);
            }
            assertThat(told(connection, "KEYLINE EXPLAIN SELECT hits FROM d.visits WHERE visitor = 1 AND visit = 2"))
                    .contains("1 of 2 key columns (auto, ");
        }
    }

    private static Connection connect(DemoGateway gateway) throws SQLException {
        return DriverManager.getConnection(gateway.jdbc("mysql", "", "user=root&useServerPrepStmts=true"));
    }

    private static void create(Connection connection) throws SQLException {
        try (Statement sql = connection.createStatement()) {
            sql.execute("CREATE DATABASE d");
            sql.execute("CREATE TABLE d.visits (visitor INT, visit INT, hits INT, PRIMARY KEY (visitor, visit))");
            for (int visitor = 0; visitor < VISITORS; visitor++) {
                StringJoiner rows = new StringJoiner(", ", "INSERT INTO d.visits VALUES ", "");
                for (int visit = 0; visit < VISITS; visit++) {
                    rows.add("(" + visitor + ", " + visit + ", 0)");
                }
                sql.execute(rows.toString());
            }
        }
    }

    private void readAll(Connection connection, int visitor) throws SQLException {
        try (PreparedStatement read =
                        connection.prepareStatement("SELECT hits FROM d.visits WHERE visitor = ? AND visit = ?");
                Statement write = connection.createStatement()) {
            for (int visit = 0; visit < VISITS; visit++) {
                if (random.nextInt(READS_PER_WRITE) == 0) {
                    write.execute(
                            "UPDATE d.visits SET hits = hits + 1 WHERE visitor = " + visitor + " AND visit = " + visit);
                    counts[visitor][visit]++;
                }
                read.setInt(1, visitor);
                read.setInt(2, visit);
                try (ResultSet row = read.executeQuery()) {
                    assertThat(row.next()).isTrue();
                    assertThat(row.getInt(1)).isEqualTo(counts[visitor][visit]);
                }
            }
        }
    }

    private static String inForce(Connection connection) throws SQLException {
        try (Statement sql = connection.createStatement();
                ResultSet row = sql.executeQuery("SELECT prefix FROM keyline.granularities WHERE in_force = 1")) {
            return row.next() ? row.getString(1) : "";
        }
    }

    private static String told(Connection connection, String question) throws SQLException {
        StringJoiner told = new StringJoiner("\n");
        try (Statement sql = connection.createStatement()) {
            assertThat(sql.execute(question)).isTrue();
            ResultSet rows = sql.getResultSet();
            while (rows.next()) {
                StringJoiner row = new StringJoiner(" ");
                for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                    row.add(rows.getString(i));
                }
                told.add(row.toString());
            }
        }
        return told.toString();
    }
}
