package org.keyline.gateway.key;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.mysql.cj.jdbc.Driver;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.digest.Digester;
import org.keyline.planner.digest.SqlMode;
import org.keyline.protocol.fixtures.MariaDbServer;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.KeyReader;
import org.keyline.stores.mysql.catalog.CatalogOptions;
import org.keyline.stores.mysql.catalog.WireCatalog;

/**
 * A table with one column {@code c} under test, at a real MariaDB or MySQL or a server of another
 * vendor, and the results of its comparisons. Confined to one thread.
 */
final class KeyStore implements AutoCloseable {
    /** Reads in one statement. */
    private static final int TOGETHER = 50;

    private final Connection connection;
    private final String table;
    private final ColumnSchema column;
    private final @Nullable KeyColumn key;
    private int nextId;

    private KeyStore(Connection connection, String table, ColumnSchema column) {
        this.connection = connection;
        this.table = table;
        this.column = column;
        key = KeyColumn.of(column);
    }

    /**
     * Returns a store of each type, without those that a server of another vendor refuses. All use
     * one connection.
     *
     * @param connectionCollation must have no effect
     */
    static Map<String, KeyStore> create(String schema, Collection<String> types, String connectionCollation)
            throws SQLException {
        boolean named = MariaDb.isMySql() || MariaDb.isForeign();
        String password = named ? MariaDb.PASSWORD : MariaDbServer.PASSWORD;
        Properties properties = new Properties();
        properties.setProperty("user", "keyline");
        properties.setProperty("password", password);
        properties.setProperty("allowPublicKeyRetrieval", "true");
        properties.setProperty("sslMode", "DISABLED");
        properties.setProperty("characterEncoding", "UTF-8");
        properties.setProperty("connectionCollation", connectionCollation);
        properties.setProperty("characterSetResults", "utf8mb4");
        properties.setProperty("useServerPrepStmts", "true");
        properties.setProperty("cachePrepStmts", "true");
        int port = named
                ? MariaDb.get("second").port()
                : MariaDbServer.get().address().getPort();
        Connection connection =
                requireNonNull(new Driver().connect("jdbc:mysql://127.0.0.1:" + port + "/", properties));
        run(
                connection,
                "SET sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'",
                "DROP DATABASE IF EXISTS " + schema,
                "CREATE DATABASE " + schema);
        Map<String, String> tables = new LinkedHashMap<>();
        for (String type : types) {
            String table = "t" + tables.size();
            try {
                run(
                        connection,
                        "CREATE TABLE " + schema + "." + table + " (id int PRIMARY KEY, c " + type + ", KEY (c))");
                tables.put(type, table);
            } catch (SQLException refused) {
                if (!MariaDb.isForeign()) {
                    throw refused;
                }
            }
        }
        Map<String, KeyStore> stores = new HashMap<>();
        try (WireCatalog catalog = WireCatalog.open(CatalogOptions.of("127.0.0.1", port, "keyline", password))) {
            tables.forEach((type, table) -> stores.put(
                    type,
                    new KeyStore(
                            connection,
                            schema + "." + table,
                            requireNonNull(catalog.table(schema, table))
                                    .columns()
                                    .get(1))));
        }
        return stores;
    }

    @Nullable
    KeyColumn key() {
        return key;
    }

    private static void run(Connection connection, String... statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** Begins the writes of a transaction in a strict mode or not. */
    void begin(boolean strict) throws SQLException {
        run(connection, "SET sql_mode = '" + (strict ? "STRICT_ALL_TABLES" : "") + "'", "BEGIN");
    }

    void commit() throws SQLException {
        run(connection, "COMMIT");
    }

    /**
     * Writes a literal, or the part of it that the column accepts. Returns the id of its row, or -1
     * if it was refused.
     */
    int insert(String literal) throws SQLException {
        try {
            run(connection, "INSERT INTO " + table + " VALUES (" + nextId + ", " + literal + ")");
            return nextId++;
        } catch (SQLException refused) {
            return -1;
        }
    }

    /** Returns the ids of the rows that equal each literal. */
    List<Set<Integer>> equalTo(List<String> literals) throws SQLException {
        List<Set<Integer>> all = new ArrayList<>();
        literals.forEach(literal -> all.add(new TreeSet<>()));
        for (int from = 0; from < literals.size(); from += TOGETHER) {
            StringJoiner reads = new StringJoiner(" UNION ALL ");
            for (int i = from; i < Math.min(from + TOGETHER, literals.size()); i++) {
                reads.add("SELECT " + i + ", id FROM " + table + " WHERE c = " + literals.get(i));
            }
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(reads.toString())) {
                while (rows.next()) {
                    all.get(rows.getInt(1)).add(rows.getInt(2));
                }
            }
        }
        return all;
    }

    /** Returns the ids of the rows that meet a condition. */
    Set<Integer> where(String condition) throws SQLException {
        return where(condition, "");
    }

    /** Returns the ids of the rows that meet a condition, by a scan instead of the index. */
    Set<Integer> whereInRows(String condition) throws SQLException {
        return where(condition, " IGNORE INDEX (c)");
    }

    private Set<Integer> where(String condition, String hint) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT id FROM " + table + hint + " WHERE " + condition)) {
            return ids(rows);
        }
    }

    /**
     * Returns the ids of the rows for which a comparison with a parameter of the binary protocol is
     * true.
     */
    Set<Integer> where(String comparison, Object value) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT id FROM " + table + " WHERE c " + comparison + " ?")) {
            statement.setObject(1, value);
            try (ResultSet rows = statement.executeQuery()) {
                return ids(rows);
            }
        }
    }

    private static Set<Integer> ids(ResultSet rows) throws SQLException {
        Set<Integer> ids = new TreeSet<>();
        while (rows.next()) {
            ids.add(rows.getInt(1));
        }
        return ids;
    }

    /**
     * Returns the key bytes of all rows by id, in the order of the column; null for a row that
     * cannot be in a line.
     */
    Map<Integer, byte @Nullable []> rowKeys() throws SQLException {
        Map<Integer, byte @Nullable []> keys = new LinkedHashMap<>();
        KeyColumn of = requireNonNull(key);
        KeyEncoder encoder = new KeyEncoder();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT id, c FROM " + table + " ORDER BY c, id")) {
            while (rows.next()) {
                byte[] cell = rows.getBytes(2);
                if (cell == null) {
                    continue;
                }
                boolean exact = of.text(cell, 0, cell.length, encoder.reset());
                keys.put(rows.getInt(1), exact ? encoder.toBytes() : null);
            }
        }
        return keys;
    }

    /** Returns the key of a literal, or null if the column refuses it. */
    byte @Nullable [] bind(String literal) {
        boolean negated = literal.startsWith("-");
        byte[] sql = ("SELECT " + literal).getBytes(UTF_8);
        Digester digester = new Digester();
        digester.digest(sql, 0, sql.length, SqlMode.DEFAULT);
        return bind(new LiteralValues().of(digester, 4), negated);
    }

    /** Returns the key of a value, or null if the column refuses it. */
    byte @Nullable [] bind(SlotValues values, boolean negated) {
        KeyEncoder encoder = new KeyEncoder();
        return requireNonNull(key).bind(values, 0, negated, encoder) ? encoder.toBytes() : null;
    }

    /** Returns the literal that a load writes for a key. */
    String loadLiteral(byte[] bytes) {
        ByteBuf sql = Unpooled.buffer();
        requireNonNull(key).literal(new KeyReader().wrap(bytes, 0, bytes.length), sql);
        return sql.toString(UTF_8);
    }

    ColumnSchema column() {
        return column;
    }

    /** Ends the connection of all stores. */
    @Override
    public void close() throws SQLException {
        run(connection, "DROP DATABASE " + table.substring(0, table.indexOf('.')));
        connection.close();
    }
}
