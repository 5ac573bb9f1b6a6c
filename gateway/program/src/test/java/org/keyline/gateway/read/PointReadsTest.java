package org.keyline.gateway.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.github.benmanes.caffeine.cache.Ticker;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.ItemStore;
import org.keyline.gateway.table.CachedTable;
import org.keyline.gateway.table.CachedTables;
import org.keyline.planner.Catalog;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.Condition;
import org.keyline.planner.KeyPart;
import org.keyline.planner.KeyRange;
import org.keyline.planner.Order;
import org.keyline.planner.PlannedStatement;
import org.keyline.planner.PointRead;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.rowcache.RowCache;
import org.keyline.rowcache.RowCacheOptions;
import org.keyline.rowcache.TableOptions;
import org.keyline.stores.SessionIdentity;

final class PointReadsTest {
    private static final int STATEMENTS = 5_000;

    private final TableSchema table = new TableSchema(
            new TableName("d", "t"),
            1,
            TableModel.UNIQUE,
            List.of(new ColumnSchema(
                    "k", new ColumnType(ColumnType.Kind.BIGINT, false, 20, 0, null), false, null, false, "")),
            List.of(0),
            List.of(),
            "",
            Map.of());

    private final Catalog catalog = new Catalog() {
        @Override
        public @Nullable TableSchema table(String schema, String name) {
            return table;
        }

        @Override
        public long version() {
            return 1;
        }
    };

    /**
     * The other event loops must see the shapes that one has learned; otherwise they would always
     * forward.
     */
    @Test
    void shape_twoThreadsMeetAStatementAtOnce_isOneForBoth() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try (ItemStore store = new ItemStore()) {
            RowCache cache = new RowCache(RowCacheOptions.of(1 << 20, 1, Ticker.systemTicker(), Runnable::run));
            PointReads reads = new PointReads(
                    store,
                    new CachedTables(cache, catalog, schema -> TableOptions.DEFAULT),
                    new SessionIdentity(1, "loader", "localhost", null, 0, 0, Map.of()),
                    new PointReads.Options(
                            1, Duration.ofSeconds(1), Duration.ofSeconds(1), false, 0, 1 << 20, 1 << 20, false));
            CyclicBarrier together = new CyclicBarrier(2);
            for (int i = 0; i < STATEMENTS; i++) {
                PointRead plan = new PointRead(
                        table, List.of(List.of(new KeyPart(0, false))), List.of(0), Order.NONE, null, null);
                PlannedStatement statement = new PlannedStatement(plan, "SELECT k FROM t WHERE k = ?", 1);
                Future<@Nullable ReadShape> one = threads.submit(() -> {
                    together.await();
                    return reads.shape(statement, plan);
                });
                Future<@Nullable ReadShape> other = threads.submit(() -> {
                    together.await();
                    return reads.shape(statement, plan);
                });

                assertThat(one.get()).isNotNull().isSameAs(other.get());
            }
        } finally {
            threads.shutdown();
        }
    }

    /** Otherwise each change of a definition would leave the lines of the old one in memory. */
    @Test
    void filterLines_ofAReplacedTable_canBeCollected() {
        try (ItemStore store = new ItemStore()) {
            RowCache cache = new RowCache(RowCacheOptions.of(1 << 20, 1, Ticker.systemTicker(), Runnable::run));
            AtomicReference<TableSchema> current = new AtomicReference<>(table);
            Catalog changing = new Catalog() {
                @Override
                public @Nullable TableSchema table(String schema, String name) {
                    return current.get();
                }

                @Override
                public long version() {
                    return 1;
                }
            };
            TableOptions lines = TableOptions.DEFAULT.withFilters(TableOptions.DEFAULT);
            CachedTables tables = new CachedTables(cache, changing, schema -> lines);
            PointReads reads = new PointReads(
                    store,
                    tables,
                    new SessionIdentity(1, "loader", "localhost", null, 0, 0, Map.of()),
                    new PointReads.Options(
                            1, Duration.ofSeconds(1), Duration.ofSeconds(1), false, 0, 1 << 20, 1 << 20, false));
            assertThat(filterShape(reads, table)).isNotNull();
            WeakReference<CachedTable> old = new WeakReference<>(tables.known(table.name()));
            assertThat(old.get()).isNotNull();

            TableSchema changed = new TableSchema(
                    table.name(), 2, TableModel.UNIQUE, table.columns(), List.of(0), List.of(), "", Map.of());
            current.set(changed);
            assertThat(filterShape(reads, changed)).isNotNull();
            reads.revoke();

            await().until(() -> {
                System.gc();
                return old.get() == null;
            });
        }
    }

    private static @Nullable ReadShape filterShape(PointReads reads, TableSchema of) {
        KeyPart value = new KeyPart(0, false);
        Condition equal = new Condition(0, List.of(List.of(new Condition.Comparison(Condition.Operator.EQUAL, value))));
        PointRead plan = new PointRead(
                of,
                List.of(KeyRange.EVERYTHING),
                List.of(equal),
                List.of(0),
                Order.NONE,
                null,
                null,
                PointRead.Answer.ROWS,
                List.of(),
                List.of(),
                List.of(),
                List.of());
        return reads.shape(new PlannedStatement(plan, "SELECT k FROM t WHERE k = ?", 1), plan);
    }

    @Test
    void templates_ofTooManyBytes_areAllLearnedAnew() {
        RowCache cache = new RowCache(RowCacheOptions.of(1 << 20, 1, Ticker.systemTicker(), Runnable::run));
        try (ItemStore store = new ItemStore()) {
            PointReads reads = new PointReads(
                    store,
                    new CachedTables(cache, store.catalog(), schema -> TableOptions.DEFAULT),
                    new SessionIdentity(1, "loader", "localhost", null, 0, 0, Map.of()),
                    new PointReads.Options(
                            1, Duration.ofSeconds(1), Duration.ofSeconds(1), false, 0, 1_000, 1_000, false));
            assertThat(reads.admitsTemplate(126)).isFalse();
            for (int i = 0; i < 8; i++) {
                assertThat(reads.admitsTemplate(125)).isTrue();
            }
            assertThat(reads.revocations()).isZero();
            assertThat(reads.admitsTemplate(125)).isTrue();
            assertThat(reads.revocations()).isEqualTo(1);
        }
    }
}
