package org.keyline.stores.mysql.catalog;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.planner.ColumnType;
import org.keyline.planner.ColumnType.Kind;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.planner.WriteScope;
import org.keyline.protocol.client.TlsMode;

/** Definitions of a real MariaDB, as the catalog returns them. */
final class WireCatalogIT {
    private static MariaDbAdmin admin;
    private static WireCatalog catalog;

    @BeforeAll
    static void open() throws SQLException {
        admin = new MariaDbAdmin();
        admin.run(
                "DROP DATABASE IF EXISTS cat",
                "CREATE DATABASE cat",
                "USE cat",
                """
                CREATE TABLE kinds (
                  c1 tinyint, c2 tinyint unsigned, c3 tinyint(1), c4 smallint unsigned, c5 mediumint unsigned, c6 int(5) zerofill,
                  c7 bigint unsigned, c8 decimal(20,6), c9 decimal(5,2) unsigned, c10 float, c11 double, c12 date, c13 datetime(3),
                  c14 timestamp(6) NOT NULL DEFAULT current_timestamp(6), c15 time(2), c16 year, c17 bit(9),
                  c18 char(10) CHARACTER SET latin1, c19 varchar(20) COLLATE utf8mb4_bin, c20 text, c21 binary(4), c22 varbinary(7),
                  c23 mediumblob, c24 enum('a','b'), c25 set('x','y'), c26 json, c27 uuid, c28 inet6, c29 point,
                  c30 varchar(8) CHARACTER SET utf8mb3 COLLATE utf8mb3_unicode_ci, PRIMARY KEY (c19, c7))
                DEFAULT CHARSET = utf8mb4""",
                "CREATE TABLE plain (a int, b int, v text, PRIMARY KEY (b, a), KEY (v(3)))",
                "CREATE TABLE hidden (a int PRIMARY KEY, h int INVISIBLE DEFAULT 3, v int)",
                "CREATE TABLE hiddenkey (h int INVISIBLE DEFAULT 3 PRIMARY KEY, v int)",
                "CREATE TABLE prefixkey (t text, v int, PRIMARY KEY (t(10)))",
                "CREATE TABLE touchedkey (a datetime NOT NULL DEFAULT now() ON UPDATE now(), v int, PRIMARY KEY (a))",
                "CREATE TABLE keyless (a int, v int)",
                "CREATE TABLE uniqueonly (a int NOT NULL UNIQUE)",
                "CREATE TABLE secondkey (a int PRIMARY KEY, e varchar(50) UNIQUE)",
                "CREATE TABLE triggered (a int PRIMARY KEY, v int)",
                "CREATE TRIGGER tr BEFORE INSERT ON triggered FOR EACH ROW SET NEW.v = 1",
                "CREATE TABLE parent (a int PRIMARY KEY)",
                "CREATE TABLE child (a int PRIMARY KEY, p int, FOREIGN KEY (p) REFERENCES parent (a) ON DELETE SET NULL)",
                "CREATE TABLE strictparent (a int PRIMARY KEY)",
                "CREATE TABLE strictchild (a int PRIMARY KEY, p int, FOREIGN KEY (p) REFERENCES strictparent (a))",
                "CREATE TABLE itself (a int PRIMARY KEY, p int, FOREIGN KEY (p) REFERENCES itself (a) ON DELETE CASCADE)",
                "CREATE TABLE versioned (a int PRIMARY KEY, v int) WITH SYSTEM VERSIONING",
                "CREATE TABLE versionednamed (a int PRIMARY KEY, s timestamp(6) GENERATED ALWAYS AS ROW START,"
                        + " e timestamp(6) GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e)) WITH SYSTEM VERSIONING",
                "CREATE TABLE parts (a int, d date, PRIMARY KEY (a, d)) PARTITION BY HASH (a) PARTITIONS 3",
                "CREATE TABLE myisam (a int PRIMARY KEY) ENGINE = MyISAM",
                "CREATE TABLE aria (a int PRIMARY KEY) ENGINE = Aria",
                "CREATE TABLE memory (a int PRIMARY KEY) ENGINE = MEMORY",
                "CREATE TABLE merged (a int PRIMARY KEY) ENGINE = MERGE UNION = (myisam)",
                "CREATE SEQUENCE seq",
                "CREATE VIEW view1 AS SELECT * FROM plain",
                "CREATE TABLE Cased (a int PRIMARY KEY)",
                "CREATE TABLE cased (b int PRIMARY KEY)",
                "CREATE TABLE `od``d na'me` (`a``b` int PRIMARY KEY COMMENT 'it''s', v int DEFAULT 7) COMMENT = 'of \"all\"'");
        catalog = WireCatalog.open(MariaDbAdmin.options());
    }

    @AfterAll
    static void close() throws SQLException {
        catalog.close();
        admin.run("DROP DATABASE cat");
        admin.close();
    }

    private static TableSchema table(String name) {
        return requireNonNull(catalog.table("cat", name), name);
    }

    private static List<String> keys(TableSchema table) {
        return table.keyColumns().stream()
                .map(ordinal -> table.columns().get(ordinal).name())
                .toList();
    }

    @Test
    void open_realServer_detectsDialectAndVersion() throws SQLException {
        assertThat(catalog.dialect()).isEqualTo(Dialect.MARIADB);
        assertThat(catalog.serverVersion())
                .isEqualTo(admin.column("SELECT @@version", 1).get(0));
    }

    @Test
    void table_allTypes_areExact() {
        List<ColumnType> types =
                table("kinds").columns().stream().map(column -> column.type()).toList();
        assertThat(types)
                .containsExactly(
                        type(Kind.TINYINT, false, 0, 0),
                        type(Kind.TINYINT, true, 0, 0),
                        type(Kind.TINYINT, false, 1, 0),
                        type(Kind.SMALLINT, true, 0, 0),
                        type(Kind.MEDIUMINT, true, 0, 0),
                        type(Kind.INT, true, 0, 0),
                        type(Kind.BIGINT, true, 0, 0),
                        type(Kind.DECIMAL, false, 20, 6),
                        type(Kind.DECIMAL, true, 5, 2),
                        type(Kind.FLOAT, false, 0, 0),
                        type(Kind.DOUBLE, false, 0, 0),
                        type(Kind.DATE, false, 0, 0),
                        type(Kind.DATETIME, false, 0, 3),
                        type(Kind.TIMESTAMP, false, 0, 6),
                        type(Kind.TIME, false, 0, 2),
                        type(Kind.YEAR, true, 4, 0),
                        type(Kind.BIT, true, 9, 0),
                        new ColumnType(Kind.CHAR, false, 10, 0, "latin1_swedish_ci"),
                        new ColumnType(Kind.VARCHAR, false, 20, 0, "utf8mb4_bin"),
                        new ColumnType(Kind.TEXT, false, 65_535, 0, "utf8mb4_general_ci"),
                        type(Kind.BINARY, false, 4, 0),
                        type(Kind.VARBINARY, false, 7, 0),
                        type(Kind.BLOB, false, 16_777_215, 0),
                        new ColumnType(Kind.ENUM, false, 1, 0, "utf8mb4_general_ci"),
                        new ColumnType(Kind.SET, false, 3, 0, "utf8mb4_general_ci"),
                        new ColumnType(Kind.TEXT, false, Integer.MAX_VALUE, 0, "utf8mb4_bin"),
                        type(Kind.OTHER, false, 0, 0),
                        type(Kind.IPV6, false, 0, 0),
                        type(Kind.GEOMETRY, false, 0, 0),
                        new ColumnType(Kind.VARCHAR, false, 8, 0, "utf8mb3_unicode_ci"));
        assertThat(keys(table("kinds"))).containsExactly("c19", "c7");
    }

    private static ColumnType type(Kind kind, boolean unsigned, int length, int scale) {
        return new ColumnType(kind, unsigned, length, scale, null);
    }

    @Test
    void table_everyOne_hasTheColumnsOfSelectStar() throws SQLException {
        List<String> names = admin.column(
                "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'cat'"
                        + " AND TABLE_TYPE NOT IN ('VIEW', 'SEQUENCE')",
                1);
        assertThat(names).hasSizeGreaterThan(20);
        for (String name : names) {
            assertThat(table(name).columns().stream().map(column -> column.name()))
                    .as(name)
                    .isEqualTo(admin.starColumns("cat.`" + name.replace("`", "``") + "`"));
        }
    }

    @ParameterizedTest
    @CsvFileSource(resources = "WireCatalogIT.table_model_andWriteScope.txt", quoteCharacter = '\'')
    void table_model_andWriteScope(String name, TableModel model, WriteScope reach) {
        assertThat(table(name).model()).isEqualTo(model);
        assertThat(table(name).writeScope()).isEqualTo(reach);
    }

    @Test
    void table_whatIsNoBaseTable_isNotListed() {
        assertThat(catalog.table("cat", "view1")).isNull();
        assertThat(catalog.table("cat", "seq")).isNull();
        assertThat(catalog.table("mysql", "user")).isNull();
        assertThat(catalog.table("information_schema", "TABLES")).isNull();
        assertThat(catalog.table("sys", "sys_config")).isNull();
    }

    @Test
    void table_namesUnderRuleZero_areExact() {
        assertThat(table("Cased").columns().get(0).name()).isEqualTo("a");
        assertThat(table("cased").columns().get(0).name()).isEqualTo("b");
        assertThat(catalog.table("cat", "CASED")).isNull();
        assertThat(catalog.table("Cat", "cased")).isNull();
        TableSchema odd = table("od`d na'me");
        assertThat(odd.columns().get(0).name()).isEqualTo("a`b");
        assertThat(odd.columns().get(0).comment()).isEqualTo("it's");
        assertThat(odd.columns().get(1).defaultSql()).isEqualTo("7");
        assertThat(odd.comment()).isEqualTo("of \"all\"");
    }

    @Test
    void table_keyOrder_isThatOfThePrimaryKey() {
        assertThat(keys(table("plain"))).containsExactly("b", "a");
        assertThat(keys(table("parts"))).containsExactly("a", "d");
        assertThat(keys(table("versioned"))).containsExactly("a");
    }

    @Test
    void storedFunctions_comeAndGo() throws Exception {
        refresh();
        assertThat(catalog.storedFunctions()).isFalse();
        admin.run("CREATE FUNCTION cat.f() RETURNS int DETERMINISTIC RETURN 1");
        try {
            refresh();
            assertThat(catalog.storedFunctions()).isTrue();
        } finally {
            admin.run("DROP FUNCTION cat.f");
        }
        refresh();
        assertThat(catalog.storedFunctions()).isFalse();
    }

    /** With every sql_mode that has keywords of its own. */
    @ParameterizedTest
    @ValueSource(strings = {"", "ORACLE", "MSSQL", "ANSI"})
    void isKeyword_noWordOfTheStore_beginsNothing(String mode) throws SQLException {
        assertThat(Stream.of("SELECT", "INSERT", "REPLACE", "XA", "HANDLER", "TABLE", "PROCEDURE", "DEFINER", "KILL"))
                .allMatch(catalog::isKeyword);
        admin.run("CREATE OR REPLACE PROCEDURE cat.nobodys() SELECT 1", "USE cat", "SET sql_mode = '" + mode + "'");
        try {
            for (String word : List.of("SELEC", "nobodys", "sql_mod", "TABEL", "v1")) {
                assertThat(catalog.isKeyword(word.toUpperCase(Locale.ROOT))).isFalse();
                for (String before : List.of("", "DROP ", "CREATE ", "ALTER ", "RENAME ")) {
                    for (String rest : List.of("", ";", " plain", " * FROM plain", " 1", " 'x'", " DEFAULT")) {
                        String text = before + word + rest;
                        assertThatThrownBy(() -> admin.run(text))
                                .as(text)
                                .isInstanceOfSatisfying(
                                        SQLException.class,
                                        error ->
                                                assertThat(error.getErrorCode()).isEqualTo(1064));
                    }
                }
            }
        } finally {
            admin.run("SET sql_mode = DEFAULT");
        }
    }

    /** MariaDB cannot prepare EXECUTE, or a text whose table is missing. */
    @Test
    void repeatedQuery_isPreparedOnce_orExecutedAsText() throws Exception {
        try (StoreConnection open = StoreConnection.open(MariaDbAdmin.options())) {
            open.run("PREPARE seven FROM 'SELECT 7'");
            List<String> cells = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                open.rows().repeat("SELECT 'six', NULL", row -> cells.add(row.text(1) + row.text(2)));
                open.rows().repeat("EXECUTE seven", row -> cells.add(row.required(1)));
                assertThatThrownBy(() -> open.rows().repeat("SELECT * FROM cat.nosuch", row -> {}))
                        .isInstanceOf(ReadFailure.class);
            }
            assertThat(cells).containsExactly("sixnull", "7", "sixnull", "7", "sixnull", "7");
            Map<String, Long> counts = new HashMap<>();
            open.rows()
                    .query(
                            "SHOW SESSION STATUS LIKE 'Com_stmt_%'",
                            row -> counts.put(row.required(1), Long.parseLong(row.required(2))));
            // Also counts the text "PREPARE seven" and each "EXECUTE seven".
            assertThat(counts).containsEntry("Com_stmt_prepare", 4L).containsEntry("Com_stmt_execute", 6L);
        }
    }

    private static void refresh() throws Exception {
        catalog.definitionsChanged().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT ON *.*|ANYWHERE|false",
                "SELECT, TRIGGER ON *.*|CELLS|false",
                "SELECT ON cat.*|ANYWHERE|true",
                "ALL ON cat.*|ANYWHERE|true",
                "ALL ON *.*|CELLS|false",
            })
    void open_accountWithFewRights_isCareful(String rights, WriteScope reach, boolean functions) throws SQLException {
        admin.run(
                "DROP USER IF EXISTS few@'127.0.0.1'",
                "CREATE USER few@'127.0.0.1' IDENTIFIED BY 'f'",
                "GRANT " + rights + " TO few@'127.0.0.1'");
        try (WireCatalog seen = WireCatalog.open(CatalogOptions.of("127.0.0.1", MariaDbAdmin.port(), "few", "f"))) {
            TableSchema plain = requireNonNull(seen.table("cat", "plain"));
            assertThat(plain.writeScope()).isEqualTo(reach);
            assertThat(plain.model()).isEqualTo(TableModel.UNIQUE);
            assertThat(seen.storedFunctions()).isEqualTo(functions);
            TableSchema triggered = requireNonNull(seen.table("cat", "triggered"));
            assertThat(triggered.writeScope()).isEqualTo(reach == WriteScope.CELLS ? WriteScope.ROWS : reach);
            assertThat(triggered.triggers()).hasSize(reach == WriteScope.CELLS ? 1 : 0);
            TableSchema parent = requireNonNull(seen.table("cat", "parent"));
            assertThat(parent.writeScope()).isEqualTo(reach);
            assertThat(parent.cascades()).hasSize(reach == WriteScope.CELLS ? 1 : 0);
        } finally {
            admin.run("DROP USER few@'127.0.0.1'");
        }
    }

    /**
     * A session retains the global rights of its login, which may differ from a later SHOW GRANTS.
     */
    @Test
    void accountIsGrantedMore_whileTheCatalogIsOpen_seesIt() throws Exception {
        admin.run(
                "DROP USER IF EXISTS more@'127.0.0.1'",
                "CREATE USER more@'127.0.0.1' IDENTIFIED BY 'm'",
                "GRANT TRIGGER ON *.* TO more@'127.0.0.1'");
        try (WireCatalog seen = WireCatalog.open(CatalogOptions.of("127.0.0.1", MariaDbAdmin.port(), "more", "m"))) {
            assertThat(seen.table("cat", "plain"))
                    .matches(table -> table == null || table.keyColumns().isEmpty());
            admin.run("REVOKE TRIGGER ON *.* FROM more@'127.0.0.1'", "GRANT SELECT ON *.* TO more@'127.0.0.1'");
            seen.definitionsChanged().toCompletableFuture().get(30, TimeUnit.SECONDS);
            TableSchema plain = requireNonNull(seen.table("cat", "plain"));
            assertThat(plain.model()).isEqualTo(TableModel.UNIQUE);
            assertThat(plain.writeScope()).isEqualTo(WriteScope.ANYWHERE);
            admin.run("GRANT TRIGGER ON *.* TO more@'127.0.0.1'");
            seen.definitionsChanged().toCompletableFuture().get(30, TimeUnit.SECONDS);
            assertThat(requireNonNull(seen.table("cat", "plain")).writeScope()).isEqualTo(WriteScope.CELLS);
            assertThat(requireNonNull(seen.table("cat", "triggered")).triggers())
                    .hasSize(1);
            assertThat(requireNonNull(seen.table("cat", "parent")).cascades())
                    .containsExactly(new TableName("cat", "child"));
        } finally {
            admin.run("DROP USER more@'127.0.0.1'");
        }
    }

    /**
     * Each query reads 500 tables, so that a query's time does not grow with their number. All
     * tables are known, whichever query reads them.
     */
    @Test
    void open_moreTablesThanOneQueryReads_knowsThemAll() throws SQLException {
        int tables = 701;
        admin.run(
                "DROP DATABASE IF EXISTS many",
                "CREATE DATABASE many",
                "USE many",
                "BEGIN NOT ATOMIC FOR i IN 1.." + tables
                        + " DO EXECUTE IMMEDIATE CONCAT('CREATE TABLE t', LPAD(i, 4, '0'),"
                        + " ' (a int, b', i, ' int, PRIMARY KEY (b', i, ', a)) ENGINE = MEMORY'); END FOR; END",
                "CREATE TRIGGER last BEFORE INSERT ON t0701 FOR EACH ROW SET NEW.a = 1",
                "CREATE TABLE a_child (a int PRIMARY KEY, p int, KEY (p)) ENGINE = InnoDB",
                "CREATE TABLE z_parent (a int PRIMARY KEY) ENGINE = InnoDB",
                "ALTER TABLE a_child ADD FOREIGN KEY (p) REFERENCES z_parent (a) ON DELETE CASCADE");
        try (WireCatalog seen = WireCatalog.open(MariaDbAdmin.options())) {
            for (int i = 1; i <= tables; i++) {
                TableSchema table = requireNonNull(seen.table("many", String.format("t%04d", i)));
                assertThat(keys(table)).containsExactly("b" + i, "a");
                assertThat(table.writeScope()).isEqualTo(WriteScope.ROWS);
                assertThat(table.triggers()).hasSize(i == tables ? 1 : 0);
            }
            assertThat(requireNonNull(seen.table("many", "z_parent")).cascades())
                    .containsExactly(new TableName("many", "a_child"));
            assertThat(requireNonNull(seen.table("many", "a_child")).writeScope())
                    .isEqualTo(WriteScope.CELLS);
        } finally {
            admin.run("DROP DATABASE many", "USE cat");
        }
    }

    @Test
    void open_accountWithSingleColumns_listsNothing() throws SQLException {
        admin.run(
                "CREATE USER columns@'127.0.0.1' IDENTIFIED BY 'f'",
                "GRANT SELECT (a, v) ON cat.plain TO columns@'127.0.0.1'");
        try (WireCatalog seen = WireCatalog.open(CatalogOptions.of("127.0.0.1", MariaDbAdmin.port(), "columns", "f"))) {
            assertThat(seen.table("cat", "plain")).isNull();
        } finally {
            admin.run("DROP USER columns@'127.0.0.1'");
        }
    }

    @Test
    void open_noServer_namesTheAddress() {
        assertThatThrownBy(() -> WireCatalog.open(CatalogOptions.of("127.0.0.1", 1, "u", "p")))
                .isInstanceOf(CatalogUnavailableException.class)
                .hasMessageContaining("127.0.0.1:1");
    }

    @Test
    void open_wrongPassword_saysSo() {
        assertThatThrownBy(
                        () -> WireCatalog.open(CatalogOptions.of("127.0.0.1", MariaDbAdmin.port(), "keyline", "wrong")))
                .isInstanceOf(CatalogUnavailableException.class)
                .hasMessageContaining("Access denied");
    }

    @Test
    void open_underTls_readsTheSame() {
        try (WireCatalog seen = WireCatalog.open(MariaDbAdmin.options().withTls(TlsMode.REQUIRED, null))) {
            assertThat(seen.table("cat", "plain")).isNotNull();
        }
    }

    @Test
    void open_selfSignedCertificate_isRefusedIfItIsVerified() {
        assertThatThrownBy(() -> WireCatalog.open(MariaDbAdmin.options().withTls(TlsMode.VERIFY, null)))
                .isInstanceOf(CatalogUnavailableException.class);
    }

    @Test
    void table_ids_areDistinct() {
        List<Long> ids = List.of("plain", "hidden", "Cased", "cased", "parts").stream()
                .map(name -> table(name).id())
                .toList();
        assertThat(ids).doesNotHaveDuplicates();
    }
}
