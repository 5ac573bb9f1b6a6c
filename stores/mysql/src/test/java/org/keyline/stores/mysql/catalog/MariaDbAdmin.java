package org.keyline.stores.mysql.catalog;

import com.mysql.cj.jdbc.Driver;
import com.mysql.cj.jdbc.JdbcConnection;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.keyline.protocol.fixtures.MariaDbServer;

/** Statements directly at the MariaDB of the tests, with all rights. Confined to one thread. */
final class MariaDbAdmin implements AutoCloseable {
    private final Connection connection;

    MariaDbAdmin() throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", "keyline");
        properties.setProperty("password", MariaDbServer.PASSWORD);
        properties.setProperty("characterEncoding", "UTF-8");
        properties.setProperty("sslMode", "DISABLED");
        connection = new Driver().connect("jdbc:mysql://127.0.0.1:" + port() + "/", properties);
    }

    static int port() {
        return MariaDbServer.get().address().getPort();
    }

    /** Returns options of a catalog with all rights, which reads only on request. */
    static CatalogOptions options() {
        return CatalogOptions.of("127.0.0.1", port(), "keyline", MariaDbServer.PASSWORD)
                .withPeriods(java.time.Duration.ofHours(1), java.time.Duration.ofHours(2));
    }

    Connection connection() {
        return connection;
    }

    void run(String... statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** Returns a statement prepared at the server. */
    PreparedStatement prepare(String sql) throws SQLException {
        return connection.unwrap(JdbcConnection.class).serverPrepareStatement(sql);
    }

    /** Returns one column of all rows. */
    List<String> column(String sql, int column) throws SQLException {
        List<String> cells = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                cells.add(String.valueOf(rows.getString(column)));
            }
        }
        return cells;
    }

    /** Returns the column names of {@code SELECT *}. */
    List<String> starColumns(String table) throws SQLException {
        List<String> names = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT * FROM " + table + " LIMIT 0")) {
            ResultSetMetaData columns = rows.getMetaData();
            for (int i = 1; i <= columns.getColumnCount(); i++) {
                names.add(columns.getColumnName(i));
            }
        }
        return names;
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
