package org.keyline.gateway;

import java.util.HashMap;
import java.util.Map;
import org.keyline.gateway.config.ConfigKeys;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.gateway.config.Settings;
import org.keyline.gateway.read.PointReads;
import org.keyline.planner.FilterReads;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.Collation;
import org.keyline.protocol.server.ServerOptions;
import org.keyline.rowcache.TableOptions;
import org.keyline.stores.SessionIdentity;

/** Derives the options of tables and their load sessions from the configuration. */
final class CacheOptions {
    /** A reply from lines is counted late, so its maximum size is limits.memory divided by this. */
    private static final int REPLY_SHARE = 16;

    private CacheOptions() {}

    /** Returns the identity of the gateway's own sessions. These use UTF-8, and EOF after rows. */
    static SessionIdentity ownIdentity(GatewayConfig config) {
        int capabilities = ServerOptions.DEFAULT_CAPABILITIES
                & ~(Capabilities.CLIENT_DEPRECATE_EOF | Capabilities.CLIENT_MULTI_STATEMENTS);
        return new SessionIdentity(
                0,
                config.get(ConfigKeys.STORE_USER),
                "localhost",
                null,
                capabilities,
                Collation.UTF8MB4_GENERAL_CI,
                Map.of());
    }

    static PointReads.Options readOptions(GatewayConfig config) {
        return new PointReads.Options(
                Math.max(1, config.get(ConfigKeys.LOAD_CONNECTIONS) / config.get(ConfigKeys.EVENT_LOOPS)),
                config.get(ConfigKeys.CACHE_LOAD_TIMEOUT),
                config.get(ConfigKeys.PRIVILEGE_TTL),
                config.get(ConfigKeys.CACHE_REFRESH_AHEAD),
                config.get(ConfigKeys.CACHE_AUDIT),
                config.get(ConfigKeys.LIMITS_PLANS),
                config.get(ConfigKeys.LIMITS_MEMORY) / REPLY_SHARE,
                !config.get(ConfigKeys.EXACT_ORDER));
    }

    /** Returns the budget of filter lines in bytes. */
    static long filterBytes(GatewayConfig config) {
        return config.filters() ? config.get(ConfigKeys.FILTER_SIZE) : 0;
    }

    /** Returns the options of a table's lines. */
    static TableOptions tableOptions(GatewayConfig config, TableSchema schema) {
        Settings table = config.table(schema.name());
        int keyColumns = schema.keyColumns().size();
        return common(config, table)
                .withPrefixCells(
                        table.get(ConfigKeys.TABLE_PREFIX).auto()
                                ? keyColumns
                                : table.get(ConfigKeys.TABLE_PREFIX).columnsOf(keyColumns))
                .withFilters(
                        // The prefix of a filter line is one cell, its conditions.
                        table.get(ConfigKeys.TABLE_FILTERS) == FilterReads.OFF
                                ? null
                                : common(config, table).withPrefixCells(1).withOrdered(false));
    }

    private static TableOptions common(GatewayConfig config, Settings table) {
        boolean follows = table.get(ConfigKeys.TABLE_SIGNAL);
        return TableOptions.DEFAULT
                .withTtl(
                        table.get(ConfigKeys.TABLE_TTL),
                        table.get(follows ? ConfigKeys.TABLE_SIGNAL_TTL : ConfigKeys.TABLE_TTL))
                .withCeilings(config.get(ConfigKeys.CACHE_MAX_ROWS), config.get(ConfigKeys.CACHE_MAX_BYTES))
                .withEnabled(table.get(ConfigKeys.TABLE_ENABLED) && config.get(ConfigKeys.CACHE_ENABLED));
    }

    /** Returns whether the gateway chooses the granularity, which it must not for shared lines. */
    static boolean isChosen(Settings table) {
        return table.get(ConfigKeys.TABLE_PREFIX).auto() && !table.get(ConfigKeys.TABLE_SHARES_LINES);
    }

    static boolean takesRanges(Settings table) {
        return table.get(ConfigKeys.TABLE_PREFIX).ranged() || isChosen(table);
    }

    /** Returns which tables may be cached as ranges of keys. The empty key means all others. */
    static Map<Object, Boolean> ranged(GatewayConfig config) {
        Map<Object, Boolean> ranged = new HashMap<>();
        ranged.put("", takesRanges(config.table(new TableName("", ""))));
        config.tables().forEach((name, table) -> ranged.put(name, takesRanges(table)));
        return ranged;
    }
}
