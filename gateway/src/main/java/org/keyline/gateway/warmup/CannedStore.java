package org.keyline.gateway.warmup;

import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.Catalog;
import org.keyline.planner.TableSchema;
import org.keyline.stores.SessionDefaults;
import org.keyline.stores.SessionIdentity;
import org.keyline.stores.Store;
import org.keyline.stores.StoreSession;
import org.keyline.stores.TransactionRules;

/**
 * A store in memory whose every row is there, whatever was written. It says of itself what the store says that the gateway is about to
 * stand in front of, as far as that decides which code runs. Confined to one thread.
 */
final class CannedStore implements Store, Catalog {
    private static final SessionDefaults DEFAULTS = new SessionDefaults("", "SYSTEM", Set.of("SYSTEM"), List.of());

    private final boolean remote;
    private final Map<CannedTable, TableSchema> schemas = new EnumMap<>(CannedTable.class);
    private final Queue<Runnable> replies = new ArrayDeque<>();

    /** @param remote whether it is as a server of its own */
    CannedStore(boolean remote) {
        this.remote = remote;
        for (CannedTable table : CannedTable.values()) {
            schemas.put(table, table.schema());
        }
    }

    /** A reply is on its way. */
    void later(Runnable reply) {
        replies.add(reply);
    }

    /** Delivers the replies that are on their way; answers whether there was one. */
    boolean deliver() {
        boolean any = false;
        for (Runnable reply = replies.poll(); reply != null; reply = replies.poll()) {
            reply.run();
            any = true;
        }
        return any;
    }

    @Override
    public CompletionStage<StoreSession> open(SessionIdentity identity, EventLoop loop, Runnable onClosed) {
        return CompletableFuture.completedFuture(new CannedSession(this, identity));
    }

    @Override
    public Catalog catalog() {
        return this;
    }

    @Override
    public @Nullable TableSchema table(String schema, String table) {
        for (Map.Entry<CannedTable, TableSchema> entry : schemas.entrySet()) {
            if (schema.equals(CannedTable.SCHEMA)
                    && table.equals(entry.getKey().name().toLowerCase(Locale.ROOT))) {
                return entry.getValue();
            }
        }
        return null;
    }

    @Override
    public long version() {
        return 1;
    }

    @Override
    public boolean storedCode() {
        return false;
    }

    @Override
    public boolean storedFunctions() {
        return false;
    }

    @Override
    public String serverVersion() {
        return "8.0.36-canned";
    }

    @Override
    public boolean isRemote() {
        return remote;
    }

    @Override
    public @Nullable SessionDefaults sessionDefaults() {
        return remote ? DEFAULTS : null;
    }

    @Override
    public TransactionRules transactions() {
        return remote
                ? TransactionRules.byLevel("transaction_isolation", "transaction_read_only")
                : TransactionRules.OWN_SNAPSHOT;
    }

    @Override
    public boolean repliesAreLoads() {
        return true;
    }

    @Override
    public boolean prefersManyKeys() {
        return true;
    }

    @Override
    public void close() {
        replies.clear();
    }
}
