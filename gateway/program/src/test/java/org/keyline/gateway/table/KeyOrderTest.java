package org.keyline.gateway.table;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.keyline.planner.Catalog;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.ColumnType.Kind;
import org.keyline.planner.Planner;
import org.keyline.planner.PointRead;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.planner.calcite.PointReadMatcher;
import org.keyline.planner.digest.Digester;
import org.keyline.planner.digest.SqlMode;
import org.keyline.planner.statement.StatementClassifier;
import org.keyline.rowcache.RowCache;
import org.keyline.rowcache.RowCacheOptions;
import org.keyline.rowcache.TableOptions;

final class KeyOrderTest {
    /**
     * Text whose order was not compared with a store is not sorted here: rows that differ in it
     * come from the store.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "utf8mb4_0900_ai_ci|int|a = 'x' AND b = 1|true",
                "utf8mb4_0900_ai_ci|int|a = 'x'|true",
                "utf8mb4_0900_ai_ci|int|a = 'x' ORDER BY b DESC|true",
                "utf8mb4_0900_ai_ci|int|a IN ('x', 'y') AND b = 1|false",
                "int|utf8mb4_0900_ai_ci|a = 1 AND b = 'x'|true",
                "int|utf8mb4_0900_ai_ci|a = 1|false",
                "int|utf8mb4_0900_ai_ci|a = 1 ORDER BY b|false",
                "utf8mb4_unicode_ci|utf8mb4_bin|a = 'x'|true",
                "utf8mb4_unicode_ci|utf8mb4_bin|a IN ('x', 'y') AND b = 'z'|true",
            })
    void sortsLikeTheStore_byWhatMayDiffer(String a, String b, String condition, boolean sorts) {
        TableSchema schema = schema(a, b);
        RowCache cache = new RowCache(RowCacheOptions.of(1 << 20, 7, Ticker.systemTicker(), Runnable::run));
        Catalog catalog = new OneTable(schema);
        CachedTable table = requireNonNull(new CachedTables(cache, catalog, any -> TableOptions.DEFAULT).of(schema));
        boolean proven = !a.contains("0900_ai_ci") && !b.contains("0900_ai_ci");
        assertThat(table.lines().options().ordered()).isEqualTo(proven);
        assertThat(table.sortsLikeTheStore(plan(catalog, "SELECT * FROM t WHERE " + condition)))
                .isEqualTo(sorts);
    }

    private static PointRead plan(Catalog catalog, String text) {
        byte[] sql = text.getBytes(UTF_8);
        Digester digester = new Digester();
        digester.digest(sql, 0, sql.length, SqlMode.DEFAULT);
        Planner planner = new Planner(List.of(new StatementClassifier(), new PointReadMatcher()));
        return (PointRead) planner.plan(digester, "d", catalog).plan();
    }

    private static TableSchema schema(String... types) {
        List<ColumnSchema> columns = new ArrayList<>();
        for (String type : types) {
            ColumnType declared =
                    type.equals("int") ? ColumnType.of(Kind.INT) : new ColumnType(Kind.VARCHAR, false, 9, 0, type);
            columns.add(ColumnSchema.of(columns.isEmpty() ? "a" : "b", declared, false));
        }
        return new TableSchema(
                new TableName("d", "t"), 1, TableModel.UNIQUE, columns, List.of(0, 1), List.of(), "", Map.of());
    }

    /** A catalog of one table. Immutable. */
    private record OneTable(TableSchema schema) implements Catalog {
        @Override
        public @Nullable TableSchema table(String schemaName, String table) {
            return schemaName.equals("d") && table.equals("t") ? schema : null;
        }

        @Override
        public long version() {
            return 1;
        }
    }
}
