package org.keyline.gateway.doris;

import com.mysql.cj.jdbc.JdbcConnection;
import groovy.lang.Closure;
import groovy.lang.Script;
import groovy.lang.Tuple2;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The functions that a suite of Doris's regression tests calls, in front of a gateway: statements,
 * and blocks of rows that are compared with Doris's recording. A failed check or statement is
 * recorded, and the suite continues.
 */
public abstract class DorisSuite extends Script {
    private static final int TIMES = 3;
    private static final String SERVER_PREPARED = "useServerPrepStmts=true&";
    static final String OPTIONS = "useLocalSessionState=true&allowLoadLocalInfile=true&allowPublicKeyRetrieval=true";

    /** A block of Doris's recorded file. */
    record Block(String tag, List<List<String>> rows) {}

    /** The outcome of a suite. */
    static final class Outcome {
        final List<String> failedBlocks = new ArrayList<>();
        final List<String> failedChecks = new ArrayList<>();
        int right;
        int lines;
    }

    private final Deque<Connection> connections = new ArrayDeque<>();
    private Deque<Block> recorded = new ArrayDeque<>();
    private Outcome outcome = new Outcome();

    /** Runs the script on this connection. */
    Outcome run(Connection connection, List<Block> blocks) {
        recorded = new ArrayDeque<>(blocks);
        outcome = new Outcome();
        connections.push(connection);
        try {
            run();
        } catch (Exception ended) {
            check("the suite ended early: " + ended.getMessage());
        }
        recorded.forEach(block -> outcome.failedBlocks.add(block.tag() + ": no statement for it"));
        return outcome;
    }

    // ---------------------------------------------------------------- functions of suites

    public void suite(String name, Closure<?> body) {
        body.call();
    }

    public void suite(String name, String groups, Closure<?> body) {
        body.call();
    }

    public String getServerPrepareJdbcUrl(String url, String schema) {
        return url.substring(0, url.indexOf('/', "jdbc:mysql://".length()))
                + '/'
                + schema
                + '?'
                + SERVER_PREPARED
                + OPTIONS;
    }

    public @Nullable Object connect(String user, String password, String url, Closure<?> body) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url, user, password)) {
            connections.push(connection);
            return body.call();
        } finally {
            connections.pop();
        }
    }

    /**
     * Runs a statement, and returns its rows. If the store refuses it, returns a row of two empty
     * texts, because the suites read settings of frontends, which the embedded store does not have.
     */
    public List<List<@Nullable Object>> sql(String text) {
        try (Statement statement = connection().createStatement()) {
            return statement.execute(text) ? rows(statement.getResultSet()) : List.of();
        } catch (SQLException e) {
            check(text.strip() + ": " + e.getMessage());
            return List.of(List.of("", ""));
        }
    }

    public List<Map<String, @Nullable Object>> sql_return_maparray(String text) throws SQLException {
        List<Map<String, @Nullable Object>> maps = new ArrayList<>();
        try (Statement statement = connection().createStatement();
                ResultSet rows = statement.executeQuery(text)) {
            while (rows.next()) {
                Map<String, @Nullable Object> map = new LinkedHashMap<>();
                for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                    map.put(rows.getMetaData().getColumnName(i), rows.getObject(i));
                }
                maps.add(map);
            }
        }
        return maps;
    }

    /**
     * Prepares a statement. If the server refuses, its execution as text gets the error and fails
     * its block.
     */
    public PreparedStatement prepareStatement(String text) throws SQLException {
        try {
            return connection().prepareStatement(text);
        } catch (SQLException refused) {
            check(text.strip() + ": " + refused.getMessage());
            return connection().unwrap(JdbcConnection.class).clientPrepareStatement(text);
        }
    }

    /** Executes a statement; records an error, so that the suite continues. */
    public boolean executed(PreparedStatement statement) {
        try {
            return statement.execute();
        } catch (SQLException e) {
            check(String.valueOf(e.getMessage()));
            return false;
        }
    }

    public void assertEquals(@Nullable Object expected, @Nullable Object actual) {
        if (!Objects.equals(String.valueOf(expected), String.valueOf(actual))) {
            check("expected " + expected + ", was " + actual);
        }
    }

    public void assertNotEquals(@Nullable Object one, @Nullable Object other) {
        if (Objects.equals(one, other)) {
            check("expected another than " + one);
        }
    }

    public void assertTrue(boolean holds) {
        if (!holds) {
            check("expected true");
        }
    }

    /** This store needs no compaction. */
    public void trigger_and_wait_compaction(String table, String kind) {}

    /** A statement and its EXPLAIN. */
    public final class Explained {
        private String text = "";

        public void sql(String statement) {
            text = String.valueOf(DorisSuite.this.sql("EXPLAIN " + statement));
        }

        public void contains(String part) {
            if (!text.contains(part)) {
                check("EXPLAIN without " + part);
            }
        }

        public void notContains(String part) {
            if (text.contains(part)) {
                check("EXPLAIN with " + part);
            }
        }

        public void check(Closure<?> body) {
            Object unused = body.call(text);
        }

        private void check(String failed) {
            DorisSuite.this.check(failed);
        }
    }

    public void explain(Closure<?> body) {
        within(body, new Explained());
    }

    /** A statement that must fail. */
    public final class Tested {
        private @Nullable String message = "";

        public void sql(String statement) {
            try (Statement run = connection().createStatement()) {
                boolean unused = run.execute(statement);
                message = null;
            } catch (SQLException e) {
                message = String.valueOf(e.getMessage());
            }
        }

        public void exception(String part) {
            if (message == null) {
                check("not refused: " + part);
            }
        }
    }

    public void test(Closure<?> body) {
        within(body, new Tested());
    }

    private static void within(Closure<?> body, Object delegate) {
        body.setDelegate(delegate);
        body.setResolveStrategy(Closure.DELEGATE_FIRST);
        Object unused = body.call();
    }

    /** {@code JdbcUtils.toList}. */
    public static Tuple2<List<List<@Nullable Object>>, ResultSetMetaData> toList(ResultSet rows) throws SQLException {
        return new Tuple2<>(rows(rows), rows.getMetaData());
    }

    /** Runs a block: {@code qt_…} with a text, {@code qe_…} with a prepared statement. */
    public @Nullable Object methodMissing(String name, Object arguments) {
        String tag = name.replaceFirst("^(?:order_)?q[te]_", "");
        if (tag.equals(name)) {
            throw new groovy.lang.MissingMethodException(name, getClass(), (Object[]) arguments);
        }
        block(tag, ((Object[]) arguments)[0]);
        return null;
    }

    // ---------------------------------------------------------------- blocks

    private void block(String tag, Object statement) {
        Block block = recorded.poll();
        while (block != null && !block.tag().equals(tag)) {
            outcome.failedBlocks.add(block.tag() + ": no statement for it");
            block = recorded.poll();
        }
        if (block == null) {
            check("no block recorded for " + tag);
            return;
        }
        try {
            for (int i = 0; i < TIMES; i++) {
                String difference = statement instanceof PreparedStatement prepared
                        ? difference(block, prepared.executeQuery())
                        : asText(block, statement.toString());
                if (difference != null) {
                    outcome.failedBlocks.add(tag + ", time " + (i + 1) + ": " + difference);
                    return;
                }
            }
            outcome.right++;
            outcome.lines += sql("KEYLINE LAST").contains(List.of("source", "line")) ? 1 : 0;
        } catch (SQLException e) {
            outcome.failedBlocks.add(tag + ": " + e.getMessage());
        }
    }

    private @Nullable String asText(Block block, String text) throws SQLException {
        try (Statement statement = connection().createStatement()) {
            return difference(block, statement.executeQuery(text));
        }
    }

    private static @Nullable String difference(Block block, ResultSet rows) throws SQLException {
        ResultSetMetaData meta = rows.getMetaData();
        List<List<@Nullable Object>> actual = rows(rows);
        if (actual.size() != block.rows().size()) {
            return "rows " + actual + ", expected " + block.rows();
        }
        for (int row = 0; row < actual.size(); row++) {
            List<String> expected = block.rows().get(row);
            if (expected.size() != actual.get(row).size()) {
                return "row " + actual.get(row) + ", expected " + expected;
            }
            for (int i = 0; i < expected.size(); i++) {
                Object value = actual.get(row).get(i);
                String cell = value == null ? "\\N" : value.toString();
                if (!same(expected.get(i), cell, meta.getColumnTypeName(i + 1))) {
                    return "cell " + cell + ", expected " + expected.get(i);
                }
            }
        }
        return null;
    }

    /** Returns whether Doris's own framework considers two cells equal. */
    private static boolean same(String expected, String actual, String type) {
        if (expected.equals(actual)) {
            return true;
        }
        return switch (type) {
            case "FLOAT", "DOUBLE", "DECIMAL" ->
                isNumber(expected)
                        && isNumber(actual)
                        && alike(
                                new BigDecimal(expected),
                                new BigDecimal(actual),
                                type.equals("FLOAT") ? "1e-6" : "1e-8");
            case "DATE", "DATETIME" -> moment(expected).equals(moment(actual));
            default -> false;
        };
    }

    private static boolean isNumber(String cell) {
        return cell.matches("-?\\d+(?:\\.\\d+)?(?:[eE][-+]?\\d+)?");
    }

    private static boolean alike(BigDecimal expected, BigDecimal actual, String relative) {
        BigDecimal difference = expected.subtract(actual).abs();
        int scale = Math.min(expected.scale(), actual.scale());
        return difference.compareTo(actual.abs().multiply(new BigDecimal(relative), MathContext.DECIMAL64)) <= 0
                || expected.setScale(scale, RoundingMode.HALF_UP)
                                .compareTo(actual.setScale(scale, RoundingMode.HALF_UP))
                        == 0;
    }

    private static String moment(String cell) {
        return cell.replace('T', ' ')
                .replaceFirst("^(\\S+ \\d\\d:\\d\\d)$", "$1:00")
                .replaceFirst("\\.0+$", "");
    }

    private static List<List<@Nullable Object>> rows(ResultSet rows) throws SQLException {
        List<List<@Nullable Object>> all = new ArrayList<>();
        int columns = rows.getMetaData().getColumnCount();
        while (rows.next()) {
            List<@Nullable Object> row = new ArrayList<>();
            for (int i = 1; i <= columns; i++) {
                row.add(rows.getObject(i));
            }
            all.add(row);
        }
        return all;
    }

    private Connection connection() {
        return connections.element();
    }

    private void check(String failed) {
        outcome.failedChecks.add(failed);
    }
}
