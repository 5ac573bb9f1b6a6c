package org.keyline.gateway.signal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.keyline.gateway.fixtures.Lines.one;
import static org.keyline.gateway.fixtures.Lines.run;
import static org.keyline.gateway.fixtures.Lines.soon;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.fixtures.Lines;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/**
 * Writes past the gateway to a MariaDB with a binary log. Lines live for ten minutes here, and the
 * catalog is read once an hour, so an earlier change was reported by the log.
 */
class BinlogSignalIT {
    private static final String[] SETTINGS = {
        "store.signalPeriod=50ms",
        "store.refresh=1h",
        "cache.ttl=10m",
        "privilegeTtl=1h",
        "tables.outside.pairs.prefix=1",
        "tables.outside.words.prefix=1",
        "tables.outside.goods.filters=true"
    };

    private static MariaDb store;
    private static RelayGateway gateway;
    private Connection straight;
    private Connection through;

    @BeforeAll
    static void start() throws Exception {
        store = MariaDb.logging("logging");
        store.run(
                "DROP DATABASE IF EXISTS outside",
                "CREATE DATABASE outside CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
                "USE outside",
                "CREATE TABLE numbers (id INT PRIMARY KEY, n INT)",
                "CREATE TABLE others (id INT PRIMARY KEY, n INT)",
                "CREATE TABLE odd (id INT PRIMARY KEY, n INT, t TEXT " + (MariaDb.isMySql() ? "" : "COMPRESSED")
                        + ", place POINT)",
                "CREATE TABLE texts (k VARCHAR(20) PRIMARY KEY, n INT)",
                "CREATE TABLE chars (k CHAR(8) PRIMARY KEY, n INT)",
                "CREATE TABLE pairs (n INT, a INT, b VARCHAR(10), PRIMARY KEY (a, b))",
                "CREATE TABLE words (a BIGINT UNSIGNED, b INT UNSIGNED, c TINYINT UNSIGNED, n INT, PRIMARY KEY (a, b, c))",
                "CREATE TABLE days (d DATE, m DATETIME(3), n INT, PRIMARY KEY (d, m))",
                "CREATE TABLE amounts (k DECIMAL(12,3) PRIMARY KEY, n INT)",
                "CREATE TABLE codes (k BINARY(4) PRIMARY KEY, n INT)",
                "CREATE TABLE goods (id INT PRIMARY KEY, kind VARCHAR(20), price DECIMAL(8,2), since DATE, note TEXT,"
                        + " cheap INT GENERATED ALWAYS AS (IF(price < 5, 1, 0)) VIRTUAL)");
        gateway = RelayGateway.start(store, SETTINGS);
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @BeforeEach
    void connect() throws SQLException {
        straight = store.connect("outside");
        through = gateway.connect("outside");
    }

    @AfterEach
    void disconnect() throws SQLException {
        straight.close();
        through.close();
    }

    @Test
    void changedAndDeletedRows_areSeen_andOthersStay() throws SQLException {
        run(straight, "REPLACE INTO numbers VALUES (2, 20), (3, 30), (4, 40)");
        warm("SELECT n FROM numbers WHERE id = 2", "20");
        warm("SELECT n FROM numbers WHERE id = 3", "30");
        warmAndSettled("SELECT n FROM numbers WHERE id = 4", "40");
        long tables = status("keyline_signal_table_drops");
        run(straight, "UPDATE numbers SET n = 21 WHERE id = 2", "DELETE FROM numbers WHERE id = 3");
        sees("SELECT n FROM numbers WHERE id = 2", "21");
        sees("SELECT n FROM numbers WHERE id = 3", "no row");
        assertThat(read("SELECT n FROM numbers WHERE id = 4")).isEqualTo("40");
        assertThat(source()).isEqualTo("line");
        assertThat(status("keyline_signal_table_drops")).isEqualTo(tables);
    }

    @Test
    void tableThatFollowsTheSignalAgain_losesLinesThatMissedAChange() throws SQLException {
        run(straight, "REPLACE INTO others VALUES (1, 10)");
        warmAndSettled("SELECT n FROM others WHERE id = 1", "10");
        run(through, "KEYLINE SET tables.outside.others.signal = false");
        warm("SELECT n FROM others WHERE id = 1", "10");
        run(straight, "UPDATE others SET n = 11 WHERE id = 1", "REPLACE INTO numbers VALUES (9, 90)");
        warm("SELECT n FROM numbers WHERE id = 9", "90");
        run(straight, "UPDATE numbers SET n = 91 WHERE id = 9");
        sees("SELECT n FROM numbers WHERE id = 9", "91");
        assertThat(read("SELECT n FROM others WHERE id = 1")).isEqualTo("10");
        assertThat(source()).isEqualTo("line");
        run(through, "KEYLINE SET tables.outside.others.signal = true");
        // The first read goes to the store, whatever lines exist.
        warm("SELECT n FROM others WHERE id = 1", "11");
    }

    /** Without a report of the write, a line may have old rows for signalTtl. */
    @Test
    void audit_ofAWriteThatTheLogOmits_disablesNoTable() throws Exception {
        try (RelayGateway audited = RelayGateway.start(
                        store,
                        "store.signalPeriod=50ms",
                        "store.refresh=1h",
                        "cache.ttl=200ms",
                        "cache.signalTtl=4s",
                        "cache.refreshAhead=false",
                        "cache.auditOneIn=1");
                Connection reader = audited.connect("outside")) {
            String select = "SELECT n FROM numbers WHERE id = 70";
            run(straight, "REPLACE INTO numbers VALUES (70, 700)");
            soon("a line that lives for longer than its ttl")
                    .until(() -> one(reader, select, 1).equals("700")
                            && source(reader).equals("line")
                            && ageMillis(reader) > 500);
            run(straight, "SET sql_log_bin = 0", "UPDATE numbers SET n = 701 WHERE id = 70");
            sees(reader, select, "701");
            assertThat(one(reader, "SHOW STATUS LIKE 'Keyline_audit_mismatches'", 2))
                    .isEqualTo("0");
        }
    }

    /**
     * A column whose format in the log is unsupported makes its table's lines drop, and no others.
     */
    @Test
    void changedRowWithAnUnreadableColumn_isSeen_andOtherTablesStay() throws SQLException {
        run(
                straight,
                "REPLACE INTO numbers VALUES (8, 80)",
                "REPLACE INTO odd VALUES (1, 10, 'text', POINT(1, 1)), (2, 20, NULL, NULL)");
        warm("SELECT n FROM odd WHERE id = 1", "10");
        warmAndSettled("SELECT n FROM numbers WHERE id = 8", "80");
        run(straight, "UPDATE odd SET n = 11 WHERE id = 1");
        sees("SELECT n FROM odd WHERE id = 1", "11");
        assertThat(read("SELECT n FROM numbers WHERE id = 8")).isEqualTo("80");
        assertThat(source()).isEqualTo("line");
    }

    /** A row's old and new cells determine the affected filter lines. */
    @Test
    void changedRow_isSeenByTheFilterLinesThatItWasOrIsIn_andOthersStay() throws SQLException {
        run(
                straight,
                "DELETE FROM goods",
                "INSERT INTO goods (id, kind, price, since, note) VALUES (1, 'tea', 3.00, '2024-01-10', 'a'),"
                        + " (2, 'tea', 30.00, '2024-01-20', NULL), (3, 'rum', 20.00, NULL, 'b'), (4, NULL, 10.00, '2024-02-10', 'c')");
        String tea = "SELECT COUNT(*) FROM goods WHERE kind = 'tea'";
        String dear = "SELECT COUNT(*) FROM goods WHERE price >= 15";
        String noted = "SELECT COUNT(*) FROM goods WHERE note LIKE '%b%'";
        String cheap = "SELECT COUNT(*) FROM goods WHERE cheap = 1";
        String early = "SELECT COUNT(*) FROM goods WHERE since < '2024-02-01'";
        String[] all = {tea, dear, noted, cheap, early};
        outside("INSERT INTO goods (id, kind, price) VALUES (5, 'rum', 14.00)", all, "2", "2", "1", "1", "2");
        stays(tea, dear, early);
        outside("UPDATE goods SET price = 16 WHERE id = 5", all, "2", "3", "1", "1", "2");
        stays(tea, early);
        outside("UPDATE goods SET kind = 'TEA' WHERE id = 3", all, "3", "3", "1", "1", "2");
        stays(early);
        outside("UPDATE goods SET id = 6, kind = NULL WHERE id = 3", all, "2", "3", "1", "1", "2");
        stays(early);
        outside("UPDATE goods SET price = 4, note = 'tub' WHERE id = 4", all, "2", "3", "2", "2", "2");
        stays(tea, dear, early);
        outside("UPDATE goods SET since = NULL WHERE id = 1", all, "2", "3", "2", "2", "1");
        stays(dear);
        outside("DELETE FROM goods WHERE id = 1", all, "1", "3", "2", "1", "1");
        stays(dear, early);
    }

    private long changedNanos;

    /**
     * Changes a row past the gateway, once filter lines answer all of some reads, and no earlier
     * write will drop lines again.
     */
    private void outside(String change, String[] selects, String... counts) throws SQLException {
        for (String select : selects) {
            soon(select).until(() -> {
                read(select);
                return source().equals("line") && ageMillis(through) > 200;
            });
        }
        changedNanos = System.nanoTime();
        run(straight, change);
        for (int i = 0; i < selects.length; i++) {
            sees(selects[i], counts[i]);
        }
    }

    /** Asserts that lines from before the last change still answer these reads. */
    private void stays(String... selects) throws SQLException {
        for (String select : selects) {
            long millis = Duration.ofNanos(System.nanoTime() - changedNanos).toMillis();
            read(select);
            assertThat(source()).as(select).isEqualTo("line");
            assertThat(ageMillis(through)).as(select).isGreaterThanOrEqualTo(millis);
        }
    }

    /**
     * Changes rights past the gateway for open handles, while the store's consent is valid for an
     * hour.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "REVOKE SELECT ON outside.numbers FROM clerk@'127.0.0.1'",
                "DROP USER clerk@'127.0.0.1'",
                "REVOKE ALL PRIVILEGES, GRANT OPTION FROM clerk@'127.0.0.1'",
                "RENAME USER clerk@'127.0.0.1' TO other@'127.0.0.1'",
                "REVOKE reader FROM clerk@'127.0.0.1'",
                "DROP ROLE reader",
                "REVOKE SELECT ON outside.numbers FROM reader"
            })
    void rightsTakenAway_endHitsOfOpenHandles(String change) throws SQLException {
        boolean role = change.contains("reader");
        run(
                straight,
                "DROP USER IF EXISTS clerk@'127.0.0.1', other@'127.0.0.1'",
                "DROP ROLE IF EXISTS reader",
                "CREATE ROLE reader",
                "CREATE USER clerk@'127.0.0.1' IDENTIFIED BY 'c'",
                "GRANT SELECT ON outside.numbers TO " + (role ? "reader" : "clerk@'127.0.0.1'"),
                "GRANT reader TO clerk@'127.0.0.1'",
                "SET DEFAULT ROLE " + (role ? "reader" : "NONE") + " FOR clerk@'127.0.0.1'",
                "GRANT SELECT ON outside.others TO clerk@'127.0.0.1'");
        String url = "jdbc:mysql://127.0.0.1:" + gateway.port()
                + "/outside?user=clerk&password=c&allowPublicKeyRetrieval=true&useServerPrepStmts=true";
        try (Connection clerk = DriverManager.getConnection(url);
                PreparedStatement handle = clerk.prepareStatement("SELECT n FROM numbers WHERE id = ?")) {
            handle.setInt(1, 1);
            soon("the signal").until(() -> {
                handle.executeQuery().close();
                return source(clerk).equals("line");
            });
            run(straight, change);
            // The store decides now; its answer to a session that is logged in is not tested.
            await().atMost(Duration.ofSeconds(5)).until(() -> {
                try {
                    handle.executeQuery().close();
                    return source(clerk).equals("store");
                } catch (SQLException refused) {
                    return true;
                }
            });
        }
    }

    /**
     * A row for each kind of key column: the condition, the write, and proof that only this row was
     * dropped.
     */
    @ParameterizedTest
    @CsvFileSource(resources = "BinlogSignalIT.keyOfEachKind_isToldExactly.txt", delimiter = '|', quoteCharacter = '\'')
    void keyOfEachKind_isToldExactly(String table, String condition, String assignments) throws SQLException {
        String select = "SELECT n FROM " + table + " WHERE " + condition;
        run(straight, "DELETE FROM " + table + " WHERE " + condition);
        warmAndSettled(select, "no row");
        long tables = status("keyline_signal_table_drops");
        run(straight, "INSERT INTO " + table + " SET n = 1, " + assignments);
        sees(select, "1");
        warmAndSettled(select, "1");
        run(straight, "UPDATE " + table + " SET n = 2 WHERE " + condition);
        sees(select, "2");
        assertThat(status("keyline_signal_table_drops")).isEqualTo(tables);
    }

    /**
     * The log's values of these columns are not exact, or are not those of the key, so the table is
     * dropped.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "days    | d = '1500-01-01' AND m = '1500-06-15 00:00:00' | d = '1500-01-01', m = '1500-06-15'",
                "texts   | k = 'e'                                  | k = 'é'"
            })
    void keyThatIsNotExactInTheLog_dropsItsTable(String table, String condition, String assignments)
            throws SQLException {
        String select = "SELECT n FROM " + table + " WHERE " + condition;
        run(straight, "DELETE FROM " + table + " WHERE " + condition);
        warmAndSettled(select, "no row");
        run(straight, "INSERT INTO " + table + " SET n = 1, " + assignments);
        sees(select, "1");
        run(straight, "DELETE FROM " + table + " WHERE " + condition);
    }

    /**
     * By the session's mode, double quotes enclose names or texts, and a backslash escapes or not.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "ANSI_QUOTES          | UPDATE \"numbers\" SET \"n\" = \"n\" + 1 WHERE id = 8",
                "ANSI                 | UPDATE \"outside\".\"numbers\" SET n = n + 1 WHERE id = 8",
                "ORACLE               | UPDATE \"numbers\" SET n = n + 1 WHERE id = 8",
                "MSSQL                | UPDATE [numbers] SET n = n + 1 WHERE id = 8",
                "NO_BACKSLASH_ESCAPES | UPDATE numbers SET n = n + 1 WHERE id = 8 AND '\\' = '\\' -- '",
                "PIPES_AS_CONCAT      | UPDATE numbers SET n = n + 1 WHERE id = '8' || ''",
                "ANSI_QUOTES          | INSERT INTO \"numbers\" VALUES (8, 0) ON DUPLICATE KEY UPDATE n = n + 1",
            })
    void statementsLoggedAsText_ofAnySqlMode_areSeen(String mode, String write) throws SQLException {
        assumeFalse(MariaDb.isMySql() && (mode.equals("ORACLE") || mode.equals("MSSQL")), "modes of MariaDB");
        run(straight, "REPLACE INTO numbers VALUES (8, 80)");
        warm("SELECT n FROM numbers WHERE id = 8", "80");
        for (String format : List.of("STATEMENT", "MIXED")) {
            warm("SELECT n FROM numbers WHERE id = 8", "80");
            run(straight, "SET SESSION binlog_format = " + format, "SET sql_mode = '" + mode + "'", write);
            sees("SELECT n FROM numbers WHERE id = 8", "81");
            run(straight, "SET sql_mode = DEFAULT", "UPDATE numbers SET n = 80 WHERE id = 8");
            sees("SELECT n FROM numbers WHERE id = 8", "80");
        }
    }

    /** Writes during the interruption are reported afterwards, and nothing else is dropped. */
    @Test
    void killedConnection_isResumedWithoutLoss() throws SQLException {
        run(straight, "REPLACE INTO numbers VALUES (11, 110), (12, 120)");
        warm("SELECT n FROM numbers WHERE id = 11", "110");
        warmAndSettled("SELECT n FROM numbers WHERE id = 12", "120");
        long losses = status("keyline_signal_losses");
        long tables = status("keyline_signal_table_drops");
        long dump = follower();
        run(straight, "KILL " + dump, "UPDATE numbers SET n = 111 WHERE id = 11");
        sees("SELECT n FROM numbers WHERE id = 11", "111");
        assertThat(follower()).isNotEqualTo(dump);
        assertThat(read("SELECT n FROM numbers WHERE id = 12")).isEqualTo("120");
        assertThat(source()).isEqualTo("line");
        assertThat(status("keyline_signal_losses")).isEqualTo(losses);
        assertThat(status("keyline_signal_table_drops")).isEqualTo(tables);
        soon("the signal").until(() -> status("keyline_signal_live") == 1);
    }

    /** The log restarts, so the changes in between are unknown. */
    @Test
    void logThatIsReset_dropsEverything() throws SQLException {
        run(straight, "REPLACE INTO numbers VALUES (13, 130)");
        warmAndSettled("SELECT n FROM numbers WHERE id = 13", "130");
        long losses = status("keyline_signal_losses");
        run(
                straight,
                "KILL " + follower(),
                "UPDATE numbers SET n = 131 WHERE id = 13",
                MariaDb.isMySql() ? "RESET BINARY LOGS AND GTIDS" : "RESET MASTER");
        sees("SELECT n FROM numbers WHERE id = 13", "131");
        soon("the signal").until(() -> status("keyline_signal_losses") > losses);
        soon("the signal").until(() -> status("keyline_signal_live") == 1);
        warm("SELECT n FROM numbers WHERE id = 13", "131");
        run(straight, "UPDATE numbers SET n = 132 WHERE id = 13");
        sees("SELECT n FROM numbers WHERE id = 13", "132");
    }

    @Test
    void serverThatStartsAgain_isFollowedWithoutLoss_unlessItsLogIsGone() throws Exception {
        assumeFalse(MariaDb.isMySql(), "the server is not the fixture's to end");
        MariaDb restarted = MariaDb.logging("logging-restart");
        try (Connection first = restarted.connect("")) {
            run(
                    first,
                    "DROP DATABASE IF EXISTS outside",
                    "CREATE DATABASE outside",
                    "CREATE TABLE outside.numbers (id INT PRIMARY KEY, n INT)",
                    "INSERT INTO outside.numbers VALUES (1, 10)");
        }
        try (RelayGateway other = RelayGateway.start(restarted, SETTINGS)) {
            through.close();
            through = other.connect("outside");
            warmAndSettled("SELECT n FROM numbers WHERE id = 1", "10");
            long losses = status("keyline_signal_losses");
            Path logs = Path.of(one(through, "SELECT @@GLOBAL.datadir", 1));
            stop(restarted);
            startAgain(restarted, other);
            run(straight, "UPDATE numbers SET n = 11 WHERE id = 1");
            sees("SELECT n FROM numbers WHERE id = 1", "11");
            soon("the signal").until(() -> status("keyline_signal_live") == 1);
            assertThat(status("keyline_signal_losses")).isEqualTo(losses);

            // Waits likewise, without the earlier logs: the requested position no longer exists.
            warmAndSettled("SELECT n FROM numbers WHERE id = 1", "11");
            stop(restarted);
            try (DirectoryStream<Path> old = Files.newDirectoryStream(logs, "log.*")) {
                for (Path log : old) {
                    Files.delete(log);
                }
            }
            startAgain(restarted, other);
            run(straight, "UPDATE numbers SET n = 12 WHERE id = 1");
            sees("SELECT n FROM numbers WHERE id = 1", "12");
            soon("the signal").until(() -> status("keyline_signal_live") == 1);
            assertThat(status("keyline_signal_losses")).isEqualTo(losses + 1);
        }
    }

    private static void stop(MariaDb server) throws SQLException, IOException {
        ProcessHandle process = ProcessHandle.of(server.pid()).orElseThrow();
        process.destroy();
        soon("the signal").until(() -> !process.isAlive());
    }

    private void startAgain(MariaDb server, RelayGateway other) throws Exception {
        server.startAgain();
        straight.close();
        straight = server.connect("outside");
        through.close();
        through = other.connect("outside");
    }

    /** With the signal, lines live for signalTtl; without it, for ttl. */
    @Test
    void signalThatIsRefused_leavesTheSafeTtl() throws Exception {
        run(
                straight,
                "DROP USER IF EXISTS watcher@'127.0.0.1'",
                "CREATE USER watcher@'127.0.0.1' IDENTIFIED BY 'secret'",
                "GRANT SELECT, TRIGGER, REPLICATION SLAVE ON *.* TO watcher@'127.0.0.1'",
                "REPLACE INTO numbers VALUES (14, 140)");
        try (RelayGateway other = RelayGateway.start(
                store,
                "store.user=watcher",
                "store.signal=binlog",
                "store.signalPeriod=20ms",
                "cache.ttl=1s",
                "cache.signalTtl=10m")) {
            through.close();
            through = other.connect("outside");
            warm("SELECT n FROM numbers WHERE id = 14", "140");
            soon("the signal")
                    .until(() -> read("SELECT n FROM numbers WHERE id = 14").equals("140")
                            && source().equals("line")
                            && ageMillis(through) > 1_500);
            long dump = Long.parseLong(one(
                    straight,
                    "SELECT id FROM information_schema.processlist WHERE command LIKE 'Binlog Dump%' AND user = 'watcher'",
                    1));
            run(straight, "REVOKE REPLICATION SLAVE ON *.* FROM watcher@'127.0.0.1'", "KILL " + dump);
            soon("the signal").until(() -> status("keyline_signal_live") == 0);
            warm("SELECT n FROM numbers WHERE id = 14", "140");
            run(straight, "UPDATE numbers SET n = 141 WHERE id = 14");
            sees("SELECT n FROM numbers WHERE id = 14", "141");
            assertThat(status("keyline_signal_live")).isZero();
        }
    }

    /**
     * A missing setting of the server is reported with its cure, in the view and in EXPLAIN, after
     * the log is connected again.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "binlog_format      | 'MIXED' | 'ROW' | binlog_format is MIXED  | binlog_format=ROW",
                "log_bin_compress   | ON      | OFF   | log_bin_compress is ON  | log_bin_compress=OFF",
                "rpl_semi_sync_master_timeout = 1, GLOBAL rpl_semi_sync_master_wait_point = AFTER_SYNC,"
                        + " GLOBAL rpl_semi_sync_master_enabled"
                        + " | ON | OFF | the log contains changes before reads show them | rpl_semi_sync_master_wait_point=AFTER_COMMIT",
            })
    void logThatSaysTooLittle_isNamedWithItsCure(
            String variable, String value, String usual, String missing, String cure) throws Exception {
        assumeFalse(MariaDb.isMySql(), "variables of MariaDB");
        try (RelayGateway other = RelayGateway.start(store, "cache.ttl=1s")) {
            lifetime(other, "Lines live 1m");
            run(straight, "SET GLOBAL " + variable + " = " + value, "KILL " + follower());
            assertThat(lifetime(other, "Lines live 1s"))
                    .contains(missing, cure, "[mysqld]", "set cache.ttl=1m")
                    .doesNotContain("restart");
        } finally {
            run(straight, "SET GLOBAL " + variable + " = " + usual);
        }
    }

    @Test
    void serverWithoutALog_orWithPartOfIt_isNamedWithItsCure() throws Exception {
        assumeFalse(MariaDb.isMySql(), "the server is not the fixture's to start");
        try (RelayGateway other = RelayGateway.start(MariaDb.get("plain"), "cache.ttl=1s")) {
            assertThat(lifetime(other, "Lines live 1s")).contains("log_bin is off", "binlog_format=ROW", "restart");
        }
        MariaDb filtered = MariaDb.logging("logging-filtered", "--binlog-ignore-db=unlogged");
        try (RelayGateway other = RelayGateway.start(filtered, "cache.ttl=1m")) {
            assertThat(lifetime(other, "Lines live 1m"))
                    .contains("unlogged", "neither binlog_do_db nor binlog_ignore_db", "restart")
                    .doesNotContain("set cache.ttl");
        }
    }

    /** The refused signal drops no lines, and the proposed GRANT restores the signal. */
    @Test
    void missingRight_isNamedWithItsGrant() throws Exception {
        run(
                straight,
                "DROP USER IF EXISTS reader@'127.0.0.1'",
                "CREATE USER reader@'127.0.0.1' IDENTIFIED BY 'secret'",
                "GRANT SELECT, TRIGGER ON *.* TO reader@'127.0.0.1'");
        String grant;
        try (RelayGateway other =
                RelayGateway.start(store, "store.user=reader", "access.views=keyline", "cache.ttl=1s")) {
            String lifetime = lifetime(other, "Lines live 1s");
            int at = lifetime.indexOf("GRANT");
            assertThat(at).as(lifetime).isPositive();
            grant = lifetime.substring(at, lifetime.indexOf(". If all writes", at));
            // A refused signal tries again for ever; its attempts must not cost lines.
            try (Connection session = other.connect("outside")) {
                assertThat(Lines.status(session, "keyline_signal_losses")).isZero();
            }
        }
        run(straight, grant);
        try (RelayGateway other =
                RelayGateway.start(store, "store.user=reader", "access.views=keyline", "cache.ttl=1s")) {
            assertThat(lifetime(other, "Lines live 1m")).contains("cache.signalTtl");
        }
    }

    /** Returns the gateway's statement about its lines, once it has this beginning. */
    private static String lifetime(RelayGateway other, String beginning) throws SQLException {
        try (Connection session =
                DriverManager.getConnection(other.jdbc("outside").replace("/outside", "/"))) {
            String lifetime = soon("the signal")
                    .until(
                            () -> one(session, "SELECT lifetime FROM keyline.signals", 1),
                            sentence -> sentence.startsWith(beginning)
                                    && !sentence.contains("not followed yet")
                                    && !sentence.contains("connection to the binary log is lost"));
            try (Statement sql = session.createStatement()) {
                sql.execute("CREATE DATABASE IF NOT EXISTS outside");
                sql.execute("CREATE TABLE IF NOT EXISTS outside.explained (id INT PRIMARY KEY, n INT)");
                soon("the signal").until(() -> {
                    sql.execute("KEYLINE EXPLAIN SELECT n FROM outside.explained WHERE id = 1");
                    try (ResultSet rows = sql.getResultSet()) {
                        String last = "";
                        while (rows.next()) {
                            last = rows.getString(1) + " " + rows.getString(2);
                        }
                        return last.equals("lifetime " + lifetime);
                    }
                });
            }
            return lifetime;
        }
    }

    // ---------------------------------------------------------------- how it is asked

    /** Reads until a line answers. */
    private void warm(String select, String expected) {
        soon(select).until(() -> read(select).equals(expected) && source().equals("line"));
    }

    /** Reads likewise, until no earlier write will drop the line again. */
    private void warmAndSettled(String select, String expected) {
        warm(select, expected);
        soon(select).until(() -> read(select).equals(expected) && source().equals("line") && ageMillis(through) > 200);
    }

    private void sees(String select, String expected) {
        sees(through, select, expected);
    }

    private static void sees(Connection reader, String select, String expected) {
        soon(select).until(() -> one(reader, select, 1).equals(expected));
    }

    private String read(String select) throws SQLException {
        return one(through, select, 1);
    }

    private String source() throws SQLException {
        return source(through);
    }

    private static String source(Connection session) throws SQLException {
        return one(session, "KEYLINE LAST", 2);
    }

    private static long ageMillis(Connection session) throws SQLException {
        try (Statement sql = session.createStatement()) {
            sql.execute("KEYLINE LAST");
            try (ResultSet rows = sql.getResultSet()) {
                while (rows.next()) {
                    if (rows.getString(1).equals("age")) {
                        return Long.parseLong(rows.getString(2).replace(" ms", ""));
                    }
                }
                return -1;
            }
        }
    }

    private long status(String name) throws SQLException {
        return Long.parseLong(one(through, "SHOW STATUS LIKE '" + name + "'", 2));
    }

    /** Returns the id of the connection by which the gateway follows the log. */
    private long follower() {
        return soon("the signal")
                .until(
                        () -> Long.parseLong(one(
                                straight,
                                "SELECT coalesce(max(id), 0) FROM information_schema.processlist"
                                        + " WHERE command LIKE 'Binlog Dump%' AND user = 'keyline'",
                                1)),
                        id -> id > 0);
    }
}
