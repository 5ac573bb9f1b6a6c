package org.keyline.gateway.key;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.mysql.cj.jdbc.Driver;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
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
    private static final String TABLE = "keycolumn.t";

    private final Connection connection;
    private final ColumnSchema column;
    private final @Nullable KeyColumn key;
    private int nextId;

    /** @param connectionCollation must have no effect */
    KeyStore(String type, String connectionCollation) throws SQLException {
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
        int port = named
                ? MariaDb.get("keys").port()
                : MariaDbServer.get().address().getPort();
        connection = requireNonNull(new Driver().connect("jdbc:mysql://127.0.0.1:" + port + "/", properties));
        run(
                "SET sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'",
                "CREATE DATABASE IF NOT EXISTS keycolumn",
                "DROP TABLE IF EXISTS " + TABLE);
        create(type);
        try (WireCatalog catalog = WireCatalog.open(CatalogOptions.of("127.0.0.1", port, "keyline", password))) {
            column = requireNonNull(catalog.table("keycolumn", "t")).columns().get(1);
        }
        key = KeyColumn.of(column);
    }

    /** A type that a server of another vendor does not support proves nothing. */
    private void create(String type) throws SQLException {
        try {
            run("CREATE TABLE " + TABLE + " (id int PRIMARY KEY, c " + type + ", KEY (c))");
        } catch (SQLException refused) {
            connection.close();
            assumeFalse(MariaDb.isForeign(), type + ": " + refused.getMessage());
            throw refused;
        }
    }

    @Nullable
    KeyColumn key() {
        return key;
    }

    private void run(String... statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /**
     * Writes a literal, or the part of it that the column accepts. Returns the id of its row, or -1
     * if it was refused.
     */
    int insert(String literal, boolean strict) throws SQLException {
        run("SET sql_mode = '" + (strict ? "STRICT_ALL_TABLES" : "") + "'");
        try {
            run("INSERT INTO " + TABLE + " VALUES (" + nextId + ", " + literal + ")");
            return nextId++;
        } catch (SQLException refused) {
            return -1;
        }
    }

    /** Returns the ids of the rows that equal a literal. */
    Set<Integer> equalTo(String literal) throws SQLException {
        return where("c = " + literal);
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
                ResultSet rows = statement.executeQuery("SELECT id FROM " + TABLE + hint + " WHERE " + condition)) {
            return ids(rows);
        }
    }

    /**
     * Returns the ids of the rows for which a comparison with a parameter of the binary protocol is
     * true.
     */
    Set<Integer> where(String comparison, Object value) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT id FROM " + TABLE + " WHERE c " + comparison + " ?")) {
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
                ResultSet rows = statement.executeQuery("SELECT id, c FROM " + TABLE + " ORDER BY c, id")) {
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

    @Override
    public void close() throws SQLException {
        run("DROP TABLE " + TABLE);
        connection.close();
    }
}
