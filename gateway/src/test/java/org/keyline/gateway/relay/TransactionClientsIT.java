package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.fixtures.ClientProcess;
import org.keyline.gateway.fixtures.DemoGateway;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/** Clients that read in transactions, as they do by default, and writers that come between. */
class TransactionClientsIT {
    /** Reads by key, each with its commit; says how many were answered from lines. */
    private static final String PYMYSQL = """
            import pymysql, sys
            c = pymysql.connect(host='127.0.0.1', port=int(sys.argv[1]), user=sys.argv[2], password=sys.argv[3])
            lines = 0
            with c.cursor() as cursor:
                for i in range(20):
                    cursor.execute('SELECT * FROM ' + sys.argv[4] + ' WHERE ' + sys.argv[5] + ' = %s', (1,))
                    assert len(cursor.fetchall()) == 1
                    cursor.execute('KEYLINE LAST')
                    lines += cursor.fetchall()[0][1] == 'line'
                    c.commit()
            print('lines: %d' % lines)
            """;

    private static final String SQLALCHEMY = """
            from sqlalchemy import create_engine, text
            import sys
            e = create_engine('mysql+pymysql://%s:%s@127.0.0.1:%s/' % (sys.argv[2], sys.argv[3], sys.argv[1]))
            lines = 0
            for i in range(20):
                with e.connect() as c:
                    sql = 'SELECT * FROM ' + sys.argv[4] + ' WHERE ' + sys.argv[5] + ' = :key'
                    assert len(c.execute(text(sql), {'key': 1}).fetchall()) == 1
                    lines += c.execute(text('KEYLINE LAST')).fetchall()[0][1] == 'line'
            print('lines: %d' % lines)
            """;

    private static MariaDb store;
    private static RelayGateway gateway;

    @BeforeAll
    static void start() throws Exception {
        store = MariaDb.get("second");
        gateway = RelayGateway.start(store);
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @BeforeEach
    void schema() throws SQLException {
        try (Connection through = DriverManager.getConnection(gateway.jdbc(""))) {
            run(through, "DROP DATABASE IF EXISTS held");
            run(through, "CREATE DATABASE held");
            run(through, "CREATE TABLE held.pair (id INT PRIMARY KEY, v INT)");
            run(through, "INSERT INTO held.pair VALUES (1, 10), (2, 10)");
            warm(through, 1);
            warm(through, 2);
        }
    }

    private static void warm(Connection through, int id) {
        await().until(() -> {
            read(through, id);
            return source(through).equals("line");
        });
    }

    private static int read(Connection connection, int id) throws SQLException {
        try (Statement sql = connection.createStatement();
                ResultSet rows = sql.executeQuery("SELECT v FROM held.pair WHERE id = " + id)) {
            rows.next();
            return rows.getInt(1);
        }
    }

    private static String source(Connection through) throws SQLException {
        try (Statement sql = through.createStatement()) {
            sql.execute("KEYLINE LAST");
            try (ResultSet rows = sql.getResultSet()) {
                rows.next();
                return rows.getString(2);
            }
        }
    }

    private static void run(Connection connection, String statement) throws SQLException {
        try (Statement sql = connection.createStatement()) {
            sql.execute(statement);
        }
    }

    private static Connection transaction(int level) throws SQLException {
        Connection connection = DriverManager.getConnection(gateway.jdbc(""));
        connection.setTransactionIsolation(level);
        connection.setAutoCommit(false);
        warm(connection, 1);
        connection.commit();
        return connection;
    }

    /** Both rows in one transaction past the gateway, of which its lines do not know for an hour. */
    private static void writeOutside(int value) throws SQLException {
        try (Connection straight = DriverManager.getConnection(store.jdbc(""))) {
            run(straight, "UPDATE held.pair SET v = " + value);
        }
    }

    @Test
    void repeatableRead_pairWrittenPastTheGatewayBetween_isNeverTorn() throws SQLException {
        try (Connection reader = transaction(Connection.TRANSACTION_REPEATABLE_READ)) {
            assertThat(read(reader, 1)).isEqualTo(10);
            assertThat(source(reader)).isEqualTo("line");
            writeOutside(20);
            assertThatThrownBy(() -> read(reader, 2)).isInstanceOfSatisfying(SQLException.class, conflict -> {
                assertThat(conflict.getErrorCode()).isEqualTo(1213);
                assertThat(conflict.getSQLState()).isEqualTo("40001");
            });
            reader.rollback();
            assertThat(read(reader, 1)).isEqualTo(20);
            assertThat(read(reader, 2)).isEqualTo(20);
            reader.commit();
        }
    }

    @Test
    void repeatableRead_nothingWrittenBetween_goesOnInTheStoresSnapshot() throws SQLException {
        try (Connection reader = transaction(Connection.TRANSACTION_REPEATABLE_READ)) {
            assertThat(read(reader, 1)).isEqualTo(10);
            assertThat(source(reader)).isEqualTo("line");
            assertThat(read(reader, 2)).isEqualTo(10);
            assertThat(source(reader)).isEqualTo("store");
            writeOutside(20);
            assertThat(read(reader, 1)).isEqualTo(10);
            assertThat(read(reader, 2)).isEqualTo(10);
            reader.commit();
        }
    }

    @Test
    void repeatableRead_writeOfARowThatHasChangedSince_isRefused() throws SQLException {
        try (Connection reader = transaction(Connection.TRANSACTION_REPEATABLE_READ)) {
            assertThat(read(reader, 1)).isEqualTo(10);
            writeOutside(20);
            assertThatThrownBy(() -> run(reader, "UPDATE held.pair SET v = v + 1 WHERE id = 1"))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            conflict -> assertThat(conflict.getErrorCode()).isEqualTo(1213));
            reader.rollback();
            assertThat(read(reader, 1)).isEqualTo(20);
            reader.commit();
        }
    }

    @Test
    void readCommitted_severalLines_areAllHits() throws SQLException {
        try (Connection reader = transaction(Connection.TRANSACTION_READ_COMMITTED)) {
            warm(reader, 2);
            reader.commit();
            for (int id = 1; id <= 2; id++) {
                assertThat(read(reader, id)).isEqualTo(10);
                assertThat(source(reader)).isEqualTo("line");
            }
            run(reader, "UPDATE held.pair SET v = 11 WHERE id = 1");
            assertThat(read(reader, 1)).isEqualTo(11);
            assertThat(source(reader)).isEqualTo("store");
            assertThat(read(reader, 2)).isEqualTo(10);
            assertThat(source(reader)).isEqualTo("line");
            reader.rollback();
            assertThat(read(reader, 1)).isEqualTo(10);
            reader.commit();
        }
    }

    @Test
    void repeatableRead_currentLinesAllowed_severalAnswerUntilOneIsWrittenThroughTheGateway() throws Exception {
        try (RelayGateway current = RelayGateway.start(store, "cache.transactions=current");
                Connection reader = DriverManager.getConnection(current.jdbc(""));
                Connection writer = DriverManager.getConnection(current.jdbc(""))) {
            warm(writer, 1);
            warm(writer, 2);
            reader.setAutoCommit(false);
            await().until(() -> {
                read(reader, 1);
                boolean line = source(reader).equals("line");
                reader.commit();
                return line;
            });
            for (int id = 1; id <= 2; id++) {
                assertThat(read(reader, id)).isEqualTo(10);
                assertThat(source(reader)).isEqualTo("line");
            }
            run(writer, "UPDATE held.pair SET v = 20");
            assertThatThrownBy(() -> read(reader, 2))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            conflict -> assertThat(conflict.getErrorCode()).isEqualTo(1213));
            reader.rollback();
            assertThat(read(reader, 1)).isEqualTo(20);
            assertThat(read(reader, 2)).isEqualTo(20);
            reader.commit();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"pymysql", "sqlalchemy"})
    void python_byDefault_readsFromLines(String module) throws Exception {
        ClientProcess.assumePython(module);
        String script = module.equals("pymysql") ? PYMYSQL : SQLALCHEMY;
        String onMariaDb = ClientProcess.python(
                script, Integer.toString(gateway.port()), MariaDb.USER, MariaDb.PASSWORD, "held.pair", "id");
        assertThat(lines(onMariaDb)).as(onMariaDb).isGreaterThanOrEqualTo(18);
        try (DemoGateway demo = DemoGateway.start("cache.ttl=1h")) {
            String embedded = ClientProcess.python(
                    script, Integer.toString(demo.address().port()), "root", "", "demo.users", "user_id");
            assertThat(lines(embedded)).as(embedded).isGreaterThanOrEqualTo(18);
        }
    }

    private static int lines(String printed) {
        String said = printed.strip();
        return said.startsWith("lines: ") ? Integer.parseInt(said.substring("lines: ".length())) : -1;
    }
}
