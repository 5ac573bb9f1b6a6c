package org.keyline.gateway.session;

import com.github.benmanes.caffeine.cache.Interner;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.gateway.metrics.GatewayMetrics;
import org.keyline.gateway.query.ReadScope;
import org.keyline.gateway.store.Store;
import org.keyline.planner.Catalog;

/**
 * What all sessions share. Immutable; its parts are thread-safe.
 *
 * @param scopes makes equal ones the same object: templates are looked up by them with every hit
 * @param revoke takes back what the store's answers allowed: rights may have changed
 */
record SessionContext(
        Store store,
        GatewayMetrics metrics,
        GatewayConfig.Limits limits,
        KnownShapes shapes,
        StatementQuota quota,
        GatewayStatements statements,
        Interner<ReadScope> scopes,
        Runnable revoke) {
    Catalog catalog() {
        return store.catalog();
    }
}
