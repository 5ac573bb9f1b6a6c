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

/** What the configuration means to the tables whose rows are kept, and to the sessions that load them. */
final class CacheOptions {
    /** A reply from lines takes at most this share of the clients' memory, before it is counted. */
    private static final int REPLY_SHARE = 16;

    private CacheOptions() {}

    /** The gateway's own sessions at the store: UTF-8 in both directions, classic end-of-rows packets. */
    static SessionIdentity ownIdentity(GatewayConfig config) {
        int capabilities = ServerOptions.DEFAULT_CAPABILITIES
                & ~(Capabilities.CLIENT_DEPRECATE_EOF | Capabilities.CLIENT_MULTI_STATEMENTS);
        return new SessionIdentity(
                0, config.store().user(), "localhost", null, capabilities, Collation.UTF8MB4_GENERAL_CI, Map.of());
    }

    /** How reads are answered. */
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
     * The part of the budget that is for filter lines.
     *
     * @param first of the start, as for {@link #tableOptions}
     */
    static long filterBytes(GatewayConfig first, GatewayConfig config) {
        return first.filters() ? config.filter().sizeBytes() : 0;
    }

    /** @param first of the start: whether a table has filter lines is a matter of plans, too, which outlive a change */
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

    /** A line is one conjunction's, and names it in the first cell of its keys; its rows come in no order. */
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

    /** Returns whether the granularity of a table is chosen: not where gateways use each other's lines, which have to have the same prefix. */
    static boolean isChosen(GatewayConfig.Table table) {
        return table.prefix().auto() && table.tier().use() == GatewayConfig.TierUse.LOCAL;
    }

    /** Returns whether a table is, or may be, kept as ranges of keys. */
    static boolean takesRanges(GatewayConfig.Table table) {
        return table.prefix().ranged() || isChosen(table);
    }

    /** Which tables are, or may be, kept as ranges of keys; the name of those that are not configured is the empty text. */
    static Map<Object, Boolean> ranged(GatewayConfig config) {
        Map<Object, Boolean> ranged = new HashMap<>();
        ranged.put("", takesRanges(config.table(new TableName("", ""))));
        config.tables().forEach((name, table) -> ranged.put(name, takesRanges(table)));
        return ranged;
    }
}
