package org.keyline.gateway.tier;

import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RedisServer;
import org.keyline.gateway.fixtures.RelayGateway;

/** Three gateways in front of one MariaDB that hear of each other through a Redis. Lines live for an hour, and so do definitions. */
final class TierGateways implements AutoCloseable {
    static final List<String> NAMES = List.of("a", "b", "c");
    static final Duration STALENESS = Duration.ofMillis(200);
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    final RedisServer redis;
    final MariaDb store;
    private final String[] settings;
    private final List<RelayGateway> gateways = new ArrayList<>();

    /** @param settings of all gateways, over the usual ones */
    TierGateways(MariaDb store, RedisServer redis, String... settings) throws Exception {
        this.store = store;
        this.redis = redis;
        this.settings = settings;
        redis.awaitReady();
        for (String name : NAMES) {
            gateways.add(start(name));
        }
    }

    private RelayGateway start(String name) throws Exception {
        String[] all = Stream.concat(
                        Stream.of(
                                "tier.url=redis://127.0.0.1:" + redis.port(),
                                "tier.members=" + String.join(",", NAMES),
                                "tier.name=" + name,
                                "store.refresh=1h",
                                "privilegeTtl=1h"),
                        Arrays.stream(settings))
                .toArray(String[]::new);
        return RelayGateway.start(store, all);
    }

    /** A client of one of them. */
    Connection connect(int gateway, String schema) throws SQLException {
        return DriverManager.getConnection(gateways.get(gateway).jdbc(schema));
    }

    /** The port of its page. */
    int http(int gateway) {
        return gateways.get(gateway).http();
    }

    void stop(int gateway) {
        gateways.get(gateway).close();
    }

    void startAgain(int gateway) throws Exception {
        gateways.set(gateway, start(NAMES.get(gateway)));
    }

    /** Waits until a read of the client is answered by a line, and goes on to be after the staleness: the others vouch. */
    static void awaitLine(Connection client, String sql, String answer) {
        await().atMost(PATIENCE).until(() -> read(client, sql).equals(answer) && isOldLine(client));
    }

    private static boolean isOldLine(Connection client) throws SQLException {
        try (Statement statement = client.createStatement();
                ResultSet last = statement.executeQuery("SELECT source, age_ms FROM keyline.last")) {
            last.next();
            return last.getString("source").equals("line") && last.getLong("age_ms") > 2 * STALENESS.toMillis();
        }
    }

    /** The first value of the first row; {@code none} if there is no row. */
    static String read(Connection client, String sql) throws SQLException {
        try (Statement statement = client.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? String.valueOf(rows.getString(1)) : "none";
        }
    }

    static void run(Connection client, String... statements) throws SQLException {
        try (Statement statement = client.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** A figure of SHOW STATUS. */
    static long status(Connection client, String name) throws SQLException {
        try (Statement statement = client.createStatement();
                ResultSet rows = statement.executeQuery("SHOW STATUS LIKE '" + name + "'")) {
            rows.next();
            return rows.getLong(2);
        }
    }

    @Override
    public void close() {
        gateways.forEach(RelayGateway::close);
    }
}
