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
 * The only source of truth for rows: a catalog of tables, and sessions that run commands.
 * Thread-safe.
 */
public interface Store extends AutoCloseable {
    /** Returns the catalog: tables, key columns and versions, as far as this store knows them. */
    Catalog catalog();

    /** Returns the server version for the greeting, for example {@code 8.0.36-keyline}. */
    String serverVersion();

    /**
     * Returns whether the store is a separate server. Only the server then knows its sessions'
     * initial settings, logins may be relayed to it, and commands over 16 MiB pass packet by
     * packet.
     */
    default boolean isRemote() {
        return false;
    }

    /**
     * Returns the initial settings of sessions if only the store knows them; null if they are
     * MySQL's defaults.
     */
    default @Nullable SessionDefaults sessionDefaults() {
        return null;
    }

    /** Returns how reads of one transaction depend on each other. */
    default TransactionRules transactions() {
        return TransactionRules.CAREFUL;
    }

    /**
     * Returns the name of the catalog with the store's own tables, the only ones that
     * {@link #catalog} lists. Sessions may use another one, so they are asked for
     * {@link StoreSession#CATALOG}. Null if the store has no other catalogs.
     */
    default @Nullable String ownCatalog() {
        return null;
    }

    /**
     * Returns the arguments for {@link StoreSession#ask} beyond the variables that all stores have.
     */
    default List<String> sessionQuestions() {
        return List.of("DATABASE()", "CURRENT_USER()");
    }

    /**
     * Returns a session's status variables, in lower case, that count its SET and CREATE TABLE
     * statements, those of stored code included: {@code com_set_option} and others. Empty if the
     * store has no such counts.
     */
    default List<String> settingCounts() {
        return List.of();
    }

    /**
     * Returns the text after SELECT that makes a read by full key avoid a fast path whose empty
     * answers are unreliable: a row may be missing because its replicas are unreachable. Empty if
     * the store's empty answers are reliable.
     */
    default String certainty() {
        return "";
    }

    /**
     * Returns whether a prepared statement may continue to read the table that had a name when it
     * was planned, even if another table has that name now.
     */
    default boolean preparedPlansOutliveNames() {
        return false;
    }

    /**
     * Returns the maximum age of the version of rows that the store serves as its newest, whatever
     * a session sets.
     */
    default Duration versionAge() {
        return Duration.ZERO;
    }

    /**
     * Returns whether the first execution of a prepared statement fixes the catalog of its names.
     * Later executions then use that catalog, whatever the session's current one is.
     */
    default boolean plansAtExecution() {
        return false;
    }

    /**
     * Returns whether a prepared statement continues to read a parameter by the type of an earlier
     * execution.
     */
    default boolean keepsParameterTypes() {
        return false;
    }

    /**
     * Returns whether a text may be several statements although its client has not enabled that.
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
     * Returns whether the store answers commands about unknown prepared statements in its own way,
     * so that they must be forwarded.
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
     * Returns whether an UPDATE of one table sets FOUND_ROWS() like a SELECT of the rows that it
     * matches, and whether a DO sets it as well.
     */
    default boolean countsWritesAsFound() {
        return false;
    }

    /**
     * Returns the store's own variables, beyond MySQL's, that never affect rows or metadata of a
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

    /** Returns the store's departures from MySQL on the wire. */
    default ServerTraits traits() {
        return ServerTraits.MYSQL;
    }

    /**
     * Returns whether the store adapts its prepared statements to changed definitions by itself.
     */
    default boolean preparesAnew() {
        return false;
    }

    /**
     * Returns the function that the store's error for an unknown prepared statement names for every
     * command; null if it names the command's own.
     */
    default @Nullable String statementCheck() {
        return null;
    }

    /**
     * Returns whether one SELECT of several rows by their full keys costs the store less than a
     * SELECT for each. False if point queries have a fast path for a single key.
     */
    default boolean prefersManyKeys() {
        return false;
    }

    /**
     * Returns whether all sessions that may read a table see the same rows at the same moment as
     * the load sessions, outside of transactions. The reply to a client's own read may then be
     * cached for others. False if a session may be connected to a lagging server, or may see only
     * some of the rows.
     */
    default boolean repliesAreLoads() {
        return false;
    }

    /**
     * Returns whether column definitions show the character set of the session's results. Otherwise
     * all of them show the same one.
     */
    default boolean showsResultCharacterSet() {
        return false;
    }

    /** Returns whether an INSERT of an existing key fails and changes nothing. */
    default boolean insertsOnlyAdd() {
        return false;
    }

    /**
     * Returns the session variables that affect an INSERT of values, beyond those that all sessions
     * are asked for. Empty if INSERTs of several sessions must not be merged into one transaction:
     * because it cannot be rolled back completely, or because it might wait for locks.
     */
    default List<String> insertSettings() {
        return List.of();
    }

    /**
     * Reports that a statement through the gateway may have changed definitions, or showed that
     * they have changed, so that the catalog must be read again.
     *
     * @param tables the tables, old and new names; null if unknown
     */
    default void definitionsChanged(@Nullable Collection<TableName> tables) {}

    /**
     * Reports that a statement is about to be sent that may change views, functions or triggers,
     * but no table. Until it is complete and they have been read again, every write may write to
     * any table.
     *
     * @return must be run once, by any thread, when the statement is complete or its outcome is
     *     unknown
     */
    default Runnable storedCodeChanging() {
        return () -> definitionsChanged(null);
    }

    /**
     * Begins to watch definitions for a statement that may change any of them.
     *
     * @return completes on any thread when the statement may be sent, never exceptionally
     */
    default CompletionStage<DefinitionWatch> watchDefinitions() {
        return CompletableFuture.completedFuture(() -> {
            definitionsChanged(null);
            return CompletableFuture.completedFuture(DefinitionWatch.Seen.DEFINITIONS);
        });
    }

    /**
     * Returns the text of a stored procedure at a moment after this call.
     *
     * @return completes on any thread, never exceptionally; with null if the store cannot supply it
     *     reliably
     */
    default CompletionStage<@Nullable ProcedureText> procedure(String schema, String name) {
        return CompletableFuture.completedFuture(null);
    }

    /**
     * Returns the source of changes that bypass the gateway, or null if the store has none. Closed
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
     * @param listener is notified, from any thread, that everything may have changed, privileges
     *     included, when another server is in use
     */
    default void watchServers(ChangeListener listener) {}

    /**
     * Returns, for operators, a failure of the store that only a restart of the process cures; null
     * if it has none.
     */
    default @Nullable String failure() {
        return null;
    }

    /**
     * Returns whether the store could be reached when Keyline last needed it for its own work.
     */
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
     * @param loop runs every callback of the session; the session may be used on this loop only
     * @param onClosed runs on the loop, once, when the store closes the session by itself (KILL
     *     CONNECTION, loss); not after {@link StoreSession#close}
     * @return completes on the loop; fails with a {@link StoreException} that carries the store's
     *     error
     */
    CompletionStage<StoreSession> open(SessionIdentity identity, EventLoop loop, Runnable onClosed);

    /**
     * Kills the running statements of sessions; each session receives the store's error for that.
     * Has no effect on closed sessions.
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
     * Closes every session and releases the store's resources; returns when acknowledged writes are
     * durable.
     */
    @Override
    void close();
}
