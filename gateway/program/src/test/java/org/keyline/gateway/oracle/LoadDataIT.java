package org.keyline.gateway.oracle;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.mysql.cj.jdbc.JdbcStatement;
import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.fixtures.ClientProcess;

/**
 * LOAD DATA LOCAL INFILE on the embedded store: rows, counts and errors are MariaDB's, or the load
 * fails.
 */
final class LoadDataIT {
    private static final String TABLE =
            "CREATE TABLE t (k INT NOT NULL PRIMARY KEY, v VARCHAR(8) NOT NULL, n TINYINT DEFAULT 42,"
                    + " d DECIMAL(6,2), o INT NOT NULL DEFAULT 9)";

    private static BothServers servers;

    @BeforeAll
    static void start() throws Exception {
        servers = new BothServers();
        servers.runOnMariaDb("SET GLOBAL local_infile = ON");
    }

    @AfterAll
    static void stop() throws Exception {
        servers.close();
    }

    /**
     * Returns the outcome of a load: affected rows or an error, warnings, and the rows of the
     * table.
     */
    private static List<String> outcome(Connection connection, String statement, byte[] file) throws SQLException {
        List<String> outcome = new ArrayList<>();
        List<String> warnings = new ArrayList<>();
        try (Statement load = connection.createStatement()) {
            load.unwrap(JdbcStatement.class).setLocalInfileInputStream(new ByteArrayInputStream(file));
            outcome.add("affected " + load.executeUpdate(statement));
            for (SQLWarning w = load.getWarnings(); w != null; w = w.getNextWarning()) {
                warnings.add(w.getErrorCode() + " "
                        + String.valueOf(w.getMessage()).replaceAll("`d`\\.`t`\\.`(\\w+)`", "'$1'"));
            }
        } catch (SQLException e) {
            outcome.add("error " + e.getErrorCode());
        }
        Collections.sort(warnings);
        outcome.addAll(warnings);
        try (Statement select = connection.createStatement();
                ResultSet rows = select.executeQuery("SELECT * FROM t ORDER BY 1, 2")) {
            BothServers.read(rows).rows().forEach(row -> outcome.add(row.toString()));
        }
        return outcome;
    }

    private static void assertSame(String statement, String file) throws SQLException {
        List<String> theirs = outcome(servers.mariaDb(), statement, file.getBytes(UTF_8));
        assertThat(outcome(servers.store(), statement, file.getBytes(UTF_8)))
                .as(statement + "\n" + file)
                .isEqualTo(theirs);
    }

    private static void fresh() throws SQLException {
        servers.run("DROP TABLE IF EXISTS t");
        servers.run(TABLE);
        servers.run("INSERT INTO t VALUES (2, 'two', 2, 2, 2)");
    }

    static List<String> statements() {
        return List.of(
                "LOAD DATA LOCAL INFILE 'f' INTO TABLE t",
                "LOAD DATA LOCAL INFILE 'f' IGNORE INTO TABLE t (k, v, n, d, o)",
                "LOAD DATA LOCAL INFILE 'f' INTO TABLE t CHARACTER SET utf8mb4 FIELDS TERMINATED BY '\\t' ENCLOSED BY '\"'",
                "LOAD DATA LOCAL INFILE 'f' INTO TABLE t FIELDS OPTIONALLY ENCLOSED BY '\"' IGNORE 2 LINES",
                "LOAD DATA LOCAL INFILE 'f' INTO TABLE t (k, nosuch)",
                "LOAD DATA LOCAL INFILE 'f' INTO TABLE nosuch",
                "LOAD DATA LOCAL INFILE 'f' INTO TABLE t FIELDS TERMINATED BY ',' ENCLOSED BY 'ab'");
    }

    /** MariaDB warns about rows that it skips because of their key; the store only counts them. */
    @ParameterizedTest
    @MethodSource("statements")
    void file_isLoadedAsByMariaDb(String statement) throws SQLException {
        for (String file : List.of(
                "1\tone\t5\t1.5\t1\n1\tdup\t6\t7\t8\n2\tzwo\t1\t1\t1\n3\tthree\t7\t1\t1\textra\n5\ta\\tb\\nc\t1\t\\N\t1\n"
                        + "8\t\"x\"\"y\"\t1\t1\t1\n1\tlast\t1\t1\t1",
                "")) {
            fresh();
            List<String> theirs = outcome(servers.mariaDb(), statement, file.getBytes(UTF_8));
            theirs.removeIf(line -> line.startsWith("1062 "));
            assertThat(outcome(servers.store(), statement, file.getBytes(UTF_8)))
                    .as(statement + "\n" + file)
                    .isEqualTo(theirs);
        }
    }

    /** MariaDB stores a different value, with a warning. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "7\tlonger than that\t5\t1\t1\n",
                "7\tone\t128\t1\t1\n",
                "7\tone\t\t1\t1\n",
                "7\t\\N\t1\t1\t1\n",
                "7\tone\t1\t99999.999\t1\n",
                "7\tone\t1\t1\n",
                "\n"
            })
    void value_thatDoesNotFit_failsTheLoad(String file) throws SQLException {
        fresh();
        for (String verb : List.of("", "IGNORE ")) {
            List<String> outcome = outcome(
                    servers.store(),
                    "LOAD DATA LOCAL INFILE 'f' " + verb + "INTO TABLE t",
                    ("6\tsix\t1\t1\t1\n" + file).getBytes(UTF_8));
            assertThat(outcome.get(0)).startsWith("error 1");
            assertThat(outcome.get(outcome.size() - 1)).isEqualTo("[2, two, 2, 2.00, 2]");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"(k, v) SET d = 1", "(k, @a)", "(k, v) PROPERTIES ('a' = 'b')"})
    void clause_thatIsNotOffered_isRefused(String targets) throws SQLException {
        fresh();
        assertThat(outcome(
                        servers.store(),
                        "LOAD DATA LOCAL INFILE 'f' INTO TABLE t " + targets,
                        "1\tone\n".getBytes(UTF_8)))
                .containsExactly("error 1235", "[2, two, 2, 2.00, 2]");
    }

    /**
     * Files of every format, made of the characters with a special meaning, cut and repeated at
     * random.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void files_generated_areSplitAsByMariaDb(long seed) throws SQLException {
        Random random = new Random(seed);
        String[] ends = {"\\n", "\\r\\n", ";"};
        for (int round = 0; round < 15; round++) {
            servers.run("DROP TABLE IF EXISTS t");
            servers.run("CREATE TABLE t (v VARCHAR(200), w VARCHAR(200))");
            String end = ends[random.nextInt(ends.length)];
            String enclosed = random.nextBoolean() ? "" : " ENCLOSED BY '\"'";
            String escaped = new String[] {"", " ESCAPED BY ''", " ESCAPED BY '\"'"}[random.nextInt(3)];
            StringBuilder file = new StringBuilder();
            for (int i = 0; i < 60; i++) {
                String[] parts = {
                    ",", ",", "\"", "\"\"", "\\", "\\N", "a", "NULL", "\u00e4", ">", "\r", "\n", "\r\n", ";", "n"
                };
                file.append(parts[random.nextInt(parts.length)]);
            }
            assertSame(
                    "LOAD DATA LOCAL INFILE 'f' INTO TABLE t CHARACTER SET utf8mb4 FIELDS TERMINATED BY ','" + enclosed
                            + escaped + " LINES TERMINATED BY '" + end + "' IGNORE " + random.nextInt(2)
                            + " LINES",
                    file.toString());
        }
    }

    @Test
    void mysqlimport_loadsAFile_andTellsTheSame(@TempDir Path folder) throws Exception {
        StringBuilder rows = new StringBuilder("k,v\n");
        for (int i = 0; i < 3_000; i++) {
            rows.append(i).append(",\"v ").append(i).append("\",1,1,1\n");
        }
        Path file = Files.writeString(folder.resolve("t.csv"), rows);
        int port = servers.gateway().address().port();
        for (String verb : List.of("--ignore", "--delete")) {
            fresh();
            String told = new String(
                    ClientProcess.mysqlimport(
                            port,
                            "root",
                            "",
                            "--local",
                            "--ignore-lines=1",
                            "--fields-terminated-by=,",
                            "--fields-enclosed-by=\"",
                            verb,
                            "d",
                            file.toString()),
                    UTF_8);
            String counts = "Deleted: 0  Skipped: " + (verb.equals("--ignore") ? 1 : 0) + "  Warnings: 0";
            assertThat(told).as(verb).contains("d.t: Records: 3000  " + counts);
            assertThat(servers.ofStore("SELECT COUNT(*), MAX(v) FROM t WHERE k <> 2")
                            .rows())
                    .containsExactly(List.of("2999", "v 999"));
        }
    }
}
