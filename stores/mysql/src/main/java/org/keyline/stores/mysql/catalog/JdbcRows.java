package org.keyline.stores.mysql.catalog;

import com.mysql.cj.jdbc.Driver;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.client.Unreachable;
import org.keyline.stores.mysql.server.ServerAddress;

/** Runs catalog queries over MySQL Connector/J. Confined to one thread at a time. */
final class JdbcRows implements CatalogRows, AutoCloseable {
    private static final String CONNECTION_FAILED = "08";
    /** The driver's SQLSTATE for a column that the result does not have. */
    private static final String NO_COLUMN = "42S22";

    /** Longer texts are prepared again at each execution. */
    private static final int MAX_PREPARED_TEXT = 1 << 16;

    private final Connection connection;

    private JdbcRows(Connection connection) {
        this.connection = connection;
    }

    static JdbcRows connect(CatalogOptions options, ServerAddress server) throws ReadFailure {
        Properties properties = new Properties();
        properties.setProperty("user", options.user());
        properties.setProperty("password", options.password());
        properties.setProperty(
                "sslMode",
                switch (options.tls()) {
                    case OFF -> "DISABLED";
                    case PREFERRED -> "PREFERRED";
                    case REQUIRED -> "REQUIRED";
                    case VERIFY -> "VERIFY_IDENTITY";
                });
        Authorities authorities = options.authorities();
        if (authorities != null) {
            properties.setProperty("trustCertificateKeyStoreUrl", authorities.url());
            properties.setProperty("trustCertificateKeyStoreType", Authorities.TYPE);
            properties.setProperty("trustCertificateKeyStorePassword", Authorities.PASSWORD);
            properties.setProperty("fallbackToSystemTrustStore", "false");
        }
        properties.setProperty("allowPublicKeyRetrieval", "true");
        properties.setProperty(
                "connectTimeout", Long.toString(options.connectTimeout().toMillis()));
        properties.setProperty(
                "socketTimeout", Long.toString(options.readTimeout().toMillis()));
        properties.setProperty("characterEncoding", "UTF-8");
        // For repeat().
        properties.setProperty("useServerPrepStmts", "true");
        properties.setProperty("cachePrepStmts", "true");
        properties.setProperty("prepStmtCacheSqlLimit", Integer.toString(MAX_PREPARED_TEXT));
        properties.setProperty("tinyInt1isBit", "false");
        String url = "jdbc:" + server + "/";
        try {
            Connection connection = new Driver().connect(url, properties);
            if (connection == null) {
                throw new ReadFailure(false, "no connection to " + url, new SQLException("URL not accepted"));
            }
            return new JdbcRows(connection);
        } catch (SQLException e) {
            throw failure(e);
        }
    }

    @Override
    public void query(String sql, RowTaker taker) throws ReadFailure {
        // The driver's executeQuery rejects statements that begin with a word unknown to it, such
        // as ADMIN SHOW.
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
            take(statement, sql, taker);
        } catch (SQLException e) {
            throw failure(e);
        }
    }

    /** Prepares each text once. A server that cannot prepare it receives the text each time. */
    @Override
    public void repeat(String sql, RowTaker taker) throws ReadFailure {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            // Unless the execution succeeds, the driver discards the statement.
            statement.setPoolable(false);
            statement.execute();
            take(statement, sql, taker);
            statement.setPoolable(true);
        } catch (SQLException e) {
            throw failure(e);
        }
    }

    private static void take(Statement executed, String sql, RowTaker taker) throws SQLException, ReadFailure {
        try (ResultSet result = executed.getResultSet()) {
            if (result == null) {
                throw new ReadFailure("the store returned no result set for: " + sql);
            }
            Row row = new Cells(result);
            while (result.next()) {
                taker.row(row);
            }
        }
    }

    void run(String sql) throws ReadFailure {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw failure(e);
        }
    }

    private static ReadFailure failure(SQLException e) {
        String state = e.getSQLState();
        boolean refused = NO_COLUMN.equals(state)
                || (e.getErrorCode() != 0 && state != null && !state.startsWith(CONNECTION_FAILED));
        boolean mayPass = !refused && Unreachable.mayPass(e);
        String why = Unreachable.reason(e);
        String message = firstLine(e);
        return new ReadFailure(refused, mayPass || why.equals(message) ? why : message + ": " + why, e);
    }

    /** Returns the first line of a message. The driver's messages have more lines with hints. */
    private static String firstLine(Throwable e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException alreadyGone) {
            // The connection has no open statement, so nothing is lost.
        }
    }

    /** Closes the socket, even during a query. */
    void abort() {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException alreadyGone) {
            // The socket is already closed.
        }
    }

    private record Cells(ResultSet result) implements Row {
        @Override
        public @Nullable String text(String column) throws ReadFailure {
            try {
                return result.getString(column);
            } catch (SQLException e) {
                throw failure(e);
            }
        }

        @Override
        public @Nullable String text(int position) throws ReadFailure {
            try {
                return result.getString(position);
            } catch (SQLException e) {
                throw failure(e);
            }
        }
    }
}
