package org.keyline.stores.mysql.signal;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.planner.TableName;
import org.keyline.stores.mysql.catalog.CatalogOptions;
import org.keyline.stores.mysql.catalog.ReadFailure;
import org.keyline.stores.mysql.catalog.RecordedRows;

/** Partition versions as Doris and StarRocks document their answers; no server of either has been asked. */
final class VersionSignalTest {
    private static final TableName ORDERS = new TableName("shop", "orders");
    private static final String PARTITIONS = "SHOW PARTITIONS FROM `shop`.`orders`";
    private static final String DEFINITION = "SHOW CREATE TABLE `shop`.`orders`";

    private final VersionSignal signal =
            new VersionSignal(CatalogOptions.of("127.0.0.1", 1, "root", ""), Duration.ofSeconds(1));
    private final HeardChanges listener = new HeardChanges();

    private static RecordedRows rows(String store) {
        return new RecordedRows("versions-" + store + ".txt");
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
    @ValueSource(strings = {"doris-4.0", "starrocks-3.3"})
    void token_isThePartitionsWithTheirVersions(String store) throws ReadFailure {
        VersionSignal.Token token = requireNonNull(VersionSignal.token(rows(store), ORDERS));
        assertThat(token.versions()).isEqualTo(Map.of(10_023L, 7L, 10_024L, 1L));
        assertThat(token.definition()).startsWith("CREATE TABLE `orders`");
    }

    @Test
    void ask_whileAnotherServerCameIntoUse_saysNothing() throws Exception {
        signal.ask(rows("doris-4.0"), () -> false, listener);
        assertThat(listener.take()).isEmpty();
    }

    @Test
    void firstQuestion_dropsTheTable_thenTheSameVersionsKeepIt() throws ReadFailure {
        signal.ask(rows("doris-4.0"), () -> true, listener);
        assertThat(listener.take()).containsExactly("table orders", "complete orders");
        long before = System.nanoTime();
        signal.ask(rows("doris-4.0"), () -> true, listener);
        assertThat(listener.take()).containsExactly("complete orders");
        assertThat(listener.completeNanos - before).isNotNegative();
    }

    @Test
    void anotherVersion_orAnotherPartition_dropsTheTable() throws ReadFailure {
        signal.ask(rows("doris-4.0"), () -> true, listener);
        listener.take();
        signal.ask(rows("doris-4.0").replacing(PARTITIONS, "\t7\t", "\t8\t"), () -> true, listener);
        assertThat(listener.take()).containsExactly("table orders", "complete orders");
        signal.ask(
                rows("doris-4.0").replacing(PARTITIONS, "\t7\t", "\t8\t").replacing(PARTITIONS, "10024", "10099"),
                () -> true,
                listener);
        assertThat(listener.take()).containsExactly("table orders", "complete orders");
    }

    /**
     * ALTER TABLE … REPLACE PARTITION … WITH TEMPORARY PARTITION on Doris: the partition has another id, or another version, and
     * the version of the table stays the same.
     */
    @ParameterizedTest
    @CsvSource({"10024,10311", "\\t1\\t,\\t2\\t"})
    void partitionReplacedByATemporaryOne_dropsTheTable(String before, String after) throws ReadFailure {
        signal.ask(rows("doris-4.0"), () -> true, listener);
        listener.take();
        signal.ask(
                rows("doris-4.0").replacing(PARTITIONS, before.translateEscapes(), after.translateEscapes()),
                () -> true,
                listener);
        assertThat(listener.take()).containsExactly("table orders", "complete orders");
    }

    @Test
    void anotherDefinition_isToldAsOne() throws ReadFailure {
        signal.ask(rows("doris-4.0"), () -> true, listener);
        listener.take();
        signal.ask(rows("doris-4.0").replacing(DEFINITION, "int", "bigint"), () -> true, listener);
        assertThat(listener.take()).containsExactly("definition of orders", "complete orders");
    }

    @Test
    void tableThatTheStoreDoesNotTellOf_isNotVouchedFor_andIsDroppedWhenItDoesAgain() throws ReadFailure {
        signal.ask(rows("doris-4.0"), () -> true, listener);
        listener.take();
        signal.ask(rows("doris-4.0").with(PARTITIONS, "! Access denied"), () -> true, listener);
        assertThat(listener.take()).isEmpty();
        signal.ask(rows("doris-4.0"), () -> true, listener);
        assertThat(listener.take()).containsExactly("table orders", "complete orders");
    }

    @Test
    void answerWithoutVersions_isNotVouchedFor() throws ReadFailure {
        signal.ask(rows("doris-4.0").replacing(PARTITIONS, "VisibleVersion\t", "Something\t"), () -> true, listener);
        assertThat(listener.take()).isEmpty();
    }

    @Test
    void storeThatIsSilent_endsTheRound() {
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
