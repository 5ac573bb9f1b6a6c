package org.keyline.gateway.store.wire.catalog;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

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
import org.keyline.planner.WriteReach;
import org.keyline.protocol.fixtures.MariaDbServer;

/** How the catalog follows changes of definitions, and the failures of a real MariaDB. */
final class WireCatalogChangesIT {
    private static final TableName T = new TableName("chg", "t");

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

    /** Trap 27 among others: an id lives exactly as long as the definition under its name. */
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
                    // Such as a column that is not there: nothing changes then.
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
            await().until(() -> table(catalog, "t").writeReach() == WriteReach.ANYWHERE);
            assertThat(catalog.version()).isEqualTo(reach + 1);
            assertThat(table(catalog, "t").id()).isEqualTo(id);
        }
    }

    private long readings() throws SQLException {
        return Long.parseLong(
                admin.column("SHOW GLOBAL STATUS LIKE 'Com_show_grants'", 2).get(0));
    }

    @Test
    void definitionsChanged_untilTheReadingIsThere_nothingIsKnown() throws Exception {
        try (Tollgate gate = new Tollgate(MariaDbAdmin.port());
                WireCatalog catalog = WireCatalog.open(through(gate))) {
            long id = table(catalog, "t").id();
            long version = catalog.version();
            gate.hold();
            CompletableFuture<Void> read = catalog.definitionsChanged().toCompletableFuture();
            assertThat(catalog.version()).isGreaterThan(version);
            assertThat(catalog.table("chg", "t")).isNull();
            assertThat(catalog.table("chg", "other")).isNull();
            assertThat(catalog.storedFunctions()).isTrue();
            assertThat(read).isNotDone();
            gate.release();
            read.get(30, TimeUnit.SECONDS);
            assertThat(table(catalog, "t").id()).isEqualTo(id);
        }
    }

    @Test
    void definitionsChanged_ofOneTable_leavesTheOthersWithWritesThatReachEverywhere() throws Exception {
        try (Tollgate gate = new Tollgate(MariaDbAdmin.port());
                WireCatalog catalog = WireCatalog.open(through(gate))) {
            long id = table(catalog, "other").id();
            gate.hold();
            CompletableFuture<Void> read =
                    catalog.definitionsChanged(List.of(T)).toCompletableFuture();
            assertThat(catalog.table("chg", "t")).isNull();
            assertThat(table(catalog, "other").id()).isEqualTo(id);
            assertThat(table(catalog, "other").writeReach()).isEqualTo(WriteReach.ANYWHERE);
            assertThat(catalog.storedFunctions()).isTrue();
            CompletableFuture<Void> all = catalog.definitionsChanged().toCompletableFuture();
            assertThat(catalog.table("chg", "other")).isNull();
            gate.release();
            read.get(30, TimeUnit.SECONDS);
            all.get(30, TimeUnit.SECONDS);
            assertThat(table(catalog, "other").writeReach()).isEqualTo(WriteReach.ROWS);
            assertThat(table(catalog, "t")).isNotNull();
        }
    }

    /** What a reading saw that began before the change settles nothing. */
    @Test
    void definitionsChanged_whileAReadingRuns_waitsForTheNext() throws Exception {
        try (Tollgate gate = new Tollgate(MariaDbAdmin.port());
                WireCatalog catalog = WireCatalog.open(through(gate))) {
            for (int round = 0; round < 20; round++) {
                List<CompletableFuture<Void>> reads = new ArrayList<>();
                for (int i = 0; i < 5; i++) {
                    String column = "c" + round + "_" + i;
                    admin.run("ALTER TABLE chg.t ADD COLUMN " + column + " int");
                    reads.add(catalog.definitionsChanged(List.of(T))
                            .thenAccept(read -> assertColumn(catalog, column))
                            .toCompletableFuture());
                }
                for (CompletableFuture<Void> read : reads) {
                    read.get(30, TimeUnit.SECONDS);
                }
            }
        }
    }

    /** A later change may have hidden the table again; it never shows without the column. */
    private static void assertColumn(WireCatalog catalog, String column) {
        TableSchema table = catalog.table("chg", "t");
        assertThat(table == null || table.ordinal(column) >= 0).as(column).isTrue();
    }

    @Test
    void store_gone_theLastReadingAnswersForItsAge() throws Exception {
        try (Tollgate gate = new Tollgate(MariaDbAdmin.port());
                WireCatalog catalog =
                        WireCatalog.open(through(gate).withPeriods(Duration.ofMillis(20), Duration.ofHours(1)))) {
            long version = catalog.version();
            gate.cut();
            await().until(() -> gate.refused() > 3);
            assertThat(catalog.table("chg", "t")).isNotNull();
            assertThat(catalog.version()).isEqualTo(version);
        }
    }

    @Test
    void store_goneForLonger_nothingIsKnown_andItComesBackWithTheSameIds() throws Exception {
        try (Tollgate gate = new Tollgate(MariaDbAdmin.port());
                WireCatalog catalog =
                        WireCatalog.open(through(gate).withPeriods(Duration.ofMillis(20), Duration.ofSeconds(1)))) {
            long id = table(catalog, "t").id();
            long version = catalog.version();
            gate.cut();
            await().until(() -> catalog.table("chg", "t") == null);
            assertThat(catalog.version()).isEqualTo(version + 1);
            gate.mend();
            await().until(() -> catalog.table("chg", "t") != null);
            assertThat(table(catalog, "t").id()).isEqualTo(id);
            assertThat(catalog.version()).isEqualTo(version + 2);
        }
    }

    @Test
    void definitionsChanged_whileTheStoreIsGone_failsAndNothingIsKnownUntilItIsBack() throws Exception {
        try (Tollgate gate = new Tollgate(MariaDbAdmin.port());
                WireCatalog catalog =
                        WireCatalog.open(through(gate).withPeriods(Duration.ofMillis(50), Duration.ofHours(1)))) {
            gate.cut();
            assertThatThrownBy(() -> refresh(catalog)).hasCauseInstanceOf(ReadFailure.class);
            assertThat(catalog.table("chg", "t")).isNull();
            gate.mend();
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
        try (Tollgate gate = new Tollgate(MariaDbAdmin.port())) {
            WireCatalog catalog = WireCatalog.open(through(gate));
            gate.hold();
            CompletableFuture<Void> read = catalog.definitionsChanged().toCompletableFuture();
            catalog.close();
            assertThat(read).isCompletedExceptionally();
            assertThat(catalog.table("chg", "t")).isNull();
            assertThat(catalog.definitionsChanged().toCompletableFuture()).isCompletedExceptionally();
        }
    }

    private static CatalogOptions through(Tollgate gate) {
        return CatalogOptions.of("127.0.0.1", gate.port(), "keyline", MariaDbServer.PASSWORD)
                .withPeriods(Duration.ofHours(1), Duration.ofHours(2));
    }
}
