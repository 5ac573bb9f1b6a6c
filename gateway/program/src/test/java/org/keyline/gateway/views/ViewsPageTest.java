package org.keyline.gateway.views;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.Ticker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.audit.AuditFigures;
import org.keyline.gateway.metrics.GatewayMetrics;
import org.keyline.gateway.metrics.SignalFigures;
import org.keyline.gateway.table.CachedTables;
import org.keyline.gateway.table.Statements;
import org.keyline.planner.Catalog;
import org.keyline.planner.PlanCache;
import org.keyline.planner.Planner;
import org.keyline.planner.TableSchema;
import org.keyline.protocol.memory.MemoryBudget;
import org.keyline.rowcache.RowCache;
import org.keyline.rowcache.RowCacheOptions;
import org.keyline.rowcache.TableOptions;

/** The page about views lists each with its columns; {@code -Dkeyline.page=write} writes them. */
final class ViewsPageTest {
    private static final Path PAGE = Path.of("..", "..", "docs", "views.md");
    private static final String MARK = "<!-- views -->\n";

    private static Map<String, View> views() {
        Catalog none = new Catalog() {
            @Override
            public @org.jspecify.annotations.Nullable TableSchema table(String schema, String table) {
                return null;
            }

            @Override
            public long version() {
                return 0;
            }
        };
        RowCache cache = new RowCache(RowCacheOptions.of(1 << 20, 1, Ticker.systemTicker(), Runnable::run));
        CachedTables tables = new CachedTables(cache, none, schema -> TableOptions.DEFAULT);
        GatewayMetrics metrics = new GatewayMetrics(
                List::of,
                new PlanCache(new Planner(List.of()), none, 1 << 20),
                new AuditFigures(),
                () -> SignalFigures.NONE,
                MemoryBudget.unlimited(),
                new Statements());
        return new GatewayViews(tables, metrics, new Clients(), List::of, List::of, List::of).all();
    }

    @Test
    void page_hasEveryViewAndColumn() throws Exception {
        StringBuilder rows = new StringBuilder("\n| view | columns |\n|---|---|\n");
        views().values()
                .forEach(view -> rows.append("| `")
                        .append(view.name())
                        .append("` | ")
                        .append(String.join(
                                ", ",
                                view.columns().stream()
                                        .map(column -> "`" + column.name() + "` "
                                                + column.type().name().toLowerCase(Locale.ROOT))
                                        .toList()))
                        .append(" |\n"));
        String page = Files.readString(PAGE);
        int at = page.indexOf(MARK) + MARK.length();
        if ("write".equals(System.getProperty("keyline.page"))) {
            Files.writeString(PAGE, page.substring(0, at) + rows);
        } else {
            assertThat(page.substring(at)).isEqualTo(rows.toString());
        }
    }

    /** Each row of a view has as many cells as the view has columns. */
    @Test
    void rows_areAsWideAsTheirView() {
        View.Asker asker = new View.Asker(java.util.Arrays.asList("none", null, null, null, null));
        views().values()
                .forEach(view -> assertThat(view.rows().apply(asker))
                        .as(view.name())
                        .allSatisfy(row -> assertThat(row).hasSameSizeAs(view.columns())));
    }
}
