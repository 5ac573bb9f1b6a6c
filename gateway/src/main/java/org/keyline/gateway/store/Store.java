package org.keyline.gateway.store;

import io.netty.channel.EventLoop;
import java.util.Collection;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.signal.ChangeSignal;
import org.keyline.planner.Catalog;
import org.keyline.planner.TableName;

/** The only source of truth for rows: a catalog of tables, and sessions that run commands. Thread-safe. */
public interface Store extends AutoCloseable {
    /** Tables, key columns and versions, as far as this store tells them. */
    Catalog catalog();

    /** The server version that the greeting shows, for example {@code 8.0.36-keyline}. */
    String serverVersion();

    /**
     * Whether it is a server of its own: its sessions begin with settings that only it knows, logins may be relayed to it, and
     * commands over 16 MiB pass packet by packet.
     */
    default boolean isRemote() {
        return false;
    }

    /** What sessions begin with where only the store knows; null where they begin with MySQL's defaults. */
    default @Nullable SessionDefaults sessionDefaults() {
        return null;
    }

    /** Whether its prepared statements follow changes of definitions by themselves. */
    default boolean preparesAnew() {
        return false;
    }

    /** The function that its error for an unknown prepared statement names, whatever the command; null: that of the command. */
    default @Nullable String statementCheck() {
        return null;
    }

    /**
     * Whether one SELECT of several rows by their full keys costs it less than a SELECT for each. Not so where point queries have a path
     * of their own that takes one key only.
     */
    default boolean prefersManyKeys() {
        return false;
    }

    /**
     * What passed through the gateway may have changed definitions, or showed that they have changed: the catalog is to be read anew.
     *
     * @param tables which, old names and new ones; null if that is not known
     */
    default void definitionsChanged(@Nullable Collection<TableName> tables) {}

    /** Tells of changes that did not come through the gateway; null: they are not told. Closed with the store. */
    default @Nullable ChangeSignal changeSignal() {
        return null;
    }

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
