package org.keyline.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.fixtures.ClientProcess;
import org.keyline.gateway.fixtures.DemoGateway;

/** The mysql command line client and PyMySQL, as separate processes. */
final class CommandLineClientIT {
    private static DemoGateway demo;

    @BeforeAll
    static void start() throws Exception {
        demo = DemoGateway.start("tables.demo.vertices.prefix=1");
    }

    @AfterAll
    static void stop() {
        demo.close();
    }

    @Test
    void mysql_withCompletion_readsTheTables() throws Exception {
        assertThat(mysql("SELECT count(*) AS n FROM users;\n", "--auto-rehash", "demo"))
                .contains("100");
    }

    @Test
    void mysql_typingError_costsNoHits() throws Exception {
        String read = "SELECT balance FROM users WHERE user_id = 41;\n";
        assertThat(mysql("SELEC 1;\n" + read.repeat(3) + "KEYLINE LAST;\n", "-f", "demo"))
                .contains("ERROR 1064")
                .containsPattern("source\\s+(line|load)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--skip-lock-tables", "--single-transaction", "--skip-opt"})
    void mysqldump_ofADatabase_isLoadedAgain(String form) throws Exception {
        int port = demo.address().port();
        mysql("""
                DROP DATABASE IF EXISTS kept;
                CREATE DATABASE kept;
                USE kept;
                CREATE TABLE u (k BIGINT, v VARCHAR(50), n DECIMAL(9, 2), a ARRAY<INT>) UNIQUE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 1;
                INSERT INTO u VALUES (1, 'it''s \\\\ \u2603', 1.50, '[1, 2]'), (2, NULL, NULL, NULL);
                CREATE TABLE m (id INT AUTO_INCREMENT PRIMARY KEY, b BLOB, t DATETIME(3));
                SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO';
                INSERT INTO m VALUES (0, x'00ff275c', '2024-01-01 01:02:03.456'), (7, NULL, NULL);
                """);
        String rows = "SELECT k, v, n, a FROM u ORDER BY k; SELECT id, HEX(b), t FROM m ORDER BY id;";
        String before = mysql(rows, "kept");
        assertThat(before).contains("it's \\\\ \u2603", "[1, 2]", "00FF275C", "01:02:03.456");
        byte[] dump = ClientProcess.mysqldump(
                port, "root", "", form, "--skip-add-locks", "--add-drop-table", "--databases", "kept");
        assertThat(new String(dump, StandardCharsets.UTF_8))
                .contains("-- Dump completed")
                .doesNotContain("mysqldump: ", "mariadb-dump: ");
        assertThat(mysql("DROP DATABASE kept")).isEmpty();
        byte[] output = ClientProcess.mysql(port, "root", "", dump);
        assertThat(new String(output, StandardCharsets.UTF_8)).isEmpty();
        assertThat(mysql(rows, "kept")).isEqualTo(before);
    }

    @Test
    void pymysql_textProtocol_readsAndWrites() throws Exception {
        ClientProcess.assumePython("pymysql");
        String script = """
                import pymysql, sys
                c = pymysql.connect(host='127.0.0.1', port=int(sys.argv[1]), user='root', database='demo', autocommit=True)
                with c.cursor() as cursor:
                    for i in range(3):
                        cursor.execute('SELECT user_id, name, balance FROM users WHERE user_id = %s', (11,))
                        rows = cursor.fetchall()
                        assert len(rows) == 1 and rows[0][0] == 11, rows
                    text = "it's \\\\ \\u2603 \\U0001D11E"
                    assert cursor.execute('UPDATE users SET name = %s WHERE user_id = %s', (text, 11)) == 1
                    for i in range(3):
                        cursor.execute('SELECT name FROM users WHERE user_id = %s', (11,))
                        assert cursor.fetchone()[0] == text
                    cursor.execute('SELECT label FROM vertices WHERE user_id = 3 AND graph_id IN (1, 2)')
                    assert len(cursor.fetchall()) > 2
                    cursor.execute("SHOW STATUS LIKE 'keyline\\\\_hits'")
                    assert int(cursor.fetchone()[1]) > 0
                    try:
                        cursor.execute('SELECT * FROM no_such_table')
                        assert False
                    except pymysql.err.ProgrammingError as e:
                        assert e.args[0] == 1146, e
                c.begin()
                with c.cursor() as cursor:
                    cursor.execute("UPDATE users SET city = 'inside' WHERE user_id = 12")
                    cursor.execute('SELECT city FROM users WHERE user_id = 12')
                    assert cursor.fetchone()[0] == 'inside'
                c.rollback()
                with c.cursor() as cursor:
                    cursor.execute('SELECT city FROM users WHERE user_id = 12')
                    assert cursor.fetchone()[0] != 'inside'
                c.ping()
                c.select_db('ycsb')
                c.close()
                print('all good')
                """;
        assertThat(ClientProcess.python(script, Integer.toString(demo.address().port())))
                .contains("all good");
    }

    private static String mysql(String session, String... options) throws Exception {
        List<String> all = new ArrayList<>(List.of("--default-character-set=utf8mb4"));
        all.addAll(List.of(options));
        byte[] output = ClientProcess.mysql(
                demo.address().port(),
                "root",
                "",
                session.getBytes(StandardCharsets.UTF_8),
                all.toArray(String[]::new));
        return new String(output, StandardCharsets.UTF_8);
    }
}
