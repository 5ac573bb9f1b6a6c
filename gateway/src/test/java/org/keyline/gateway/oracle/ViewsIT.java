package org.keyline.gateway.oracle;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.fixtures.ClientProcess;
import org.keyline.protocol.fixtures.MariaDbServer;

/** Views of the embedded store beside those of MariaDB: rows, errors, what SHOW tells, and mysqldump from each into each. */
final class ViewsIT {
    private static final List<String> READS = List.of(
            "SELECT * FROM joined ORDER BY k, w",
            "SELECT q.* FROM joined AS q WHERE q.w > 10 ORDER BY 1, 2",
            "SELECT name, COUNT(*) AS n FROM joined GROUP BY name ORDER BY name",
            "SELECT * FROM summed ORDER BY name",
            "SELECT s.total, j.w FROM summed s LEFT JOIN joined j USING (name) ORDER BY 1, 2",
            "SELECT * FROM renamed WHERE `the key` IN (1, 3) ORDER BY `the key`",
            "SELECT (SELECT MAX(w) FROM joined j WHERE j.k = t.k) AS m FROM t ORDER BY k",
            "SELECT * FROM limited",
            "SELECT * FROM united ORDER BY 1, 2",
            "SELECT text, HEX(bytes), number, day FROM constants",
            "SELECT k FROM joined WHERE EXISTS (SELECT * FROM renamed WHERE `the key` = joined.k) ORDER BY w",
            "WITH joined AS (SELECT 5 AS five) SELECT * FROM joined, limited",
            "SELECT TABLE_NAME, TABLE_TYPE FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'd' ORDER BY 1",
            "SELECT TABLE_NAME, CHECK_OPTION, SECURITY_TYPE FROM information_schema.VIEWS WHERE TABLE_SCHEMA = 'd' ORDER BY 1",
            "SELECT TABLE_NAME, ENGINE, TABLE_ROWS, TABLE_COMMENT FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'd'"
                    + " AND TABLE_TYPE = 'VIEW' ORDER BY 1",
            "SELECT TABLE_NAME, COLUMN_NAME, ORDINAL_POSITION FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'd'"
                    + " ORDER BY 1, 3",
            "SHOW FULL TABLES",
            "SHOW TABLES LIKE 'joi%'",
            "SHOW FIELDS FROM summed LIKE 'nothing'");

    private static BothServers servers;

    @BeforeAll
    static void start() throws Exception {
        servers = new BothServers();
        // Whoever made a view must be known where its dump is loaded.
        servers.runOnMariaDb("CREATE USER IF NOT EXISTS root@'%' IDENTIFIED BY 'nobody logs in'");
        servers.runOnMariaDb("GRANT ALL ON d.* TO root@'%'");
    }

    @AfterAll
    static void stop() throws Exception {
        servers.runOnMariaDb("DROP USER root@'%'");
        servers.close();
    }

    @BeforeEach
    void tablesAndViews() throws SQLException {
        for (String statement : List.of(
                "DROP DATABASE IF EXISTS d",
                "CREATE DATABASE d DEFAULT CHARACTER SET utf8mb4",
                "USE d",
                "CREATE TABLE t (k INT NOT NULL PRIMARY KEY, name VARCHAR(20))",
                "CREATE TABLE u (k INT NOT NULL, w INT NOT NULL, PRIMARY KEY (k, w))",
                "INSERT INTO t VALUES (1, 'one'), (2, 'two'), (3, NULL)",
                "INSERT INTO u VALUES (1, 10), (1, 11), (2, 20)",
                "CREATE VIEW joined AS SELECT t.*, u.w FROM t JOIN u ON t.k = u.k WHERE t.name <> 'it''s'",
                "CREATE OR REPLACE VIEW summed AS SELECT name, SUM(w) AS total FROM joined GROUP BY name HAVING SUM(w) > 1",
                "CREATE ALGORITHM=TEMPTABLE SQL SECURITY INVOKER VIEW renamed (`the key`, `a``b`) AS SELECT * FROM t",
                "CREATE VIEW IF NOT EXISTS limited AS (SELECT k FROM d.t ORDER BY k DESC LIMIT 1)",
                "CREATE VIEW united AS SELECT * FROM t UNION ALL SELECT k, 'u' FROM u",
                "CREATE VIEW checked AS SELECT * FROM t WHERE k < 3 WITH LOCAL CHECK OPTION",
                "CREATE VIEW constants AS SELECT 'it''s \\\\ ☃' AS text, x'00ff27' AS bytes, 1.50 AS number, DATE '2024-02-29'"
                        + " AS day FROM t LIMIT 1")) {
            servers.run(statement);
        }
    }

    private static void assertSame(String sql) throws SQLException {
        BothServers.Answer theirs = servers.ofMariaDb(sql);
        BothServers.Answer ours = servers.ofStore(sql);
        assertThat(ours.error())
                .as(sql + ": " + ours.message() + " / " + theirs.message())
                .isEqualTo(theirs.error());
        assertThat(ours.rows()).as(sql).isEqualTo(theirs.rows());
    }

    @Test
    void reads_areThoseOfMariaDb() throws SQLException {
        for (String sql : READS) {
            // Read three times, since lines answer where they may.
            assertSame(sql);
            assertSame(sql);
            assertSame(sql);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE VIEW joined AS SELECT 1",
                "CREATE VIEW t AS SELECT 1",
                "CREATE OR REPLACE VIEW t AS SELECT 1",
                "CREATE TABLE joined (k INT)",
                "CREATE VIEW v AS SELECT 1 AS a, 2 AS A",
                "CREATE VIEW v (a) AS SELECT 1, 2",
                "CREATE VIEW v (a, a) AS SELECT 1, 2",
                "CREATE VIEW v AS SELECT nothing FROM t",
                "CREATE VIEW v AS SELECT * FROM nothing",
                "CREATE VIEW v AS SELECT @x",
                "CREATE VIEW v AS SELECT @@sql_mode",
                "CREATE VIEW nothing.v AS SELECT 1",
                "CREATE VIEW v AS",
                "ALTER VIEW nothing AS SELECT 1",
                "SHOW CREATE VIEW t",
                "SHOW CREATE VIEW nothing",
                "ALTER TABLE joined ADD COLUMN x INT",
                "RENAME TABLE joined TO t",
                "INSERT INTO summed VALUES ('x', 1)",
                "UPDATE summed SET total = 1",
                "DELETE FROM summed",
                "SELECT nothing FROM joined",
                "SELECT joined.k FROM joined AS j",
                "SELECT k FROM joined, t"
            })
    void refused_isWhatMariaDbRefuses(String sql) throws SQLException {
        BothServers.Answer theirs = servers.ofMariaDb(sql);
        BothServers.Answer ours = servers.ofStore(sql);
        assertThat(theirs.error()).as(sql).isNotZero();
        assertThat(ours.error()).as(ours.message() + " / " + theirs.message()).isEqualTo(theirs.error());
        reads_areThoseOfMariaDb();
    }

    @Test
    void changedTables_areSeenByTheirViews() throws SQLException {
        for (String change : List.of(
                "RENAME TABLE u TO moved",
                "RENAME TABLE moved TO u",
                "DROP TABLE u",
                "CREATE TABLE u (k INT PRIMARY KEY, w VARCHAR(9))",
                "INSERT INTO u VALUES (2, 'x')",
                "ALTER TABLE t ADD COLUMN more INT FIRST",
                "ALTER TABLE t DROP COLUMN name",
                "ALTER TABLE t ADD COLUMN name INT",
                "RENAME TABLE joined TO j2",
                "RENAME TABLE j2 TO joined",
                "DROP VIEW joined",
                "CREATE TABLE joined (k INT, name INT, w INT)",
                "DROP TABLE joined",
                "CREATE VIEW joined AS SELECT k, 7 AS name, k AS w FROM t",
                "ALTER VIEW joined AS SELECT 1 AS k, 2 AS name, 3 AS w",
                "DROP VIEW IF EXISTS joined, summed")) {
            servers.run(change);
            for (String sql : List.of(
                    "SELECT * FROM joined ORDER BY k, w",
                    "SELECT total FROM summed ORDER BY 1",
                    "SELECT `the key` FROM renamed ORDER BY 1",
                    "SHOW FULL TABLES")) {
                assertSame(sql);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--opt", "--single-transaction"})
    void dump_loadsIntoTheOther(String form) throws Exception {
        int store = servers.gateway().address().port();
        int mariaDb = MariaDbServer.get().address().getPort();
        byte[] ours = ClientProcess.mysqldump(store, "root", "", form, "d");
        byte[] theirs = ClientProcess.mysqldump(mariaDb, "keyline", MariaDbServer.PASSWORD, form, "d");
        assertThat(new String(ours, UTF_8)).contains("-- Dump completed").doesNotContain("mysqldump: ", "-dump: ");
        for (String statement :
                List.of("DROP DATABASE d", "CREATE DATABASE d DEFAULT CHARACTER SET utf8mb4", "USE d")) {
            servers.run(statement);
        }
        assertThat(load(store, "root", "", theirs)).isEmpty();
        assertThat(load(mariaDb, "keyline", MariaDbServer.PASSWORD, ours)).isEmpty();
        reads_areThoseOfMariaDb();
        byte[] again = ClientProcess.mysqldump(store, "root", "", form, "d");
        servers.run("DROP DATABASE d");
        servers.run("CREATE DATABASE d");
        servers.run("USE d");
        assertThat(load(store, "root", "", again)).isEmpty();
        assertThat(load(mariaDb, "keyline", MariaDbServer.PASSWORD, again)).isEmpty();
        reads_areThoseOfMariaDb();
        // A dump over what is there replaces it.
        assertThat(load(store, "root", "", again)).isEmpty();
        reads_areThoseOfMariaDb();
    }

    private static String load(int port, String user, String password, byte[] dump) throws Exception {
        byte[] text = new byte[dump.length + 6];
        System.arraycopy("USE d;".getBytes(UTF_8), 0, text, 0, 6);
        System.arraycopy(dump, 0, text, 6, dump.length);
        return new String(ClientProcess.mysql(port, user, password, text), UTF_8);
    }
}
