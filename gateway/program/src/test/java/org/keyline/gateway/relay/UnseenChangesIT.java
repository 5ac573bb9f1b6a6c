package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;
import static org.keyline.gateway.fixtures.Lines.one;
import static org.keyline.gateway.fixtures.Lines.run;
import static org.keyline.gateway.fixtures.Lines.soon;
import static org.keyline.gateway.fixtures.Lines.source;
import static org.keyline.gateway.fixtures.Lines.warm;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/**
 * Effects of a session's statements that their text does not show: role, schema, transaction,
 * settings, and rows written by functions. Lines live for an hour here.
 */
class UnseenChangesIT {
    private static final String ONE = "SELECT v FROM other.t WHERE id = 1";
    private static final String HERE = "SELECT v FROM t WHERE id = 1";

    private static MariaDb store;
    private static RelayGateway gateway;

    @BeforeAll
    static void start() throws Exception {
        store = MariaDb.get("unseen");
        try (Connection straight = straight("")) {
            run(
                    straight,
                    "DROP DATABASE IF EXISTS unseen",
                    "CREATE DATABASE unseen CHARACTER SET utf8mb4",
                    "DROP DATABASE IF EXISTS other",
                    "CREATE DATABASE other CHARACTER SET utf8mb4",
                    "CREATE TABLE unseen.t (id INT PRIMARY KEY, v INT, s VARCHAR(20), made TIMESTAMP NULL)",
                    "CREATE TABLE unseen.texts (k VARCHAR(20) PRIMARY KEY, v INT)",
                    "CREATE TABLE unseen.fired (id INT PRIMARY KEY, v INT)",
                    "CREATE TABLE unseen.padded (id INT PRIMARY KEY, c CHAR(5))",
                    "CREATE TABLE other.t LIKE unseen.t");
        }
        gateway = RelayGateway.start(store);
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @BeforeEach
    void rows() throws SQLException {
        try (Connection through = through("")) {
            run(
                    through,
                    "REPLACE INTO unseen.t VALUES (1, 10, 'one', '2024-01-01 12:00:00'), (2, 20, 'two', NULL)",
                    "REPLACE INTO unseen.texts VALUES ('', 1), ('a', 2), ('a\\\\', 3)",
                    "REPLACE INTO unseen.fired VALUES (1, 1)",
                    "REPLACE INTO unseen.padded VALUES (1, 'x')",
                    "REPLACE INTO other.t VALUES (1, 10, 'one', '2024-01-01 12:00:00'), (2, 20, 'two', NULL)");
        }
        // The definitions of the test before have been read; until then, a session may have no
        // lines.
        soon("a line").until(() -> {
            try (Connection fresh = through("")) {
                one(fresh, HERE);
                one(fresh, HERE);
                return source(fresh).equals("line");
            }
        });
    }

    private static Connection straight(String schema) throws SQLException {
        return DriverManager.getConnection(store.jdbc(schema) + "&allowMultiQueries=true");
    }

    private static Connection through(String parameters) throws SQLException {
        return DriverManager.getConnection(gateway.jdbc("unseen") + parameters);
    }

    /** Runs statements as {@link Lines#run}, but they may fail. */
    private static void attempt(Connection connection, String... statements) {
        for (String statement : statements) {
            try {
                run(connection, statement);
            } catch (SQLException refused) {
                assertThat(refused.getErrorCode()).as(statement).isNotZero();
            }
        }
    }

    /**
     * Warms a read as {@link Lines#warm}, with time for a catalog that has to read new functions or
     * triggers.
     */
    private static void warmLate(Connection connection, String select) {
        await(select).atMost(Duration.ofSeconds(60)).until(() -> {
            one(connection, select);
            return source(connection).equals("line");
        });
    }

    /** Compares some reads with the store's rows. */
    private static void same(Connection reader, Connection straight, String select) throws SQLException {
        for (int i = 0; i < 3; i++) {
            assertThat(one(reader, select)).isEqualTo(one(straight, select));
        }
    }

    // ---------------------------------------------------------------- statements of others

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELEC v FROM t",
                "DROP TABEL t",
                "CREATE OR REPLACE VIEW unseen.others AS SELECT 1",
                "CREATE OR REPLACE FUNCTION unseen.others() RETURNS INT RETURN 1",
                "DROP FUNCTION IF EXISTS unseen.others",
                "CREATE OR REPLACE TRIGGER unseen.others BEFORE INSERT ON unseen.fired FOR EACH ROW SET @a = 1",
                "DROP TRIGGER IF EXISTS unseen.others",
                "CREATE OR REPLACE PROCEDURE unseen.others() SELECT v FROM unseen.t",
                "CREATE OR REPLACE TABLE other.others (id INT PRIMARY KEY)",
            })
    void line_whileOthersDefineOrMistype_answersAsBefore(String statement) throws SQLException {
        try (Connection reader = through("");
                Connection neighbour = through("")) {
            warm(reader, HERE);
            for (int i = 0; i < 3; i++) {
                attempt(neighbour, statement);
                assertThat(one(reader, HERE)).isEqualTo("10");
                assertThat(source(reader)).isEqualTo("line");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"CALL unseen.reads()", "BEGIN NOT ATOMIC SELECT 1; END", "EXECUTE IMMEDIATE 'SELECT 1'"})
    void line_whileOthersCallWhatOnlyReads_isNotLoadedAnew(String statement) throws SQLException {
        try (Connection reader = through("");
                Connection neighbour = through("")) {
            run(neighbour, "CREATE OR REPLACE PROCEDURE unseen.reads() SELECT v FROM unseen.t");
            warm(reader, HERE);
            run(neighbour, statement);
            soon("a line").until(() -> {
                assertThat(one(reader, HERE)).isEqualTo("10");
                String source = source(reader);
                assertThat(source).isNotEqualTo("load");
                return source.equals("line");
            });
        }
    }

    @Test
    void line_ofWhatAProcedureWrites_isNeverOld() throws SQLException {
        try (Connection reader = through("");
                Connection writer = through("")) {
            run(writer, "CREATE OR REPLACE PROCEDURE unseen.adds() UPDATE unseen.t SET v = v + 1 WHERE id = 1");
            for (int i = 1; i <= 20; i++) {
                warm(reader, HERE);
                run(writer, "CALL unseen.adds()");
                assertThat(one(reader, HERE)).isEqualTo(String.valueOf(10 + i));
            }
            warm(reader, HERE);
            run(writer, "START TRANSACTION", "CALL unseen.adds()");
            for (int i = 0; i < 5; i++) {
                assertThat(one(reader, HERE)).isEqualTo("30");
                assertThat(source(reader)).isEqualTo("store");
            }
            run(writer, "COMMIT");
            assertThat(one(reader, HERE)).isEqualTo("31");
        }
    }

    @Test
    void line_ofWhatANewTriggerWrites_isNeverOld() throws SQLException {
        try (Connection reader = through("");
                Connection writer = through("")) {
            for (int i = 1; i <= 5; i++) {
                warm(reader, HERE);
                String trigger =
                        "CREATE TRIGGER adds AFTER UPDATE ON fired FOR EACH ROW UPDATE t SET v = v + 1 WHERE id = 1";
                run(writer, trigger, "UPDATE fired SET v = v + 1 WHERE id = 1");
                assertThat(one(reader, HERE)).isEqualTo(String.valueOf(10 + i));
                run(writer, "DROP TRIGGER adds");
            }
        }
    }

    // ---------------------------------------------------------------- who one is

    private static Connection as(String user, int port) throws SQLException {
        return DriverManager.getConnection("jdbc:mysql://127.0.0.1:" + port + "/unseen?user=" + user
                + "&password=p&allowPublicKeyRetrieval=true&useServerPrepStmts=false");
    }

    @Test
    void role_ofOneSession_givesOthersNoHits() throws SQLException {
        String secret = "SELECT s FROM t WHERE id = 1";
        try (Connection admin = straight("unseen")) {
            attempt(admin, "DROP ROLE reads_s", "DROP USER roleholder@'127.0.0.1'");
            run(
                    admin,
                    "CREATE ROLE reads_s",
                    "GRANT SELECT ON unseen.t TO reads_s",
                    "CREATE USER roleholder@'127.0.0.1' IDENTIFIED BY 'p'",
                    "GRANT SELECT (id) ON unseen.t TO roleholder@'127.0.0.1'",
                    "GRANT reads_s TO roleholder@'127.0.0.1'");
            try (Connection with = as("roleholder", gateway.port());
                    Connection without = as("roleholder", gateway.port())) {
                run(with, "SET ROLE reads_s");
                warm(with, secret);
                assertThatThrownBy(() -> one(without, secret)).hasMessageContaining("denied");
                run(with, "SET ROLE NONE");
                assertThatThrownBy(() -> one(with, secret)).hasMessageContaining("denied");
                run(with, "SET ROLE reads_s");
                warm(with, secret);
                run(with, "PREPARE off FROM 'SET ROLE NONE'");
                run(with, "EXECUTE off");
                assertThatThrownBy(() -> one(with, secret)).hasMessageContaining("denied");
            }
        }
    }

    @Test
    void account_thatALaterLoginMatches_isNotTheEarlierOne() throws SQLException {
        try (Connection admin = straight("unseen")) {
            attempt(admin, "DROP USER twin@'%'", "DROP USER twin@'127.0.0.1'");
            run(admin, "CREATE USER twin@'%' IDENTIFIED BY 'p'", "GRANT SELECT ON *.* TO twin@'%'");
            try (Connection first = as("twin", gateway.port())) {
                warm(first, HERE);
                run(
                        admin,
                        "CREATE USER twin@'127.0.0.1' IDENTIFIED BY 'p'",
                        "GRANT SELECT ON unseen.texts TO twin@'127.0.0.1'");
                warm(first, HERE);
                try (Connection second = as("twin", gateway.port())) {
                    assertThatThrownBy(() -> one(second, HERE)).hasMessageContaining("denied");
                }
            }
        }
    }

    /**
     * A REVOKE among several statements in one text takes effect with its end. A role that one
     * session sets does not affect the hits of others.
     */
    @Test
    void rights_takenBySeveralStatements_endHits_andRolesOfOthersDoNot() throws SQLException {
        try (Connection admin = through("&allowMultiQueries=true")) {
            attempt(admin, "DROP ROLE nothing_much", "DROP USER losing@'127.0.0.1'");
            run(
                    admin,
                    "CREATE ROLE nothing_much",
                    "CREATE USER losing@'127.0.0.1' IDENTIFIED BY 'p'",
                    "GRANT SELECT ON unseen.t TO losing@'127.0.0.1'",
                    "GRANT nothing_much TO keyline@'127.0.0.1'");
            try (Connection losing = as("losing", gateway.port())) {
                warm(losing, HERE);
                run(admin, "SET ROLE nothing_much");
                one(losing, HERE);
                assertThat(source(losing)).isEqualTo("line");
                run(admin, "SET ROLE NONE");
                warm(losing, HERE);
                run(admin, "SELECT 1; REVOKE SELECT ON unseen.t FROM losing@'127.0.0.1'; SELECT 2");
                assertThatThrownBy(() -> one(losing, HERE)).hasMessageContaining("denied");
            }
        }
    }

    /**
     * The store closes a session that is idle there; reads keep it open, even if lines answer them.
     */
    @Test
    void waitTimeout_ofASessionThatReads_endsNothing() throws Exception {
        long timeoutNanos = Duration.ofSeconds(2).toNanos();
        long lived = 0;
        // If this machine is stopped for too long, the session may rightly end.
        for (int attempt = 0; attempt < 20 && lived <= 3 * timeoutNanos / 2; attempt++) {
            int hits = 0;
            long last = System.nanoTime();
            try (Connection through = through("")) {
                run(through, "SET wait_timeout = 2");
                warm(through, HERE);
                long began = System.nanoTime();
                last = began;
                for (lived = 0; lived <= 3 * timeoutNanos / 2; lived = last - began) {
                    assertThat(one(through, HERE)).isEqualTo("10");
                    hits += source(through).equals("line") ? 1 : 0;
                    last = System.nanoTime();
                }
                assertThat(hits).isPositive();
            } catch (SQLException ended) {
                assertThat(System.nanoTime() - last).as(ended.toString()).isGreaterThan(timeoutNanos / 4);
            }
        }
        assertThat(lived).as("nanoseconds of a session that reads all the time").isGreaterThan(3 * timeoutNanos / 2);
    }

    // ---------------------------------------------------------------- where one is

    /** Every way in which a text may change the schema, or leave it unset. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "USE other; SELECT nonexistent",
                "USE other; SELECT 1",
                "SELECT 1; USE other; SELECT nonexistent",
                "/*!40000 USE other */",
                "/*!40101 SET NAMES utf8mb4 */; USE `other`; /*!40000 ALTER TABLE t DISABLE KEYS */; SELECT 1",
                "EXECUTE IMMEDIATE 'USE other'",
                "SET STATEMENT max_statement_time = 10 FOR USE other",
                "PREPARE there FROM 'USE other'; EXECUTE there",
                "USE other; LONG"
            })
    void schema_changedOutOfSight_writesCloseTheRightTable(String text) throws SQLException {
        String filler = "SELECT '" + "x".repeat(70_000) + "'";
        try (Connection reader = through("");
                Connection writer = through("&allowMultiQueries=true");
                Connection straight = straight("unseen")) {
            warm(reader, ONE);
            warm(writer, HERE);
            attempt(writer, text.replace("LONG", filler));
            attempt(writer, "UPDATE t SET v = v + 1 WHERE id = 1");
            same(reader, straight, ONE);
            warm(reader, ONE);
            attempt(writer, "INSERT INTO t (id, v) VALUES (1, 5) ON DUPLICATE KEY UPDATE v = v + 5");
            same(reader, straight, ONE);
            same(writer, straight, "SELECT v FROM " + one(writer, "SELECT DATABASE()") + ".t WHERE id = 1");
            assertThat(one(writer, HERE))
                    .isEqualTo(one(straight, "SELECT v FROM " + one(writer, "SELECT DATABASE()") + ".t WHERE id = 1"));
        }
    }

    @Test
    void schema_replacedWhileCurrent_isNone() throws SQLException {
        assumeThat(MariaDb.isMySql()).as("MySQL replaces no schemas").isFalse();
        try (Connection writer = through("");
                Connection straight = straight("unseen")) {
            run(straight, "CREATE DATABASE IF NOT EXISTS passing");
            run(straight, "CREATE TABLE passing.t (id INT PRIMARY KEY, v INT)", "INSERT INTO passing.t VALUES (1, 1)");
            run(writer, "USE passing");
            warm(writer, HERE);
            run(writer, "CREATE OR REPLACE DATABASE passing");
            run(straight, "CREATE TABLE passing.t (id INT PRIMARY KEY, v INT)");
            assertThatThrownBy(() -> one(writer, HERE)).hasMessageContaining("No database selected");
        }
    }

    /**
     * The setting of one statement applies to later ones of the text: another schema, other string
     * delimiters.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "USE other; UPDATE t SET v = 99 WHERE id = 1",
                "USE unseen; UPDATE t SET v = 98 WHERE id = 1; USE `other`; UPDATE t SET v = 99 WHERE id = 1",
                "SET sql_mode = 'NO_BACKSLASH_ESCAPES'; SELECT '\\'; UPDATE other.t SET v = 99 WHERE id = 1; -- '",
                "SET @@sql_mode = 'ANSI_QUOTES'; UPDATE other.t SET v = 99 WHERE id = 1 AND \"id\" = 1",
            })
    void severalStatements_ofWhichOneSetsHowTheOthersAreRead_areSeen(String text) throws SQLException {
        for (boolean within : new boolean[] {false, true}) {
            try (Connection reader = through("");
                    Connection writer = through("&allowMultiQueries=true")) {
                run(reader, "UPDATE other.t SET v = 10 WHERE id = 1");
                warm(reader, ONE);
                if (within) {
                    run(writer, "START TRANSACTION");
                }
                run(writer, text);
                if (within) {
                    assertThat(one(reader, ONE)).isEqualTo("10");
                    run(writer, "COMMIT");
                }
                assertThat(one(reader, ONE)).isEqualTo("99");
            }
        }
    }

    /** Keyline cannot parse these settings, and a text for Keyline is a name for the store. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET sql_mode = 'ORACLE'",
                "SET sql_mode = 'ANSI_QUOTES,MSSQL'",
                "SET sql_mode = 4",
                "SET @m = 'ANSI_QUOTES'; SET sql_mode = @m",
                "PREPARE s FROM \"SET sql_mode = 'ANSI'\"; EXECUTE s",
                "EXECUTE IMMEDIATE \"SET sql_mode = 'ANSI_QUOTES'\"",
                "/*!40101 SET sql_mode = 'ANSI_QUOTES' */",
                "SET LOCAL sql_mode = 'POSTGRESQL'",
                "SET NAMES utf8mb4, sql_mode = 'DB2'",
            })
    void writes_thatNameTheirTableInDoubleQuotes_areSeen(String setting) throws SQLException {
        try (Connection reader = through("");
                Connection writer = through("")) {
            for (String write : new String[] {
                "UPDATE \"other\".\"t\" SET v = 99 WHERE id = 1",
                "DELETE FROM \"other\".\"t\" WHERE id = 1",
                "REPLACE INTO \"other\".\"t\" (id, v) VALUES (1, 99)",
                "INSERT INTO \"other\".\"t\" (id, v) VALUES (1, 99) ON DUPLICATE KEY UPDATE v = 99",
                "ANALYZE UPDATE \"other\".\"t\" SET v = 99 WHERE id = 1"
            }) {
                run(reader, "REPLACE INTO other.t (id, v) VALUES (1, 10)");
                warm(reader, ONE);
                run(writer, "SET sql_mode = DEFAULT");
                run(writer, setting.split("; "));
                run(writer, write);
                assertThat(one(reader, ONE)).as(write).isEqualTo(write.startsWith("DELETE") ? "no row" : "99");
            }
        }
    }

    // ---------------------------------------------------------------- transactions

    /** A transaction that begins within a statement that then fails. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "CALL fails_open()",
                "SELECT 1; CALL fails_open()",
                "EXECUTE IMMEDIATE 'CALL fails_open()'",
                "BEGIN NOT ATOMIC START TRANSACTION; UPDATE t SET v = 77 WHERE id = 1; SIGNAL SQLSTATE '45000'; END",
                "BEGIN NOT ATOMIC SET autocommit = 0; UPDATE t SET v = 77 WHERE id = 1; SIGNAL SQLSTATE '45000'; END",
                "START TRANSACTION; UPDATE t SET v = 77 WHERE id = 1; SELECT nonexistent",
                "SET autocommit = 0; UPDATE t SET v = 77 WHERE id = 1; SELECT nonexistent"
            })
    void transaction_begunByAFailingStatement_closesItsRowsUntilItsEnd(String text) throws SQLException {
        try (Connection reader = through("");
                Connection writer = through("&allowMultiQueries=true");
                Connection straight = straight("unseen")) {
            attempt(straight, "DROP PROCEDURE fails_open");
            run(
                    straight,
                    "CREATE PROCEDURE fails_open() BEGIN START TRANSACTION; UPDATE t SET v = 77 WHERE id = 1;"
                            + " SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'meant'; END");
            warm(reader, HERE);
            attempt(writer, text);
            // The catalog is read again first; a line loaded now has the old row.
            soon("the definition")
                    .until(() -> one(reader, "KEYLINE EXPLAIN " + HERE, 2).startsWith("SHORT-CIRCUIT"));
            for (int i = 0; i < 5; i++) {
                same(reader, straight, HERE);
            }
            run(writer, "COMMIT");
            same(reader, straight, HERE);
        }
    }

    /**
     * The gateway's query of the state does not change the diagnostics that the client may read.
     */
    @Test
    void failedCall_leavesItsDiagnostics() throws SQLException {
        try (Connection writer = through("");
                Connection straight = straight("unseen")) {
            attempt(straight, "DROP PROCEDURE fails");
            run(
                    straight,
                    "CREATE PROCEDURE fails() BEGIN UPDATE t SET v = 5 WHERE id = 1;"
                            + " SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'meant'; END");
            for (String asked : new String[] {
                "SHOW WARNINGS",
                "SHOW ERRORS",
                "SELECT ROW_COUNT()",
                "SELECT @@error_count",
                "SELECT FOUND_ROWS()",
                "SELECT @@warning_count",
                "SELECT LAST_INSERT_ID()"
            }) {
                one(writer, HERE);
                attempt(writer, "CALL fails()");
                one(straight, HERE);
                attempt(straight, "CALL fails()");
                assertThat(one(writer, asked)).as(asked).isEqualTo(one(straight, asked));
            }
        }
    }

    /**
     * The gateway's query of the state runs before a read without a result, so the read does not
     * hide the query's result.
     */
    @Test
    void foundRows_behindAReadThatIsRefused_areThoseOfTheResultBefore() throws SQLException {
        try (Connection admin = straight("unseen")) {
            attempt(admin, "DROP USER reader@'127.0.0.1'", "DROP PROCEDURE signals");
            run(
                    admin,
                    "CREATE PROCEDURE signals() SIGNAL SQLSTATE '45000'",
                    "CREATE USER reader@'127.0.0.1' IDENTIFIED BY 'p'",
                    "GRANT SELECT (id) ON unseen.t TO reader@'127.0.0.1'",
                    "GRANT EXECUTE ON PROCEDURE unseen.signals TO reader@'127.0.0.1'");
            try (Connection through = as("reader", gateway.port());
                    Connection straight = as("reader", store.port())) {
                for (String read : new String[] {"SELECT id FROM t WHERE id < 0", "SELECT 1 UNION SELECT 2"}) {
                    for (Connection each : new Connection[] {through, straight}) {
                        run(each, read);
                        attempt(each, "CALL signals()");
                        assertThatThrownBy(() -> one(each, HERE)).hasMessageContaining("denied");
                    }
                    assertThat(one(through, "SELECT FOUND_ROWS()"))
                            .as(read)
                            .isEqualTo(one(straight, "SELECT FOUND_ROWS()"));
                }
            }
        }
    }

    /** Stores differ in which of these set the count: for MySQL, a DO is a SELECT. */
    @ParameterizedTest
    @CsvFileSource(
            resources = "UnseenChangesIT.countOfTheReadBefore_isThatOfTheStore.txt",
            delimiter = '\t',
            quoteCharacter = '~')
    void countOfTheReadBefore_isThatOfTheStore(String between) throws SQLException {
        try (Connection through = through("");
                Connection straight = straight("unseen")) {
            for (String read : new String[] {HERE, "SELECT v FROM t WHERE id = 99"}) {
                for (int again = 0; again < 3; again++) {
                    for (Connection each : new Connection[] {through, straight}) {
                        one(each, read);
                        attempt(each, between);
                    }
                    assertThat(one(through, "SELECT FOUND_ROWS()"))
                            .as("%s, %s", read, between)
                            .isEqualTo(one(straight, "SELECT FOUND_ROWS()"));
                }
            }
        }
    }

    /**
     * The gateway repeats a transaction's reads at the store before their text refers to another
     * table.
     */
    @ParameterizedTest
    @ValueSource(strings = {"USE other", "initDb", "SET sql_mode = 'ANSI_QUOTES'"})
    void transaction_thatReadALine_goesOnInAnotherSchema(String change) throws SQLException {
        try (Connection session = through("");
                Connection straight = straight("")) {
            run(straight, "UPDATE other.t SET v = 11 WHERE id = 1");
            warm(session, HERE);
            awaitTrust(session);
            run(session, "START TRANSACTION");
            assertThat(one(session, HERE)).isEqualTo("10");
            assertThat(one(session, "KEYLINE LAST", 2)).isEqualTo("line");
            if (change.equals("initDb")) {
                session.setCatalog("other");
            } else {
                run(session, change);
            }
            assertThat(one(session, "SELECT COUNT(*) > 0 FROM unseen.t")).isEqualTo("1");
            assertThat(one(session, HERE)).isEqualTo(change.startsWith("SET") ? "10" : "11");
            run(session, "COMMIT");
        }
    }

    /** Runs transactions that end after their read, until a line answers it. */
    private static void awaitTrust(Connection session) throws SQLException {
        soon("a transaction is answered from a line").until(() -> {
            run(session, "START TRANSACTION");
            one(session, HERE);
            boolean line = one(session, "KEYLINE LAST", 2).equals("line");
            run(session, "COMMIT");
            return line;
        });
    }

    // ---------------------------------------------------------------- settings

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT sets_zone()",
                "UPDATE fired SET v = v + 1 WHERE id = 1",
                "CALL sets_zone_and_fails()",
                "SET STATEMENT max_statement_time = 10 FOR SET time_zone = '+05:00'",
                "DO sets_zone()",
                "SET @x = sets_zone()"
            })
    void setting_changedByStoredCode_isNoticed(String text) throws SQLException {
        String made = "SELECT made FROM t WHERE id = 1";
        try (Connection session = through("&connectionTimeZone=LOCAL");
                Connection straight = straight("unseen")) {
            try (Connection other = through("")) {
                stored(other);
            }
            warm(session, made);
            attempt(session, text);
            attempt(straight, text);
            String hours = "SELECT CAST(made AS CHAR) FROM t WHERE id = 1";
            assertThat(one(session, "SELECT @@time_zone")).isEqualTo(one(straight, "SELECT @@time_zone"));
            assertThat(one(straight, hours)).isNotEmpty();
            for (int i = 0; i < 3; i++) {
                assertThat(one(session, made)).isEqualTo(one(straight, made));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT only_adds(1)",
                "SELECT v, only_adds(v) FROM t",
                "UPDATE texts SET v = v WHERE k = 'a'",
                "SELECT no_such_function(1)",
                "UPDATE texts SET v = v WHERE k = 'a'; SELECT only_adds(1)",
            })
    void storedCode_thatSetsNothing_leavesHits(String text) throws SQLException {
        try (Connection session = through("&allowMultiQueries=true");
                Connection other = through("")) {
            attempt(other, "DROP FUNCTION only_adds", "DROP TRIGGER only_notes");
            run(
                    other,
                    "CREATE FUNCTION only_adds(a INT) RETURNS INT DETERMINISTIC BEGIN DECLARE b INT; SET b = a; RETURN b + 1; END",
                    "CREATE TRIGGER only_notes BEFORE UPDATE ON texts FOR EACH ROW SET NEW.v = OLD.v");
            warmLate(session, HERE);
            for (int i = 0; i < 3; i++) {
                attempt(session, text, "SET SESSION wait_timeout = 1000, @a = 1");
                warm(session, HERE);
            }
            run(other, "DROP TRIGGER only_notes");
        }
    }

    /**
     * Neither a LOCK TABLES with unknown counts after it, nor a FOUND_ROWS() that only the store
     * knows, turns hits off.
     */
    @Test
    void storedCode_behindUnknownCountsAndManyRows_leavesHitsAndFoundRows() throws SQLException {
        try (Connection session = through("");
                Connection other = through("")) {
            attempt(other, "DROP FUNCTION only_adds");
            run(
                    other,
                    "CREATE FUNCTION only_adds(a INT) RETURNS INT DETERMINISTIC RETURN a + 1",
                    "CREATE OR REPLACE FUNCTION tells_rows() RETURNS INT NOT DETERMINISTIC RETURN FOUND_ROWS()");
            warmLate(session, HERE);
            for (int i = 0; i < 3; i++) {
                run(session, "LOCK TABLES t READ", "UNLOCK TABLES", "SELECT v, s FROM t ORDER BY s");
                assertThat(one(session, "SELECT tells_rows() + only_adds(0)")).isEqualTo("3");
                warm(session, HERE);
            }
            run(other, "DROP FUNCTION tells_rows");
        }
    }

    /**
     * The gateway queries the settings that stored code may have changed. ROW_COUNT() must not show
     * that query.
     */
    @Test
    void rowCount_behindAWriteOfStoredCodeAndAPrepare_isThatOfTheWrite() throws SQLException {
        try (Connection session = through("&useServerPrepStmts=true");
                Connection other = through("")) {
            attempt(other, "DROP FUNCTION only_adds");
            run(other, "CREATE FUNCTION only_adds(a INT) RETURNS INT DETERMINISTIC RETURN a + 1");
            warm(session, HERE);
            for (String reads : new String[] {"SELECT s FROM t WHERE id = ?", "SELECT v, s FROM t WHERE id = ?"}) {
                run(session, "UPDATE t SET v = only_adds(v)");
                try (PreparedStatement prepared = session.prepareStatement(reads)) {
                    assertThat(one(session, "SELECT ROW_COUNT()")).isEqualTo("2");
                    prepared.setInt(1, 1);
                    assertThat(prepared.executeQuery().next()).isTrue();
                }
            }
        }
    }

    /** Until the catalog has read a new table, the table may have a trigger. */
    @Test
    void tablesThatASessionMakes_leaveItsHits() throws SQLException {
        try (Connection session = through("");
                Connection other = through("")) {
            stored(other);
            warm(session, HERE);
            for (int i = 0; i < 3; i++) {
                run(
                        session,
                        "CREATE OR REPLACE TABLE other.made (id INT PRIMARY KEY)",
                        "INSERT INTO other.made VALUES (1)",
                        "CREATE TABLE IF NOT EXISTS other.made (id INT)",
                        "ALTER TABLE other.made ADD COLUMN v INT",
                        "INSERT INTO other.made VALUES (2, 2)",
                        "SET @a = 1",
                        "DROP TABLE other.made");
                warm(session, HERE);
            }
        }
    }

    /** The setting is noticed although the session itself creates tables in between. */
    @Test
    void settingOfStoredCode_amongTablesThatASessionMakes_isNoticed() throws SQLException {
        String made = "SELECT made FROM t WHERE id = 1";
        try (Connection session = through("&connectionTimeZone=LOCAL");
                Connection straight = straight("unseen")) {
            try (Connection other = through("")) {
                stored(other);
            }
            warm(session, made);
            run(session, "CREATE OR REPLACE TABLE other.made (id INT PRIMARY KEY)", "SELECT sets_zone()");
            run(session, "CREATE OR REPLACE TABLE other.made (id INT PRIMARY KEY)");
            run(straight, "SELECT sets_zone()");
            same(session, straight, made);
        }
    }

    @Test
    void temporaryTable_ofATrigger_hidesTheTable() throws SQLException {
        try (Connection session = through("");
                Connection straight = straight("unseen")) {
            attempt(straight, "DROP TRIGGER shadows_too", "DROP TRIGGER sets_zone_too");
            run(
                    session,
                    "CREATE TRIGGER shadows_too AFTER UPDATE ON fired FOR EACH ROW"
                            + " CREATE TEMPORARY TABLE t (id INT PRIMARY KEY, v INT)");
            warm(session, HERE);
            run(session, "UPDATE fired SET v = v + 1 WHERE id = 1");
            for (int i = 0; i < 3; i++) {
                assertThat(one(session, HERE)).isEqualTo("no row");
            }
            run(straight, "DROP TRIGGER shadows_too");
        }
    }

    @Test
    void statementSent_whileOthersChangeStoredCode_leavesHits() throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (Connection session = through("");
                Connection neighbour = through("");
                Connection straight = straight("unseen")) {
            stored(neighbour);
            warm(session, HERE);
            run(straight, "LOCK TABLES padded READ");
            Future<?> change = thread.submit(() -> {
                run(neighbour, "CREATE TRIGGER awaits AFTER INSERT ON padded FOR EACH ROW SET @a = 1");
                return null;
            });
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> one(
                                    straight,
                                    "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'CREATE TRIGGER awaits%'")
                            .equals("1"));
            one(session, "SELECT v FROM t WHERE s = 'one'");
            run(session, "UPDATE t SET v = v WHERE id = 2");
            run(straight, "UNLOCK TABLES");
            change.get(60, TimeUnit.SECONDS);
            warm(session, HERE);
            run(straight, "DROP TRIGGER awaits");
        } finally {
            thread.shutdownNow();
        }
    }

    private static void stored(Connection connection) throws SQLException {
        attempt(
                connection,
                "DROP FUNCTION sets_zone",
                "DROP PROCEDURE sets_zone_and_fails",
                "DROP TRIGGER sets_zone_too");
        run(
                connection,
                "CREATE FUNCTION sets_zone() RETURNS INT NO SQL BEGIN SET time_zone = '+05:00'; RETURN 1; END",
                "CREATE PROCEDURE sets_zone_and_fails() BEGIN SET time_zone = '+05:00'; SIGNAL SQLSTATE '45000'; END",
                "CREATE TRIGGER sets_zone_too AFTER UPDATE ON fired FOR EACH ROW SET time_zone = '+05:00'");
    }

    @Test
    void temporaryTable_ofAProcedure_hidesTheTable() throws SQLException {
        try (Connection session = through("");
                Connection straight = straight("unseen")) {
            attempt(straight, "DROP PROCEDURE shadows");
            run(
                    straight,
                    "CREATE PROCEDURE shadows() BEGIN CREATE TEMPORARY TABLE t (id INT PRIMARY KEY, v INT); SIGNAL SQLSTATE '45000'; END");
            warm(session, HERE);
            attempt(session, "CALL shadows()");
            assertThat(one(session, HERE)).isEqualTo("no row");
            assertThat(one(session, HERE)).isEqualTo("no row");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET autocommit = 0",
                "SET time_zone = '+05:00'",
                "CREATE TEMPORARY TABLE t (id INT PRIMARY KEY, v INT, made TIMESTAMP NULL)",
                "USE other",
                "SET system_versioning_asof = '2024-01-01 00:00:00'",
                "SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED"
            })
    void initConnect_doesWhatItDoes(String initial) throws SQLException {
        try (Connection admin = straight("unseen");
                Connection user = through("")) {
            attempt(admin, "DROP USER plain@'127.0.0.1'");
            run(
                    admin,
                    "CREATE USER plain@'127.0.0.1' IDENTIFIED BY 'p'",
                    "GRANT SELECT, UPDATE, CREATE TEMPORARY TABLES ON unseen.* TO plain@'127.0.0.1'",
                    "GRANT SELECT, UPDATE ON other.* TO plain@'127.0.0.1'");
            String made = "SELECT made FROM t WHERE id = 1";
            warm(user, made);
            warm(user, HERE);
            warm(user, ONE);
            try (Connection plain = as("plain", gateway.port())) {
                warm(plain, made);
                warm(plain, HERE);
            }
            try {
                run(admin, "SET GLOBAL init_connect = \"" + initial + "\"");
            } catch (SQLException unknown) {
                assumeThat(unknown.getErrorCode()).isZero();
            }
            try (Connection session = as("plain", gateway.port());
                    Connection alike = as("plain", store.port())) {
                attempt(session, "UPDATE t SET v = v + 100 WHERE id = 1");
                attempt(alike, "SELECT 1");
                for (int i = 0; i < 3; i++) {
                    assertThat(one(session, made)).isEqualTo(one(alike, made));
                }
                attempt(session, "COMMIT");
                same(user, admin, ONE);
                same(user, admin, HERE);
            } finally {
                run(admin, "SET GLOBAL init_connect = ''");
            }
        }
    }

    @ParameterizedTest
    @CsvFileSource(
            resources = "UnseenChangesIT.sqlMode_howeverItIsSet_readsTextAsTheStore.txt",
            delimiter = '\t',
            quoteCharacter = '~')
    void sqlMode_howeverItIsSet_readsTextAsTheStore(String set) throws SQLException {
        try (Connection reader = through("");
                Connection session = through("&useServerPrepStmts=false&allowMultiQueries=false");
                Connection straight = straight("unseen")) {
            String mode = one(straight, "SELECT @@GLOBAL.sql_mode");
            String[] asked = {
                "SELECT v FROM texts WHERE k = ''",
                "SELECT v FROM texts WHERE k = 'a\\\\'",
                "SELECT c FROM padded WHERE id = 1"
            };
            for (String select : asked) {
                warm(session, select);
            }
            try {
                attempt(session, set);
                attempt(straight, set);
                for (String select : asked) {
                    same(session, straight, select);
                }
                // The row whose key has one backslash, or the one with two.
                String kept = "SELECT v FROM texts WHERE k = CONCAT('a', CHAR(92))";
                run(reader, "SET sql_mode = ''");
                warm(reader, "SELECT v FROM texts WHERE k = 'a\\\\'");
                attempt(session, "UPDATE texts SET v = v + 1 WHERE k = 'a\\'");
                attempt(session, "UPDATE texts SET v = v + 10 WHERE k = 'a\\\\'");
                assertThat(one(reader, "SELECT v FROM texts WHERE k = 'a\\\\'")).isEqualTo(one(straight, kept));
                // The text is a column, and so finds every row, or a string.
                warm(reader, "SELECT v FROM texts WHERE k = 'a\\\\'");
                attempt(session, "UPDATE texts SET v = v + 100 WHERE k = \"k\"");
                assertThat(one(reader, "SELECT v FROM texts WHERE k = 'a\\\\'")).isEqualTo(one(straight, kept));
            } finally {
                run(straight, "SET GLOBAL sql_mode = '" + mode + "'");
            }
        }
    }

    /**
     * MariaDB converts such a parameter to a time in the session's time zone; this one is outside
     * the range.
     */
    @Test
    void timestampParameter_besideADateTimeKey_isComparedByTheStore() throws SQLException {
        try (Connection session = through("&useServerPrepStmts=true");
                Connection straight = DriverManager.getConnection(store.jdbc("unseen") + "&useServerPrepStmts=true")) {
            run(
                    straight,
                    "CREATE TABLE IF NOT EXISTS moments (d DATETIME PRIMARY KEY, v INT)",
                    "REPLACE INTO moments VALUES ('9999-12-31 23:59:59', 1)");
            String select = "SELECT v FROM moments WHERE d = ?";
            warm(session, select.replace("?", "'9999-12-31 23:59:59'"));
            for (int i = 0; i < 3; i++) {
                assertThat(ofMoment(session, select)).isEqualTo(ofMoment(straight, select));
            }
        }
    }

    private static String ofMoment(Connection connection, String select) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(select)) {
            statement.setTimestamp(1, Timestamp.valueOf("9999-12-31 23:59:59"));
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? rows.getString(1) : "no row";
            }
        }
    }

    // ---------------------------------------------------------------- functions

    @ParameterizedTest
    @CsvFileSource(
            resources = "UnseenChangesIT.function_thatWrites_isSeenHoweverItIsCalled.txt",
            delimiter = '\t',
            quoteCharacter = '~')
    void function_thatWrites_isSeenHoweverItIsCalled(String text) throws SQLException {
        try (Connection reader = through("");
                Connection writer = through("");
                Connection straight = straight("unseen")) {
            attempt(straight, "DROP VIEW calls, over_calls");
            for (String name : new String[] {
                "writes()",
                "split_part(a TEXT, b TEXT, c INT)",
                "random()",
                "array_size(a INT)",
                "ndv(a INT)",
                "count ()"
            }) {
                String function = name.substring(0, name.indexOf('(')).strip();
                attempt(straight, "DROP FUNCTION " + function);
                run(
                        straight,
                        "CREATE FUNCTION " + name + " RETURNS INT MODIFIES SQL DATA BEGIN"
                                + " UPDATE unseen.t SET v = v + 1 WHERE id = 1; RETURN 1; END");
            }
            run(
                    writer,
                    "CREATE VIEW calls AS SELECT id, writes() AS w FROM fired",
                    "CREATE VIEW over_calls AS SELECT w FROM calls");
            warmLate(reader, HERE);
            attempt(writer, text);
            same(reader, straight, HERE);
        }
    }

    @Test
    void table_ofAFunctionThatSetsTheZone_isFollowedByReadsInThatZone() throws SQLException {
        String made = "SELECT made FROM t WHERE id = 1";
        try (Connection session = through("");
                Connection straight = straight("unseen")) {
            stored(straight);
            warmLate(session, made);
            run(session, "CREATE OR REPLACE TABLE zones AS VALUES (sets_zone())");
            run(straight, "SET time_zone = '+05:00'");
            same(session, straight, made);
        }
    }
}
