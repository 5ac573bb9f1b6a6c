package org.keyline.gateway.session;

import org.keyline.gateway.config.GatewayConfig;
import org.keyline.gateway.metrics.GatewayMetrics;
import org.keyline.gateway.store.Store;
import org.keyline.planner.Catalog;

/**
 * What all sessions share. Immutable; its parts are thread-safe.
 *
 * @param revoke takes back what the store's answers allowed: rights may have changed
 */
record SessionContext(
        Store store,
        GatewayMetrics metrics,
        GatewayConfig.Limits limits,
        KnownShapes shapes,
        StatementQuota quota,
        GatewayStatements statements,
        Runnable revoke) {
    Catalog catalog() {
        return store.catalog();
    }
}
