package org.keyline.gateway.history;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * The statements of the clients, for each table. In their text, {@code #} is the key of the row,
 * {@code @} the keys of both rows.
 */
enum Sql {
    READ_ONE("SELECT v FROM % WHERE #"),
    /** Both rows by their keys. */
    READ_BOTH("SELECT k, v FROM % WHERE @"),
    /** Both rows by their common prefix, in the table where they have one. */
    READ_PREFIX("SELECT k, v FROM % WHERE &"),
    /**
     * Both rows by a range of the key column that differs, in the table where they have a common
     * prefix.
     */
    READ_RANGE("SELECT k, v FROM % WHERE ^"),
    /** Both rows by conditions that bind no key prefix; the reply has all columns of a line. */
    READ_FILTER("SELECT * FROM % WHERE $"),
    /** The same rows with one more condition. */
    READ_WITHIN("SELECT * FROM % WHERE v >= 0 AND $"),
    UPSERT("INSERT INTO % VALUES (!, ?) ON DUPLICATE KEY UPDATE v = VALUES(v)"),
    UPSERT_BOTH("INSERT INTO % VALUES (!, ?), (!, ?) ON DUPLICATE KEY UPDATE v = VALUES(v)"),
    REPLACE("REPLACE INTO % VALUES (!, ?)"),
    INSERT("INSERT INTO % VALUES (!, ?)"),
    UPDATE("UPDATE % SET v = ? WHERE #"),
    /** A scan of all rows finds the row. */
    UPDATE_SCAN("UPDATE % SET v = ? WHERE ~"),
    UPDATE_BOTH("UPDATE % SET v = ? WHERE @"),
    DELETE("DELETE FROM % WHERE #"),
    DELETE_BOTH("DELETE FROM % WHERE @");

    /** Creates the tables. */
    static final String[] TABLES = {
        "DROP DATABASE IF EXISTS history",
        "CREATE DATABASE history",
        "CREATE TABLE history.singles (k INT PRIMARY KEY, v INT NOT NULL)",
        "CREATE TABLE history.couples (id INT, k INT, v INT NOT NULL, PRIMARY KEY (id, k))",
        "CREATE TABLE history.spans (id INT, k INT, v INT NOT NULL, PRIMARY KEY (id, k))",
        "CREATE PROCEDURE history.nothing() BEGIN END"
    };

    private final String singles;
    private final String couples;
    private final String spans;

    Sql(String text) {
        singles = text.replace("%", "singles")
                .replace("#", "k = ?")
                .replace("@", "k IN (?, ?)")
                .replace("&", "k IN (?, ?) ORDER BY k DESC")
                .replace("^", "k IN (?, ?) ORDER BY k")
                .replace("$", "k >= ? AND k <= ? ORDER BY k")
                .replace("~", "k + 0 = ?")
                .replace("!", "?");
        couples = text.replace("%", "couples")
                .replace("#", "id = ? AND k = ?")
                .replace("@", "id = ? AND k IN (?, ?)")
                .replace("&", "id = ?")
                .replace("^", "id = ? AND k >= ? AND k <= ? ORDER BY k DESC")
                .replace("$", "id >= ? AND id <= ? ORDER BY id, k")
                .replace("~", "id + 0 = ? AND k + 0 = ?")
                .replace("!", "?, ?");
        spans = couples.replace("couples", "spans");
    }

    /** Returns the statement with its values, ready to run. */
    PreparedStatement on(Connection connection, Watched rows, int row, int... value) throws SQLException {
        boolean single = rows.home() == Watched.Home.SINGLES;
        PreparedStatement statement = connection.prepareStatement(
                switch (rows.home()) {
                    case SINGLES -> singles;
                    case COUPLES -> couples;
                    case SPANS -> spans;
                });
        Values values = new Values(statement);
        switch (this) {
            case READ_ONE, DELETE -> values.key(rows, row);
            case READ_PREFIX -> {
                if (single) {
                    values.keys(rows);
                } else {
                    values.next(rows.id());
                }
            }
            case READ_FILTER, READ_WITHIN -> {
                if (single) {
                    values.keys(rows);
                } else {
                    values.next(rows.id()).next(rows.id());
                }
            }
            case READ_BOTH, READ_RANGE, DELETE_BOTH -> values.keys(rows);
            case UPSERT, REPLACE, INSERT -> values.key(rows, row).next(value[0]);
            case UPSERT_BOTH -> values.key(rows, 0).next(value[0]).key(rows, 1).next(value[0]);
            case UPDATE, UPDATE_SCAN -> values.next(value[0]).key(rows, row);
            case UPDATE_BOTH -> values.next(value[0]).keys(rows);
        }
        return statement;
    }

    /** Sets one parameter after the other. */
    private static final class Values {
        private final PreparedStatement statement;
        private int last;

        Values(PreparedStatement statement) {
            this.statement = statement;
        }

        Values next(int value) throws SQLException {
            statement.setInt(++last, value);
            return this;
        }

        Values key(Watched rows, int row) throws SQLException {
            if (rows.home() == Watched.Home.SINGLES) {
                return next(2 * rows.id() + row);
            }
            return next(rows.id()).next(row);
        }

        void keys(Watched rows) throws SQLException {
            if (rows.home() == Watched.Home.SINGLES) {
                next(2 * rows.id()).next(2 * rows.id() + 1);
            } else {
                next(rows.id()).next(0).next(1);
            }
        }
    }
}
