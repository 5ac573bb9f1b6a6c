package org.keyline.stores.mysql.catalog;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import java.net.InetSocketAddress;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.planner.TriggerText;
import org.keyline.planner.WriteScope;
import org.keyline.protocol.fixtures.MariaDbServer;
import org.keyline.protocol.fixtures.TcpProxy;
import org.keyline.stores.DefinitionWatch;

/** The catalog's handling of changed definitions, and of failures of a real MariaDB. */
final class WireCatalogChangesIT {
    private static final TableName T = new TableName("chg", "t");
    private static final InetSocketAddress STORE = MariaDbServer.get().address();

    private MariaDbAdmin admin;

    @BeforeEach
    void open() throws SQLException {
        admin = new MariaDbAdmin();
        admin.run(
                "DROP DATABASE IF EXISTS chg",
                "CREATE DATABASE chg",
                "USE chg",
                "CREATE TABLE t (k int PRIMARY KEY, v int)",
                "CREATE TABLE other (k int PRIMARY KEY, v int)");
    }

    @AfterEach
    void close() throws SQLException {
        admin.run("DROP DATABASE IF EXISTS chg");
        admin.close();
    }

    private static void refresh(WireCatalog catalog) throws Exception {
        catalog.definitionsChanged().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    private static TableSchema table(WireCatalog catalog, String name) {
        return requireNonNull(catalog.table("chg", name), name);
    }

    /** An id lives exactly as long as the definition under its name. */
    @Test
    void ids_underRandomChanges_changeWithTheDefinitionAndOnlyThen() throws Exception {
        long seed = 20_261_122;
        Random random = new Random(seed);
        try (WireCatalog catalog = WireCatalog.open(MariaDbAdmin.options())) {
            Map<String, String> definitions = definitions();
            Map<String, Long> ids = ids(catalog, definitions);
            int changes = 0;
            for (int step = 0; step < 60; step++) {
                String change = randomChange(random);
                try {
                    admin.run(change);
                } catch (SQLException notNow) {
                    // for example a column that does not exist: nothing changes then
                }
                refresh(catalog);
                Map<String, String> now = definitions();
                Map<String, Long> idsNow = ids(catalog, now);
                for (String table : now.keySet()) {
                    boolean same = now.get(table).equals(definitions.get(table));
                    changes += same ? 0 : 1;
                    assertThat(requireNonNull(idsNow.get(table)).equals(ids.get(table)))
                            .as("seed %d, step %d: %s; %s", seed, step, change, table)
                            .isEqualTo(same);
                }
                definitions = now;
                ids = idsNow;
            }
            assertThat(changes).isGreaterThan(20);
        }
    }

    private static String randomChange(Random random) {
        String table = "chg." + List.of("t", "other", "third").get(random.nextInt(3));
        String another = "chg." + List.of("t", "other", "third").get(random.nextInt(3));
        return switch (random.nextInt(15)) {
            case 0 -> "ALTER TABLE " + table + " ADD COLUMN c" + random.nextInt(3) + " int";
            case 1 -> "ALTER TABLE " + table + " DROP COLUMN c" + random.nextInt(3);
            case 2 -> "ALTER TABLE " + table + " MODIFY v varchar(" + (5 + random.nextInt(3)) + ")";
            case 3 -> "ALTER TABLE " + table + " ALTER v SET DEFAULT " + random.nextInt(3);
            case 4 -> "ALTER TABLE " + table + " COMMENT = 'c" + random.nextInt(2) + "'";
            case 5 -> "INSERT INTO " + table + " (k) VALUES (" + random.nextInt(1_000_000) + ")";
            case 6 -> "RENAME TABLE " + table + " TO chg.tmp, " + another + " TO " + table + ", chg.tmp TO " + another;
            case 7 -> "CREATE TABLE chg.third (k bigint PRIMARY KEY, v int)";
            case 8 -> "DROP TABLE IF EXISTS chg.third";
            case 9 -> "ALTER TABLE " + table + " MODIFY v enum('a', 'b" + random.nextInt(2) + "')";
            case 10 -> "ANALYZE TABLE " + table;
            case 11 -> "CREATE INDEX i" + random.nextInt(2) + " ON " + table + " (v, k)";
            case 12 -> "DROP INDEX i" + random.nextInt(2) + " ON " + table;
            case 13 -> "ALTER TABLE " + table + " ADD COLUMN c1 int FIRST";
            default ->
                "ALTER TABLE " + table + " ENGINE = "
                        + List.of("InnoDB", "MyISAM").get(random.nextInt(2));
        };
    }

    private Map<String, String> definitions() throws SQLException {
        Map<String, String> definitions = new HashMap<>();
        for (String table : admin.column("SHOW TABLES FROM chg", 1)) {
            definitions.put(
                    table, admin.column("SHOW CREATE TABLE chg." + table, 2).get(0));
        }
        return definitions;
    }

    private static Map<String, Long> ids(WireCatalog catalog, Map<String, String> tables) {
        Map<String, Long> ids = new HashMap<>();
        tables.keySet().forEach(table -> ids.put(table, table(catalog, table).id()));
        return ids;
    }

    @Test
    void refresh_onThePeriod_raisesTheVersionOnlyWhenSomethingChanged() throws Exception {
        CatalogOptions often = MariaDbAdmin.options().withPeriods(Duration.ofMillis(5), Duration.ofHours(1));
        try (WireCatalog catalog = WireCatalog.open(often)) {
            long version = catalog.version();
            long readings = readings();
            admin.run("INSERT INTO chg.t VALUES (1, 1), (2, 2)");
            await().until(() -> readings() > readings + 5);
            assertThat(catalog.version()).isEqualTo(version);
            admin.run("ALTER TABLE chg.t ADD COLUMN w int");
            await().until(() -> table(catalog, "t").columns().size() == 3);
            assertThat(catalog.version()).isEqualTo(version + 1);
            long reach = catalog.version();
            admin.run("CREATE TRIGGER chg.tr AFTER DELETE ON chg.t FOR EACH ROW DELETE FROM chg.other");
            long id = table(catalog, "t").id();
            await().until(() -> !table(catalog, "t").triggers().isEmpty());
            assertThat(catalog.version()).isEqualTo(reach + 1);
            assertThat(table(catalog, "t").id()).isEqualTo(id);
        }
    }

    private long readings() throws SQLException {
        return count("Com_show_status");
    }

    private long count(String counter) throws SQLException {
        return Long.parseLong(
                admin.column("SHOW GLOBAL STATUS LIKE '" + counter + "'", 2).get(0));
    }

    @Test
    void definitionsChanged_untilTheReadingCompletes_nothingIsKnown() throws Exception {
        try (TcpProxy gate = new TcpProxy(STORE);
                WireCatalog catalog = WireCatalog.open(through(gate))) {
            long id = table(catalog, "t").id();
            long version = catalog.version();
            gate.stall(true, true);
            CompletableFuture<Void> read = catalog.definitionsChanged().toCompletableFuture();
            assertThat(catalog.version()).isGreaterThan(version);
            assertThat(catalog.table("chg", "t")).isNull();
            assertThat(catalog.table("chg", "other")).isNull();
            assertThat(catalog.storedFunctions()).isTrue();
            assertThat(read).isNotDone();
            gate.stall(false, false);
            read.get(30, TimeUnit.SECONDS);
            assertThat(table(catalog, "t").id()).isEqualTo(id);
        }
    }

    @Test
    void definitionsChanged_ofOneTable_leavesTheOthersAsTheyAre() throws Exception {
        try (TcpProxy gate = new TcpProxy(STORE);
                WireCatalog catalog = WireCatalog.open(through(gate))) {
            TableSchema other = table(catalog, "other");
            TableSchema before = table(catalog, "t");
            gate.stall(true, true);
            CompletableFuture<Void> read =
                    catalog.definitionsChanged(List.of(T)).toCompletableFuture();
            assertThat(catalog.table("chg", "t")).isNull();
            assertThat(table(catalog, "other")).isSameAs(other);
            assertThat(catalog.writeScopeUnknown()).isFalse();
            CompletableFuture<Void> all = catalog.definitionsChanged().toCompletableFuture();
            assertThat(catalog.table("chg", "other")).isNull();
            gate.stall(false, false);
            read.get(30, TimeUnit.SECONDS);
            all.get(30, TimeUnit.SECONDS);
            assertThat(table(catalog, "other").writeScope()).isEqualTo(WriteScope.CELLS);
            assertThat(table(catalog, "t"))
                    .as("it may have been another one meanwhile")
                    .isNotSameAs(before);
        }
    }

    @Test
    void definitionsChanged_whatIsAskedForMeanwhile_isLearnedOfOnce() throws Exception {
        for (int i = 0; i < 100; i++) {
            admin.run("CREATE TABLE chg.more" + i + " LIKE chg.t");
        }
        try (WireCatalog catalog = WireCatalog.open(MariaDbAdmin.options())) {
            TableSchema before = table(catalog, "t");
            TableSchema other = table(catalog, "other");
            CompletableFuture<Void> read = catalog.definitionsChanged().toCompletableFuture();
            TableSchema early = catalog.table("chg", "t");
            while (early == null) {
                early = catalog.table("chg", "t");
            }
            read.get(30, TimeUnit.SECONDS);
            assertThat(early).as("it may have been another one meanwhile").isNotSameAs(before);
            assertThat(early.id()).isEqualTo(before.id());
            assertThat(table(catalog, "t")).isSameAs(early);
            assertThat(table(catalog, "other")).isNotSameAs(other);
        }
    }

    @Test
    void storedCodeChanged_tableWithATrigger_mayWriteOthersAndIsTheSame() throws Exception {
        try (WireCatalog catalog = WireCatalog.open(MariaDbAdmin.options())) {
            TableSchema before = table(catalog, "t");
            TableSchema other = table(catalog, "other");
            admin.run("CREATE TRIGGER chg.fires BEFORE INSERT ON chg.t FOR EACH ROW SET @a = 1");
            catalog.storedCodeChanged().toCompletableFuture().get(30, TimeUnit.SECONDS);
            assertThat(table(catalog, "t").writeScope()).isEqualTo(WriteScope.ROWS);
            assertThat(table(catalog, "t").triggers())
                    .extracting(TriggerText::name, TriggerText::body)
                    .containsExactly(tuple("fires", "SET @a = 1"));
            assertThat(table(catalog, "t").id()).isEqualTo(before.id());
            assertThat(table(catalog, "other")).isSameAs(other);
            assertThat(catalog.storedCode()).isTrue();
            assertThat(catalog.writeScopeUnknown()).isFalse();
            admin.run("DROP TRIGGER chg.fires");
            refresh(catalog);
            assertThat(table(catalog, "t").writeScope()).isEqualTo(WriteScope.CELLS);
            assertThat(table(catalog, "t").triggers()).isEmpty();
        }
    }

    /** The store fires a new trigger before it reports it. */
    @Test
    void storedCodeChanging_theWriteScopeIsUnknown_untilTheChangeIsDoneAndRead() throws Exception {
        try (WireCatalog catalog = WireCatalog.open(MariaDbAdmin.options())) {
            long version = catalog.version();
            Runnable done = catalog.storedCodeChanging();
            assertThat(catalog.version()).isGreaterThan(version);
            assertThat(catalog.writeScopeUnknown()).isTrue();
            assertThat(catalog.storedFunctions()).isTrue();
            refresh(catalog);
            assertThat(catalog.writeScopeUnknown())
                    .as("a reading ahead of the change")
                    .isTrue();
            done.run();
            catalog.storedCodeChanged().toCompletableFuture().get(30, TimeUnit.SECONDS);
            assertThat(catalog.writeScopeUnknown()).isFalse();
            assertThat(catalog.storedFunctions()).isFalse();
        }
    }

    /**
     * A change may make writes to any table cascade into the changed one, and so into all tables
     * that those writes cascade to.
     */
    @Test
    void definitionsChanged_ofATableThatCascades_makesEveryWriteScopeUnknown() throws Exception {
        admin.run("CREATE TABLE chg.child (k int PRIMARY KEY, FOREIGN KEY (k) REFERENCES t (k) ON DELETE CASCADE)");
        try (TcpProxy gate = new TcpProxy(STORE);
                WireCatalog catalog = WireCatalog.open(through(gate))) {
            assertThat(table(catalog, "t").cascades()).containsExactly(new TableName("chg", "child"));
            gate.stall(true, true);
            CompletableFuture<Void> child = catalog.definitionsChanged(List.of(new TableName("chg", "child")))
                    .toCompletableFuture();
            assertThat(catalog.writeScopeUnknown()).isFalse();
            CompletableFuture<Void> parent =
                    catalog.definitionsChanged(List.of(T)).toCompletableFuture();
            assertThat(catalog.writeScopeUnknown()).isTrue();
            gate.stall(false, false);
            child.get(30, TimeUnit.SECONDS);
            parent.get(30, TimeUnit.SECONDS);
            assertThat(catalog.writeScopeUnknown()).isFalse();
        }
        admin.run("DROP TABLE chg.child");
    }

    @Test
    void definitionsChanged_ofAChild_changesTheWriteScopeOfItsParent() throws Exception {
        List<TableName> named = List.of(new TableName("chg", "child"));
        try (WireCatalog catalog = WireCatalog.open(MariaDbAdmin.options())) {
            TableSchema parent = table(catalog, "t");
            assertThat(parent.writeScope()).isEqualTo(WriteScope.CELLS);
            admin.run("CREATE TABLE chg.child (k int PRIMARY KEY, FOREIGN KEY (k) REFERENCES t (k) ON DELETE CASCADE)");
            read(catalog, named);
            assertThat(table(catalog, "child")).isNotNull();
            assertThat(table(catalog, "t").cascades()).containsExactly(new TableName("chg", "child"));
            admin.run("DROP TABLE chg.child");
            read(catalog, named);
            assertThat(catalog.table("chg", "child")).isNull();
            assertThat(table(catalog, "t")).isEqualTo(parent);
        }
    }

    /** Waits until changed tables are read; the reading begins when one is requested. */
    private static void read(WireCatalog catalog, List<TableName> changed) throws Exception {
        CompletableFuture<Void> done = catalog.definitionsChanged(changed).toCompletableFuture();
        var unused = catalog.table(changed.get(0).schema(), changed.get(0).table());
        done.get(30, TimeUnit.SECONDS);
    }

    /** Every way in which a statement may change a definition, or rows. */
    @Test
    void watch_ofAnyStatement_reportsItsPossibleChanges() throws Exception {
        admin.run(
                "USE chg",
                "CREATE PROCEDURE alters() ALTER TABLE chg.t ADD COLUMN a int",
                "CREATE PROCEDURE alters_by_text() BEGIN PREPARE s FROM 'ALTER TABLE chg.t DROP COLUMN a';"
                        + " EXECUTE s; DEALLOCATE PREPARE s; END",
                "CREATE PROCEDURE selects() SELECT * FROM t",
                "CREATE PROCEDURE writes() UPDATE t SET k = k + 1",
                "CREATE FUNCTION g() RETURNS int BEGIN INSERT INTO t (k) VALUES (9); RETURN 1; END",
                "CREATE PROCEDURE only_rows() BEGIN SELECT * FROM t; CREATE TEMPORARY TABLE tt (a int);"
                        + " DROP TEMPORARY TABLE tt; INSERT INTO t (k) VALUES (1); TRUNCATE t; END");
        List<String> defining = List.of(
                "CALL chg.alters()",
                "CALL chg.alters_by_text()",
                "EXECUTE IMMEDIATE 'ALTER TABLE chg.t ADD COLUMN b int'",
                "CREATE INDEX i ON chg.t (v)",
                "DROP INDEX i ON chg.t",
                "RENAME TABLE chg.t TO chg.t2, chg.t2 TO chg.t",
                "CREATE TABLE chg.more LIKE chg.t",
                "CREATE OR REPLACE TABLE chg.more (k int)",
                "DROP TABLE chg.more",
                "FLUSH STATUS",
                "CREATE DATABASE chg_more",
                "ALTER DATABASE chg_more COLLATE utf8mb4_bin",
                "DROP DATABASE chg_more",
                "BEGIN NOT ATOMIC ALTER TABLE chg.t COMMENT = 'x'; SET @x = 1; END");
        List<String> others = List.of(
                "CALL chg.selects()",
                "SELECT * FROM chg.t",
                "ANALYZE TABLE chg.t",
                "DROP PROCEDURE chg.alters",
                "SET @y = 2",
                "CREATE EVENT chg.e ON SCHEDULE EVERY 1 YEAR DO DELETE FROM chg.t");
        List<String> writing = List.of(
                "INSERT INTO chg.t (k) VALUES (7)",
                "CALL chg.writes()",
                "CALL chg.only_rows()",
                "EXECUTE IMMEDIATE 'DELETE FROM chg.t'",
                "BEGIN NOT ATOMIC REPLACE INTO chg.t (k) SELECT 5; END",
                "SELECT chg.g()",
                "TRUNCATE TABLE chg.t",
                "CREATE VIEW chg.v AS SELECT 1",
                "DROP VIEW chg.v",
                "CREATE TRIGGER chg.tr BEFORE INSERT ON chg.t FOR EACH ROW SET @a = 1",
                "DROP TRIGGER chg.tr",
                "CREATE FUNCTION chg.f() RETURNS int RETURN 1",
                "DROP FUNCTION chg.f");
        try (WireCatalog catalog = WireCatalog.open(MariaDbAdmin.options())) {
            for (String statement : defining) {
                assertThat(watched(catalog, statement)).as(statement).isEqualTo(DefinitionWatch.Seen.DEFINITIONS);
            }
            catalog.definitionsChanged().toCompletableFuture().get(30, TimeUnit.SECONDS);
            TableSchema known = table(catalog, "other");
            for (String statement : writing) {
                assertThat(watched(catalog, statement)).as(statement).isEqualTo(DefinitionWatch.Seen.ROWS);
                assertThat(table(catalog, "other")).isSameAs(known);
            }
            for (String statement : others) {
                assertThat(watched(catalog, statement)).as(statement).isEqualTo(DefinitionWatch.Seen.NOTHING);
                assertThat(table(catalog, "other")).isSameAs(known);
            }
            String prepared = "ALTER TABLE chg.t COMMENT = 'y'";
            DefinitionWatch watch =
                    catalog.watchDefinitions().toCompletableFuture().get(30, TimeUnit.SECONDS);
            try (PreparedStatement alter = admin.prepare(prepared)) {
                alter.execute();
            }
            assertThat(watch.ended().toCompletableFuture().get(30, TimeUnit.SECONDS))
                    .as(prepared)
                    .isEqualTo(DefinitionWatch.Seen.DEFINITIONS);
        }
    }

    private DefinitionWatch.Seen watched(WireCatalog catalog, String statement) throws Exception {
        DefinitionWatch watch = catalog.watchDefinitions().toCompletableFuture().get(30, TimeUnit.SECONDS);
        admin.run(statement);
        return watch.ended().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    @Test
    void watch_whileTheStoreIsGone_reportsThatDefinitionsMayHaveChanged() throws Exception {
        try (TcpProxy gate = new TcpProxy(STORE);
                WireCatalog catalog = WireCatalog.open(through(gate))) {
            DefinitionWatch watch =
                    catalog.watchDefinitions().toCompletableFuture().get(30, TimeUnit.SECONDS);
            cut(gate);
            assertThat(watch.ended().toCompletableFuture().get(30, TimeUnit.SECONDS))
                    .isEqualTo(DefinitionWatch.Seen.DEFINITIONS);
            assertThat(catalog.table("chg", "other")).isNull();
        }
    }

    /** Whoever makes a change: an idle gateway only queries the count. */
    @Test
    void refresh_withoutAnyDefinition_readsNoTable() throws Exception {
        CatalogOptions often = MariaDbAdmin.options().withPeriods(Duration.ofMillis(5), Duration.ofHours(1));
        try (WireCatalog catalog = WireCatalog.open(often)) {
            // Repeatedly after the last definition, at increasing intervals.
            await().until(() -> {
                long grants = count("Com_show_grants");
                long readings = readings();
                await().until(() -> readings() > readings + 20);
                return count("Com_show_grants") == grants;
            });
            assertThat(table(catalog, "t")).isNotNull();
        }
    }

    /** A reading that began before the change does not count. */
    @Test
    void definitionsChanged_whileAReadingRuns_waitsForTheNext() throws Exception {
        try (TcpProxy gate = new TcpProxy(STORE);
                WireCatalog catalog = WireCatalog.open(through(gate))) {
            for (int round = 0; round < 6; round++) {
                List<CompletableFuture<Void>> reads = new ArrayList<>();
                for (int i = 0; i < 5; i++) {
                    String column = "c" + round + "_" + i;
                    admin.run("ALTER TABLE chg.t ADD COLUMN " + column + " int");
                    reads.add(catalog.definitionsChanged(List.of(T))
                            .thenAccept(read -> assertColumn(catalog, column))
                            .toCompletableFuture());
                    // The reading begins when the table is requested.
                    assertColumn(catalog, column);
                }
                for (CompletableFuture<Void> read : reads) {
                    read.get(30, TimeUnit.SECONDS);
                }
            }
        }
    }

    /** A later change may have hidden the table again; it is never visible without the column. */
    private static void assertColumn(WireCatalog catalog, String column) {
        TableSchema table = catalog.table("chg", "t");
        assertThat(table == null || table.ordinal(column) >= 0).as(column).isTrue();
    }

    @Test
    void store_gone_theLastReadingAnswersForItsAge() throws Exception {
        try (TcpProxy gate = new TcpProxy(STORE);
                WireCatalog catalog =
                        WireCatalog.open(through(gate).withPeriods(Duration.ofMillis(20), Duration.ofHours(1)))) {
            long version = catalog.version();
            cut(gate);
            await().until(() -> gate.failed() > 3);
            assertThat(catalog.table("chg", "t")).isNotNull();
            assertThat(catalog.version()).isEqualTo(version);
        }
    }

    @Test
    void store_goneForLonger_nothingIsKnown_andItComesBackWithTheSameIds() throws Exception {
        try (TcpProxy gate = new TcpProxy(STORE);
                WireCatalog catalog =
                        WireCatalog.open(through(gate).withPeriods(Duration.ofMillis(20), Duration.ofSeconds(1)))) {
            long id = table(catalog, "t").id();
            long version = catalog.version();
            cut(gate);
            await().until(() -> catalog.table("chg", "t") == null);
            assertThat(catalog.version()).isEqualTo(version + 1);
            gate.leadTo(STORE);
            await().until(() -> catalog.table("chg", "t") != null);
            assertThat(table(catalog, "t").id()).isEqualTo(id);
            assertThat(catalog.version()).isEqualTo(version + 2);
        }
    }

    /**
     * As with very many tables: the duration of a reading does not shorten the time for which it
     * counts.
     */
    @Test
    void reading_thatTakesLong_answersForItsAgeFromItsEndOn() throws Exception {
        Duration age = Duration.ofMillis(500);
        try (TcpProxy gate = new TcpProxy(STORE);
                WireCatalog catalog = WireCatalog.open(through(gate).withPeriods(Duration.ofHours(1), age))) {
            gate.stall(true, true);
            CompletableFuture<Void> read = catalog.definitionsChanged().toCompletableFuture();
            await().pollDelay(Duration.ofMillis(400)).until(() -> true);
            gate.stall(false, false);
            read.get(1, TimeUnit.MINUTES);
            long end = System.nanoTime();
            await().until(() -> catalog.table("chg", "t") == null);
            assertThat(Duration.ofNanos(System.nanoTime() - end)).isGreaterThanOrEqualTo(age);
        }
    }

    @Test
    void definitionsChanged_whileTheStoreIsGone_failsAndNothingIsKnownUntilItIsBack() throws Exception {
        try (TcpProxy gate = new TcpProxy(STORE);
                WireCatalog catalog =
                        WireCatalog.open(through(gate).withPeriods(Duration.ofMillis(50), Duration.ofHours(1)))) {
            cut(gate);
            assertThatThrownBy(() -> refresh(catalog)).hasCauseInstanceOf(ReadFailure.class);
            assertThat(catalog.table("chg", "t")).isNull();
            gate.leadTo(STORE);
            await().until(() -> catalog.table("chg", "t") != null);
        }
    }

    @Test
    void reading_onAConnectionThatWasEnded_takesANewOneAtOnce() throws Exception {
        try (WireCatalog catalog = WireCatalog.open(MariaDbAdmin.options())) {
            for (String id : admin.column(
                    "SELECT ID FROM information_schema.PROCESSLIST WHERE COMMAND = 'Sleep' AND ID <> CONNECTION_ID()",
                    1)) {
                admin.run("KILL " + id);
            }
            refresh(catalog);
            assertThat(catalog.table("chg", "t")).isNotNull();
        }
    }

    @Test
    void close_whileAReadingHangs_returnsAtOnceAndAnswersWhoWaits() throws Exception {
        try (TcpProxy gate = new TcpProxy(STORE)) {
            WireCatalog catalog = WireCatalog.open(through(gate));
            gate.stall(true, true);
            CompletableFuture<Void> read = catalog.definitionsChanged().toCompletableFuture();
            catalog.close();
            assertThat(read).isCompletedExceptionally();
            assertThat(catalog.table("chg", "t")).isNull();
            assertThat(catalog.definitionsChanged().toCompletableFuture()).isCompletedExceptionally();
        }
    }

    private static void cut(TcpProxy gate) {
        gate.leadTo(null);
        gate.cut(1);
    }

    private static CatalogOptions through(TcpProxy gate) {
        return CatalogOptions.of("127.0.0.1", gate.port(), "keyline", MariaDbServer.PASSWORD)
                .withPeriods(Duration.ofHours(1), Duration.ofHours(2));
    }
}
