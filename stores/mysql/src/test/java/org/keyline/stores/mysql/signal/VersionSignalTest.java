package org.keyline.stores.mysql.signal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.planner.TableName;
import org.keyline.stores.PartitionSpans;
import org.keyline.stores.mysql.catalog.CatalogOptions;
import org.keyline.stores.mysql.catalog.CatalogRows;
import org.keyline.stores.mysql.catalog.Dialect;
import org.keyline.stores.mysql.catalog.ReadFailure;
import org.keyline.stores.mysql.catalog.RecordedRows;

/** Versions as recorded from frontends of Doris and StarRocks. */
final class VersionSignalTest {
    private static final TableName ORDERS = new TableName("shop", "orders");
    private static final String DATABASES = "SHOW PROC '/dbs'";
    private static final String TABLES = "SHOW PROC '/dbs/15005'";
    private static final String PARTITIONS = "SHOW PARTITIONS FROM `shop`.`orders`";
    private static final String LIST =
            "SELECT DB_NAME, TABLE_NAME, PARTITION_ID, VISIBLE_VERSION FROM information_schema.partitions_meta"
                    + " WHERE DB_NAME IN ('shop')";

    private static final String BOUNDS =
            "SELECT DB_NAME, TABLE_NAME, PARTITION_ID, PARTITION_KEY, PARTITION_VALUE FROM information_schema.partitions_meta";

    private final RecordedChanges listener = new RecordedChanges();
    private final AtomicLong clock = new AtomicLong();
    private final VersionSignal signal =
            new VersionSignal(CatalogOptions.of("127.0.0.1", 1, "root", ""), Duration.ofSeconds(1), clock::get);

    /** Returns the reports about all partitions. */
    private static String all(Dialect dialect) {
        return "partitions of orders: " + (dialect == Dialect.DORIS ? "[15006, 15007]" : "[15066, 15067]");
    }

    private static RecordedRows doris() {
        return new RecordedRows("versions-doris-3.0.txt");
    }

    private static RecordedRows starRocks() {
        return new RecordedRows("versions-starrocks-3.5.txt");
    }

    private static RecordedRows rows(Dialect dialect) {
        return dialect == Dialect.DORIS ? doris() : starRocks();
    }

    private void begin(Dialect dialect) {
        signal.begin(
                dialect == Dialect.DORIS
                        ? new TableVersions(dialect, "keyline", clock::get)
                        : VersionSource.of(dialect, "keyline"));
    }

    /** Returns the listener's reports of one query after this time. */
    private List<String> reported(RecordedRows rows, long afterMillis) throws ReadFailure, SignalRefused {
        clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(afterMillis));
        signal.ask(rows, () -> true, listener);
        return listener.take();
    }

    /** Registers a table with the signal, which queries it twice. */
    private void follow(Dialect dialect) throws ReadFailure, SignalRefused {
        begin(dialect);
        reported(rows(dialect), 0);
        reported(rows(dialect), 900);
    }

    @BeforeEach
    void table() {
        listener.tables.add(ORDERS);
    }

    @AfterEach
    void close() {
        signal.close();
    }

    @ParameterizedTest
    @EnumSource(names = {"DORIS", "STARROCKS"})
    void firstQuestion_leavesLinesTheirTtl_theNextOneDropsThem_thenTheSameVersionsRetainThem(Dialect dialect)
            throws Exception {
        begin(dialect);
        assertThat(reported(rows(dialect), 0)).isEmpty();
        assertThat(reported(rows(dialect), 0)).containsExactly(all(dialect), "complete orders");
        long before = clock.get();
        assertThat(reported(rows(dialect), 900)).containsExactly("complete orders");
        assertThat(listener.completeNanos - before).isNotNegative();
    }

    @ParameterizedTest
    @EnumSource(names = {"DORIS", "STARROCKS"})
    void withoutLines_nothingIsAsked(Dialect dialect) throws Exception {
        begin(dialect);
        listener.tables.clear();
        RecordedRows rows = rows(dialect);
        assertThat(reported(rows, 0)).isEmpty();
        assertThat(rows.asked()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"DORIS", "STARROCKS"})
    void tableThatIsRead_isAskedForOnce_soThatItsFirstLineStays(Dialect dialect) throws Exception {
        begin(dialect);
        listener.tables.clear();
        listener.read.add(ORDERS);
        assertThat(reported(rows(dialect), 0)).contains("complete orders");
        RecordedRows rows = rows(dialect);
        assertThat(reported(rows, 900)).isEmpty();
        assertThat(rows.asked()).isEmpty();
        listener.tables.add(ORDERS);
        assertThat(reported(rows, 9_000)).containsExactly("complete orders");
        assertThat(reported(rows, 16_000)).isEmpty();
        assertThat(reported(rows, 900)).containsExactly(all(dialect), "complete orders");
    }

    @ParameterizedTest
    @EnumSource(names = {"DORIS", "STARROCKS"})
    void whileAnotherServerCameIntoUse_nothingIsReported(Dialect dialect) throws Exception {
        follow(dialect);
        signal.ask(rows(dialect), () -> false, listener);
        assertThat(listener.take()).isEmpty();
    }

    @Test
    void doris_tableThatStandsStill_costsOneStatement() throws Exception {
        begin(Dialect.DORIS);
        for (int i = 0; i < 4; i++) {
            reported(doris(), 900);
        }
        RecordedRows rows = doris();
        assertThat(reported(rows, 900)).containsExactly("complete orders");
        assertThat(rows.asked()).containsExactly(TABLES);
    }

    @ParameterizedTest
    @CsvSource({"DORIS, 20", "DORIS, 200", "STARROCKS, 20", "STARROCKS, 200"})
    void tablesOfADatabaseThatStandStill_costOneStatement(Dialect dialect, int count) throws Exception {
        RecordedRows rows = rows(dialect);
        List<TableName> tables = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            tables.add(new TableName("shop", "t" + i));
            if (dialect == Dialect.DORIS) {
                rows.plus(TABLES, (1000 + i) + "\tt" + i + "\t1\tday\t2\tNORMAL\tOLAP\t\\N\t4\t3\t1\t0\tnow");
                rows.with(
                        "SHOW PARTITIONS FROM `shop`.`t" + i + "`",
                        "PartitionId\tVisibleVersion\tPartitionKey\tRange",
                        i + "\t2\t\t");
            } else {
                rows.plus(LIST, "shop\tt" + i + "\t" + (1000 + i) + "\t2");
                rows.plus(BOUNDS, "shop\tt" + i + "\t" + (1000 + i) + "\t\t");
            }
        }
        VersionSource source = dialect == Dialect.DORIS
                ? new TableVersions(dialect, "keyline", clock::get)
                : VersionSource.of(dialect, "keyline");
        // Doris: four tables per round, each until 2 s have passed.
        for (int i = 0; i < count; i++) {
            clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(900));
            source.read(rows, tables);
        }
        rows.asked().clear();
        assertThat(source.read(rows, tables).keySet()).containsAll(tables);
        assertThat(rows.asked()).containsExactly(dialect == Dialect.DORIS ? TABLES : LIST);
    }

    @Test
    void doris_anotherTableUnderTheName_dropsTheTable() throws Exception {
        follow(Dialect.DORIS);
        assertThat(reported(doris().replacing(TABLES, "15008\torders", "16000\torders"), 900))
                .containsExactly("table orders", "complete orders");
    }

    /** A TRUNCATE in the second of a load does not change the version in the list of tables. */
    @Test
    void doris_partitionReplacedWithinTheSecond_dropsTheTable() throws Exception {
        follow(Dialect.DORIS);
        RecordedRows truncated = doris().replacing(PARTITIONS, "15006\tp1\t3", "15023\tp1\t1");
        assertThat(reported(truncated, 900)).containsExactly("partitions of orders: [15007, 15023]", "complete orders");
        assertThat(reported(truncated, 900)).containsExactly("complete orders");
    }

    @Test
    void doris_moreTablesThanPartitionQuestions_dropAll_andAreNotFreshUntilTheirPartitionsAreKnown() throws Exception {
        begin(Dialect.DORIS);
        RecordedRows rows = doris();
        listener.tables.clear();
        for (int i = 0; i <= TableVersions.MAX_PARTITION_QUESTIONS; i++) {
            listener.tables.add(new TableName("shop", "t" + i));
            rows.plus(
                    TABLES, (1000 + i) + "\tt" + i + "\t1\tday\t2\tNORMAL\tOLAP\t\\N\t4\t3\t1\t0\t2026-11-28 14:22:41");
            rows.with(
                    "SHOW PARTITIONS FROM `shop`.`t" + i + "`",
                    "PartitionId\tVisibleVersion\tPartitionKey\tRange",
                    i + "\t2\t\t");
        }
        reported(rows, 0);
        for (int i = 0; i < 10; i++) {
            reported(rows, 900);
        }
        assertThat(reported(rows, 900)).hasSize(5).allMatch(word -> word.startsWith("complete"));
        rows.replacing(TABLES, "\t3\t1\t", "\t4\t2\t");
        assertThat(reported(rows, 900))
                .containsOnlyOnce("table t4")
                .doesNotContain("table t0")
                .contains("complete t0", "complete t4");
        assertThat(reported(rows, 900))
                .as("the table of unknown versions is dropped once more, and another one waits for its turn")
                .contains("table t4")
                .hasSize(TableVersions.MAX_PARTITION_QUESTIONS + 1);
        for (int i = 0; i < 10; i++) {
            reported(rows, 900);
        }
        assertThat(reported(rows, 900)).hasSize(5).allMatch(word -> word.startsWith("complete"));
    }

    @Test
    void doris_databaseMadeAnew_isFoundByItsNewId() throws Exception {
        follow(Dialect.DORIS);
        RecordedRows gone = doris().with(TABLES, "! Database 15005 does not exist");
        assertThat(reported(gone, 900)).isEmpty();
        RecordedRows again = doris().replacing(DATABASES, "15005\tshop", "15999\tshop")
                .with(
                        "SHOW PROC '/dbs/15999'",
                        "TableId\tTableName\tIndexNum\tPartitionNum\tState\tReplicaCount\tVisibleVersion\tVisibleVersionTime\tLastUpdateTime",
                        "16001\torders\t1\t2\tNORMAL\t4\t2\t5\t2026-11-28 14:22:41")
                .replacing(PARTITIONS, "1500", "1600");
        assertThat(reported(again, 900)).as("another table, as far as is known").isEmpty();
        assertThat(reported(again, 900)).containsExactly("partitions of orders: [16006, 16007]", "complete orders");
    }

    @Test
    void doris_tableBeingRestored_isNotFresh_andIsLookedAtAnewAfterwards() throws Exception {
        begin(Dialect.DORIS);
        for (int i = 0; i < 4; i++) {
            reported(doris(), 900);
        }
        assertThat(reported(doris().replacing(TABLES, "NORMAL", "RESTORE"), 900))
                .isEmpty();
        assertThat(reported(doris(), 900)).isEmpty();
        assertThat(reported(doris(), 900)).contains(all(Dialect.DORIS), "complete orders");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ADMIN SHOW FRONTEND CONFIG LIKE 'deploy_mode'", "SHOW PROC '/dbs'"})
    void doris_missingRight_isNamedWithItsGrant(String refused) {
        begin(Dialect.DORIS);
        RecordedRows rows = doris().with(refused.startsWith("SHOW") ? DATABASES : refused, "! Access denied");
        assertThatThrownBy(() -> reported(rows, 0))
                .isInstanceOf(SignalRefused.class)
                .hasMessageContaining("GRANT ADMIN_PRIV ON *.*.* TO 'keyline'@'%'");
        assertThat(listener.take()).isEmpty();
    }

    @Test
    void doris_releaseWithoutVersions_isNamed() {
        begin(Dialect.DORIS);
        RecordedRows old = doris().replacing(TABLES, "VisibleVersion\t", "Something\t");
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 3; i++) {
                        assertThat(reported(old, 900)).isEmpty();
                    }
                })
                .isInstanceOf(SignalRefused.class)
                .hasMessageContaining("Doris 2.1 or later");
    }

    @ParameterizedTest
    @CsvSource({"deploy_mode, cloud", "cloud_unique_id, 1:7:fe"})
    void doris_whoseStorageIsApart_isNotFollowed(String config, String value) {
        begin(Dialect.DORIS);
        RecordedRows rows =
                doris().with("ADMIN SHOW FRONTEND CONFIG LIKE '" + config + "'", "Key\tValue", config + "\t" + value);
        assertThatThrownBy(() -> reported(rows, 0))
                .isInstanceOf(SignalRefused.class)
                .hasMessageContaining("compute-storage");
    }

    @Test
    void starRocks_partitionsThatChangeBetweenTwoStatements_areOfUnknownBounds() throws Exception {
        follow(Dialect.STARROCKS);
        RecordedRows moved = starRocks().replacing(LIST, "15066", "15099");
        assertThat(reported(moved, 900)).containsExactly("table orders", "complete orders");
    }

    @Test
    void starRocks_bounds_areRequestedOnce() throws Exception {
        follow(Dialect.STARROCKS);
        RecordedRows rows = starRocks().replacing(LIST, "\t3", "\t4");
        reported(rows, 900);
        assertThat(rows.asked()).containsExactly(LIST);
    }

    @Test
    void doris_changedPartition_isNamed_withTheBoundsOfAll() throws Exception {
        follow(Dialect.DORIS);
        RecordedRows loaded = doris().replacing(PARTITIONS, "15007\tp2\t2", "15007\tp2\t3");
        assertThat(reported(loaded, 900)).containsExactly("partitions of orders: [15007]", "complete orders");
        assertThat(listener.partitioning)
                .isEqualTo(new PartitionSpans(
                        "day",
                        "DATE",
                        List.of(
                                new PartitionSpans.Span(15006, "0000-01-01", "2026-02-01"),
                                new PartitionSpans.Span(15007, "2026-02-01", "2026-03-01"))));
    }

    @Test
    void starRocks_tableThatIsNotListed_isNotFresh_untilItIsListedAgain() throws Exception {
        follow(Dialect.STARROCKS);
        assertThat(reported(starRocks().replacing(LIST, "orders", "others"), 900))
                .isEmpty();
        assertThat(reported(starRocks(), 900)).as("perhaps another table").isEmpty();
        assertThat(reported(starRocks(), 900)).containsExactly(all(Dialect.STARROCKS), "complete orders");
        assertThat(reported(starRocks().replacing(LIST, "\t3", "\t5"), 900))
                .containsExactly("partitions of orders: [15066]", "complete orders");
    }

    @Test
    void starRocks_sameNameInAnotherDatabase_isAnotherTable() throws Exception {
        follow(Dialect.STARROCKS);
        assertThat(reported(starRocks().plus(LIST, "shop2\torders\t15066\t9"), 900))
                .containsExactly("complete orders");
    }

    @Test
    void starRocks_oneFailedQuestion_isAskedAgain() throws Exception {
        follow(Dialect.STARROCKS);
        RecordedRows recorded = starRocks();
        boolean[] failed = {false};
        CatalogRows rows = (sql, taker) -> {
            if (!failed[0]) {
                failed[0] = true;
                throw new ReadFailure("This stopwatch is already running.");
            }
            recorded.query(sql, taker);
        };
        signal.ask(rows, () -> true, listener);
        assertThat(listener.take()).containsExactly("complete orders");
        assertThat(failed).containsExactly(true);
    }

    @Test
    void starRocks_refusal_isReportedAsOne() {
        begin(Dialect.STARROCKS);
        RecordedRows rows = starRocks().with(LIST, "! Backend node not found");
        assertThatThrownBy(() -> reported(rows, 0))
                .isInstanceOf(SignalRefused.class)
                .hasMessageContaining("Backend node not found");
    }

    /** The default period; lines older than their ttl of 1 s need a list of at most that age. */
    @ParameterizedTest
    @CsvSource({"0, 0", "90, 90", "300, 300", "300, 290", "200, 0", "450, 440"})
    void storeThatAnswersLate_isAskedEarlier_soThatLinesInUseStayFresh(long answerMillis, long pingMillis)
            throws Exception {
        try (VersionSignal late =
                new VersionSignal(CatalogOptions.of("127.0.0.1", 1, "root", ""), Duration.ofMillis(900), clock::get)) {
            late.begin(VersionSource.of(Dialect.STARROCKS, "keyline"));
            long asOf = 0;
            long oldest = 0;
            for (int i = 0; i < 40; i++) {
                long began = clock.get();
                late.ask(taking(starRocks(), answerMillis, pingMillis), () -> true, listener);
                if (i > 3) {
                    assertThat(listener.take()).containsExactly("complete orders");
                    oldest = Math.max(oldest, began + TimeUnit.MILLISECONDS.toNanos(answerMillis) - asOf);
                }
                listener.take();
                asOf = began;
                clock.set(Math.max(clock.get(), began + late.pauseNanos()));
            }
            assertThat(Duration.ofNanos(oldest)).isBetween(Duration.ofMillis(890), Duration.ofMillis(990));
        }
    }

    /** The store itself takes the time, unlike a slow network. */
    @Test
    void storeThatWorksLong_isNotAskedOn() throws Exception {
        try (VersionSignal late =
                new VersionSignal(CatalogOptions.of("127.0.0.1", 1, "root", ""), Duration.ofMillis(900), clock::get)) {
            late.begin(VersionSource.of(Dialect.STARROCKS, "keyline"));
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 8; i++) {
                            late.ask(taking(starRocks(), 300, 1), () -> true, listener);
                        }
                    })
                    .isInstanceOf(SignalRefused.class)
                    .hasMessageContaining("the store took more than 225 ms");
        }
    }

    /** Returns the same rows, each answer after this time. */
    private CatalogRows taking(RecordedRows rows, long answerMillis, long pingMillis) {
        return (sql, taker) -> {
            boolean ping = sql.startsWith("/* ping */");
            clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(ping ? pingMillis : answerMillis));
            if (!ping) {
                rows.query(sql, taker);
            }
        };
    }

    @Test
    void storeThatIsSilent_endsTheRound() {
        begin(Dialect.STARROCKS);
        assertThatThrownBy(() -> signal.ask(
                        (sql, taker) -> {
                            throw new ReadFailure(false, "gone", new IllegalStateException("gone"));
                        },
                        () -> true,
                        listener))
                .isInstanceOf(ReadFailure.class);
        assertThat(listener.take()).isEmpty();
    }
}
