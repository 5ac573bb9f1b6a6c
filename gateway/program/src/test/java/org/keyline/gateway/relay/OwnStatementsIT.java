package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.gateway.fixtures.Lines.one;
import static org.keyline.gateway.fixtures.Lines.run;
import static org.keyline.gateway.fixtures.Lines.soon;

import io.netty.buffer.Unpooled;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.gateway.fixtures.TextLines;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.StatementArguments;

/**
 * Seeded sessions in which the gateway sends its own statements to the store session, at every
 * place: before and after savepoints, errors, warnings, inserts, and changes of the schema and of
 * sql_mode. The client's later queries about its session get the same packets as without the
 * gateway. The store's general log shows that each of the gateway's own statements occurred.
 *
 * <p>{@code -Dkeyline.own.sessions=N} sets the number of sessions, {@code -Dkeyline.own.seed=N} the
 * seed.
 */
@Tag("explores")
class OwnStatementsIT {
    private static final int SESSIONS = Integer.getInteger("keyline.own.sessions", 50);
    private static final long SEED = Long.getLong("keyline.own.seed", 44);
    private static final int STEPS = 50;

    /** The gateway's own statements, and their text in the general log. */
    private static final Map<String, String> OWN = Map.of(
            "the begin of a transaction that a hit began",
            "argument = 'START TRANSACTION' OR argument LIKE 'SET @keyline_read = %LIMIT 0)'",
            "the question for what the session is",
            "argument LIKE 'SELECT%CURRENT_USER()%'",
            "the question for counts of settings",
            "argument LIKE 'SHOW SESSION STATUS WHERE Variable_name IN%'",
            "a PREPARE that clears warnings",
            "command_type = 'Prepare' AND argument LIKE 'SELECT 1 FROM (SELECT 1) AS%t%'",
            "a read with as many rows",
            "command_type = 'Query' AND argument LIKE 'SELECT 1%LIMIT %'",
            "the schema of a PREPARE",
            "command_type = 'Init DB' AND argument = 'own2'",
            "the sql_mode of a PREPARE",
            "argument LIKE 'SET sql_mode = ''%,%'");

    private static final List<String> SESSION = TextLines.of(OwnStatementsIT.class, "OwnStatementsIT.SESSION.txt");

    private static final List<String> STATEMENTS =
            TextLines.of(OwnStatementsIT.class, "OwnStatementsIT.STATEMENTS.txt");

    private static final List<String> QUESTIONS = List.of(
            "SHOW WARNINGS",
            "SHOW ERRORS",
            "SELECT FOUND_ROWS()",
            "SELECT ROW_COUNT()",
            "SELECT LAST_INSERT_ID()",
            "SELECT @@warning_count",
            "SELECT @@in_transaction",
            "SELECT DATABASE(), @@sql_mode",
            "SELECT @x, @y",
            "SELECT QUERY FROM information_schema.OPTIMIZER_TRACE",
            "GET DIAGNOSTICS @n = NUMBER",
            "SELECT @n");

    private static ClientOptions options(String schema) {
        return ClientOptions.of("127.0.0.1", 1, MariaDb.USER)
                .password(MariaDb.PASSWORD)
                .capabilities(ClientOptions.DEFAULT_CAPABILITIES | Capabilities.CLIENT_MULTI_STATEMENTS)
                .database(schema)
                .retrievePublicKey(true)
                .build();
    }

    @Test
    void sessions_inWhichTheGatewayAsksAndRepeats_areAsStraight() throws Exception {
        MariaDb first = MariaDb.get("first");
        MariaDb second = MariaDb.get("second");
        Random random = new Random(SEED);
        int replies = 0;
        try (RelayGateway gateway = RelayGateway.start(second);
                Connection log = second.connect("mysql")) {
            try (Twins twins = new Twins(first, gateway.port(), options("mysql"))) {
                create(twins);
            }
            run(log, "TRUNCATE mysql.general_log");
            // With a log, the text of an execution in OPTIMIZER_TRACE contains its values.
            logs(first, 1);
            logs(second, 1);
            try {
                for (int session = 0; session < SESSIONS; session++) {
                    try (Twins twins = new Twins(first, gateway.port(), options("own1"))) {
                        Client client = new Client(twins, new Random(random.nextLong()));
                        for (int step = 0; step < STEPS; step++) {
                            client.next();
                        }
                        twins.query("ROLLBACK");
                        replies += twins.replies();
                    }
                }
            } finally {
                logs(first, 0);
                logs(second, 0);
            }
            System.out.println(replies + " replies the same");
            for (String schema : List.of("own1", "own2")) {
                run(log, "DROP DATABASE " + schema);
            }
            for (Map.Entry<String, String> own : OWN.entrySet()) {
                assertThat(count(log, own.getValue())).as(own.getKey()).isPositive();
            }
        }
    }

    private static void create(Twins twins) throws Exception {
        for (String schema : List.of("own1", "own2")) {
            twins.query("DROP DATABASE IF EXISTS " + schema);
            twins.query("CREATE DATABASE " + schema + " CHARACTER SET utf8mb4");
            twins.query("USE " + schema);
            twins.query("CREATE TABLE t (id INT PRIMARY KEY, v INT)");
            twins.query("INSERT INTO t VALUES (1, 10), (2, 20), (3, 30)");
            twins.query("CREATE TABLE numbered (id INT AUTO_INCREMENT PRIMARY KEY, v INT)");
            twins.query("CREATE FUNCTION counts() RETURNS INT NO SQL RETURN 7");
            soon("the definition")
                    .until(() -> twins.readable("KEYLINE EXPLAIN SELECT * FROM t WHERE id = 1")
                            .contains("SHORT-CIRCUIT"));
        }
    }

    private static void logs(MariaDb store, int on) throws SQLException {
        try (Connection connection = store.connect("mysql")) {
            run(connection, "SET GLOBAL log_output = '" + (on == 1 ? "TABLE" : "FILE") + "', general_log = " + on);
        }
    }

    private static long count(Connection connection, String where) throws SQLException {
        return Long.parseLong(one(connection, "SELECT COUNT(*) FROM mysql.general_log WHERE " + where));
    }

    /** One session. */
    private static final class Client {
        private final Twins twins;
        private final Random random;
        private final List<Twins.Statement> handles = new ArrayList<>();

        Client(Twins twins, Random random) throws Exception {
            this.twins = twins;
            this.random = random;
            if (random.nextInt(4) == 0) {
                twins.query("SET optimizer_trace = 'enabled=on'");
            }
            twins.query("SELECT 1");
        }

        private <T> T any(List<T> of) {
            return of.get(random.nextInt(of.size()));
        }

        void next() throws Exception {
            int dice = random.nextInt(100);
            if (dice < 35) {
                read();
            } else if (dice < 55) {
                twins.query(any(SESSION));
            } else if (dice < 70) {
                twins.query(any(STATEMENTS));
            } else if (dice < 90) {
                twins.query(any(QUESTIONS));
            } else if (dice < 94) {
                twins.send(Unpooled.buffer(1).writeByte(CommandCode.COM_PING), "PING");
            } else if (dice < 97) {
                twins.send(Twins.text(CommandCode.COM_INIT_DB, "own1"), "INIT_DB");
            } else {
                handles.add(twins.prepare("SELECT * FROM t WHERE id = ?"));
            }
        }

        private void read() throws Exception {
            int key = 1 + random.nextInt(4);
            int form = random.nextInt(4);
            for (int i = 0; i <= random.nextInt(3); i++) {
                if (form == 0 && !handles.isEmpty()) {
                    twins.execute(any(handles), new StatementArguments().addInt64(key), "read " + key);
                } else {
                    twins.query(
                            form == 1
                                    ? "SELECT v FROM t WHERE id IN (" + key + ", 1)"
                                    : "SELECT * FROM t WHERE id = " + key);
                }
            }
        }
    }
}
