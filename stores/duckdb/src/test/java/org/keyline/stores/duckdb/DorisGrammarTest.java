package org.keyline.stores.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.keyline.stores.duckdb.StatementsTest.rows;
import static org.keyline.stores.duckdb.StatementsTest.run;

import com.mysql.cj.jdbc.JdbcConnection;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

/** Every rule of Doris's grammar: correct statements are answered here or refused by name. */
final class DorisGrammarTest extends FreshDatabase {
    private static final String UNIQUE =
            " UNIQUE KEY(k) %s DISTRIBUTED BY HASH(k) BUCKETS 1 PROPERTIES (\"replication_num\" = \"1\")";

    /**
     * Errors of statements that were not understood, including a word that is taken for a table or
     * a variable, and internal errors.
     */
    private static final Set<Integer> WRONG = Set.of(1064, 1105, 1146, 1193);

    static List<String> statements() throws IOException {
        try (InputStream file =
                Objects.requireNonNull(DorisGrammarTest.class.getResourceAsStream("doris-statements.sql"))) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("--"))
                    .toList();
        }
    }

    @Test
    void correctStatements_areNeverSyntaxErrors() throws Exception {
        List<String> wrong = new ArrayList<>();
        boolean changed = true;
        for (String sql : statements()) {
            connection.unwrap(JdbcConnection.class).resetServerState();
            if (changed) {
                objects();
            }
            changed = sql.startsWith("ALTER TABLE");
            try (Statement statement = connection.createStatement()) {
                statement.execute(sql);
            } catch (SQLException e) {
                if (WRONG.contains(e.getErrorCode()) || e.getErrorCode() == 0) {
                    wrong.add(sql + "\n    " + e.getErrorCode() + " " + e.getMessage());
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    @ParameterizedTest
    @CsvFileSource(resources = "DorisGrammarTest.mistakes_areSyntaxErrors.txt", delimiter = '\t', quoteCharacter = '~')
    void mistakes_areSyntaxErrors(String sql) throws SQLException {
        objects();
        assertThatThrownBy(() -> run(connection, sql))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(1064));
    }

    @Test
    void commentOfAColumn_leavesAllElse() throws SQLException {
        objects();
        run(connection, "INSERT INTO t VALUES (1, 'a', '2024-01-01')");
        List<String> before = rows(connection, "SHOW FULL COLUMNS FROM t");
        run(connection, "ALTER TABLE t MODIFY COLUMN V COMMENT 'it''s', MODIFY COLUMN k COMMENT 'key'");
        assertThat(rows(
                        connection,
                        "SELECT COLUMN_NAME, COLUMN_COMMENT FROM information_schema.COLUMNS WHERE"
                                + " TABLE_SCHEMA = 'd' AND TABLE_NAME = 't' ORDER BY ORDINAL_POSITION"))
                .containsExactly("k|key", "v|it's", "d|");
        run(connection, "ALTER TABLE t MODIFY COLUMN v COMMENT '', MODIFY COLUMN k COMMENT ''");
        assertThat(rows(connection, "SHOW FULL COLUMNS FROM t")).isEqualTo(before);
        assertThat(rows(connection, "SELECT * FROM t")).containsExactly("1|a|2024-01-01");
    }

    @Test
    void filtersOfAShow_areHonoured() throws SQLException {
        objects();
        assertThat(rows(connection, "SHOW COLUMNS FROM p WHERE `Key` = 'PRI'")).hasSize(1);
        assertThat(rows(connection, "SHOW TABLES FROM internal.d")).contains("t", "p");
        assertThatThrownBy(() -> run(connection, "SHOW TABLES FROM elsewhere.d"))
                .hasMessageContaining("the catalog 'elsewhere'");
        assertThat(rows(connection, "SHOW GRANTS FOR CURRENT_USER()")).isEqualTo(rows(connection, "SHOW GRANTS"));
        assertThatThrownBy(() -> run(connection, "SHOW GRANTS FOR 'jack'@'%'"))
                .hasMessageContaining("SHOW GRANTS FOR another user");
    }

    /** Creates again the objects that a statement may have changed. */
    private void objects() throws SQLException {
        run(connection, "USE d");
        run(connection, "DROP TABLE IF EXISTS t, t9, p");
        run(connection, "CREATE TABLE t (k INT, v VARCHAR(20), d DATE)" + UNIQUE.formatted(""));
        run(
                connection,
                "CREATE TABLE p (k INT, v INT)"
                        + UNIQUE.formatted("PARTITION BY RANGE(k) (PARTITION p1 VALUES LESS THAN (\"10\"),"
                                + " PARTITION p2 VALUES LESS THAN (\"20\"))"));
    }
}
