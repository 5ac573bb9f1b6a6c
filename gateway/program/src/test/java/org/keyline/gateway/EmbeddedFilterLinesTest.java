package org.keyline.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.gateway.fixtures.Lines.run;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.DemoGateway;

/**
 * Reads by conditions on any columns on the embedded store. The rows are those of a gateway without
 * a cache, and the metrics count the reads.
 */
class EmbeddedFilterLinesTest {
    private static final int PATTERNS = 300;

    /** Each such load has its own statement; the session that runs them caches 256. */
    @Test
    void manyPatterns_areLoadedByOneSession() throws Exception {
        try (DemoGateway gateway = DemoGateway.start("demo=false", "filter.enabled=true", "loadConnections=1");
                Connection client = DriverManager.getConnection(
                        gateway.jdbc("mysql", "", "user=root&useServerPrepStmts=true&cachePrepStmts=true"))) {
            run(client, "CREATE DATABASE found");
            run(client, "CREATE TABLE found.p (k INT PRIMARY KEY, b VARCHAR(9))");
            run(client, "INSERT INTO found.p VALUES (1, 'b1')");
            for (int i = 0; i < PATTERNS; i++) {
                try (PreparedStatement read =
                        client.prepareStatement("SELECT k FROM found.p WHERE b LIKE ? ORDER BY k")) {
                    read.setString(1, "%" + i);
                    try (ResultSet result = read.executeQuery()) {
                        assertThat(result.next()).isEqualTo(i == 1);
                    }
                }
            }
            try (Statement statement = client.createStatement();
                    ResultSet told = statement.executeQuery("SELECT loads, load_failures FROM keyline.filters")) {
                assertThat(told.next()).isTrue();
                assertThat(told.getLong(1)).isGreaterThan(256);
                assertThat(told.getLong(2)).isZero();
            }
        }
    }
}
