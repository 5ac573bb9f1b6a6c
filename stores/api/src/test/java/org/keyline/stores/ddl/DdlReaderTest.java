package org.keyline.stores.ddl;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.planner.TableName;
import org.keyline.planner.digest.SqlMode;
import org.keyline.stores.ddl.DdlStatement.CreateDatabase;
import org.keyline.stores.ddl.DdlStatement.CreateTable;
import org.keyline.stores.ddl.DdlStatement.CreateTableLike;
import org.keyline.stores.ddl.DdlStatement.DropDatabase;
import org.keyline.stores.ddl.DdlStatement.DropTable;
import org.keyline.stores.ddl.DdlStatement.RenameTable;
import org.keyline.stores.ddl.DdlStatement.Renaming;
import org.keyline.stores.ddl.DdlStatement.TruncateTable;

/** Definitions of databases and tables, and the statements that this reader accepts. */
final class DdlReaderTest {
    private static final TableName T = new TableName("d", "t");
    private static final TableName U = new TableName("d", "u");

    @ParameterizedTest
    @CsvFileSource(resources = "DdlReaderTest.reads_definitions.txt", delimiter = '\t', quoteCharacter = '~')
    void reads_definitions(String sql) {
        assertThat(new DdlReader(SqlMode.DEFAULT).reads(sql)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "SELECT 1",
                "INSERT INTO t VALUES (1)",
                "CREATE USER u",
                "CREATE VIEW v AS SELECT 1",
                "CREATE OR REPLACE VIEW v AS SELECT 1",
                "CREATE ALGORITHM=MERGE VIEW v AS SELECT 1",
                "CREATE SQL SECURITY INVOKER VIEW v AS SELECT 1",
                "CREATE DEFINER=`a`@`b` VIEW v AS SELECT 1",
                "ALTER VIEW v AS SELECT 1",
                "DROP VIEW v",
                "CREATE PROCEDURE p() SELECT 1",
                "CREATE DEFINER=`a`@`b` PROCEDURE p() SELECT 1",
                "CREATE FUNCTION f() RETURNS INT RETURN 1",
                "CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET @a = 1",
                "ALTER USER u",
                "ALTER DATABASE d",
                "DROP USER u",
                "DROP PROCEDURE p",
                "RENAME USER u TO v",
                "SHOW TABLES"
            })
    void reads_nothingElse(String sql) {
        assertThat(new DdlReader(SqlMode.DEFAULT).reads(sql)).isFalse();
    }

    @Test
    void databases_areCreatedAndDropped() {
        assertThat(DdlTexts.read("CREATE DATABASE x")).isEqualTo(new CreateDatabase("x", false, Map.of()));
        assertThat(DdlTexts.read("CREATE SCHEMA IF NOT EXISTS internal.x DEFAULT CHARACTER SET utf8mb4"
                        + " COLLATE = utf8mb4_bin;"))
                .isEqualTo(new CreateDatabase("x", true, Map.of("CHARSET", "utf8mb4", "COLLATE", "utf8mb4_bin")));
        assertThat(DdlTexts.read("CREATE DATABASE x PROPERTIES('replication_num' = '1')"))
                .isEqualTo(new CreateDatabase("x", false, Map.of("replication_num", "1")));
        assertThat(DdlTexts.read("DROP DATABASE x")).isEqualTo(new DropDatabase("x", false));
        assertThat(DdlTexts.read("DROP SCHEMA IF EXISTS `x` FORCE")).isEqualTo(new DropDatabase("x", true));
        assertThat(DdlTexts.refusal("DROP DATABASE hive.x").code()).isEqualTo(1235);
        assertThat(DdlTexts.refusal("CREATE DATABASE x FROB").code()).isEqualTo(1064);
    }

    @Test
    void tables_areDroppedRenamedAndEmptied() {
        assertThat(DdlTexts.read("DROP TABLE t")).isEqualTo(new DropTable(List.of(T), false));
        assertThat(DdlTexts.read("DROP TABLES IF EXISTS t, x.y CASCADE"))
                .isEqualTo(new DropTable(List.of(T, new TableName("x", "y")), true));
        assertThat(DdlTexts.read("DROP TEMPORARY TABLE t RESTRICT")).isEqualTo(new DropTable(List.of(T), false));
        assertThat(DdlTexts.read("DROP TABLE t FORCE")).isEqualTo(new DropTable(List.of(T), false));
        assertThat(DdlTexts.read("TRUNCATE t")).isEqualTo(new TruncateTable(T));
        assertThat(DdlTexts.read("TRUNCATE TABLE d.t FORCE")).isEqualTo(new TruncateTable(T));
        assertThat(DdlTexts.refusal("TRUNCATE TABLE t PARTITION (p)").code()).isEqualTo(1235);
        assertThat(DdlTexts.read("RENAME TABLE t TO u, x.y TO t"))
                .isEqualTo(new RenameTable(List.of(new Renaming(T, U), new Renaming(new TableName("x", "y"), T))));
        String many = IntStream.range(0, 1_025).mapToObj(i -> "t" + i).collect(Collectors.joining(","));
        assertThat(DdlTexts.refusal("DROP TABLE " + many)).hasMessageContaining("at most 1024 tables");
    }

    @Test
    void tableLikeAnother_namesIt() {
        assertThat(DdlTexts.read("CREATE TABLE t LIKE u")).isEqualTo(new CreateTableLike(T, U, false));
        assertThat(DdlTexts.read("CREATE TABLE IF NOT EXISTS t (LIKE d.u)")).isEqualTo(new CreateTableLike(T, U, true));
        assertThat(DdlTexts.refusal("CREATE TABLE t LIKE u WITH ROLLUP").code()).isEqualTo(1235);
        assertThat(DdlTexts.refusal("CREATE TABLE t (LIKE u").code()).isEqualTo(1064);
    }

    @Test
    void ifNotExists_isRetained() {
        assertThat(((CreateTable) DdlTexts.read("CREATE TABLE t (a INT)")).ifNotExists())
                .isFalse();
        assertThat(((CreateTable) DdlTexts.read("CREATE TABLE IF NOT EXISTS t (a INT)")).ifNotExists())
                .isTrue();
    }

    @ParameterizedTest
    @CsvFileSource(resources = "DdlReaderTest.otherStatements_areRefused.txt", delimiter = '|', quoteCharacter = '~')
    void otherStatements_areRefused(String sql, int code) {
        assertThat(DdlTexts.refusal(sql).code()).isEqualTo(code);
    }

    /** MySQL's text: the token that was found, its line, and the expected ones. */
    @Test
    void syntaxError_namesThePlace() {
        assertThat(DdlTexts.refusal("CREATE TABLE t\n(a\nFROB)"))
                .hasMessage("You have an error in your SQL syntax near 'FROB)' at line 3: expected a column type");
        assertThat(DdlTexts.refusal("DROP TABLE"))
                .hasMessage("You have an error in your SQL syntax near '' at line 1: expected a table name");
        String far = "x".repeat(100);
        assertThat(DdlTexts.refusal("DROP TABLE t " + far)).hasMessageContaining("near '" + far.substring(0, 64) + "'");
    }
}
