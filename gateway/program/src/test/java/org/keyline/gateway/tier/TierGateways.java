package org.keyline.gateway.tier;

import static org.keyline.gateway.fixtures.Lines.soon;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RedisServer;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.protocol.fixtures.TcpProxy;

/**
 * Three gateways in front of one MariaDB, linked with each other, which share lines through a Redis
 * if there is one. Lines and definitions live for an hour.
 */
final class TierGateways implements TierMembers {
    static final List<String> NAMES = List.of("a", "b", "c");
    static final Duration STALENESS = Duration.ofMillis(200);

    final MariaDb store;
    private final String[] settings;
    private final List<RelayGateway> gateways = new ArrayList<>();
    /** The links to each of them from the others. */
    private final List<TcpProxy> links = new ArrayList<>();

    /**
     * @param redis stores the lines that they share; null if they share none
     * @param settings of all gateways, in addition to the usual ones
     */
    TierGateways(MariaDb store, @Nullable RedisServer redis, String... settings) throws Exception {
        this.store = store;
        String[] tier = {};
        if (redis != null) {
            redis.awaitReady();
            tier = new String[] {"tier.url=redis://127.0.0.1:" + redis.port(), "tier.values=true"};
        }
        this.settings =
                Stream.concat(Arrays.stream(tier), Arrays.stream(settings)).toArray(String[]::new);
        for (String unused : NAMES) {
            links.add(new TcpProxy(null));
        }
        for (String name : NAMES) {
            gateways.add(start(name));
        }
    }

    private RelayGateway start(String name) throws Exception {
        String[] all = Stream.concat(
                        Stream.of(
                                "tier.members=" + members(links),
                                "tier.name=" + name,
                                // A drain would wait for links, which are clients that are never
                                // quiet.
                                "drainTimeout=300ms",
                                "store.refresh=1h",
                                "privilegeTtl=1h"),
                        Arrays.stream(settings))
                .toArray(String[]::new);
        RelayGateway started = RelayGateway.start(store, all);
        links.get(NAMES.indexOf(name)).leadTo(new InetSocketAddress(InetAddress.getLoopbackAddress(), started.port()));
        return started;
    }

    /** Returns the setting that names all of them, with the addresses of the links. */
    static String members(List<TcpProxy> links) {
        return NAMES.stream()
                .map(each ->
                        each + "=127.0.0.1:" + links.get(NAMES.indexOf(each)).port())
                .collect(Collectors.joining(","));
    }

    /** Returns the link of the others to it. */
    TcpProxy link(int gateway) {
        return links.get(gateway);
    }

    @Override
    public Connection connect(int gateway, String schema) throws SQLException {
        return gateways.get(gateway).connect(schema);
    }

    /** Returns the port of its page. */
    int http(int gateway) {
        return gateways.get(gateway).http();
    }

    void stop(int gateway) {
        gateways.get(gateway).close();
    }

    void startAgain(int gateway) throws Exception {
        gateways.set(gateway, start(NAMES.get(gateway)));
    }

    /**
     * Waits until a line answers a read of the client, and continues to do so after the staleness,
     * so that the others confirm freshness.
     */
    static void awaitLine(Connection client, String sql, String answer) {
        soon("the other gateways").until(() -> read(client, sql).equals(answer) && isOldLine(client));
    }

    private static boolean isOldLine(Connection client) throws SQLException {
        try (Statement statement = client.createStatement();
                ResultSet last = statement.executeQuery("SELECT source, age_ms FROM keyline.last")) {
            last.next();
            return last.getString("source").equals("line") && last.getLong("age_ms") > 2 * STALENESS.toMillis();
        }
    }

    /** Returns the first value of the first row; {@code none} without a row. */
    static String read(Connection client, String sql) throws SQLException {
        try (Statement statement = client.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? String.valueOf(rows.getString(1)) : "none";
        }
    }

    /**
     * Returns the other gateways that the client's gateway knows, each with whether it is linked.
     */
    static String linked(Connection client) throws SQLException {
        try (Statement statement = client.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT member, linked FROM keyline.tier WHERE freshness_lag_ms < 200 ORDER BY member")) {
            List<String> members = new ArrayList<>();
            while (rows.next()) {
                members.add(rows.getString(1) + rows.getString(2));
            }
            return String.join(",", members);
        }
    }

    /** Cuts, delays or stalls the links to one gateway, in one direction or both. */
    @Override
    public String disturb(Random random, long whileNanos) throws IOException {
        TcpProxy link = links.get(random.nextInt(NAMES.size()));
        switch (random.nextInt(4)) {
            case 0 -> link.cut(0.5);
            case 1 -> link.delay(random.nextInt(5) * 20_000);
            default -> {
                link.stall(random.nextBoolean(), true);
                LockSupport.parkNanos(whileNanos);
                link.stall(false, false);
            }
        }
        return "bad links";
    }

    @Override
    public void close() throws IOException {
        gateways.forEach(RelayGateway::close);
        for (TcpProxy link : links) {
            link.close();
        }
    }
}
