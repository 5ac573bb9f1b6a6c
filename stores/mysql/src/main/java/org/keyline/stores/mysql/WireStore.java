package org.keyline.stores.mysql;

import io.netty.channel.EventLoop;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.Catalog;
import org.keyline.planner.TableName;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.client.ClientConnection;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.ServerErrorException;
import org.keyline.protocol.client.ServerTraits;
import org.keyline.protocol.client.Unreachable;
import org.keyline.stores.ChangeListener;
import org.keyline.stores.ChangeSignal;
import org.keyline.stores.DefinitionWatch;
import org.keyline.stores.ProcedureText;
import org.keyline.stores.ResetScope;
import org.keyline.stores.SessionDefaults;
import org.keyline.stores.SessionIdentity;
import org.keyline.stores.Store;
import org.keyline.stores.StoreException;
import org.keyline.stores.StoreSession;
import org.keyline.stores.StoreThread;
import org.keyline.stores.StoreTrait;
import org.keyline.stores.TransactionRules;
import org.keyline.stores.mysql.catalog.WireCatalog;
import org.keyline.stores.mysql.server.StoreServers;

/**
 * A store behind the MySQL protocol: Doris, StarRocks, MySQL, MariaDB. If the store itself
 * authenticated a client, the client's session uses the connection of this login. The gateway's own
 * sessions, and those of local users, log in with accounts of the store. Thread-safe.
 */
public final class WireStore implements Store {
    private static final int OWN_TO_EACH_SIDE =
            Capabilities.CLIENT_SSL | Capabilities.CLIENT_COMPRESS | Capabilities.CLIENT_CONNECT_WITH_DB;

    private final Supplier<ClientOptions> own;
    private final WireAccounts accounts;
    private final WireCatalog catalog;
    private final @Nullable ChangeSignal signal;
    private final StoreServers servers;
    private final @Nullable Failover failover;
    private final Kills kills =
            new Kills(loop -> ClientConnection.connect(connections().build(), loop));

    /**
     * @param own returns the connection options (TLS, timeouts, the gateway's own account); called
     * for each connection
     * @param catalog closed with the store
     * @param signal closed with the store; null if the store reports no changes
     * @param failover closed with the store; null if the store has only one server
     */
    public WireStore(
            Supplier<ClientOptions> own,
            WireAccounts accounts,
            WireCatalog catalog,
            @Nullable ChangeSignal signal,
            StoreServers servers,
            @Nullable Failover failover) {
        this.own = own;
        this.accounts = accounts;
        this.catalog = catalog;
        this.signal = signal;
        this.servers = servers;
        this.failover = failover;
    }

    @Override
    public SocketAddress address() {
        return servers.current().unresolved();
    }

    @Override
    public boolean isReachable() {
        return catalog.isReachable();
    }

    @Override
    public void suspect() {
        catalog.suspect();
        if (failover != null) {
            failover.suspect();
        }
    }

    @Override
    public void watchServers(ChangeListener listener) {
        if (failover == null) {
            return;
        }
        failover.start(new Failover.Moves() {
            @Override
            public void left() {
                definitionsChanged(null);
                listener.privileges();
                listener.everything();
            }

            @Override
            public void arrived() {
                catalog.serverChanged();
                if (signal != null) {
                    signal.serverChanged();
                }
            }
        });
    }

    @Override
    public Catalog catalog() {
        return catalog;
    }

    @Override
    public String serverVersion() {
        return catalog.serverVersion();
    }

    @Override
    public boolean isRemote() {
        return true;
    }

    @Override
    public boolean has(StoreTrait trait) {
        return catalog.dialect().has(trait);
    }

    @Override
    public SessionDefaults sessionDefaults() {
        return catalog.sessionDefaults();
    }

    @Override
    public TransactionRules transactions() {
        return catalog.dialect().transactions(serverVersion());
    }

    @Override
    public Duration versionAge() {
        return catalog.versionAge();
    }

    @Override
    public String reliableReadHint() {
        return catalog.dialect().reliableReadHint();
    }

    @Override
    public ResetScope resetScope() {
        return catalog.dialect().resetScope();
    }

    @Override
    public Set<String> harmlessVariables() {
        return catalog.dialect().harmlessVariables();
    }

    @Override
    public ServerTraits traits() {
        ServerTraits traits = catalog.dialect().traits();
        return traits.withUnguarded(catalog.unguardedUsers());
    }

    @Override
    public List<String> settingCounts() {
        return catalog.dialect().settingCounts();
    }

    @Override
    public List<String> sessionQuestions() {
        return catalog.sessionQuestions();
    }

    @Override
    public @Nullable String ownCatalog() {
        return catalog.ownName();
    }

    @Override
    public List<String> insertSettings() {
        return catalog.dialect().insertSettings();
    }

    @Override
    public @Nullable String statementCheck() {
        return catalog.dialect().statementCheck(serverVersion());
    }

    @Override
    public void definitionsChanged(@Nullable Collection<TableName> tables) {
        var unused = tables == null ? catalog.definitionsChanged() : catalog.definitionsChanged(tables);
    }

    @Override
    public Runnable storedCodeChanging() {
        return catalog.storedCodeChanging();
    }

    @Override
    public @Nullable CompletionStage<?> definitionsRead() {
        return catalog.definitionsRead();
    }

    @Override
    public CompletionStage<DefinitionWatch> watchDefinitions() {
        return catalog.watchDefinitions();
    }

    @Override
    public CompletionStage<@Nullable ProcedureText> procedure(String schema, String name) {
        return catalog.procedure(schema, name);
    }

    @Override
    public @Nullable ChangeSignal changeSignal() {
        return signal;
    }

    @Override
    public CompletionStage<StoreSession> open(SessionIdentity identity, EventLoop loop, Runnable onClosed) {
        ClientConnection upstream = identity.upstream();
        if (upstream != null) {
            return admitted(upstream).thenApply(connection -> session(connection, identity, onClosed));
        }
        boolean loads = identity.connectionId() == 0;
        ClientOptions.Builder options = connections()
                .capabilities(
                        identity.capabilities() & (loads ? ClientOptions.DEFAULT_CAPABILITIES : ~OWN_TO_EACH_SIDE))
                .attributes(identity.attributes())
                .database(identity.database());
        if (identity.collation() > 0 && identity.collation() <= 0xFF) {
            options.collation(identity.collation());
        }
        if (!loads) {
            WireAccounts.Account account = accounts.of(identity.user());
            if (account == null) {
                return CompletableFuture.failedFuture(new StoreException(ErrPacket.of(
                        ErrorCode.ER_ACCESS_DENIED_ERROR,
                        "User '" + identity.user() + "' has no account at the store")));
            }
            options.user(account.user()).password(account.password());
        }
        return ClientConnection.connect(options.build(), loop)
                .thenCompose(this::admitted)
                .thenCompose(connection ->
                        loads ? loadSettings().set(connection) : CompletableFuture.completedFuture(connection))
                .<StoreSession>thenApply(connection -> session(connection, identity, onClosed))
                .exceptionally(failure -> {
                    throw refused(failure);
                });
    }

    private ClientOptions.Builder connections() {
        return own.get().toBuilder().traits(traits()).address(address());
    }

    private LoadSettings loadSettings() {
        return new LoadSettings(sessionDefaults(), catalog.dialect());
    }

    /** Completes with the connection. Closes it and fails if its server is no longer in use. */
    private CompletionStage<ClientConnection> admitted(ClientConnection connection) {
        if (failover == null || failover.admit(connection)) {
            return CompletableFuture.completedFuture(connection);
        }
        connection.close();
        return CompletableFuture.failedFuture(new StoreException(ErrPacket.of(
                ErrorCode.ER_CONNECT_TO_FOREIGN_DATA_SOURCE, "The store is moving to another server; connect again")));
    }

    private WireSession session(ClientConnection connection, SessionIdentity identity, Runnable onClosed) {
        return new WireSession(connection, identity.capabilities(), catalog.dialect(), kills, onClosed);
    }

    @Override
    public CompletionStage<?> interrupt(Collection<StoreThread> threads, EventLoop loop) {
        return kills.interrupt(threads, loop).exceptionally(failure -> {
            throw refused(failure);
        });
    }

    private StoreException refused(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof StoreException error) {
            return error;
        }
        if (cause instanceof ServerErrorException said) {
            return new StoreException(said.error());
        }
        suspect();
        return new StoreException(Unreachable.error(address(), Unreachable.reason(cause)));
    }

    @Override
    public void close() {
        if (failover != null) {
            failover.close();
        }
        if (signal != null) {
            signal.close();
        }
        catalog.close();
    }
}
