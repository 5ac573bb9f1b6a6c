package org.keyline.ycsb;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The connection of one thread of {@link StrategyWorkload}. Confined to one thread. */
final class StrategyConnection implements AutoCloseable {
    record Row(Vertex key, long revision, String payload) {}

    /** Receives the rows of a reply, in their order. */
    interface RowListener {
        void row(Row row);
    }

    private static final int MAX_STATEMENTS = 64;
    private static final String COLUMNS = "`user_id`, `graph_id`, `vertex_id`, `revision`, `payload`";

    private final Target target;
    private final String table;
    private final Map<String, PreparedStatement> statements = new HashMap<>();
    private @Nullable Connection connection;

    StrategyConnection(Target target, String table) {
        this.target = target;
        this.table = Identifiers.quoted(table);
    }

    /** Inserts the rows of these vertices at revision 0, by one statement. */
    void insert(List<Vertex> vertices, int payloadLength) throws SQLException {
        PreparedStatement statement = prepared("INSERT INTO " + table + " (" + COLUMNS + ") VALUES (?, ?, ?, ?, ?)"
                + ", (?, ?, ?, ?, ?)".repeat(vertices.size() - 1));
        int index = 1;
        for (Vertex vertex : vertices) {
            index = bind(statement, index, vertex);
            statement.setLong(index++, 0);
            statement.setString(index++, vertex.payload(0, payloadLength));
        }
        int inserted = statement.executeUpdate();
        if (inserted < vertices.size()) {
            throw new SQLException("inserted " + inserted + " rows of " + vertices.size());
        }
    }

    void update(Vertex vertex, long revision, int payloadLength) throws SQLException {
        PreparedStatement statement = prepared("UPDATE " + table
                + " SET `revision` = ?, `payload` = ? WHERE `user_id` = ? AND `graph_id` = ? AND `vertex_id` = ?");
        statement.setLong(1, revision);
        statement.setString(2, vertex.payload(revision, payloadLength));
        bind(statement, 3, vertex);
        int updated = statement.executeUpdate();
        if (updated != 1) {
            throw new SQLException("updated " + updated + " rows of 1");
        }
    }

    void readPoint(Vertex vertex, RowListener listener) throws SQLException {
        PreparedStatement statement = prepared(
                "SELECT " + COLUMNS + " FROM " + table + " WHERE `user_id` = ? AND `graph_id` = ? AND `vertex_id` = ?");
        bind(statement, 1, vertex);
        read(statement, listener);
    }

    void readGraph(List<Vertex> ofOneGraph, RowListener listener) throws SQLException {
        PreparedStatement statement = prepared(
                "SELECT " + COLUMNS + " FROM " + table + " WHERE `user_id` = ? AND `graph_id` = ? AND `vertex_id` IN (?"
                        + ", ?".repeat(ofOneGraph.size() - 1) + ")");
        statement.setLong(1, ofOneGraph.get(0).user());
        statement.setLong(2, ofOneGraph.get(0).graph());
        int index = 3;
        for (Vertex vertex : ofOneGraph) {
            statement.setLong(index++, vertex.vertex());
        }
        read(statement, listener);
    }

    /** Reads vertices of any graphs by one statement. */
    void readTuples(List<Vertex> vertices, RowListener listener) throws SQLException {
        PreparedStatement statement = prepared("SELECT " + COLUMNS + " FROM " + table
                + " WHERE (`user_id`, `graph_id`, `vertex_id`) IN ((?, ?, ?)"
                + ", (?, ?, ?)".repeat(vertices.size() - 1)
                + ")");
        int index = 1;
        for (Vertex vertex : vertices) {
            index = bind(statement, index, vertex);
        }
        read(statement, listener);
    }

    @Override
    public void close() throws SQLException {
        for (PreparedStatement statement : statements.values()) {
            statement.close();
        }
        statements.clear();
        if (connection != null) {
            connection.close();
            connection = null;
        }
    }

    private static int bind(PreparedStatement statement, int index, Vertex vertex) throws SQLException {
        statement.setLong(index, vertex.user());
        statement.setLong(index + 1, vertex.graph());
        statement.setLong(index + 2, vertex.vertex());
        return index + 3;
    }

    private static void read(PreparedStatement statement, RowListener listener) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                Vertex key = new Vertex(rows.getLong(1), rows.getLong(2), rows.getLong(3));
                listener.row(new Row(key, rows.getLong(4), rows.getString(5)));
            }
        }
    }

    private PreparedStatement prepared(String sql) throws SQLException {
        PreparedStatement known = statements.get(sql);
        if (known != null) {
            return known;
        }
        if (statements.size() >= MAX_STATEMENTS) {
            throw new IllegalStateException("statement shapes: more than " + MAX_STATEMENTS);
        }
        Connection open = connection;
        if (open == null) {
            open = target.open();
            connection = open;
        }
        PreparedStatement statement = open.prepareStatement(sql);
        statements.put(sql, statement);
        return statement;
    }
}
