package org.keyline.gateway.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.keyline.protocol.fixtures.MariaDbServer;

/**
 * The embedded store has MariaDB's effect for every statement that it accepts; it refuses all
 * others by name.
 */
final class HonouredStatementsIT {
    private static final String AFFECTED = "useAffectedRows=true";

    private static BothServers servers;

    @BeforeAll
    static void start() throws Exception {
        servers = new BothServers();
    }

    @AfterAll
    static void stop() throws Exception {
        servers.close();
    }

    /** Returns the answers with counts as MySQL's own clients receive them. */
    private static List<String> onStore(String... statements) throws SQLException {
        String url = "jdbc:mysql://" + servers.gateway().address() + "/d?sslMode=DISABLED&" + AFFECTED;
        return outcomes(url, "root", "", statements);
    }

    private static List<String> onMariaDb(String... statements) throws SQLException {
        String url = "jdbc:mysql://127.0.0.1:" + MariaDbServer.get().address().getPort()
                + "/d?sslMode=DISABLED&allowPublicKeyRetrieval=true&" + AFFECTED;
        return outcomes(url, "keyline", MariaDbServer.PASSWORD, statements);
    }

    private static List<String> outcomes(String url, String user, String password, String... statements)
            throws SQLException {
        List<String> outcomes = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection(url, user, password);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                outcomes.add(sql + " -> " + outcome(statement, sql));
            }
        }
        return outcomes;
    }

    private static String outcome(Statement statement, String sql) {
        try {
            if (!statement.execute(sql, Statement.RETURN_GENERATED_KEYS)) {
                return statement.getUpdateCount() + " rows";
            }
            StringBuilder text = new StringBuilder();
            try (ResultSet rows = statement.getResultSet()) {
                while (rows.next()) {
                    text.append('(');
                    for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                        text.append(i == 1 ? "" : ",").append(rows.getString(i));
                    }
                    text.append(')');
                }
            }
            return text.toString();
        } catch (SQLException e) {
            return "error " + e.getErrorCode() + (e.getErrorCode() == 1062 ? " " + e.getMessage() : "");
        }
    }

    private static void same(String... statements) throws SQLException {
        assertThat(onStore(statements)).isEqualTo(onMariaDb(statements));
    }

    @Test
    void upsert_countsWhatItChanges() throws SQLException {
        same(
                "CREATE TABLE u (id BIGINT AUTO_INCREMENT PRIMARY KEY, v INT, w INT)",
                "INSERT INTO u VALUES (1, 1, 1)",
                "INSERT INTO u VALUES (1, 1, 1) ON DUPLICATE KEY UPDATE v = VALUES(v)",
                "INSERT INTO u VALUES (1, 2, 1) ON DUPLICATE KEY UPDATE v = VALUES(v)",
                "INSERT INTO u VALUES (1, 2, 1), (2, 2, 2) ON DUPLICATE KEY UPDATE v = VALUES(v)",
                "INSERT INTO u VALUES (1, 5, 1) ON DUPLICATE KEY UPDATE id = VALUES(id), v = VALUES(v)",
                "INSERT INTO u VALUES (1, 6, 1) ON DUPLICATE KEY UPDATE id = id",
                "REPLACE INTO u VALUES (1, 2, 1)",
                "REPLACE INTO u VALUES (1, 2, 1)",
                "REPLACE INTO u VALUES (1, 3, 1), (7, 7, 7)",
                "SELECT * FROM u ORDER BY id");
    }

    @Test
    void upsert_byAnotherUniqueKeyThanAGeneratedOne_updatesItsRow() throws SQLException {
        same(
                "CREATE TABLE e (id INT AUTO_INCREMENT PRIMARY KEY, e VARCHAR(9) UNIQUE, n INT,"
                        + " t DATETIME NULL ON UPDATE CURRENT_TIMESTAMP)",
                "INSERT INTO e (e, n) VALUES ('a', 1) ON DUPLICATE KEY UPDATE n = VALUES(n)",
                "SELECT LAST_INSERT_ID()",
                "INSERT INTO e (e, n) VALUES ('a', 2) ON DUPLICATE KEY UPDATE e = VALUES(e), n = VALUES(n)",
                "SELECT LAST_INSERT_ID()",
                "SELECT id, e, n, t IS NULL FROM e",
                "INSERT INTO e (e, n) VALUES ('a', 2) ON DUPLICATE KEY UPDATE n = VALUES(n)",
                "INSERT INTO e VALUES (DEFAULT, 'a', 3, NULL) ON DUPLICATE KEY UPDATE n = VALUES(n)",
                "SELECT id, e, n FROM e",
                "INSERT IGNORE INTO e (e, n) VALUES ('a', 2)",
                "SELECT LAST_INSERT_ID()",
                "INSERT INTO e (e, n) VALUES ('b', 2), ('a', 7) ON DUPLICATE KEY UPDATE n = VALUES(n) + 1",
                "SELECT e, n FROM e ORDER BY e");
    }

    @Test
    void rowThatInsertIgnoreSkips_isNotCounted() throws SQLException {
        same(
                "CREATE TABLE skipped (id INT AUTO_INCREMENT PRIMARY KEY, a INT, b VARCHAR(9), d DATE, UNIQUE KEY ab"
                        + " (a, b))",
                "INSERT INTO skipped VALUES (1, 1, 'x', '2020-01-01')",
                "INSERT IGNORE INTO skipped VALUES (1, 2, 'y', NULL)",
                "INSERT IGNORE INTO skipped (a, b) VALUES (1, 'x')",
                "INSERT IGNORE INTO skipped (a, b) VALUES (1, NULL)",
                "INSERT IGNORE INTO skipped (id, a, b) VALUES (10, 3, 'x'), (1, 4, 'x'), (11, 3, 'x'), (10, 5, 'x')",
                "CREATE TABLE plain (a INT PRIMARY KEY, b INT)",
                "INSERT INTO plain VALUES (1, 1), (2, 2)",
                "INSERT IGNORE INTO plain SELECT a + 1, b FROM plain",
                "BEGIN",
                "INSERT IGNORE INTO skipped VALUES (1, 2, 'y', NULL)",
                "COMMIT",
                "SELECT a, b, d FROM skipped ORDER BY a, b");
    }

    @Test
    void replace_ofARowWhoseUniqueKeyIsNull_leavesTheOthers() throws SQLException {
        same(
                "CREATE TABLE n (u INT UNIQUE, v INT)",
                "INSERT INTO n VALUES (NULL, 1), (1, 1)",
                "REPLACE INTO n VALUES (NULL, 2)",
                "REPLACE INTO n VALUES (1, 2)",
                "SELECT * FROM n ORDER BY u, v");
    }

    @Test
    void generatedIds_areNotGivenAgain_andLastInsertIdIsTheFirst() throws SQLException {
        String[] statements = {
            "CREATE TABLE s (k INT PRIMARY KEY)",
            "INSERT INTO s VALUES (1), (2), (3)",
            "CREATE TABLE g (id BIGINT AUTO_INCREMENT PRIMARY KEY, v INT)",
            "INSERT INTO g (v) SELECT k FROM s",
            "SELECT LAST_INSERT_ID()",
            "SELECT * FROM g ORDER BY id",
            "DELETE FROM g",
            "INSERT INTO g (v) SELECT k FROM s WHERE k > 5",
            "SELECT LAST_INSERT_ID()",
        };
        same(statements);
        // Servers differ in how many numbers a query leaves out, if any.
        List<String> later = onStore(
                "INSERT INTO g (v) SELECT k FROM s",
                "INSERT INTO g (v) VALUES (9)",
                "SELECT MIN(id) > 3, COUNT(DISTINCT id), LAST_INSERT_ID() = MAX(id) FROM g",
                "ALTER TABLE g ADD COLUMN w INT NOT NULL",
                "SET @highest = (SELECT MAX(id) FROM g)",
                "DELETE FROM g",
                "INSERT INTO g (v, w) VALUES (1, 1)",
                "SELECT id > @highest FROM g");
        assertThat(later.get(2)).endsWith("-> (1,4,1)");
        assertThat(later.get(7)).endsWith("-> (1)");
    }

    @Test
    void duplicateKey_isNamed() throws SQLException {
        same(
                "CREATE TABLE k (a INT, b INT, c INT, d INT UNIQUE, PRIMARY KEY (a), UNIQUE KEY bc (b, c))",
                "INSERT INTO k VALUES (1, 1, 1, 1)",
                "INSERT INTO k VALUES (1, 2, 2, 2)",
                "INSERT INTO k VALUES (2, 1, 1, 2)",
                "INSERT INTO k VALUES (2, 2, 2, 1)",
                "INSERT INTO k VALUES (2, 2, 2, 2)",
                "UPDATE k SET d = 1 WHERE a = 2",
                "BEGIN",
                "INSERT INTO k VALUES (3, 1, 1, 3)",
                "ROLLBACK");
    }

    @Test
    void value_outsideItsType_isAnError_alsoAsAnExpression() throws SQLException {
        same(
                "CREATE TABLE v (k INT PRIMARY KEY, du DOUBLE UNSIGNED, fu FLOAT UNSIGNED, cu DECIMAL(5, 2) UNSIGNED,"
                        + " b BIT(3), m MEDIUMINT, vb VARBINARY(2), tb TINYBLOB, tt TINYTEXT, ts TIMESTAMP NULL)",
                "INSERT INTO v (k, du) VALUES (1, -1.5)",
                "INSERT INTO v (k, du) VALUES (1, 1 - 3)",
                "INSERT INTO v (k, fu) VALUES (1, -1)",
                "INSERT INTO v (k, cu) VALUES (1, -1)",
                "INSERT INTO v (k, cu) VALUES (1, 1 - 2)",
                "INSERT INTO v (k, b) VALUES (1, 4 + 9)",
                "INSERT INTO v (k, m) VALUES (1, 9000000 + 1)",
                "INSERT INTO v (k, vb) VALUES (1, CONCAT('ab', 'c'))",
                "INSERT INTO v (k, tb) VALUES (1, REPEAT('x', 256))",
                "INSERT INTO v (k, tt) VALUES (1, REPEAT('x', 256))",
                "INSERT INTO v (k, ts) VALUES (1, '1960-01-01')",
                "INSERT INTO v VALUES (2, 1.5, 1.5, 1.5, 7, 8388607, 'ab', 'x', 'é', '2038-01-18 00:00:00')",
                "UPDATE v SET du = du - 9 WHERE k = 2",
                "UPDATE v SET vb = CONCAT(vb, 'c') WHERE k = 2",
                "SELECT du, fu, cu, b + 0, m, HEX(vb), HEX(tb), tt, ts FROM v");
    }

    @Test
    void json_isJson() throws SQLException {
        List<String> documents = List.of(
                "[1,]",
                "{\"a\":1,}",
                "{a:1}",
                "[01]",
                "NaN",
                "[Infinity]",
                "[1,2",
                "",
                "[\"x\",]",
                "[1,2]",
                "[1, \"x\", \"inf\"]",
                "{\"a\": [1, \"x\"], \"b\": \"y\"}",
                "{\"a\":\"NaN,]\"}",
                "null");
        servers.run("CREATE TABLE j (k INT PRIMARY KEY, j JSON)");
        List<String> differ = new ArrayList<>();
        for (int i = 0; i < documents.size(); i++) {
            for (String value : List.of("'%s'", "CONCAT('%s', '')")) {
                String sql = "REPLACE INTO j VALUES (" + i + ", " + value.formatted(documents.get(i)) + ")";
                boolean ours = servers.ofStore(sql).error() == 0;
                boolean theirs = servers.ofMariaDb(sql).error() == 0;
                if (ours != theirs) {
                    differ.add(sql);
                }
            }
        }
        assertThat(differ).isEmpty();
        assertThat(servers.ofStore("INSERT INTO j VALUES (100, '[1,]')").error())
                .isEqualTo(3140);
    }

    @Test
    void accessMode_holdsForTheTransaction_orTheSession() throws SQLException {
        same(
                "CREATE TABLE modes (k INT PRIMARY KEY)",
                "START TRANSACTION READ ONLY",
                "SELECT @@session.tx_read_only",
                "INSERT INTO modes VALUES (1)",
                "SELECT k FROM modes FOR UPDATE",
                "COMMIT AND CHAIN",
                "INSERT INTO modes VALUES (2)",
                "ROLLBACK",
                "INSERT INTO modes VALUES (3)",
                "SET SESSION TRANSACTION READ ONLY, ISOLATION LEVEL READ COMMITTED",
                "SELECT @@tx_read_only",
                "INSERT INTO modes VALUES (4)",
                "SET autocommit = 0",
                "INSERT INTO modes VALUES (5)",
                "SELECT k FROM modes ORDER BY k",
                "COMMIT",
                "SET autocommit = 1",
                "START TRANSACTION READ WRITE",
                "INSERT INTO modes VALUES (6)",
                "COMMIT",
                "INSERT INTO modes VALUES (7)",
                "TRUNCATE TABLE modes",
                "CREATE TABLE modes2 (k INT PRIMARY KEY)",
                "SET SESSION tx_read_only = 0",
                "INSERT INTO modes VALUES (8)",
                "SELECT k FROM modes ORDER BY k");
    }

    @Test
    void divisionByZero_inAnAssignedValue_isAnError() throws SQLException {
        List<String> statements = new ArrayList<>(List.of(
                "CREATE TABLE zeros (k INT PRIMARY KEY, a INT, d DECIMAL(9, 3), f DOUBLE, n INT)",
                "INSERT INTO zeros VALUES (1, 0, 0, 0, NULL), (2, 4, 2.5, 1e0, NULL)"));
        for (String value : List.of(
                "7 / a",
                "a / 0",
                "7.5 / d",
                "f / 0",
                "7e0 / f",
                "7 DIV a",
                "7.5 DIV d",
                "7e0 DIV f",
                "7 % a",
                "MOD(7.5, d)",
                "7e0 MOD f",
                "LN(a)",
                "LOG(1, 5)",
                "LOG10(f)",
                "n / a",
                "n % 0",
                "n DIV a",
                "LN(n)",
                "IF(a = 0, 8, 8 / a)",
                "COALESCE(8 / a, 3)",
                "(SELECT AVG(n) FROM zeros AS o)",
                "SQRT(-1)")) {
            statements.add("UPDATE zeros SET n = " + value.replace("zeros", "other"));
            statements.add("UPDATE zeros SET n = " + value.replace("zeros", "other") + " WHERE k = 2");
            statements.add("UPDATE zeros SET n = NULL");
        }
        statements.add(1, "CREATE TABLE other (k INT PRIMARY KEY, n INT)");
        statements.addAll(List.of(
                "INSERT INTO zeros (k, n) VALUES (3, 1 / 0)",
                "INSERT INTO zeros (k, n) SELECT k + 10, 8 / a FROM zeros",
                "INSERT INTO zeros (k, n) SELECT k + 10, 8 / a FROM zeros WHERE a <> 0",
                "INSERT IGNORE INTO zeros (k, n) VALUES (4, 1 / 0)",
                "INSERT INTO zeros (k) VALUES (1) ON DUPLICATE KEY UPDATE n = 1 / a",
                "INSERT INTO zeros (k) VALUES (2) ON DUPLICATE KEY UPDATE n = 1 / a",
                "REPLACE INTO zeros (k, n) VALUES (5, 1 % 0)",
                "SELECT 1 / 0, 1 DIV 0, 1 % 0, LN(0)",
                "DELETE FROM zeros WHERE 1 / 0 IS NULL AND k = 12",
                "SELECT * FROM zeros ORDER BY k"));
        same(statements.toArray(String[]::new));
    }

    @Test
    void sqlMode_ofAnUnknownName_isAnError() throws SQLException {
        List<String> statements = new ArrayList<>();
        for (String mode : List.of(
                "NOSUCH",
                "STRICT_TRANS_TABLES,NOSUCH",
                "strict_trans_tables,ansi_quotes",
                ",STRICT_ALL_TABLES",
                "STRICT",
                "NO_AUTO_CREATE_USER",
                "traditional,ansi_quotes",
                "ansi_quotes, strict_all_tables",
                "")) {
            statements.add("SET sql_mode = '" + mode + "'");
            statements.add("SELECT @@sql_mode LIKE '%STRICT%', @@sql_mode LIKE '%ANSI_QUOTES%'");
        }
        statements.add("SET sql_mode = 0");
        statements.add("SELECT @@sql_mode");
        same(statements.toArray(String[]::new));
    }

    @Test
    void namesOfTheStatement_areNotThoseOfTheTranslation() throws SQLException {
        same(
                "CREATE TABLE `#1` (c0 INT PRIMARY KEY, c1 INT)",
                "INSERT INTO `#1` VALUES (1, 1), (2, 2), (3, NULL)",
                "SELECT c0 FROM `#1` WHERE c0 IN (SELECT 2) ORDER BY c0",
                "SELECT c0 FROM `#1` AS `#2` WHERE c0 NOT IN (SELECT 2) ORDER BY c0",
                "SELECT `##1`.c0 FROM `#1` AS `##1` WHERE c0 IN (SELECT `#1`.c0 FROM `#1`) ORDER BY c0",
                "INSERT INTO `#1` SELECT c0 + 5, c1 FROM `#1`",
                "SELECT * FROM `#1` ORDER BY c0",
                "CREATE TABLE target (k INT PRIMARY KEY, v INT)",
                "CREATE TABLE excluded (k INT PRIMARY KEY, v INT)",
                "INSERT INTO target VALUES (1, 1), (2, 2)",
                "INSERT INTO excluded VALUES (1, 10), (2, 20)",
                "INSERT INTO target VALUES (1, 7) ON DUPLICATE KEY UPDATE v = VALUES(v) + target.v",
                "INSERT INTO excluded VALUES (1, 7) ON DUPLICATE KEY UPDATE v = VALUES(v) + excluded.v",
                "REPLACE INTO target SELECT k, v FROM excluded",
                "SELECT * FROM target ORDER BY k",
                "SELECT * FROM excluded ORDER BY k");
    }

    @Test
    void set_hasNoEffectIfOneOfItsValuesIsWrong() throws SQLException {
        List<String> statements = new ArrayList<>(
                List.of("CREATE TABLE sets (k INT PRIMARY KEY)", "BEGIN", "INSERT INTO sets VALUES (1)"));
        for (String wrong : List.of(
                "nosuch = 1",
                "version = '4'",
                "time_zone = 'x'",
                "NAMES nosuch",
                "NAMES utf8mb4 COLLATE latin1_bin",
                "character_set_client = 'x'",
                "collation_connection = 'x'",
                "max_connections = 2",
                "wait_timeout = 'x'",
                "sql_mode = NULL",
                "tx_isolation = 'x'",
                "GLOBAL time_zone = 'x'",
                "autocommit = 2")) {
            statements.add("SET autocommit = 0, @a = 7, " + wrong);
            statements.add("SET autocommit = 1, time_zone = '+00:00', " + wrong);
            statements.add("SELECT @@autocommit, @a, @@time_zone = '+00:00'");
        }
        statements.addAll(List.of("ROLLBACK", "SELECT COUNT(*) FROM sets"));
        same(statements.toArray(String[]::new));
    }

    @Test
    void globalValue_isThatOfNewSessions() throws SQLException {
        List<String> before = List.of("SET GLOBAL tx_read_only = 1", "SELECT @@tx_read_only, @@global.tx_read_only");
        try {
            same(before.toArray(String[]::new));
            same("SELECT @@tx_read_only", "CREATE TABLE globals (k INT PRIMARY KEY)");
        } finally {
            same("SET GLOBAL tx_read_only = DEFAULT", "SELECT @@tx_read_only");
        }
    }

    @Test
    void numbersWithDecimals_inColumnsOfBits() throws SQLException {
        List<String> statements =
                new ArrayList<>(List.of("CREATE TABLE wholes (k INT AUTO_INCREMENT PRIMARY KEY, b BIT(10))"));
        for (String bits : "1.5 1.5e0 2.5e0 -0.4 1023.4 1023.5 1023.5e0".split(" ", -1)) {
            statements.add("INSERT INTO wholes (b) VALUES (" + bits + ")");
            statements.add("INSERT INTO wholes (b) SELECT " + bits.replace("-0.4", "1"));
        }
        statements.add("SELECT b + 0 FROM wholes ORDER BY k");
        same(statements.toArray(String[]::new));
    }

    @Test
    void textThatIsNoDate_equalsNoDate() throws SQLException {
        same(
                "CREATE TABLE days (k INT PRIMARY KEY, d DATE, dt DATETIME, s VARCHAR(20))",
                "INSERT INTO days VALUES (1, '2024-01-02', '2024-01-02 03:04:05', 'abc'), (2, NULL, NULL,"
                        + " '2024-01-02'), (3, '2024-01-02', '2024-01-02', '2024-01-02'), (4, '2024-01-02', '2024-01-02',"
                        + " NULL), (5, '2023-01-02', '2024-01-02', '')",
                "SELECT k, d = 'abc', NOT d = 'abc', d <=> 'abc', d IN ('abc') FROM days ORDER BY k",
                "SELECT k FROM days WHERE d NOT IN ('abc', '2024-01-02') ORDER BY k",
                "SELECT k, dt = '', NOT dt = '', dt NOT IN ('', 'x'), NOT d = '2024-02-30' FROM days ORDER BY k",
                "SELECT k, d = s, NOT d = s, d <=> s, d IN (s), d NOT IN (s, '2025-01-01') FROM days ORDER BY k",
                "SELECT k, d NOT IN (SELECT s FROM days WHERE s IS NOT NULL) FROM days ORDER BY k",
                "SELECT k, CASE WHEN NOT d = s THEN 1 ELSE 2 END FROM days ORDER BY k");
    }

    @Test
    void textBetweenATextAndANumber_isComparedAsANumber() throws SQLException {
        same(
                "CREATE TABLE texts (k INT PRIMARY KEY, s VARCHAR(9))",
                "INSERT INTO texts VALUES (1, 'abc'), (2, ' 12'), (3, '2'), (4, ''), (5, NULL)",
                "SELECT k, s BETWEEN '1' AND 12, s NOT BETWEEN 1 AND '3', s BETWEEN '1' AND '3' FROM texts ORDER BY k",
                "SELECT (1, 2) BETWEEN (1, 1) AND (2, 2)");
    }

    @Test
    void computedText_thatOnlyDuckDbReads_isNotStored() throws SQLException {
        List<String> statements = new ArrayList<>(List.of(
                "CREATE TABLE written (k INT PRIMARY KEY, i INT, de DECIMAL(9,2), f DOUBLE, d DATE, m DATETIME)"));
        for (String text : List.of("'1_', '0'", "'0x', '10'", "'0b', '11'")) {
            for (String column : List.of("i", "de", "f")) {
                statements.add("INSERT INTO written (k, " + column + ") SELECT 1, CONCAT(" + text + ")");
            }
        }
        statements.addAll(List.of(
                "INSERT INTO written (k, i) SELECT 2, CONCAT('1', '0')",
                "INSERT INTO written (k, d) SELECT 3, CONCAT('2020-01-', '02')",
                "INSERT INTO written (k, m) SELECT 4, CONCAT('2020-01-02T10:00', ':00')",
                "SELECT * FROM written ORDER BY k"));
        same(statements.toArray(String[]::new));
        for (String text : List.of("20-01-02", "epoch", "2020-01-02 10:00:00+02", "2020-01-02 10:00 UTC")) {
            for (String column : List.of("d", "m")) {
                assertThat(onStore("INSERT INTO written (k, " + column + ") SELECT 7, CONCAT('" + text + "', '')")
                                .get(0))
                        .endsWith("error 1235");
            }
        }
    }

    @Test
    void informationSchema_isNamedInAnyCase() throws SQLException {
        same(
                "CREATE TABLE i (a INT PRIMARY KEY, b INT, UNIQUE KEY u (b))",
                "SELECT INDEX_NAME, STATISTICS.COLUMN_NAME FROM INFORMATION_SCHEMA.STATISTICS WHERE"
                        + " INFORMATION_SCHEMA.STATISTICS.TABLE_SCHEMA = 'd' AND STATISTICS.TABLE_NAME = 'i'"
                        + " ORDER BY INFORMATION_SCHEMA.STATISTICS.INDEX_NAME");
    }

    @Test
    void update_computesNoValueOfRowsThatItDoesNotSelect() throws SQLException {
        same(
                "CREATE TABLE l (k INT PRIMARY KEY, v TINYINT)",
                "INSERT INTO l VALUES (1, 5), (2, 6), (3, 127)",
                "UPDATE l SET v = v + 1 WHERE k + 0 < 3",
                "SELECT * FROM l ORDER BY k");
    }

    @Test
    void getLock_isHonoured() throws Exception {
        same(
                "SELECT GET_LOCK('a', 1)",
                "SELECT RELEASE_LOCK('a')",
                "SELECT RELEASE_LOCK('a')",
                "SELECT RELEASE_LOCK('b')",
                "SELECT GET_LOCK('a', 0) AS got",
                "SELECT GET_LOCK('a', 0)",
                "DO RELEASE_LOCK('a')",
                "SELECT RELEASE_LOCK('a')",
                "SELECT RELEASE_LOCK('a') FROM DUAL");
        String url = "jdbc:mysql://" + servers.gateway().address() + "/d?sslMode=DISABLED&useServerPrepStmts=true";
        try (Connection other = DriverManager.getConnection(url, "root", "")) {
            Connection holder = DriverManager.getConnection(url, "root", "");
            assertThat(lock(holder, "SELECT GET_LOCK(?, 10)")).isEqualTo(1);
            assertThat(lock(other, "SELECT GET_LOCK(?, 0)")).isEqualTo(0);
            assertThat(lock(other, "SELECT RELEASE_LOCK(?)")).isEqualTo(0);
            CompletableFuture<Integer> waits = CompletableFuture.supplyAsync(() -> {
                try {
                    return lock(other, "SELECT GET_LOCK(?, 100)");
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            // The end of its session passes the lock to the waiting session.
            holder.close();
            assertThat(waits.get(60, TimeUnit.SECONDS)).isEqualTo(1);
        }
    }

    private static int lock(Connection connection, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, "migration");
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return rows.getInt(1);
            }
        }
    }

    @Test
    void getLock_thatWaits_endsByKill() throws Exception {
        String url = "jdbc:mysql://" + servers.gateway().address() + "/d?sslMode=DISABLED";
        try (Connection holder = DriverManager.getConnection(url, "root", "");
                Connection waiter = DriverManager.getConnection(url, "root", "")) {
            assertThat(servers.ofStore("SELECT 1").error()).isZero();
            try (Statement statement = holder.createStatement()) {
                statement.execute("SELECT GET_LOCK('kill', 0)");
            }
            long id;
            try (Statement statement = waiter.createStatement();
                    ResultSet rows = statement.executeQuery("SELECT CONNECTION_ID()")) {
                rows.next();
                id = rows.getLong(1);
            }
            CompletableFuture<String> outcome = CompletableFuture.supplyAsync(() -> {
                try (Statement statement = waiter.createStatement()) {
                    return outcome(statement, "SELECT GET_LOCK('kill', 100)");
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            try (Statement statement = holder.createStatement()) {
                // KILL QUERY has no effect on a statement that has not begun.
                for (long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
                        !outcome.isDone() && System.nanoTime() < until; ) {
                    statement.execute("KILL QUERY " + id);
                }
            }
            assertThat(outcome.get(60, TimeUnit.SECONDS)).isEqualTo("error 1317");
        }
    }

    @ParameterizedTest
    @CsvFileSource(
            resources = "HonouredStatementsIT.statement_thatWouldNotBeHonoured_isRefusedByName.txt",
            delimiter = '|',
            quoteCharacter = '\'')
    void statement_thatWouldNotBeHonoured_isRefusedByName(String statement, String named) throws SQLException {
        BothServers.Answer answer = servers.ofStore(statement);
        assertThat(answer.error()).as(statement).isEqualTo(1235);
        assertThat(answer.message()).as(statement).contains(named);
    }

    @Test
    void columnOfBytes_isDeclaredByTheBinaryCollation() throws SQLException {
        same(
                "CREATE TABLE bc (k INT PRIMARY KEY, a CHAR(3) CHARACTER SET binary, b VARCHAR(5) COLLATE binary)",
                "INSERT INTO bc VALUES (1, 'a', 'b ')",
                "SELECT HEX(a), HEX(b), b = 'b' FROM bc");
    }

    /** Doris's documentation has both orders of the arguments. */
    @Test
    void dateTrunc_takesTheUnitOnEitherSide() throws SQLException {
        assertThat(onStore(
                        "SELECT DATE_TRUNC('2010-12-02 19:28:30', 'month')",
                        "SELECT DATE_TRUNC('month', '2010-12-02 19:28:30')",
                        "SELECT DATE_TRUNC('year', CAST('2010-12-02' AS DATE))"))
                .extracting(outcome -> outcome.substring(outcome.indexOf(" -> ") + 4))
                .containsExactly("(2010-12-01 00:00:00)", "(2010-12-01 00:00:00)", "(2010-01-01)");
    }

    @Test
    void showWarnings_hasNoWarningOfItsOwn() throws SQLException {
        servers.run("CREATE TABLE IF NOT EXISTS w (k INT PRIMARY KEY)");
        try (Statement statement = servers.store().createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS w (k INT PRIMARY KEY)");
            assertThat(statement.getWarnings() == null).isFalse();
            try (ResultSet rows = statement.executeQuery("SHOW WARNINGS")) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getInt("Code")).isEqualTo(1050);
            }
            assertThat(statement.getWarnings() == null).isTrue();
        }
    }
}
