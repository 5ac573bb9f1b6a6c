package org.keyline.gateway;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.config.ConfigKeys;
import org.keyline.gateway.config.ConfigValues;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.gateway.config.HostPort;
import org.keyline.gateway.config.LiveConfig;
import org.keyline.gateway.config.Settings;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.planner.WriteScope;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.TlsMode;
import org.keyline.stores.ChangeSignal;
import org.keyline.stores.NoSignal;
import org.keyline.stores.Store;
import org.keyline.stores.duckdb.DuckDbStore;
import org.keyline.stores.duckdb.engine.DatabaseUnavailableException;
import org.keyline.stores.duckdb.engine.EngineOptions;
import org.keyline.stores.duckdb.engine.MachineMemory;
import org.keyline.stores.mysql.Failover;
import org.keyline.stores.mysql.WireAccounts;
import org.keyline.stores.mysql.WireStore;
import org.keyline.stores.mysql.catalog.Authorities;
import org.keyline.stores.mysql.catalog.CatalogOptions;
import org.keyline.stores.mysql.catalog.CatalogUnavailableException;
import org.keyline.stores.mysql.catalog.Dialect;
import org.keyline.stores.mysql.catalog.WireCatalog;
import org.keyline.stores.mysql.server.ServerAddress;
import org.keyline.stores.mysql.server.StoreServers;
import org.keyline.stores.mysql.signal.BinlogSignal;
import org.keyline.stores.mysql.signal.VersionSignal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens the store that the scheme of {@code store.url} selects. */
final class Stores {
    private static final Logger LOG = LoggerFactory.getLogger(Stores.class);

    private static final String DUCKDB = "duckdb:";
    private static final String MEMORY = "memory";
    /** Only the jar with the embedded store contains this class. */
    private static final String ENGINE = "/org/duckdb/DuckDBDriver.class";

    /** Time between reads of the binary log's position. A shorter time costs more than it saves. */
    private static final Duration BINLOG_PERIOD = Duration.ofMillis(500);

    /** How often Keyline asks for partition versions, a little shorter than a ttl of one second. */
    private static final Duration VERSIONS_PERIOD = Duration.ofMillis(900);

    /** After this many periods without a successful refresh, the gateway distrusts its catalog. */
    private static final int MAX_AGE_PERIODS = 6;

    private Stores() {}

    static boolean hasEngine() {
        return Stores.class.getResource(ENGINE) != null;
    }

    /** Opens the configured store. Accounts and limits follow changes of the configuration. */
    static Store open(LiveConfig live) throws StartException {
        GatewayConfig config = live.config();
        return config.isRemote() ? remote(live) : embedded(live);
    }

    private static Store embedded(LiveConfig live) throws StartException {
        GatewayConfig config = live.config();
        if (!hasEngine()) {
            throw new StartException("store.url: " + config.get(ConfigKeys.STORE_URL)
                    + " (expected: mysql://HOST:PORT, since this jar has no embedded store; keyline.jar has one)");
        }
        String file = config.get(ConfigKeys.STORE_URL).substring(DUCKDB.length());
        long memory = config.get(ConfigKeys.STORE_DUCKDB_MEMORY);
        EngineOptions options = EngineOptions.of(
                file.equals(MEMORY) ? null : Path.of(file),
                memory == 0 ? MachineMemory.forEngine() : memory,
                () -> Math.max(1, live.get(ConfigKeys.LIMITS_STATEMENTS)),
                () -> live.get(ConfigKeys.STORE_DUCKDB_MAX_EXECUTION_TIME));
        try {
            return DuckDbStore.open(options, Clock.systemUTC());
        } catch (DatabaseUnavailableException e) {
            throw new StartException(String.valueOf(e.getMessage()), e);
        }
    }

    private static Store remote(LiveConfig live) throws StartException {
        GatewayConfig config = live.config();
        ClientOptions own = connections(config);
        Authorities authorities = authorities(config);
        StoreServers servers = new StoreServers(config.storeAddresses().stream()
                .map(address -> new ServerAddress(address.host(), address.port()))
                .toList());
        try {
            Duration refresh = config.get(ConfigKeys.STORE_REFRESH);
            CatalogOptions options = CatalogOptions.of(
                            servers,
                            config.get(ConfigKeys.STORE_USER),
                            config.get(ConfigKeys.STORE_PASSWORD).value())
                    .withTls(own.tls(), authorities)
                    .withPeriods(refresh, refresh.multipliedBy(MAX_AGE_PERIODS));
            Failover failover = Failover.begin(options, config.get(ConfigKeys.STORE_FAILOVER_AFTER));
            WireCatalog catalog = WireCatalog.open(options);
            ChangeSignal signal = signal(config, options, catalog);
            return new WireStore(() -> timed(own, live).build(), accounts(live), catalog, signal, servers, failover);
        } catch (CatalogUnavailableException e) {
            throw new StartException(String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * Refuses {@code mergeWrites} if the store cannot merge INSERTs. If the INSERTs of one table
     * cannot be merged, only logs a warning, because the table's definition may change later.
     */
    static void checkMergedWrites(GatewayConfig config, Store store) throws StartException {
        for (Map.Entry<TableName, Settings> entry : config.tables().entrySet()) {
            if (!entry.getValue().get(ConfigKeys.TABLE_MERGE_WRITES)) {
                continue;
            }
            TableName name = entry.getKey();
            String key = "tables." + name.schema() + "." + name.table() + ".mergeWrites";
            if (store.insertSettings().isEmpty()) {
                throw new StartException(
                        key + ": true (expected: false, since INSERTs are merged in front of MariaDB only)");
            }
            TableSchema table = store.catalog().table(name.schema(), name.table());
            boolean plain = table != null
                    && table.writeScope() == WriteScope.CELLS
                    && table.columns().stream().noneMatch(ColumnSchema::autoIncrement);
            if (table != null && !plain) {
                LOG.warn(
                        "{}: true has no effect for this table: Keyline merges INSERTs only into InnoDB tables without AUTO_INCREMENT,"
                                + " triggers, generated columns, and unique keys besides the primary key",
                        key);
            }
        }
    }

    private static ChangeSignal signal(ConfigValues config, CatalogOptions options, WireCatalog catalog)
            throws StartException {
        GatewayConfig.SignalMode mode = config.get(ConfigKeys.STORE_SIGNAL);
        if (mode == GatewayConfig.SignalMode.NONE) {
            return new NoSignal("store.signal is none");
        }
        Dialect.Signal available = catalog.dialect().signal();
        if (mode != GatewayConfig.SignalMode.AUTO && !mode.name().equals(available.name())) {
            catalog.close();
            String others =
                    available == Dialect.Signal.NONE ? "" : available.name().toLowerCase(Locale.ROOT) + ", ";
            throw new StartException("store.signal: " + mode.name().toLowerCase(Locale.ROOT) + " (expected: " + others
                    + "none or auto in front of " + catalog.dialect() + ")");
        }
        if (available == Dialect.Signal.NONE) {
            return new NoSignal("this store reports no changes to Keyline");
        }
        Duration period = config.find(ConfigKeys.STORE_SIGNAL_PERIOD);
        if (available == Dialect.Signal.VERSIONS) {
            return new VersionSignal(options, period != null ? period : VERSIONS_PERIOD);
        }
        // A random id is from the upper half of the range, which few replicas use.
        return new BinlogSignal(
                options,
                catalog.dialect(),
                catalog,
                period != null ? period : BINLOG_PERIOD,
                (1L << 31) + new SecureRandom().nextInt(1 << 30));
    }

    /** Returns options with the gateway's own account and the first configured address. */
    static ClientOptions connections(GatewayConfig config) throws StartException {
        HostPort address = config.storeAddresses().get(0);
        InetSocketAddress unresolved = InetSocketAddress.createUnresolved(address.host(), address.port());
        ClientOptions options = ClientOptions.of(unresolved, config.get(ConfigKeys.STORE_USER))
                .password(config.get(ConfigKeys.STORE_PASSWORD).value())
                .tls(config.get(ConfigKeys.STORE_TLS), trust(config))
                .retrievePublicKey(true)
                .proxyHeader(config.get(ConfigKeys.STORE_PROXY_PROTOCOL))
                .build();
        return timed(options, config).build();
    }

    /** Returns the options with the current timeouts. */
    static ClientOptions.Builder timed(ClientOptions options, ConfigValues config) {
        return options.toBuilder()
                .connectTimeout(config.get(ConfigKeys.LIMITS_LOGIN_TIMEOUT))
                .peerTimeout(config.get(ConfigKeys.LIMITS_PEER_TIMEOUT));
    }

    private static @Nullable Authorities authorities(ConfigValues config) throws StartException {
        try {
            Path authority = config.find(ConfigKeys.STORE_AUTHORITY);
            return authority == null ? null : Authorities.read(authority);
        } catch (IOException e) {
            throw new StartException("store.authority: " + e.getMessage(), e);
        }
    }

    private static @Nullable SslContext trust(GatewayConfig config) throws StartException {
        Path authority = config.find(ConfigKeys.STORE_AUTHORITY);
        return authority == null ? null : trust("store.authority", authority);
    }

    /** Returns the context for the tier's connections; null if they are not encrypted. */
    static @Nullable SslContext ofTier(GatewayConfig config) throws StartException {
        return config.encryptsTier() ? trust("tier.authority", config.find(ConfigKeys.TIER_AUTHORITY)) : null;
    }

    /** Returns the options of links to other gateways, with this gateway's account at the store. */
    static Function<HostPort, ClientOptions> members(GatewayConfig config) throws StartException {
        Path authority = config.find(ConfigKeys.TIER_AUTHORITY);
        ClientOptions own = connections(config).toBuilder()
                .tls(
                        config.verifiesMembers() ? TlsMode.VERIFY : TlsMode.PREFERRED,
                        authority == null ? null : trust("tier.authority", authority))
                .proxyHeader(false)
                .build();
        return address -> own.toBuilder()
                .address(InetSocketAddress.createUnresolved(address.host(), address.port()))
                .build();
    }

    private static SslContext trust(String key, @Nullable Path authority) throws StartException {
        try {
            SslContextBuilder context = SslContextBuilder.forClient();
            return (authority == null ? context : context.trustManager(authority.toFile())).build();
        } catch (SSLException | IllegalArgumentException e) {
            throw new StartException(key + ": " + e.getMessage(), e);
        }
    }

    private static WireAccounts accounts(LiveConfig live) {
        return new WireAccounts(name -> live.config().users().stream()
                .filter(user -> user.name().equals(name) && user.storeUser() != null)
                .findFirst()
                .map(user -> new WireAccounts.Account(
                        String.valueOf(user.storeUser()), user.storePassword().value())));
    }
}
