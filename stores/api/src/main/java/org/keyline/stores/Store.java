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

/**
 * The source of truth for rows: a catalog of tables, and sessions that run commands. Thread-safe.
 */
public interface Store extends DefinitionListener, AutoCloseable {
    /** Returns the catalog of the known tables. */
    Catalog catalog();

    /** Returns the server version for the greeting, for example {@code 8.0.36-keyline}. */
    String serverVersion();

    /**
     * Returns whether the store is a separate server. If so, only the server knows the initial
     * settings of its sessions, logins may be relayed to it, and commands over 16 MiB pass packet
     * by packet.
     */
    default boolean isRemote() {
        return false;
    }

    /** Returns the initial settings of sessions; null if they are MySQL's defaults. */
    default @Nullable SessionDefaults sessionDefaults() {
        return null;
    }

    /** Returns how reads of one transaction depend on each other. */
    default TransactionRules transactions() {
        return TransactionRules.CAREFUL;
    }

    /**
     * Returns the name of the catalog with the store's own tables, the only tables that
     * {@link #catalog} lists. Sessions may use another catalog, so Keyline asks each session for
     * {@link StoreSession#CATALOG}. Returns null if the store has no other catalogs.
     */
    default @Nullable String ownCatalog() {
        return null;
    }

    /**
     * Returns the store's own names for {@link StoreSession#ask}, besides the variables that all
     * stores have.
     */
    default List<String> sessionQuestions() {
        return List.of("DATABASE()", "CURRENT_USER()");
    }

    /**
     * Returns the status variables, in lower case, that count a session's SET and CREATE TABLE
     * statements, including those in stored code. An example is {@code com_set_option}. Empty if
     * the store has no such counts.
     */
    default List<String> settingCounts() {
        return List.of();
    }

    /**
     * Returns a hint after SELECT that makes a read by full key avoid a fast path with unreliable
     * empty replies. On that path, a row may be missing because its replicas are unreachable. Empty
     * if the store's empty replies are reliable.
     */
    default String reliableReadHint() {
        return "";
    }

    /**
     * Returns whether a prepared statement may continue to read a table after another table has
     * taken its name.
     */
    default boolean preparedPlansOutliveNames() {
        return false;
    }

    /**
     * Returns the maximum age of the row versions that the store returns as its newest, under any
     * settings of a session.
     */
    default Duration versionAge() {
        return Duration.ZERO;
    }

    /**
     * Returns whether the first execution of a prepared statement determines the catalog of its
     * names. Later executions then use that catalog, even if the session's current one differs.
     */
    default boolean plansAtExecution() {
        return false;
    }

    /**
     * Returns whether a prepared statement may read a parameter with the type of an earlier
     * execution.
     */
    default boolean reusesParameterTypes() {
        return false;
    }

    /**
     * Returns whether the store splits a text into several statements although its client has not
     * enabled that.
     */
    default boolean splitsTexts() {
        return false;
    }

    /** Returns the state that COM_RESET_CONNECTION resets in a session. */
    default ResetScope resetScope() {
        return ResetScope.SETTINGS_AND_STATEMENTS;
    }

    /** Returns whether COM_CHANGE_USER preserves a session's variables. */
    default boolean variablesOutliveUsers() {
        return false;
    }

    /**
     * Returns whether the store has its own replies to commands about unknown prepared statements,
     * so that Keyline must forward such commands.
     */
    default boolean answersUnknownStatements() {
        return false;
    }

    /**
     * Returns whether a statement of {@link StoreSession#ask} changes the session's FOUND_ROWS().
     */
    default boolean questionsCountRows() {
        return true;
    }

    /**
     * Returns whether a DO, and an UPDATE of one table, set FOUND_ROWS(). An UPDATE then sets it to
     * the number that a SELECT of the matching rows would set.
     */
    default boolean countsWritesAsFound() {
        return false;
    }

    /**
     * Returns the store's own variables, besides MySQL's, that never affect rows or metadata of a
     * read by key.
     */
    default Set<String> harmlessVariables() {
        return Set.of();
    }

    /**
     * Returns whether two dashes without following white space are two minus signs, as in MySQL.
     * Otherwise they may begin a comment.
     */
    default boolean dashesAreSigns() {
        return false;
    }

    /** Returns how the store differs from MySQL's protocol. */
    default ServerTraits traits() {
        return ServerTraits.MYSQL;
    }

    /** Returns whether the store itself adapts prepared statements to changed definitions. */
    default boolean repreparesStatements() {
        return false;
    }

    /**
     * Returns the function named in the store's errors for unknown prepared statements; null if
     * each error names the function of its command.
     */
    default @Nullable String statementCheck() {
        return null;
    }

    /**
     * Returns whether one SELECT of several rows by their full keys costs the store less than one
     * SELECT per row. False if point queries have a fast path for a single key.
     */
    default boolean prefersManyKeys() {
        return false;
    }

    /**
     * Returns whether, outside of transactions, all sessions that may read a table see the same
     * rows as load sessions at the same moment. The reply to a client's own read may then be cached
     * for other clients. False if a session may be connected to a lagging server, or may see only
     * some of the rows.
     */
    default boolean repliesAreLoads() {
        return false;
    }

    /**
     * Returns whether column definitions show the character set of the session's results. If not,
     * all definitions show the same character set.
     */
    default boolean showsResultCharacterSet() {
        return false;
    }

    /** Returns whether an INSERT of an existing key fails and changes nothing. */
    default boolean insertsOnlyAdd() {
        return false;
    }

    /**
     * Returns the session variables that affect an INSERT of values, without the variables for
     * which Keyline asks all sessions. Empty if INSERTs of several sessions must not be merged into
     * one transaction. The reason may be that the transaction would wait for locks, or that the
     * store cannot roll it back completely.
     */
    default List<String> insertSettings() {
        return List.of();
    }

    @Override
    default void definitionsChanged(@Nullable Collection<TableName> tables) {}

    /**
     * Begins to watch definitions for a statement that may change any of them.
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
     * Returns the text of a stored procedure, as of a moment after this call.
     *
     * @return completes on any thread, never exceptionally; with null if the store has no reliable
     *     text
     */
    default CompletionStage<@Nullable ProcedureText> procedure(String schema, String name) {
        return CompletableFuture.completedFuture(null);
    }

    /**
     * Returns the source of changes that bypass the gateway; null if the store has none. Closed
     * with the store.
     */
    default @Nullable ChangeSignal changeSignal() {
        return null;
    }

    /**
     * Returns the address of the server in use, to which logins may be relayed; null if the store
     * is not a separate server.
     */
    default @Nullable SocketAddress address() {
        return null;
    }

    /**
     * Starts to watch the store's servers, if it has several.
     *
     * @param listener notified on any thread when Keyline uses another server, because any row and
     *     any privilege may then have changed
     */
    default void watchServers(ChangeListener listener) {}

    /**
     * Returns a failure of the store that only a restart of the process cures, as text for
     * operators; null without one.
     */
    default @Nullable String failure() {
        return null;
    }

    /** Returns whether the store was reachable at the gateway's own last access. */
    default boolean isReachable() {
        return failure() == null;
    }

    /**
     * Reports that a connection could not be opened or was lost. The store then checks at once
     * whether it {@linkplain #isReachable is reachable}.
     */
    default void suspect() {}

    /**
     * Opens a session.
     *
     * @param identity the session's client
     * @param loop runs every callback of the session; the session may be used only on this loop
     * @param onClosed runs once on the loop if the session is closed in another way than by
     *     {@link StoreSession#close} (KILL CONNECTION, loss)
     * @return completes on the loop; fails with a {@link StoreException} that contains the store's
     *     error
     */
    CompletionStage<StoreSession> open(SessionIdentity identity, EventLoop loop, Runnable onClosed);

    /**
     * Kills the running statements of sessions. Each session receives the store's error for a
     * killed statement. Has no effect on closed sessions.
     *
     * @param threads the results of {@link StoreSession#thread}
     * @param loop for the session that sends the KILL
     * @return completes on the loop; fails with the first error of the store, or if a KILL may not
     *     reach the server of a session
     */
    default CompletionStage<?> interrupt(Collection<StoreThread> threads, EventLoop loop) {
        return CompletableFuture.completedFuture(threads);
    }

    /**
     * Closes every session and releases the store's resources. Returns when acknowledged writes are
     * durable.
     */
    @Override
    void close();
}
