package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.gateway.fixtures.Lines.one;
import static org.keyline.gateway.fixtures.Lines.run;
import static org.keyline.gateway.fixtures.Lines.soon;
import static org.keyline.gateway.fixtures.Lines.source;
import static org.keyline.gateway.fixtures.Lines.status;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.fixtures.ClientProcess;
import org.keyline.gateway.fixtures.DemoGateway;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/**
 * Clients that read in transactions, as they do by default, and concurrent writers.
 * {@code -Dkeyline.transactions.snapshots=N} sets the number of compared snapshots.
 */
class TransactionClientsIT {
    /** Reads by key, each with a commit; prints how many were answered from lines. */
    private static final String PYMYSQL = """
            import pymysql, sys
            c = pymysql.connect(host='127.0.0.1', port=int(sys.argv[1]), user=sys.argv[2], password=sys.argv[3])
            lines = 0
            with c.cursor() as cursor:
                for i in range(200):
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
            for i in range(200):
                with e.connect() as c:
                    sql = 'SELECT * FROM ' + sys.argv[4] + ' WHERE ' + sys.argv[5] + ' = :key'
                    assert len(c.execute(text(sql), {'key': 1}).fetchall()) == 1
                    lines += c.execute(text('KEYLINE LAST')).fetchall()[0][1] == 'line'
            print('lines: %d' % lines)
            """;

    private static final int SNAPSHOTS = Integer.getInteger("keyline.transactions.snapshots", 200);

    private static MariaDb store;
    private RelayGateway gateway;

    @BeforeAll
    static void start() throws Exception {
        store = MariaDb.get("second");
    }

    @AfterEach
    void stop() {
        gateway.close();
    }

    /**
     * A gateway for each test, because its knowledge of transactions is shared by all its sessions.
     */
    @BeforeEach
    void schema() throws Exception {
        gateway = RelayGateway.start(store);
        try (Connection through = gateway.connect("")) {
            run(through, "DROP DATABASE IF EXISTS held");
            run(through, "CREATE DATABASE held");
            run(through, "CREATE TABLE held.pair (id INT PRIMARY KEY, v INT)");
            run(through, "INSERT INTO held.pair VALUES (1, 10), (2, 10)");
            warm(through, 1);
            warm(through, 2);
        }
    }

    private static void warm(Connection through, int id) {
        soon("a line").until(() -> {
            read(through, id);
            return source(through).equals("line");
        });
    }

    private static int read(Connection connection, int id) throws SQLException {
        return Integer.parseInt(one(connection, "SELECT v FROM held.pair WHERE id = " + id));
    }

    /**
     * Reads one row in each transaction until lines answer it, and returns the number of
     * transactions.
     */
    private static int teach(Connection reader, int most) throws SQLException {
        for (int i = 1; i <= most; i++) {
            read(reader, 1);
            // The line may have ended meanwhile.
            boolean line = List.of("line", "load").contains(source(reader));
            reader.commit();
            if (line) {
                return i;
            }
        }
        throw new AssertionError("no line answered " + most + " transactions");
    }

    private static Connection anew(RelayGateway through) throws SQLException {
        Connection connection = through.connect("");
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        connection.setAutoCommit(false);
        return connection;
    }

    @Test
    void repeatableRead_notTrusted_isTheStoresSnapshot() throws SQLException {
        try (Connection reader = anew(gateway);
                Connection writer = gateway.connect("")) {
            for (int round = 0; round < SNAPSHOTS; round++) {
                assertThat(read(reader, 1)).isEqualTo(10);
                run(writer, "UPDATE held.pair SET v = v + 1 WHERE id = 2");
                assertThat(read(reader, 2)).as("round %d", round).isEqualTo(10 + round);
                reader.commit();
            }
        }
    }

    @Test
    void repeatableRead_oneReadEach_isAnsweredFromLinesBehind64_andNoMoreOnceOneWentOn() throws Exception {
        try (Connection other = gateway.connect("");
                Connection reader = anew(gateway)) {
            warm(other, 1);
            assertThat(teach(reader, 100)).isEqualTo(65);
            read(reader, 1);
            assertThat(source(reader)).isEqualTo("line");
            run(reader, "UPDATE held.pair SET v = v + 1 WHERE id = 2");
            reader.rollback();
            assertThat(teach(reader, 200)).isEqualTo(129);
            assertThat(status(reader, "Keyline_transactions_continued")).isEqualTo(1);
            assertThat(status(reader, "Keyline_transactions_conflicts")).isZero();
            reader.rollback();
            // Another chain has not learned that: another way to begin, another statement before
            // the read.
            other.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            run(other, "BEGIN");
            read(other, 1);
            assertThat(source(other)).isEqualTo("store");
            run(other, "COMMIT");
            run(reader, "SAVEPOINT s");
            read(reader, 1);
            assertThat(source(reader)).isEqualTo("store");
            reader.commit();
        }
    }

    /**
     * Spring's example: findById in one transaction, and the same read before an UPDATE, ten orders
     * in a row.
     */
    @Test
    void repeatableRead_behindTenThatWroteInARow_isAnsweredFromLinesAgain() throws SQLException {
        try (Connection reader = anew(gateway)) {
            assertThat(teach(reader, 100)).isEqualTo(65);
            for (int i = 0; i < 10; i++) {
                read(reader, 1);
                run(reader, "UPDATE held.pair SET v = v + 1 WHERE id = 2");
                reader.rollback();
            }
            assertThat(teach(reader, 200)).isEqualTo(129);
        }
    }

    @Test
    void repeatableRead_sessionsThatOnlyRead_areTrustedByThemselves() throws SQLException {
        try (Connection writer = anew(gateway);
                Connection reader = anew(gateway)) {
            run(reader, "SET SESSION TRANSACTION READ ONLY");
            reader.commit();
            for (int i = 0; i < 200; i++) {
                read(writer, 1);
                run(writer, "UPDATE held.pair SET v = v + 1 WHERE id = 2");
                writer.rollback();
                if (i < 65) {
                    read(reader, 1);
                    // The writer's rollback may have dropped the line.
                    assertThat(source(reader))
                            .as("transaction %d", i)
                            .isIn(i < 64 ? List.of("store") : List.of("line", "load"));
                    reader.commit();
                }
            }
        }
    }

    @Test
    void repeatableRead_never_isTheStoresAndReadCommittedIsNot() throws Exception {
        try (RelayGateway never = RelayGateway.start(store, "cache.transactions=never");
                Connection reader = anew(never)) {
            for (int i = 0; i < 100; i++) {
                read(reader, 1);
                assertThat(source(reader)).isEqualTo("store");
                reader.commit();
            }
            reader.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            warm(reader, 1);
            reader.commit();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"pymysql", "sqlalchemy"})
    void python_byDefault_readsFromLines(String module) throws Exception {
        ClientProcess.assumePython(module);
        String script = module.equals("pymysql") ? PYMYSQL : SQLALCHEMY;
        if (module.equals("pymysql")) {
            String onMariaDb = ClientProcess.python(
                    script, Integer.toString(gateway.port()), MariaDb.USER, MariaDb.PASSWORD, "held.pair", "id");
            assertThat(lines(onMariaDb)).as(onMariaDb).isGreaterThanOrEqualTo(130);
            return;
        }
        try (DemoGateway demo = DemoGateway.start("cache.ttl=1h")) {
            String embedded = ClientProcess.python(
                    script, Integer.toString(demo.address().port()), "root", "", "demo.users", "user_id");
            assertThat(lines(embedded)).as(embedded).isGreaterThanOrEqualTo(130);
        }
    }

    private static int lines(String printed) {
        String said = printed.strip();
        return said.startsWith("lines: ") ? Integer.parseInt(said.substring("lines: ".length())) : -1;
    }
}
