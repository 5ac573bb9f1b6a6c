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

    private static final Pattern DATABASE_IN_URL =
            Pattern.compile("(?<server>jdbc:[a-z]+:(?:[a-z]+:)?//[^/?]+/)(?<database>[^?]*)(?<options>.*)");

    private static final Pattern ADDRESS_IN_URL = Pattern.compile("//(?<host>[^/?:,]+)(?::(?<port>\\d+))?");
    private static final int USUAL_PORT = 3306;

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
        Matcher matcher = DATABASE_IN_URL.matcher(url);
        if (!matcher.matches()) {
            throw new IllegalStateException("not a URL with a database: " + url);
        }
        String server = matcher.group("server") + matcher.group("options");
        Connection connection = DriverManager.getConnection(server, user, password);
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
        Matcher matcher = DATABASE_IN_URL.matcher(url);
        if (!matcher.matches()) {
            throw new IllegalStateException("not a URL with a database: " + url);
        }
        return new Target(matcher.group("server") + name + matcher.group("options"), user, password);
    }

    /** Returns the address of the first server that the URL names. */
    InetSocketAddress address() {
        Matcher matcher = ADDRESS_IN_URL.matcher(url);
        if (!matcher.find()) {
            throw new IllegalStateException("not a URL with a host: " + url);
        }
        String port = matcher.group("port");
        return new InetSocketAddress(matcher.group("host"), port == null ? USUAL_PORT : Integer.parseInt(port));
    }

    /** Returns the database that the URL names; null if it names none. */
    @Nullable
    String database() {
        Matcher matcher = DATABASE_IN_URL.matcher(url);
        if (!matcher.matches()) {
            return null;
        }
        String database = matcher.group("database");
        return database == null || database.isEmpty() ? null : database;
    }
}
