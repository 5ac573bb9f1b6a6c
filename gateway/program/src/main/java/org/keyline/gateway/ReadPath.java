package org.keyline.gateway;

import com.github.benmanes.caffeine.cache.Ticker;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.config.ConfigKeys;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.gateway.config.LiveConfig;
import org.keyline.gateway.config.Settings;
import org.keyline.gateway.read.PointReads;
import org.keyline.gateway.table.CachedTables;
import org.keyline.gateway.tier.Tier;
import org.keyline.planner.PlanCache;
import org.keyline.planner.Planner;
import org.keyline.planner.calcite.PointReadMatcher;
import org.keyline.planner.statement.StatementClassifier;
import org.keyline.rowcache.OtherCaches;
import org.keyline.rowcache.RowCache;
import org.keyline.rowcache.RowCacheOptions;
import org.keyline.stores.Store;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The parts that answer reads: plans, lines, loads, and the tier. Thread-safe. */
final class ReadPath implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReadPath.class);

    private static final int SWEPT_LINES = 10_000;
    private static final int SWEEP_MS = 1_000;
    /** Delay of evictions after a new line. Without it, each new line would wake up a thread. */
    private static final int EVICTION_MS = 20;

    private final RowCache cache;
    private final CachedTables tables;
    private final PointReads reads;
    private final PlanCache plans;
    private final @Nullable Tier tier;

    /** @throws StartException if the store or the tier cannot work as configured */
    ReadPath(Environment environment) throws StartException {
        LiveConfig live = environment.live();
        Store store = environment.store();
        Ticker ticker = environment.ticker();
        SecureRandom random = environment.random();
        // The values read from this copy do not change when the live configuration changes.
        GatewayConfig config = live.config();
        long ofFilters = CacheOptions.filterBytes(config);
        cache = new RowCache(
                RowCacheOptions.of(
                        config.get(ConfigKeys.CACHE_SIZE) - ofFilters,
                        random.nextLong(),
                        ticker,
                        task -> environment.background().soon(task, EVICTION_MS)),
                ofFilters,
                config.isMember()
                        ? OtherCaches.of(config.get(ConfigKeys.TIER_STALENESS), ticker.read())
                        : OtherCaches.NONE);
        tables = new CachedTables(
                cache,
                store.catalog(),
                schema -> CacheOptions.tableOptions(live.config(), schema),
                // If lines are shared, all gateways must use the same prefix, so none chooses it.
                schema -> {
                    Settings table = live.config().table(schema.name());
                    return CacheOptions.isChosen(table) ? live.get(ConfigKeys.CACHE_AUTO_ROWS) : 0;
                });
        reads = new PointReads(store, tables, CacheOptions.ownIdentity(config), CacheOptions.readOptions(config));
        Stores.checkMergedWrites(config, store);
        plans = new PlanCache(
                new Planner(List.of(
                        new StatementClassifier(),
                        new PointReadMatcher(
                                name -> config.table(name).get(ConfigKeys.TABLE_FILTERS),
                                name -> CacheOptions.takesRanges(live.config().table(name))))),
                store.catalog(),
                config.get(ConfigKeys.LIMITS_PLANS));
        tier = config.isMember()
                ? new Tier(config, Stores.ofTier(config), Stores.members(config), tables, ticker::read, random)
                : null;
        if (tier != null && config.sharesLines()) {
            String loadedBy = config.get(ConfigKeys.STORE_URL) + " " + config.get(ConfigKeys.STORE_USER);
            reads.shareLines(loop -> tier.lines(loop, loadedBy));
        }
        follow(live, environment.background());
        environment.background().every(SWEEP_MS, this::sweep);
    }

    private void follow(LiveConfig live, Background background) {
        live.onChange(() -> reads.options(CacheOptions.readOptions(live.config())));
        live.onChange(() -> {
            if (tables.reconfigure()) {
                // Permissions and replies for a replaced table no longer apply.
                reads.revoke();
            }
        });
        AtomicReference<Map<Object, Boolean>> ranged = new AtomicReference<>(CacheOptions.ranged(live.config()));
        live.onChange(() -> {
            Map<Object, Boolean> now = CacheOptions.ranged(live.config());
            if (!now.equals(ranged.getAndSet(now))) {
                // Plans depend on whether lines may be ranges of keys.
                plans.clear();
            }
        });
        live.onChange(() -> {
            GatewayConfig now = live.config();
            long filters = CacheOptions.filterBytes(now);
            // A smaller budget can evict many lines, which takes time.
            background.execute(() -> {
                cache.budgets(now.get(ConfigKeys.CACHE_SIZE) - filters, filters);
                plans.maxBytes(now.get(ConfigKeys.LIMITS_PLANS));
            });
        });
    }

    CachedTables tables() {
        return tables;
    }

    PointReads reads() {
        return reads;
    }

    PlanCache plans() {
        return plans;
    }

    /** Returns the tier; null if no other gateways are configured. */
    @Nullable
    Tier tier() {
        return tier;
    }

    private void sweep() {
        try {
            tables.retireDropped();
            cache.sweep(SWEPT_LINES);
            cache.cleanUp();
        } catch (RuntimeException e) {
            LOG.error(
                    "A sweep of expired lines failed. Expired lines answer no read, but stay in memory until a sweep"
                            + " succeeds.",
                    e);
        }
        try {
            if (tables.choose()) {
                reads.regrained();
            }
        } catch (RuntimeException e) {
            LOG.error(
                    "The choice of load granularities failed. They stay unchanged; the gateway tries again in a second.",
                    e);
        }
    }

    @Override
    public void close() {
        if (tier != null) {
            tier.close();
        }
    }
}
