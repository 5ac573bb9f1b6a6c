package org.keyline.ycsb;

import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The database under test: a JDBC URL and an account. Immutable.
 *
 * <p>The properties have the names of YCSB's own JDBC binding: {@code db.url}, {@code db.user},
 * {@code db.passwd} and, for drivers that do not register themselves, {@code db.driver}.
 */
record Target(String url, String user, String password) {
    static final String DEFAULT_URL =
            "jdbc:mysql://127.0.0.1:9030/ycsb?useServerPrepStmts=true&cachePrepStmts=true&prepStmtCacheSqlLimit=2048";

    private static final Pattern URL = Pattern.compile(
            "(?<server>jdbc:[a-z:]+//(?<host>[^/?:,]+)(:(?<port>\\d+))?[^/?]*/?)(?<database>[^?]*)(?<options>.*)");

    static Target of(Properties properties) throws SQLException {
        String driver = properties.getProperty("db.driver");
        if (driver != null) {
            try {
                Class.forName(driver);
            } catch (ClassNotFoundException notFound) {
                throw new SQLException("db.driver is not on the class path: " + driver, notFound);
            }
        }
        return new Target(
                properties.getProperty("db.url", DEFAULT_URL),
                properties.getProperty("db.user", "root"),
                properties.getProperty("db.passwd", ""));
    }

    /** Returns a target on loopback, for the user root without a password. */
    static Target onLoopback(int port) {
        return new Target(DEFAULT_URL.replace(":9030/", ":" + port + "/"), "root", "");
    }

    /** Returns the same target for connections that send statements as text. */
    Target withoutPreparing() {
        return new Target(url.replace("useServerPrepStmts=true", "useServerPrepStmts=false"), user, password);
    }

    boolean isPreparing() {
        return url.contains("useServerPrepStmts=true");
    }

    Connection open() throws SQLException {
        return DriverManager.getConnection(url, user, password);
    }

    /** Opens a connection. Creates the database that the URL names, if it is missing. */
    Connection openCreatingDatabase() throws SQLException {
        String database = database();
        if (database == null) {
            return open();
        }
        Connection connection = withDatabase("").open();
        try (var statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE IF NOT EXISTS " + Identifiers.quoted(database));
            connection.setCatalog(database);
            return connection;
        } catch (SQLException failed) {
            connection.close();
            throw failed;
        }
    }

    Target withDatabase(String name) {
        Matcher parts = parts();
        return new Target(parts.group("server") + name + parts.group("options"), user, password);
    }

    /** Returns the address of the first server. */
    InetSocketAddress address() {
        Matcher parts = parts();
        String port = parts.group("port");
        return new InetSocketAddress(parts.group("host"), port == null ? 3306 : Integer.parseInt(port));
    }

    /** Returns the database that the URL names; null if it names none. */
    @Nullable
    String database() {
        String database = parts().group("database");
        return database.isEmpty() ? null : database;
    }

    private Matcher parts() {
        Matcher parts = URL.matcher(url);
        if (!parts.matches()) {
            throw new IllegalStateException("not a URL of a server: " + url);
        }
        return parts;
    }
}
