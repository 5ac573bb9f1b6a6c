package org.keyline.gateway;

import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.keyline.gateway.config.ConfigException;
import org.keyline.gateway.config.ConfigLoader;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.gateway.config.LiveConfig;

/**
 * A whole gateway on the embedded store, for any number of {@link EmbeddedClient}s, each in its own
 * thread. Its rows of 1 KB are in three tables. In YCSB's, each row is a line; {@code visits} has
 * {@value #VISITS} rows for each visitor; {@code pages} has {@value #PAGES} rows in one line.
 * {@code steps} and {@code stages} have {@value #STEPS} short rows in one line each.
 */
final class EmbeddedGateway implements AutoCloseable {
    /** Rows per visitor. */
    static final int VISITS = 12;
    /** Rows of the only walker. */
    static final int STEPS = 1000;

    /** Rows of the only reader. */
    static final int PAGES = 20;

    private static final int STEPS_PER_STAGE = 100;
    private static final int ROWS_PER_INSERT = 120;
    private static final int FIELDS = 10;

    private final HandedOver store;
    private final Gateway gateway;

    private EmbeddedGateway(HandedOver store, Gateway gateway) {
        this.store = store;
        this.gateway = gateway;
    }

    /**
     * Starts with rows {@link #key key(0)}..key(users - 1) in {@code usertable}, and visitors
     * 0..visitors - 1; nothing is cached yet.
     */
    static EmbeddedGateway start(int users, int visitors) throws ConfigException, StartException {
        GatewayConfig config = new ConfigLoader(Map.of())
                .set("listen=127.0.0.1:0")
                .set("http=off")
                .set("demo=true")
                .set("cache.ttl=24h")
                .set("cache.auditOneIn=0")
                .set("privilegeTtl=24h")
                .set("tables.ycsb.visits.prefix=" + System.getProperty("keyline.prefix", "1"))
                .set("tables.ycsb.steps.prefix=1")
                .set("tables.ycsb.stages.prefix=1")
                .set("tables.ycsb.pages.prefix=1")
                .load();
        HandedOver store = new HandedOver(Stores.open(LiveConfig.fixed(config)));
        EmbeddedGateway started = new EmbeddedGateway(store, new Gateway(config, store));
        EmbeddedClient client = started.connect();
        client.ask(EmbeddedClient.query(
                "CREATE TABLE visits (visitor bigint, visit bigint, " + fields(field -> "FIELD" + field + " text")
                        + ") UNIQUE KEY(visitor, visit) DISTRIBUTED BY HASH(visitor) BUCKETS 1"));
        String values = fields(field -> "'" + "x".repeat(100) + "'");
        insert(client, "usertable", users, row -> "('" + key(row) + "', " + values + ")");
        insert(
                client,
                "visits",
                visitors * VISITS,
                row -> "(" + row / VISITS + ", " + row % VISITS + ", " + values + ")");
        client.ask(EmbeddedClient.query(
                "CREATE TABLE pages (reader bigint, page bigint, " + fields(field -> "FIELD" + field + " text")
                        + ") UNIQUE KEY(reader, page) DISTRIBUTED BY HASH(reader) BUCKETS 1"));
        insert(client, "pages", PAGES, row -> "(0, " + row + ", " + values + ")");
        client.ask(
                EmbeddedClient.query("CREATE TABLE stages (walker bigint, stage bigint, step bigint, note varchar(50))"
                        + " UNIQUE KEY(walker, stage, step) DISTRIBUTED BY HASH(walker) BUCKETS 1"));
        insert(client, "stages", STEPS, row -> "(0, " + row / STEPS_PER_STAGE + ", " + row + ", 'n')");
        client.ask(EmbeddedClient.query("CREATE TABLE steps (walker bigint, step bigint, height int, place varchar(20),"
                + " note varchar(50)) UNIQUE KEY(walker, step) DISTRIBUTED BY HASH(walker) BUCKETS 1"));
        insert(
                client,
                "steps",
                STEPS,
                row -> "(0, " + row + ", " + (row * 7 % STEPS) + ", 'place" + row % 10 + "', '" + "n".repeat(30)
                        + "')");
        client.close();
        return started;
    }

    /** Returns the key of a row, as long as YCSB's keys. */
    static String key(int row) {
        return "user" + (6_284_781_860_667_377_211L + row);
    }

    /** Returns a client that has logged in. */
    EmbeddedClient connect() {
        return new EmbeddedClient(store, gateway.sessions());
    }

    @Override
    public void close() {
        gateway.close();
    }

    private static void insert(EmbeddedClient client, String table, int rows, IntFunction<String> row) {
        for (int from = 0; from < rows; from += ROWS_PER_INSERT) {
            client.ask(EmbeddedClient.query(IntStream.range(from, Math.min(rows, from + ROWS_PER_INSERT))
                    .mapToObj(row)
                    .collect(Collectors.joining(", ", "INSERT INTO " + table + " VALUES ", ""))));
        }
    }

    private static String fields(IntFunction<String> field) {
        return IntStream.range(0, FIELDS).mapToObj(field).collect(Collectors.joining(", "));
    }
}
