package org.keyline.gateway.doris;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.keyline.gateway.Gateway;
import org.keyline.gateway.config.ConfigLoader;

/**
 * A real Doris frontend, which {@code -Dkeyline.doris=HOST:PORT} names, and a gateway in front of
 * it. The frontend must accept {@code root} without a password, and have no other users meanwhile.
 * Only the tests use the database {@code keyline}, in which {@code keyline_app} may read and load.
 */
final class LiveDoris implements AutoCloseable {
    static final String ADDRESS = System.getProperty("keyline.doris", "");

    private static final String PROPERTIES = " PROPERTIES('replication_num'='1','store_row_column'='true',"
            + "'enable_unique_key_merge_on_write'='true')";
    /** A client that waits longer than this hangs. */
    private static final String BOUNDED = "&connectTimeout=60000&socketTimeout=120000";

    private Connection straight;
    private final Gateway gateway;

    LiveDoris() throws Exception {
        this(ADDRESS);
    }

    /**
     * @param servers {@code store.url}: the addresses of that frontend, or of other ones of its
     *     cluster
     */
    LiveDoris(String servers) throws Exception {
        straight = asRoot();
        run(straight, "CREATE DATABASE IF NOT EXISTS keyline");
        run(straight, "USE keyline");
        run(straight, "DROP USER IF EXISTS 'keyline_app'@'%'");
        run(straight, "CREATE USER 'keyline_app'@'%' IDENTIFIED BY 'pw'");
        run(straight, "GRANT SELECT_PRIV, LOAD_PRIV ON keyline.* TO 'keyline_app'@'%'");
        table("items", "one");
        gateway = Gateway.start(new ConfigLoader(Map.of())
                .set("listen=127.0.0.1:0")
                .set("http=off")
                .set("store.url=mysql://" + servers)
                .set("store.user=root")
                .set("access.changes=keyline_app")
                .set("store.signal=versions")
                .set("store.refresh=1s")
                .set("cache.ttl=5s")
                .load());
    }

    /** Returns a connection past the gateway. */
    Connection straight() {
        return straight;
    }

    /** Returns another connection past the gateway. */
    static Connection asRoot() throws SQLException {
        return DriverManager.getConnection("jdbc:mysql://" + ADDRESS + "/?user=root" + BOUNDED);
    }

    int port() {
        return gateway.listening().port();
    }

    /** Creates a table again, with the rows 1 and 200. */
    void table(String name, String value) throws SQLException {
        if (!straight.isValid(1)) {
            straight.close();
            straight = asRoot();
            run(straight, "USE keyline");
        }
        run(straight, "DROP TABLE IF EXISTS keyline." + name + " FORCE");
        run(
                straight,
                "CREATE TABLE keyline." + name
                        + " (k INT NOT NULL, v VARCHAR(20), d DECIMAL(9,2), t DATETIME) UNIQUE KEY(k)"
                        + " PARTITION BY RANGE(k) (PARTITION low VALUES LESS THAN ('100'), PARTITION high VALUES LESS THAN ('1000'))"
                        + " DISTRIBUTED BY HASH(k) BUCKETS 1" + PROPERTIES);
        run(
                straight,
                "INSERT INTO keyline." + name + " VALUES (1, '" + value
                        + "', 1.5, '2026-01-02 03:04:05'), (200, 'high', 2, NULL)");
    }

    /** Returns a client with the settings that Doris publishes. */
    Connection through() throws SQLException {
        return DriverManager.getConnection(url("mysql") + "&useServerPrepStmts=true&cachePrepStmts=true");
    }

    String url(String scheme) {
        return "jdbc:" + scheme + "://127.0.0.1:" + port() + "/keyline?user=keyline_app&password=pw" + BOUNDED;
    }

    static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static List<String> rows(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.execute(sql) ? rows(statement.getResultSet()) : List.of();
        }
    }

    static List<String> prepared(Connection connection, int key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT k, v, d, t FROM items WHERE k = ?")) {
            statement.setInt(1, key);
            return rows(statement.executeQuery());
        }
    }

    private static List<String> rows(ResultSet result) throws SQLException {
        List<String> rows = new ArrayList<>();
        int columns = result.getMetaData().getColumnCount();
        while (result.next()) {
            StringBuilder row = new StringBuilder();
            for (int i = 1; i <= columns; i++) {
                row.append(i > 1 ? "|" : "").append(result.getObject(i));
            }
            rows.add(row.toString());
        }
        return rows;
    }

    /** Returns the source of the last answer. */
    static String source(Connection connection) throws SQLException {
        return rows(connection, "KEYLINE LAST").get(0).replace("source|", "");
    }

    @Override
    public void close() throws SQLException {
        gateway.close();
        straight.close();
    }
}
