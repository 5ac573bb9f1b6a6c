package org.keyline.gateway.store;

import io.netty.channel.EventLoop;
import java.util.concurrent.CompletionStage;
import org.keyline.planner.Catalog;

/** The only source of truth for rows: a catalog of tables, and sessions that run commands. Thread-safe. */
public interface Store extends AutoCloseable {
    /** Tables, key columns and versions, as far as this store tells them. */
    Catalog catalog();

    /** The server version that the greeting shows, for example {@code 8.0.36-keyline}. */
    String serverVersion();

    /**
     * Opens a session.
     *
     * @param identity whose session it is
     * @param loop runs every callback of the session; the session may be used on this loop only
     * @param onClosed runs on the loop, once, when the store ends the session by itself (KILL CONNECTION, loss); not after
     *     {@link StoreSession#close}
     * @return completes on the loop; fails with a {@link StoreException} that carries the store's error
     */
    CompletionStage<StoreSession> open(SessionIdentity identity, EventLoop loop, Runnable onClosed);

    /** Ends every session and frees what the store holds; returns when acknowledged writes are safe. */
    @Override
    void close();
}
