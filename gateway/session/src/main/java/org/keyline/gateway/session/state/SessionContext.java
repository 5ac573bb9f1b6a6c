package org.keyline.gateway.session.state;

import com.github.benmanes.caffeine.cache.Interner;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.change.Authority;
import org.keyline.gateway.change.KnownCalls;
import org.keyline.gateway.merge.MergedInserts;
import org.keyline.gateway.metrics.GatewayMetrics;
import org.keyline.gateway.read.ReadScope;
import org.keyline.gateway.slow.SlowLog;
import org.keyline.planner.Catalog;
import org.keyline.stores.Store;

/**
 * The shared parts of all sessions.
 *
 * @param chains decides whether lines may answer a transaction with a snapshot; null if never
 * @param merges merges INSERTs of several clients; null if each INSERT is sent alone
 * @param scopes maps equal scopes to one object, which speeds up the lookup of templates
 */
public record SessionContext(
        Store store,
        GatewayMetrics metrics,
        @Nullable TransactionChains chains,
        KnownShapes shapes,
        LoginAnswers logins,
        StatementQuota quota,
        OrphanedClients orphaned,
        Interner<ReadScope> scopes,
        Authority authority,
        KnownCalls calls,
        @Nullable MergedInserts merges,
        SlowLog slow) {
    public Catalog catalog() {
        return store.catalog();
    }
}
