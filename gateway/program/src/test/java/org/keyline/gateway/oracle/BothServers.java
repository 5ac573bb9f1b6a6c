package org.keyline.gateway.oracle;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.keyline.gateway.fixtures.DemoGateway;
import org.keyline.protocol.fixtures.MariaDbServer;

/**
 * A gateway on the embedded store and a MariaDB, each with an empty database {@code d}, and a
 * connection to each.
 */
final class BothServers implements AutoCloseable {
    /**
     * Settings with which MariaDB behaves like the embedded store: MySQL's default mode, text
     * compared by bytes. MariaDB 11.4 cuts 1.0000 to 0.9999 in the temporary table of a semi-join.
     */
    private static final List<String> LIKE_THE_STORE = List.of(
            "DROP DATABASE IF EXISTS d",
            "CREATE DATABASE d DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin",
            "USE d",
            "SET NAMES utf8mb4 COLLATE utf8mb4_nopad_bin",
            "SET sql_mode = 'ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,"
                    + "NO_ENGINE_SUBSTITUTION'",
            "SET time_zone = '+00:00'",
            "SET optimizer_switch = 'semijoin=off,materialization=off'");

    private static final String PARAMETERS =
            "?sslMode=DISABLED&allowPublicKeyRetrieval=true&characterEncoding=UTF-8&connectionTimeZone=UTC"
                    + "&zeroDateTimeBehavior=EXCEPTION&tinyInt1isBit=false&yearIsDateType=false&allowLoadLocalInfile=true";

    private final DemoGateway gateway;
    private final Connection store;
    private final Connection mariaDb;

    BothServers() throws Exception {
        gateway = DemoGateway.start();
        store = DriverManager.getConnection("jdbc:mysql://" + gateway.address() + "/" + PARAMETERS, "root", "");
        run(store, "CREATE DATABASE d");
        run(store, "USE d");
        String address = "127.0.0.1:" + MariaDbServer.get().address().getPort();
        mariaDb = DriverManager.getConnection(
                "jdbc:mysql://" + address + "/" + PARAMETERS, "keyline", MariaDbServer.PASSWORD);
        for (String statement : LIKE_THE_STORE) {
            run(mariaDb, statement);
        }
    }

    Connection store() {
        return store;
    }

    Connection mariaDb() {
        return mariaDb;
    }

    /** The gateway in front of the embedded store. */
    DemoGateway gateway() {
        return gateway;
    }

    /** Runs a statement on both; it must succeed. */
    void run(String sql) throws SQLException {
        run(store, sql);
        run(mariaDb, sql);
    }

    /** Runs a statement on MariaDB only. */
    void runOnMariaDb(String sql) throws SQLException {
        run(mariaDb, sql);
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new SQLException(sql + ": " + e.getMessage(), e.getSQLState(), e.getErrorCode(), e);
        }
    }

    /**
     * The answer to a statement.
     *
     * @param types of the columns that should agree
     * @param error number of the error; 0 without one
     */
    record Answer(List<String> types, List<List<String>> rows, int error, String message) {
        /**
         * Returns the types of columns with at least one value, because servers disagree on the
         * type of NULL.
         */
        List<String> typesOfValues() {
            List<String> known = new ArrayList<>();
            for (int i = 0; i < types.size(); i++) {
                int column = i;
                boolean value = rows.stream().anyMatch(row -> !row.get(column).equals("NULL"));
                known.add(value ? types.get(i) : "");
            }
            return known;
        }
    }

    Answer ofStore(String sql) throws SQLException {
        return answer(store, sql);
    }

    Answer ofMariaDb(String sql) throws SQLException {
        return answer(mariaDb, sql);
    }

    private static Answer answer(Connection connection, String sql) {
        try (Statement statement = connection.createStatement()) {
            if (!statement.execute(sql)) {
                return new Answer(List.of(), List.of(List.of("affected " + statement.getUpdateCount())), 0, "");
            }
            try (ResultSet rows = statement.getResultSet()) {
                return read(rows);
            }
        } catch (SQLException e) {
            return new Answer(List.of(), List.of(), e.getErrorCode(), String.valueOf(e.getMessage()));
        }
    }

    static Answer read(ResultSet rows) throws SQLException {
        ResultSetMetaData metadata = rows.getMetaData();
        List<String> types = new ArrayList<>();
        for (int i = 1; i <= metadata.getColumnCount(); i++) {
            types.add(type(metadata, i));
        }
        List<List<String>> all = new ArrayList<>();
        while (rows.next()) {
            List<String> row = new ArrayList<>();
            for (int i = 1; i <= types.size(); i++) {
                row.add(cell(rows, i, types.get(i - 1)));
            }
            all.add(row);
        }
        return new Answer(types, all, 0, "");
    }

    /**
     * Returns the kind of a column as clients see it, with the fractional digits if they are part
     * of the value.
     */
    private static String type(ResultSetMetaData metadata, int column) throws SQLException {
        return switch (metadata.getColumnType(column)) {
            case Types.BIT, Types.BOOLEAN, Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT -> "integer";
            case Types.DECIMAL, Types.NUMERIC -> "decimal";
            case Types.REAL, Types.FLOAT, Types.DOUBLE -> "double";
            case Types.DATE -> "date";
            case Types.TIME -> "time";
            case Types.TIMESTAMP -> "datetime";
            case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY -> "bytes";
            case Types.NULL -> "null";
            default -> "text";
        };
    }

    private static String cell(ResultSet rows, int column, String type) throws SQLException {
        byte[] bytes = rows.getBytes(column);
        if (bytes == null) {
            return "NULL";
        }
        String text = type.equals("bytes")
                ? "x'" + HexFormat.of().formatHex(bytes) + "'"
                : Objects.requireNonNull(rows.getString(column));
        // The last digits of functions such as SIN, and the form of the exponent, differ between
        // libraries.
        return type.equals("double")
                ? new BigDecimal(text)
                        .round(new java.math.MathContext(13))
                        .stripTrailingZeros()
                        .toString()
                : text;
    }

    @Override
    public void close() throws SQLException {
        store.close();
        mariaDb.close();
        gateway.close();
    }
}
