package org.keyline.stores.mysql.catalog;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;

/**
 * The definitions that are read from a real MariaDB, and when all tables are read again because of
 * running statements.
 */
final class ReadingsIT {
    private static final TableName T = new TableName("rounds", "t");

    private MariaDbAdmin admin;
    private StoreConnection connection;

    private final Readings readings = new Readings(StoreReader.of(Dialect.MARIADB, "keyline"), Duration.ofSeconds(5));

    @BeforeEach
    void open() throws Exception {
        admin = new MariaDbAdmin();
        admin.run(
                "CREATE OR REPLACE DATABASE rounds",
                "CREATE TABLE rounds.t (k int PRIMARY KEY, v int)",
                "CREATE OR REPLACE USER sees_no_process IDENTIFIED BY 'secret'",
                "GRANT SELECT, TRIGGER ON *.* TO sees_no_process");
        connection = StoreConnection.open(MariaDbAdmin.options());
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
        admin.run("DROP DATABASE rounds", "DROP USER sees_no_process");
        admin.close();
    }

    @Test
    void all_whileNothingIsUnderWay_isTheLastReadingOfADefinition() throws Exception {
        settles();
        admin.run("ALTER TABLE rounds.t ADD COLUMN w int");
        assertThat(readings.isDue(connection.rows())).isTrue();
        settles();
    }

    /** It was counted when it began, and takes effect when the reader of the table has finished. */
    @Test
    void all_whileADefinitionWaits_isFollowedByOthersUntilItsEffectIsRead() throws Exception {
        settles();
        try (MariaDbAdmin reader = new MariaDbAdmin()) {
            reader.run("START TRANSACTION", "SELECT * FROM rounds.t");
            long before = altered();
            CompletableFuture<Void> alter = CompletableFuture.runAsync(() -> {
                try (MariaDbAdmin other = new MariaDbAdmin()) {
                    other.run("ALTER TABLE rounds.t ADD COLUMN w int");
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            await().atMost(1, TimeUnit.MINUTES).until(() -> altered() > before);
            for (int i = 0; i < 5; i++) {
                var unused = read();
                assertThat(readings.areRepeated()).isTrue();
            }
            reader.run("COMMIT");
            alter.get(1, TimeUnit.MINUTES);
        }
        assertThat(readings.areRepeated()).isTrue();
        Snapshot seen = requireNonNull(read());
        assertThat(requireNonNull(seen.table(T.schema(), T.table())).toString()).contains("w");
        settles();
    }

    /** The account's list has only its own sessions, which proves nothing. */
    @Test
    void underWay_toAnAccountThatDoesNotSeeOthers_isUnknown() throws Exception {
        CatalogOptions options = CatalogOptions.of("127.0.0.1", MariaDbAdmin.port(), "sees_no_process", "secret");
        try (StoreConnection blind = StoreConnection.open(options)) {
            assertThat(StoreReader.of(Dialect.MARIADB, "keyline").mayBeUnderWay(blind.rows()))
                    .isTrue();
        }
    }

    /** Without its definition, a view counts as one that calls functions. */
    @Test
    void all_accountThatMayNotReadViews_namesTheGrantIfFunctionsExist() throws Exception {
        CatalogOptions options = CatalogOptions.of("127.0.0.1", MariaDbAdmin.port(), "sees_no_process", "secret");
        admin.run("CREATE VIEW rounds.w AS SELECT k FROM rounds.t");
        assertThat(remarks(options)).isEmpty();
        admin.run("CREATE FUNCTION rounds.f() RETURNS INT RETURN 1");
        assertThat(remarks(options)).singleElement().asString().contains("GRANT SHOW VIEW ON *.* TO this account");
        admin.run("GRANT SHOW VIEW ON *.* TO sees_no_process");
        assertThat(remarks(options)).isEmpty();
    }

    private static Set<String> remarks(CatalogOptions options) throws Exception {
        Readings of = new Readings(StoreReader.of(Dialect.MARIADB, "keyline"), Duration.ofSeconds(5));
        try (StoreConnection login = StoreConnection.open(options)) {
            assertThat(of.all(login.rows(), false, StoreReader.Interlude.NONE)).isNotNull();
        }
        return of.remarks();
    }

    /** The others are known, and the slow rereads query this one again. */
    @ParameterizedTest
    @ValueSource(strings = {"TABLES", "COLUMNS", "STATISTICS", "TRIGGERS", "REFERENTIAL_CONSTRAINTS"})
    void all_whileTheStoreRefusesToDescribeATable_knowsTheOthers(String view) throws Exception {
        for (int i = 0; i < 20; i++) {
            admin.run("CREATE TABLE rounds.n" + i + " (k int PRIMARY KEY, v int)");
        }
        Readings slow = new Readings(StoreReader.of(Dialect.MARIADB, "keyline"), Duration.ofHours(1), Duration.ZERO);
        Refusing rows = new Refusing(connection.rows(), "information_schema." + view, "'n7'");
        Snapshot seen = requireNonNull(slow.all(rows, false, StoreReader.Interlude.NONE));
        assertThat(seen.table("rounds", "n7")).isNull();
        assertThat(seen.writeScopeUnknown()).isTrue();
        for (int i = 0; i < 20; i++) {
            TableSchema table = seen.table("rounds", "n" + i);
            assertThat(table == null).as("n" + i).isEqualTo(i == 7);
        }
        TableSchema before = requireNonNull(seen.table(T.schema(), T.table()));
        assertThat(slow.remarks()).singleElement().asString().contains("rounds.n7 (refused)");
        assertThat(slow.turn(rows)).isNull();
        rows.refusing = false;
        Snapshot whole = requireNonNull(slow.turn(rows));
        assertThat(whole.table("rounds", "n7")).isNotNull();
        assertThat(whole.writeScopeUnknown()).isFalse();
        assertThat(whole.table(T.schema(), T.table())).isSameAs(before);
        rows.refusing = true;
        Snapshot less = requireNonNull(slow.turn(rows));
        assertThat(less.table("rounds", "n7")).isNull();
        assertThat(less.writeScopeUnknown()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 20})
    void all_ofFewTables_costsAsManyQueriesInManySchemasAsInOne(int schemas) throws Exception {
        for (int i = 0; i < schemas; i++) {
            admin.run(
                    "CREATE OR REPLACE DATABASE rounds" + i,
                    "CREATE TABLE rounds" + i + ".t (k int PRIMARY KEY, c" + i + " int)",
                    "CREATE TABLE rounds" + i + ".only" + i + " (k int PRIMARY KEY, FOREIGN KEY (k) REFERENCES rounds"
                            + i + ".t (k) ON DELETE CASCADE)",
                    "CREATE TRIGGER rounds" + i + ".r BEFORE INSERT ON rounds" + i + ".t FOR EACH ROW SET NEW.c" + i
                            + " = " + i);
        }
        List<String> asked = new ArrayList<>();
        CatalogRows rows = (sql, taker) -> {
            asked.add(sql);
            connection.rows().query(sql, taker);
        };
        Snapshot seen = requireNonNull(readings.all(rows, false, StoreReader.Interlude.NONE));
        assertThat(asked)
                .filteredOn(sql -> sql.contains("information_schema.COLUMNS"))
                .hasSize(2);
        assertThat(asked).filteredOn(sql -> sql.contains("IN ('mysql', 'sys')")).hasSize(2);
        for (int i = 0; i < schemas; i++) {
            TableSchema table = requireNonNull(seen.table("rounds" + i, "t"));
            assertThat(table.columns()).extracting(ColumnSchema::name).containsExactly("k", "c" + i);
            assertThat(table.keyColumns()).containsExactly(0);
            assertThat(table.triggers()).singleElement().asString().contains("NEW.c" + i);
            assertThat(table.cascades()).containsExactly(new TableName("rounds" + i, "only" + i));
            assertThat(seen.table("rounds" + i, "only" + (i + 1))).isNull();
            admin.run("DROP DATABASE rounds" + i);
        }
    }

    /** As in the answer of an older release; the connection remains usable. */
    @Test
    void columnThatTheAnswerLacks_isARefusal() throws Exception {
        assertThatThrownBy(() -> connection.rows().query("SELECT 1 AS a", row -> row.text("b")))
                .isInstanceOfSatisfying(
                        ReadFailure.class,
                        failure -> assertThat(failure.refused()).isTrue());
        connection
                .rows()
                .query("SELECT 2 AS b", row -> assertThat(row.text("b")).isEqualTo("2"));
    }

    /** A lost connection shows nothing about a table. */
    @Test
    void all_onAConnectionThatIsLost_fails() {
        Refusing rows = new Refusing(connection.rows(), "information_schema.COLUMNS", "'t'");
        rows.lost = true;
        assertThatThrownBy(() -> readings.all(rows, false, StoreReader.Interlude.NONE))
                .isInstanceOf(ReadFailure.class);
        assertThat(rows.refusals).isEqualTo(1);
    }

    /** If a store reports nothing at all, its tables are not queried one by one. */
    @Test
    void all_ofAStoreThatRefusesAll_fails() throws Exception {
        admin.run("BEGIN NOT ATOMIC FOR i IN 1..400 DO EXECUTE IMMEDIATE CONCAT('CREATE TABLE rounds.m', i,"
                + " ' (k int PRIMARY KEY) ENGINE = MEMORY'); END FOR; END");
        Refusing rows = new Refusing(connection.rows(), "information_schema.COLUMNS", "'m");
        assertThatThrownBy(() -> readings.all(rows, false, StoreReader.Interlude.NONE))
                .isInstanceOf(ReadFailure.class)
                .hasMessage("refused");
        assertThat(rows.refusals).isLessThan(300);
    }

    /** A store that refuses queries about a table. */
    private static final class Refusing implements CatalogRows {
        private final CatalogRows store;
        private final String view;
        private final String table;
        private boolean refusing = true;
        private boolean lost;
        private int refusals;

        Refusing(CatalogRows store, String view, String table) {
            this.store = store;
            this.view = view;
            this.table = table;
        }

        @Override
        public void query(String sql, RowTaker taker) throws ReadFailure {
            if (refusing && sql.contains(view) && sql.contains(table)) {
                refusals++;
                throw new ReadFailure(!lost, "refused", new SQLException("refused"));
            }
            store.query(sql, taker);
        }
    }

    /** Other tests' sessions may be busy for a moment. */
    private void settles() {
        await().atMost(2, TimeUnit.MINUTES).until(() -> {
            var unused = read();
            return !readings.areRepeated() && !readings.isDue(connection.rows());
        });
    }

    private @Nullable Snapshot read() throws ReadFailure {
        return readings.all(connection.rows(), false, StoreReader.Interlude.NONE);
    }

    private long altered() throws SQLException {
        return Long.parseLong(
                admin.column("SHOW GLOBAL STATUS LIKE 'Com\\_alter\\_table'", 2).get(0));
    }
}
