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

    /** How reads of one transaction hang together. */
    default TransactionRules transactions() {
        return TransactionRules.CAREFUL;
    }

    /**
     * The name of the catalog that has the store's own tables, the only ones that {@link #catalog} lists. Sessions may be in another one,
     * and are asked for {@link StoreSession#CATALOG}. Null where there are no others.
     */
    default @Nullable String ownCatalog() {
        return null;
    }

    /** What its sessions are asked beside the variables that all stores have: what {@link StoreSession#ask} takes. */
    default List<String> sessionQuestions() {
        return List.of("DATABASE()", "CURRENT_USER()");
    }

    /**
     * Status variables of a session, in lower case, that count its statements that set variables and make tables, those of stored code
     * too: {@code com_set_option} and others. Empty where the store does not count so.
     */
    default List<String> settingCounts() {
        return List.of();
    }

    /**
     * What behind SELECT takes a read by a full key past a path of the store whose empty answers are not certain: a row may lack there
     * only because its replicas can't be reached. Empty where an empty answer is one that counts.
     */
    default String certainty() {
        return "";
    }

    /** Whether a prepared statement may go on reading the table that had a name when it was planned, whatever has that name now. */
    default boolean preparedPlansOutliveNames() {
        return false;
    }

    /** How old a version of rows may be that the store answers as its newest, whatever a session sets. */
    default Duration versionAge() {
        return Duration.ZERO;
    }

    /**
     * Whether names in a prepared statement mean, in whatever catalog the session is by then, what they meant when it was first executed; before
     * that, what they mean at the moment.
     */
    default boolean plansAtExecution() {
        return false;
    }

    /** Whether a prepared statement goes on reading a parameter by the type that an earlier execution gave it. */
    default boolean keepsParameterTypes() {
        return false;
    }

    /** Whether a text may be several statements though its client has not asked for that. */
    default boolean splitsTexts() {
        return false;
    }

    /** What COM_RESET_CONNECTION takes from a session. */
    default ResetScope resetScope() {
        return ResetScope.SETTINGS_AND_STATEMENTS;
    }

    /** Whether COM_CHANGE_USER leaves a session's variables as they are. */
    default boolean variablesOutliveUsers() {
        return false;
    }

    /** Whether it answers commands about prepared statements that it does not know in its own way, so that they have to reach it. */
    default boolean answersUnknownStatements() {
        return false;
    }

    /** Whether a question that a session is asked counts for its FOUND_ROWS(). */
    default boolean questionsCountRows() {
        return true;
    }

    /** Whether FOUND_ROWS() tells of an UPDATE of one table as of a SELECT of the rows that it finds, and of a DO as well. */
    default boolean countsWritesAsFound() {
        return false;
    }

    /** Its own variables, beside those of MySQL, that change neither rows nor metadata of a read by key, whatever they are set to. */
    default Set<String> harmlessVariables() {
        return Set.of();
    }

    /** Whether two dashes without white space behind them are two minus signs, as in MySQL; elsewhere they may begin a comment. */
    default boolean dashesAreSigns() {
        return false;
    }

    /** In what it departs from MySQL on the wire. */
    default ServerTraits traits() {
        return ServerTraits.MYSQL;
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
     * Whether the sessions of all who may read a table see the same rows of it at the same moment, outside of transactions, as the sessions
     * that load do: then the reply to a client's own read may be kept for others. Not so where a session may be connected to a server that
     * lags behind, or be shown some of the rows only.
     */
    default boolean repliesAreLoads() {
        return false;
    }

    /** Whether column definitions show the character set that a session's results have; otherwise all of them show the same. */
    default boolean showsResultCharacterSet() {
        return false;
    }

    /** Whether an INSERT whose key is there already fails, and changes nothing. */
    default boolean insertsOnlyAdd() {
        return false;
    }

    /**
     * Session variables on which it depends what an INSERT of values does, beside those that all sessions are asked for. Empty where INSERTs
     * of several sessions may not go as one in a transaction: it can't be taken back whole, or must not wait for locks and might.
     */
    default List<String> insertSettings() {
        return List.of();
    }

    /**
     * What passed through the gateway may have changed definitions, or showed that they have changed: the catalog is to be read anew.
     *
     * @param tables which, old names and new ones; null if that is not known
     */
    default void definitionsChanged(@Nullable Collection<TableName> tables) {}

    /**
     * A statement that may change views, functions or triggers, and no table, is about to be sent. Until it is done, and they have been read
     * anew, writes reach everywhere.
     *
     * @return to be run once, by any thread: the statement is done, or its outcome is unknown
     */
    default Runnable storedCodeChanging() {
        return () -> definitionsChanged(null);
    }

    /**
     * Begins to watch definitions for a statement that may change any of them without telling which.
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
     * The text of a stored procedure as it is at a moment after this call.
     *
     * @return completes on any thread, never exceptionally; with null where the store does not tell it for certain
     */
    default CompletionStage<@Nullable ProcedureText> procedure(String schema, String name) {
        return CompletableFuture.completedFuture(null);
    }

    /** Tells of changes that did not come through the gateway; null: they are not told. Closed with the store. */
    default @Nullable ChangeSignal changeSignal() {
        return null;
    }

    /** Where the server listens that is in use, to which logins may be relayed; null if it is none of its own. */
    default @Nullable SocketAddress address() {
        return null;
    }

    /**
     * Begins to watch the servers that the store has, if those are several.
     *
     * @param listener told, from any thread, that everything may have changed, rights too, when another server is in use
     */
    default void watchServers(ChangeListener listener) {}

    /** What has befallen the store that only a new process cures, for operators; null: nothing has. */
    default @Nullable String failure() {
        return null;
    }

    /** Returns whether the store could be reached when Keyline last needed it for work of its own. */
    default boolean isReachable() {
        return failure() == null;
    }

    /** A connection could not be opened or was lost: the store finds out at once whether it {@linkplain #isReachable can be reached}. */
    default void suspect() {}

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

    /**
     * Ends the statements that sessions run; each session receives the store's error for that. Sessions that have ended
     * already stay as they are.
     *
     * @param threads what {@link StoreSession#thread} returned
     * @param loop for the session that sends the KILL
     * @return completes on the loop; fails with the first error of the store, or where it is uncertain that a KILL would
     *     reach the server on which a session is
     */
    default CompletionStage<?> interrupt(Collection<StoreThread> threads, EventLoop loop) {
        return CompletableFuture.completedFuture(threads);
    }

    /** Ends every session and frees what the store holds; returns when acknowledged writes are safe. */
    @Override
    void close();
}
