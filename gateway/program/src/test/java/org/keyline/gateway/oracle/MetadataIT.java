package org.keyline.gateway.oracle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.fixtures.ClientProcess;
import org.keyline.gateway.fixtures.TextLines;
import org.keyline.planner.statement.LikePattern;
import org.keyline.protocol.fixtures.MariaDbServer;

/** The queries of tools about tables have MariaDB's answers for the same table. */
final class MetadataIT {
    private static BothServers servers;

    @BeforeAll
    static void start() throws Exception {
        servers = new BothServers();
        servers.run("CREATE TABLE plain (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, name VARCHAR(30) NOT NULL,"
                + " amount DECIMAL(10,2), at DATETIME(3), note TEXT COMMENT 'a note', small SMALLINT, ratio DOUBLE,"
                + " day DATE, data BLOB, PRIMARY KEY (id), UNIQUE KEY u (name), KEY k (amount, at))"
                + " COMMENT='plain table'");
        servers.run("CREATE TABLE pair (a INT NOT NULL, b VARCHAR(10) NOT NULL, c INT, PRIMARY KEY (b, a))");
        servers.runOnMariaDb("CREATE USER IF NOT EXISTS plain@'127.0.0.1' IDENTIFIED BY 'plain'");
        servers.runOnMariaDb("GRANT ALL ON *.* TO plain@'127.0.0.1'");
    }

    @AfterAll
    static void stop() throws Exception {
        servers.close();
    }

    /** Like SHOW … LIKE there, with a collation that ignores case. */
    @Test
    void likePatterns_generated_matchAsOnMariaDb() throws SQLException {
        Random random = new Random(20_261_122);
        for (int round = 0; round < 40; round++) {
            StringBuilder question = new StringBuilder("SELECT ''");
            StringBuilder answer = new StringBuilder();
            for (int i = 0; i < 100; i++) {
                String text = generated(random, "abA%_\\\ud83d\ude00");
                String pattern = generated(random, "aB%%__\\\ud83d\ude00") + "%".repeat(random.nextInt(3));
                question.append(", '")
                        .append(text.replace("\\", "\\\\"))
                        .append("' COLLATE utf8mb4_unicode_ci LIKE '")
                        .append(pattern.replace("\\", "\\\\"))
                        .append('\'');
                answer.append(LikePattern.of(pattern).matches(text) ? '1' : '0');
            }
            List<String> row = servers.ofMariaDb(question.toString()).rows().get(0);
            assertThat(String.join("", row)).as(question.toString()).isEqualTo(answer.toString());
        }
    }

    private static String generated(Random random, String of) {
        int[] characters = of.codePoints().toArray();
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(7); i > 0; i--) {
            text.appendCodePoint(characters[random.nextInt(characters.length)]);
        }
        return text.toString();
    }

    /** Names that the server chooses, columns that exist or not, sizes that determine a type. */
    @ParameterizedTest
    @CsvFileSource(
            resources = "MetadataIT.definitions_whereMuchIsLeftToTheServer_comeToTheSame.txt",
            delimiter = '\t',
            quoteCharacter = '~')
    void definitions_whereMuchIsLeftToTheServer_comeToTheSame(String definitions) throws SQLException {
        servers.run("DROP TABLE IF EXISTS made");
        for (String sql : definitions.split("; ", -1)) {
            assertThat(servers.ofStore(sql).error())
                    .as(sql)
                    .isEqualTo(servers.ofMariaDb(sql).error());
        }
        for (String sql : List.of(
                "SELECT index_name, seq_in_index, column_name, non_unique FROM information_schema.statistics"
                        + " WHERE table_schema = 'd' AND table_name = 'made' ORDER BY 1, 2",
                "SELECT column_name, data_type, character_octet_length FROM information_schema.columns"
                        + " WHERE table_schema = 'd' AND table_name = 'made' AND data_type <> 'longtext'"
                        + " ORDER BY ordinal_position")) {
            assertThat(servers.ofStore(sql).rows())
                    .as(sql)
                    .isEqualTo(servers.ofMariaDb(sql).rows());
        }
    }

    private interface Question {
        ResultSet ask(DatabaseMetaData metadata) throws SQLException;
    }

    /** Column names of the answer, then the query. */
    private record Asked(List<String> columns, Question question) {}

    private static final List<Asked> QUESTIONS = List.of(
            new Asked(List.of("TABLE_NAME", "TABLE_TYPE", "REMARKS"), m -> m.getTables("d", null, "%", null)),
            new Asked(
                    List.of(
                            "COLUMN_NAME",
                            "DATA_TYPE",
                            "DECIMAL_DIGITS",
                            "NULLABLE",
                            "ORDINAL_POSITION",
                            "IS_AUTOINCREMENT"),
                    m -> m.getColumns("d", null, "plain", "%")),
            new Asked(List.of("COLUMN_NAME", "KEY_SEQ", "PK_NAME"), m -> m.getPrimaryKeys("d", null, "plain")),
            new Asked(List.of("COLUMN_NAME", "KEY_SEQ", "PK_NAME"), m -> m.getPrimaryKeys("d", null, "pair")),
            new Asked(
                    List.of("NON_UNIQUE", "INDEX_NAME", "ORDINAL_POSITION", "COLUMN_NAME"),
                    m -> m.getIndexInfo("d", null, "plain", false, true)),
            new Asked(List.of("COLUMN_NAME"), m -> m.getBestRowIdentifier("d", null, "pair", 2, true)),
            new Asked(List.of("FKCOLUMN_NAME"), m -> m.getImportedKeys("d", null, "plain")),
            new Asked(List.of("FKCOLUMN_NAME"), m -> m.getExportedKeys("d", null, "plain")),
            new Asked(List.of("PROCEDURE_NAME"), m -> m.getProcedures("d", null, "%")),
            new Asked(List.of("FUNCTION_NAME"), m -> m.getFunctions("d", null, "%")));

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:mysql:useInformationSchema=false",
                "jdbc:mysql:useInformationSchema=true",
                "jdbc:mariadb:x=y"
            })
    void jdbcMetadata_ofTheSameTables_isTheSame(String driver) throws SQLException {
        String scheme = driver.substring(0, driver.lastIndexOf(':'));
        String parameters = "/d?" + driver.substring(driver.lastIndexOf(':') + 1)
                + (scheme.endsWith("mysql") ? "&sslMode=DISABLED&allowPublicKeyRetrieval=true" : "&sslMode=disable");
        try (Connection store = DriverManager.getConnection(
                        scheme + "://" + servers.gateway().address() + parameters, "root", "");
                Connection mariaDb = DriverManager.getConnection(
                        scheme + "://127.0.0.1:" + MariaDbServer.get().address().getPort() + parameters,
                        "plain",
                        "plain")) {
            for (int i = 0; i < QUESTIONS.size(); i++) {
                assertThat(rows(store, QUESTIONS.get(i)))
                        .as("question %d", i)
                        .isEqualTo(rows(mariaDb, QUESTIONS.get(i)));
            }
            // The driver creates this list itself, for the server that it assumes.
            assertThat(rows(store, new Asked(List.of("TYPE_NAME"), DatabaseMetaData::getTypeInfo)))
                    .contains("BIGINT|", "VARCHAR|");
            assertThat(store.isValid(5)).isTrue();
            assertThat(store.getCatalog()).isEqualTo("d");
        }
    }

    private static List<String> rows(Connection connection, Asked asked) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (ResultSet answer = asked.question().ask(connection.getMetaData())) {
            while (answer.next()) {
                StringBuilder row = new StringBuilder();
                for (String column : asked.columns()) {
                    row.append(answer.getString(column)).append('|');
                }
                rows.add(row.toString());
            }
        }
        return rows;
    }

    /** Statements that DBeaver and similar tools send; none may fail. */
    @Test
    void statementsOfTools_areAnswered() throws Exception {
        for (String sql : TextLines.of(MetadataIT.class, "tools.sql")) {
            assertThatCode(() -> {
                        try (Statement statement = servers.store().createStatement()) {
                            statement.execute(sql);
                        }
                    })
                    .as(sql)
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void sqlAlchemy_reflection_findsWhatItFindsOnMariaDb() throws Exception {
        String script = """
                import re, sys
                from sqlalchemy import create_engine, inspect, MetaData, Table
                e = create_engine('mysql+pymysql://%s:%s@127.0.0.1:%s/d' % (sys.argv[2], sys.argv[3], sys.argv[1]))
                i = inspect(e)
                found = [sorted(i.get_table_names()), i.get_view_names()]
                for t in ('plain', 'pair'):
                    found += [i.get_columns(t), i.get_pk_constraint(t), i.get_indexes(t), i.get_unique_constraints(t)]
                    found += [i.get_foreign_keys(t), i.get_table_comment(t), i.has_table(t), i.has_table('nosuch')]
                    table = Table(t, MetaData(), autoload_with=e)
                    found += [[(c.name, c.type, c.nullable, c.primary_key) for c in table.columns]]
                # MariaDB tells the width in which integers are shown.
                for f in found:
                    print(re.sub(r'display_width=\\d+(, )?', '', repr(f)).replace(', )', ')'))
                """;
        ClientProcess.assumePython("sqlalchemy");
        String actual = ClientProcess.python(
                script, Integer.toString(servers.gateway().address().port()), "root", "");
        String expected = ClientProcess.python(
                script, Integer.toString(MariaDbServer.get().address().getPort()), "plain", "plain");
        assertThat(actual).isEqualTo(expected).contains("'plain'").doesNotContain("Traceback");
    }
}
