package org.keyline.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.DemoGateway;

/** The mysql command line client and PyMySQL, as processes of their own. */
final class CommandLineClientIT {
    private static final int TIMEOUT_SECONDS = 60;

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
    void mysql_sessionOfTheReadme_answersFromLines() throws Exception {
        String session = """
                SHOW DATABASES;
                USE demo;
                SHOW TABLES;
                DESCRIBE users;
                SELECT name FROM users WHERE user_id = 42;
                SELECT name FROM users WHERE user_id = 42;
                SELECT name FROM users WHERE user_id = 42;
                KEYLINE LAST;
                KEYLINE EXPLAIN SELECT * FROM users WHERE user_id = 42;
                EXPLAIN SELECT * FROM users WHERE user_id = 42;
                UPDATE users SET name = 'renamed' WHERE user_id = 42;
                SELECT name FROM users WHERE user_id = 42;
                SHOW STATUS LIKE 'keyline%';
                KEYLINE FLUSH ALL;
                """;
        String output = run(mysql("-t"), session);
        assertThat(output)
                .contains("| demo ", "| users ", "| vertices ")
                .contains("| source   | line")
                .contains("SHORT-CIRCUIT", "user_id = 42", "renamed")
                .contains("Keyline_queries", "Keyline_hits", "Keyline_absent_hits", "Keyline_loads")
                .contains("Keyline_load_failures", "Keyline_rows_loaded", "Keyline_evictions", "Keyline_lines")
                .contains("Keyline_bytes", "Keyline_forwarded");
    }

    @Test
    void mysql_withCompletion_readsTheTables() throws Exception {
        assertThat(run(mysql("--auto-rehash", "demo"), "SELECT count(*) AS n FROM users;\n"))
                .contains("100");
    }

    @Test
    void mysql_error_isShownAndTheNextStatementRuns() throws Exception {
        String output = run(mysql("-f", "demo"), "SELECT nothing FROM users;\nSELECT 'still here';\n");
        assertThat(output).contains("ERROR 1054").contains("still here");
    }

    @Test
    void pymysql_textProtocol_readsAndWrites() throws Exception {
        String python = System.getenv().getOrDefault("KEYLINE_PYTHON", "python3");
        assumeTrue(works(List.of(python, "-c", "import pymysql")), "PyMySQL is not installed");
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
        Path file = Files.writeString(Files.createTempFile("keyline", ".py"), script);
        try {
            assertThat(run(
                            List.of(
                                    python,
                                    file.toString(),
                                    Integer.toString(demo.address().port())),
                            ""))
                    .contains("all good");
        } finally {
            Files.delete(file);
        }
    }

    private static List<String> mysql(String... more) {
        String client = Stream.of("mariadb", "mysql")
                .filter(name -> works(List.of(name, "--version")))
                .findFirst()
                .orElse("");
        assumeTrue(!client.isEmpty(), "no mysql client is installed");
        List<String> command = new ArrayList<>(List.of(
                client,
                "--no-defaults",
                "--default-character-set=utf8mb4",
                "-h",
                "127.0.0.1",
                "-P",
                Integer.toString(demo.address().port()),
                "-u",
                "root"));
        command.addAll(List.of(more));
        return command;
    }

    private static boolean works(List<String> command) {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException notThere) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static String run(List<String> command, String input) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().write(input.getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
        return output;
    }
}
