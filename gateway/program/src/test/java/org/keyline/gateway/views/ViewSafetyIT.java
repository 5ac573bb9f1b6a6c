package org.keyline.gateway.views;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/**
 * An account without rights must not be able to use the views to end the gateway, fill its memory,
 * block it, or see other accounts' data.
 */
final class ViewSafetyIT {
    private static final MariaDb STORE = MariaDb.get("second");
    private static final String STRANGER = "stranger";
    private static final Duration PROMPT = Duration.ofSeconds(10);
    private static final int CROWD = 70;
    private static final int LEVELS = 24;
    private static RelayGateway gateway;

    @BeforeAll
    static void start() throws Exception {
        STORE.run("CREATE USER IF NOT EXISTS " + STRANGER + "@'127.0.0.1' IDENTIFIED BY '" + MariaDb.PASSWORD + "'");
        gateway = RelayGateway.start(STORE, "store.refresh=1h");
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    private static Connection stranger() throws SQLException {
        return DriverManager.getConnection(gateway.jdbc("").replace("user=" + MariaDb.USER, "user=" + STRANGER));
    }

    /**
     * A chain of WITH that doubles its columns at each step would take all memory, and end the
     * process.
     */
    @Test
    void doublingColumns_areRefused() throws SQLException {
        String chain = IntStream.rangeClosed(1, LEVELS)
                .mapToObj(i -> "a" + i + " AS (SELECT x.*, y.* FROM a" + (i - 1) + " x, a" + (i - 1) + " y)")
                .collect(Collectors.joining(
                        ", ", "WITH a0 AS (SELECT * FROM keyline.last), ", " SELECT * FROM a" + LEVELS));
        try (Connection connection = stranger();
                Statement sql = connection.createStatement()) {
            assertTimeoutPreemptively(
                    PROMPT,
                    () -> assertThatThrownBy(() -> sql.executeQuery(chain))
                            .isInstanceOf(SQLException.class)
                            .hasMessageContaining("'WITH a0")
                            .hasMessageContaining("SELECT columns"));
            String stars = "SELECT " + "*, ".repeat(10_000) + "* FROM keyline.last";
            assertThatThrownBy(() -> sql.executeQuery(stars)).hasMessageContaining("columns");
            assertThat(sql.executeQuery("SELECT * FROM keyline.last").next()).isTrue();
        }
    }

    /** A function would create a gigabyte outside every memory limit. */
    @Test
    void functions_areRefused() throws SQLException {
        try (Connection connection = stranger();
                Statement sql = connection.createStatement()) {
            for (String function : List.of("SPACE(1000000000)", "REPEAT('x', 1000000000)", "SLEEP(100)", "USER()")) {
                assertTimeoutPreemptively(
                        PROMPT,
                        () -> assertThatThrownBy(() -> sql.executeQuery("SELECT " + function + " FROM keyline.last"))
                                .hasMessageContaining("SELECT columns"));
                assertThatThrownBy(() -> sql.executeQuery("SELECT * FROM keyline.last WHERE source = " + function))
                        .hasMessageContaining("SELECT columns");
            }
        }
    }

    /** A SHOW with a WHERE must not run the condition. */
    @Test
    void conditionsOfShow_tellNothing() throws SQLException {
        try (Connection connection = stranger();
                Statement sql = connection.createStatement()) {
            String shows =
                    "SHOW COLUMNS FROM keyline.last WHERE JSON_EXTRACT(CONCAT('!',(SELECT GROUP_CONCAT(user) FROM"
                            + " keyline.clients)),'$')=1";
            assertThatThrownBy(() -> sql.executeQuery(shows))
                    .hasMessageContaining("Access denied")
                    .hasMessageNotContaining(MariaDb.USER);
            assertThatThrownBy(() -> sql.executeQuery("SHOW TABLES FROM keyline WHERE 1 = 1"))
                    .hasMessageContaining("'WHERE ?");
        }
    }

    /** The right is checked for every view that a statement names, whatever its beginning. */
    @ParameterizedTest
    @CsvFileSource(resources = "ViewSafetyIT.rightsAreAskedForEveryView.txt", delimiter = '\t', quoteCharacter = '~')
    void rightsAreAskedForEveryView(String statement) throws SQLException {
        try (Connection connection = stranger();
                Connection preparing =
                        DriverManager.getConnection(gateway.jdbc("").replace("user=" + MariaDb.USER, "user=" + STRANGER)
                                + "&useServerPrepStmts=true&emulateUnsupportedPstmts=false");
                Statement sql = connection.createStatement()) {
            assertThatThrownBy(() -> sql.execute(statement)).hasMessageContaining("access.views");
            assertThatThrownBy(() -> {
                        try (PreparedStatement prepared = preparing.prepareStatement(statement)) {
                            prepared.execute();
                        }
                    })
                    .hasMessageContaining("access.views");
        }
    }

    /**
     * Cross joins of one account must not block the views for others, even after their clients have
     * disconnected.
     */
    @Test
    void crossJoinsOfOneAccount_blockNobody() throws Exception {
        String joins = IntStream.range(0, 16)
                .mapToObj(i ->
                        "keyline.last a" + i + " CROSS JOIN (SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3) b" + i)
                .collect(Collectors.joining(" CROSS JOIN ", "SELECT COUNT(*) FROM ", ""));
        ExecutorService crowd = Executors.newFixedThreadPool(CROWD);
        List<Connection> connections = new ArrayList<>();
        try (Connection operator = gateway.connect("");
                Statement asks = operator.createStatement()) {
            CountDownLatch asking = new CountDownLatch(CROWD);
            for (int i = 0; i < CROWD; i++) {
                Connection connection = stranger();
                connections.add(connection);
                crowd.execute(() -> {
                    asking.countDown();
                    assertThatThrownBy(() -> connection.createStatement().executeQuery(joins))
                            .isInstanceOf(SQLException.class);
                });
            }
            assertThat(asking.await(1, TimeUnit.MINUTES)).isTrue();
            assertTimeoutPreemptively(PROMPT, () -> {
                try (ResultSet rows = asks.executeQuery("SELECT path FROM keyline.settings WHERE path = 'cache.ttl'")) {
                    assertThat(rows.next()).isTrue();
                }
            });
        } finally {
            for (Connection connection : connections) {
                connection.abort(Runnable::run);
            }
            crowd.shutdownNow();
        }
    }
}
