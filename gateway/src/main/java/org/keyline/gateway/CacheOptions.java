package org.keyline.gateway;

import java.util.HashMap;
import java.util.Map;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.gateway.read.PointReads;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.Collation;
import org.keyline.protocol.server.ServerOptions;
import org.keyline.rowcache.TableOptions;
import org.keyline.stores.SessionIdentity;

/**
 * Derives the options of cached tables, and of the sessions that load their lines, from the
 * configuration.
 */
final class CacheOptions {
    /**
     * A reply from lines may take at most this share of the clients' memory before it is counted.
     */
    private static final int REPLY_SHARE = 16;

    private CacheOptions() {}

    /**
     * Returns the identity of the gateway's own store sessions: UTF-8 in both directions, and
     * packets that end rows in the classic way.
     */
    static SessionIdentity ownIdentity(GatewayConfig config) {
        int capabilities = ServerOptions.DEFAULT_CAPABILITIES
                & ~(Capabilities.CLIENT_DEPRECATE_EOF | Capabilities.CLIENT_MULTI_STATEMENTS);
        return new SessionIdentity(
                0, config.store().user(), "localhost", null, capabilities, Collation.UTF8MB4_GENERAL_CI, Map.of());
    }

    /** Returns how reads are answered. */
    static PointReads.Options readOptions(GatewayConfig config) {
        return new PointReads.Options(
                Math.max(1, config.loadConnections() / config.eventLoops()),
                config.cache().loadTimeout(),
                config.privilegeTtl(),
                config.cache().refreshAhead(),
                config.cache().auditOneIn(),
                config.limits().planCacheBytes(),
                config.limits().memoryBytes() / REPLY_SHARE,
                config.cache().writeThrough() == GatewayConfig.WriteThroughMode.EXACT,
                config.filter().order() == GatewayConfig.FilterOrder.ANY);
    }

    /**
     * Returns the part of the memory budget that filter lines may use.
     *
     * @param first the configuration at the start, as for {@link #tableOptions}
     */
    static long filterBytes(GatewayConfig first, GatewayConfig config) {
        return first.filters() ? config.filter().sizeBytes() : 0;
    }

    /**
     * Returns the options of a table.
     *
     * @param first the configuration at the start. It decides whether a table has filter lines,
     *     since plans depend on that and outlive a change
     */
    static TableOptions tableOptions(GatewayConfig first, GatewayConfig config, TableSchema schema) {
        GatewayConfig.Table table = config.table(schema.name());
        GatewayConfig.Cache cache = config.cache();
        int keyColumns = schema.keyColumns().size();
        GatewayConfig.Table atStart = first.table(schema.name());
        return TableOptions.DEFAULT
                .withPrefixCells(
                        table.prefix().auto() ? keyColumns : table.prefix().columnsOf(keyColumns))
                .withTtl(table.ttl(), table.signalTtl())
                .withCeilings(cache.maxRowsPerLine(), (int) cache.maxBytesPerLine())
                .withMaxWaiters(cache.maxWaitersPerLoad())
                .withEnabled(table.enabled())
                .withRetained(atStart.tier().use() != GatewayConfig.TierUse.SHARED)
                .withFilters(atStart.hasFilters() ? filterOptions(config, table) : null);
    }

    /**
     * Returns the options of filter lines. A line belongs to one conjunction, which is the first
     * cell of its keys. Its rows have no order.
     */
    private static TableOptions filterOptions(GatewayConfig config, GatewayConfig.Table table) {
        return TableOptions.DEFAULT
                .withPrefixCells(1)
                .withTtl(table.ttl(), table.signalTtl())
                .withCeilings(
                        config.cache().maxRowsPerLine(), (int) config.cache().maxBytesPerLine())
                .withMaxWaiters(config.cache().maxWaitersPerLoad())
                .withOrdered(false)
                .withEnabled(table.enabled());
    }

    /**
     * Returns whether the gateway chooses the granularity of a table. Gateways that share lines
     * need the same prefix, so there it does not.
     */
    static boolean isChosen(GatewayConfig.Table table) {
        return table.prefix().auto() && table.tier().use() == GatewayConfig.TierUse.LOCAL;
    }

    /** Returns whether a table is, or may be, cached as ranges of keys. */
    static boolean takesRanges(GatewayConfig.Table table) {
        return table.prefix().ranged() || isChosen(table);
    }

    /**
     * Returns which tables are, or may be, cached as ranges of keys. The key of tables without a
     * configuration is the empty string.
     */
    static Map<Object, Boolean> ranged(GatewayConfig config) {
        Map<Object, Boolean> ranged = new HashMap<>();
        ranged.put("", takesRanges(config.table(new TableName("", ""))));
        config.tables().forEach((name, table) -> ranged.put(name, takesRanges(table)));
        return ranged;
    }
}
