package org.keyline.stores;

import io.netty.channel.EventLoop;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.Catalog;
import org.keyline.planner.TableName;
import org.keyline.protocol.client.ServerTraits;

/** The database with the rows. Has a catalog of tables, and opens sessions. Thread-safe. */
public interface Store extends DefinitionListener, AutoCloseable {
    Catalog catalog();

    String serverVersion();

    /**
     * Returns whether the store is a separate server. If so, only the server knows the initial
     * settings of its sessions, logins may be relayed, and commands over 16 MiB pass packet by
     * packet.
     */
    default boolean isRemote() {
        return false;
    }

    /** Returns whether the store has a property that the kinds of stores differ in. */
    default boolean has(StoreTrait trait) {
        return false;
    }

    /** Returns the initial settings of sessions; null if sessions begin with MySQL's defaults. */
    default @Nullable SessionDefaults sessionDefaults() {
        return null;
    }

    default TransactionRules transactions() {
        return TransactionRules.CAREFUL;
    }

    /**
     * Returns the catalog with the store's own tables, the only tables that {@link #catalog} lists.
     * Sessions may use another catalog, so Keyline asks each session for
     * {@link StoreSession#CATALOG}. Null if the store has no other catalogs.
     */
    default @Nullable String ownCatalog() {
        return null;
    }

    /** Returns names to {@linkplain StoreSession#ask ask} for, besides all stores' variables. */
    default List<String> sessionQuestions() {
        return List.of("DATABASE()", "CURRENT_USER()");
    }

    /**
     * Returns the status variables, in lower case, that count a session's SET and CREATE TABLE
     * statements, including those in stored code. Empty if the store has no such counts.
     */
    default List<String> settingCounts() {
        return List.of();
    }

    /**
     * Returns a hint, placed after SELECT, with which a read by full key avoids the store's fast
     * path. A reply of that path can lack a row whose replicas are unreachable. Returns an empty
     * string if empty replies are reliable.
     */
    default String reliableReadHint() {
        return "";
    }

    /** Returns how long a read can miss newer row versions, whatever settings the session has. */
    default Duration versionAge() {
        return Duration.ZERO;
    }

    default ResetScope resetScope() {
        return ResetScope.SETTINGS_AND_STATEMENTS;
    }

    /** Returns the store's variables, besides MySQL's, that never affect a read by key. */
    default Set<String> harmlessVariables() {
        return Set.of();
    }

    default ServerTraits traits() {
        return ServerTraits.MYSQL;
    }

    /**
     * Returns the server function that errors about unknown prepared statements name; null if the
     * name depends on the command.
     */
    default @Nullable String statementCheck() {
        return null;
    }

    /**
     * Returns the session variables that affect an INSERT of values, except those that Keyline
     * reads from all sessions. Empty if a merged transaction would wait for locks, or cannot be
     * rolled back completely. INSERTs must then not be merged.
     */
    default List<String> insertSettings() {
        return List.of();
    }

    @Override
    default void definitionsChanged(@Nullable Collection<TableName> tables) {}

    /**
     * Returns a stage that completes when changed definitions are read. Until then, the scope of
     * writes to their tables is unknown.
     *
     * @return completes on any thread, never exceptionally; null if the caller should not wait
     */
    default @Nullable CompletionStage<?> definitionsRead() {
        return null;
    }

    /**
     * Watches the definitions during a statement that can change any definition.
     *
     * @return completes on any thread when the session may send the statement, never exceptionally
     */
    default CompletionStage<DefinitionWatch> watchDefinitions() {
        return CompletableFuture.completedFuture(() -> {
            definitionsChanged(null);
            return CompletableFuture.completedFuture(DefinitionWatch.Seen.DEFINITIONS);
        });
    }

    /**
     * Reads a stored procedure, as of a moment after this call.
     *
     * @return completes on any thread, never exceptionally; with null if the store has no reliable
     * text
     */
    default CompletionStage<@Nullable ProcedureText> procedure(String schema, String name) {
        return CompletableFuture.completedFuture(null);
    }

    /** Returns the store's source of changes; null if it has none. Closed with the store. */
    default @Nullable ChangeSignal changeSignal() {
        return null;
    }

    /** Returns the server for relayed logins; null if the store is not a separate server. */
    default @Nullable SocketAddress address() {
        return null;
    }

    /**
     * Watches the store's servers, if it has several.
     *
     * @param listener notified on any thread when Keyline uses another server, because any row and
     * any privilege may then have changed
     */
    default void watchServers(ChangeListener listener) {}

    /** Describes, for operators, a failure that only a restart cures; null if there is none. */
    default @Nullable String failure() {
        return null;
    }

    /** Returns whether the store was reachable at the gateway's own last access. */
    default boolean isReachable() {
        return failure() == null;
    }

    /** Called after a failed connection, so that the store updates {@link #isReachable} at once. */
    default void suspect() {}

    /**
     * Opens a session. The caller may use it only on this loop.
     *
     * @param identity the session's client
     * @param loop runs every callback of the session
     * @param onClosed runs once on the loop if the session ends without a call of
     * {@link StoreSession#close} (KILL CONNECTION, loss)
     * @return completes on the loop; fails with a {@link StoreException} that contains the store's
     * error
     */
    CompletionStage<StoreSession> open(SessionIdentity identity, EventLoop loop, Runnable onClosed);

    /**
     * Kills the running statements of sessions. Has no effect on closed sessions.
     *
     * @param threads the results of {@link StoreSession#thread}
     * @param loop the event loop of the session that sends the KILL
     * @return completes on the loop; fails with the first error of the store, or if a KILL might
     * not have reached the session's server
     */
    default CompletionStage<?> interrupt(Collection<StoreThread> threads, EventLoop loop) {
        return CompletableFuture.completedFuture(threads);
    }

    /** Closes the store. Returns when acknowledged writes are durable. */
    @Override
    void close();
}
