package org.keyline.gateway;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.gateway.fixtures.Lines.rows;
import static org.keyline.gateway.fixtures.Lines.run;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.DemoGateway;

/**
 * Reads by conditions on any columns on the embedded store. The rows are those of a gateway without
 * a cache, and the metrics count the reads.
 */
class EmbeddedFilterLinesTest {
    private static final int QUESTIONS = 60;
    private static final int ROWS = 80;
    private static final int PATTERNS = 300;
    /** The reply to the first becomes the template, and the second loads the line. */
    private static final int ROUNDS = 3;

    private final Random random = new Random(20_261_124);

    @Test
    void filterReads_areAnsweredFromLinesWithTheStoresRows() throws Exception {
        try (DemoGateway cached = DemoGateway.start("demo=false", "filter.enabled=true", "filter.order=any");
                DemoGateway plain = DemoGateway.start("demo=false", "http=off", "cache.enabled=false");
                Connection through = connect(cached);
                Connection straight = connect(plain)) {
            for (Connection each : List.of(through, straight)) {
                run(each, "CREATE DATABASE found");
                run(each, "CREATE TABLE found.t (k INT PRIMARY KEY, a INT, b VARCHAR(9), c BIGINT)");
            }
            for (int k = 0; k < ROWS; k++) {
                String a = random.nextInt(8) == 0 ? "NULL" : "" + random.nextInt(10);
                String row = "INSERT INTO found.t VALUES (" + k + ", " + a + ", 'b" + random.nextInt(5) + "', "
                        + random.nextInt(1000) + ")";
                run(through, row);
                run(straight, row);
            }
            for (int i = 0; i < QUESTIONS; i++) {
                String question = question();
                List<String> expected = rows(straight, question);
                for (int round = 0; round < ROUNDS; round++) {
                    // The statement has no ORDER BY, so the order of lines may differ from the
                    // store's.
                    assertThat(rows(through, question)).as(question).containsExactlyInAnyOrderElementsOf(expected);
                }
            }
            String metrics = metrics(cached);
            assertThat(figure(metrics, "filter_hits_total{conditions=\"same\","))
                    .isGreaterThan(QUESTIONS / 3);
            assertThat(figure(metrics, "filter_hits_total{conditions=\"weaker\","))
                    .isGreaterThan(QUESTIONS / 10);
            assertThat(figure(metrics, "filter_lines{")).isPositive();
            assertThat(figure(metrics, "filter_loads_total{")).isPositive();
            assertThat(figure(metrics, "filter_rows_examined_total{"))
                    .isGreaterThanOrEqualTo(figure(metrics, "filter_rows_answered_total{"));
        }
    }

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

    /** A second condition often narrows an earlier one. */
    private String question() {
        String first = "a = " + random.nextInt(4);
        String second = switch (random.nextInt(6)) {
            case 0 -> " AND b = 'b" + random.nextInt(5) + "'";
            case 1 -> " AND b LIKE 'b" + random.nextInt(3) + "%'";
            case 2 -> " AND b LIKE '%b%' AND c > " + random.nextInt(1000);
            case 3 -> " AND c > " + random.nextInt(1000);
            case 4 -> " AND b IN ('b1', 'b3') AND c < " + random.nextInt(1000);
            default -> "";
        };
        return "SELECT k, a, b, c FROM found.t WHERE " + first + second;
    }

    private static Connection connect(DemoGateway gateway) throws SQLException {
        return DriverManager.getConnection(gateway.jdbc("mysql", "", "user=root"));
    }

    private static String metrics(DemoGateway gateway) throws Exception {
        URI address = URI.create(
                "http://127.0.0.1:" + requireNonNull(gateway.gateway().http()).getPort() + "/metrics");
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }

    private static double figure(String metrics, String begin) {
        Matcher line = Pattern.compile("keyline_table_" + Pattern.quote(begin) + ".*table=\"t\".* (\\S+)")
                .matcher(metrics);
        assertThat(line.find()).as(begin).isTrue();
        return Double.parseDouble(line.group(1));
    }
}
