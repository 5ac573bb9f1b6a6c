package org.keyline.gateway.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.FilterReads;
import org.keyline.planner.TableName;
import org.keyline.protocol.auth.Credential;
import org.keyline.protocol.transport.Networks;
import org.keyline.protocol.transport.Transport;

/**
 * Everything that can be configured. Immutable; every value has been checked.
 *
 * @param listen address of the MySQL protocol
 * @param http address of metrics and health; null: none
 * @param proxies whose connections begin with a header of the PROXY protocol
 * @param demo whether the embedded store begins with sample data
 * @param users who may log in; empty: {@code root} without a password, from loopback only
 * @param access who may do with the gateway itself what
 * @param tables what differs from {@code cache} for single tables
 * @param tier where gateways in front of the same store tell each other of writes; null: nowhere
 * @param privilegeTtl how long one success of a statement shape allows hits to that user
 * @param eventLoops threads that serve clients
 * @param transport the way to their sockets; can be used on this machine
 * @param reusePort whether other processes may listen on the same addresses
 * @param loadConnections store sessions of the gateway's own, for loads
 * @param drainDelay how long a gateway that is to stop goes on taking connections while it says that it is not ready
 * @param drainTimeout how long running statements may take to finish on shutdown
 */
public record GatewayConfig(
        HostPort listen,
        @Nullable HostPort http,
        Networks proxies,
        boolean demo,
        Store store,
        Tls tls,
        List<User> users,
        Access access,
        Log log,
        Cache cache,
        Filter filter,
        Map<TableName, Table> tables,
        @Nullable Tier tier,
        Duration privilegeTtl,
        Limits limits,
        int eventLoops,
        Transport transport,
        boolean reusePort,
        int loadConnections,
        Duration drainDelay,
        Duration drainTimeout) {

    public GatewayConfig {
        users = List.copyOf(users);
        tables = Map.copyOf(tables);
    }

    /** The same with what can change while the gateway runs taken from another one. */
    GatewayConfig changedTo(GatewayConfig next) {
        Cache to = next.cache;
        return new GatewayConfig(
                listen,
                http,
                proxies,
                demo,
                store.changedTo(next.store),
                new Tls(tls.mode, next.tls.certificate, next.tls.key, tls.http),
                next.users,
                next.access,
                new Log(
                        next.log.level,
                        next.log.format,
                        new SlowLog(next.log.slow.threshold, log.slow.file, next.log.slow.linesPerSecond)),
                new Cache(
                        to.enabled,
                        to.sizeBytes,
                        to.ttl,
                        to.signalTtl,
                        to.prefix,
                        to.autoRows,
                        to.maxRowsPerLine,
                        to.maxBytesPerLine,
                        to.maxWaitersPerLoad,
                        to.loadTimeout,
                        to.refreshAhead,
                        to.auditOneIn,
                        cache.transactions,
                        cache.writeThrough),
                new Filter(filter.reads, next.filter.sizeBytes, filter.order),
                next.tables,
                tier,
                next.privilegeTtl,
                next.limits,
                eventLoops,
                transport,
                reusePort,
                loadConnections,
                next.drainDelay,
                next.drainTimeout);
    }

    /** The settings of a table: its own where given, those of {@code cache} otherwise. */
    public Table table(TableName name) {
        Table own = tables.get(name);
        return own != null
                ? own
                : new Table(
                        cache.prefix(),
                        cache.ttl(),
                        cache.signalTtl(),
                        cache.enabled(),
                        filter.reads(),
                        TableTier.of(tier),
                        false);
    }

    /**
     * Where the rows live.
     *
     * @param url {@code duckdb:FILE}, {@code duckdb:memory} or {@code mysql://HOST:PORT[,HOST:PORT…]}
     * @param user the gateway's own account at the store
     * @param tls whether connections to a store behind the MySQL protocol are encrypted
     * @param authority PEM certificates that {@code tls: verify} trusts; null: those of the platform
     * @param login who decides on the logins of clients
     * @param unguardedLogins whether the store may decide on logins of whom it asks no password on the gateway's host
     * @param proxyProtocol whether relayed logins tell the store where their clients are
     * @param failoverAfter how long the server in use may be silent before another one of the store is used
     * @param startTimeout how long a start waits for a store that cannot be reached; null: without end
     * @param refresh how often the catalog is read anew
     * @param signal how writes that bypass the gateway are noticed before their lines are a ttl old
     * @param embedded bounds of a store in this process
     */
    public record Store(
            String url,
            String user,
            Secret password,
            StoreTls tls,
            @Nullable Path authority,
            LoginMode login,
            UnguardedLogins unguardedLogins,
            boolean proxyProtocol,
            Duration failoverAfter,
            @Nullable Duration startTimeout,
            Duration refresh,
            Signal signal,
            Embedded embedded) {
        /** The prefix of stores behind the MySQL protocol. */
        public static final String MYSQL = "mysql://";

        private static final int USUAL_PORT = 3306;

        private Store changedTo(Store next) {
            return new Store(
                    url,
                    user,
                    password,
                    tls,
                    authority,
                    login,
                    unguardedLogins,
                    proxyProtocol,
                    failoverAfter,
                    startTimeout,
                    refresh,
                    signal,
                    new Embedded(embedded.memoryBytes, next.embedded.maxExecutionTime));
        }

        /** Whether the store is a server behind the MySQL protocol. */
        public boolean isRemote() {
            return url.startsWith(MYSQL);
        }

        /** Returns whether a remote store runs on this machine, by the addresses as they are written. */
        public boolean isOnLoopback() {
            return isRemote() && addresses().stream().allMatch(HostPort::isLoopback);
        }

        /** Where the servers of a remote store are, in the order of preference. */
        public List<HostPort> addresses() {
            return addresses(url);
        }

        static List<HostPort> addresses(String url) {
            return Arrays.stream(url.substring(MYSQL.length()).split(",", -1))
                    .map(address -> HostPort.parse(address, USUAL_PORT))
                    .toList();
        }
    }

    /**
     * What the embedded store may take.
     *
     * @param memoryBytes of tables, sorts and results together; 0: what the machine or container leaves beside the heap
     * @param maxExecutionTime of one statement; zero: as long as it takes
     */
    public record Embedded(long memoryBytes, Duration maxExecutionTime) {}

    /**
     * How changes in the store are noticed.
     *
     * @param period how often the store is asked how far it is, to be below the ttl; null where the kind of store decides
     * @param serverId what the gateway calls itself as a reader of the binary log, unique among its replicas; 0: drawn at start
     */
    public record Signal(SignalMode mode, @Nullable Duration period, long serverId) {}

    /** Where changes in the store are seen. */
    public enum SignalMode {
        /** Nowhere: lines live for their ttl. */
        NONE,
        /** In the row binary log (MySQL, MariaDB). */
        BINLOG,
        /** In the versions of partitions (Doris, StarRocks). */
        VERSIONS,
        /** By the kind of store. */
        AUTO
    }

    /** Whether the gateway encrypts what it sends to the store. */
    public enum StoreTls {
        OFF,
        /** Where the store offers it. */
        PREFERRED,
        /** Whatever its certificate says. */
        REQUIRED,
        /** With a certificate of a known authority for the store's name. */
        VERIFY
    }

    /** Who decides on the logins of clients. */
    public enum LoginMode {
        /** The store: its challenge goes to the client, the client's answer to the store. */
        RELAY,
        /** The users of this configuration. */
        LOCAL
    }

    /** Whether logins are relayed of users whom the store lets in with any password, since it takes the gateway for them. */
    public enum UnguardedLogins {
        REFUSE,
        ALLOW
    }

    /** Whether clients may or must encrypt. */
    public enum TlsMode {
        OFF,
        OFFERED,
        REQUIRED
    }

    /**
     * TLS where clients and operators connect.
     *
     * @param mode on the client port
     * @param certificate PEM chain; null where TLS is wanted: self-signed, made at start
     * @param key PEM private key (PKCS#8), unencrypted
     * @param http whether the address of metrics and health speaks TLS only
     */
    public record Tls(
            TlsMode mode,
            @Nullable Path certificate,
            @Nullable Path key,
            boolean http) {}

    /**
     * A local user; nothing of its secrets shows when it is printed.
     *
     * @param storeUser the account at a remote store; null on an embedded one
     */
    public record User(
            String name, Credential credential, @Nullable String storeUser, Secret storePassword, boolean readOnly) {}

    /**
     * Who may do with the gateway itself what.
     *
     * @param views who may read its views
     * @param changes who may change something in it, and read its views
     * @param httpToken what figures over HTTP ask for; empty: nothing
     * @param httpHosts hosts that requests over HTTP may be for; empty: it depends on where the gateway listens
     */
    public record Access(Set<String> views, Set<String> changes, Secret httpToken, Set<String> httpHosts) {
        private static final String EVERYBODY = "*";

        public Access {
            views = Set.copyOf(views);
            changes = Set.copyOf(changes);
            httpHosts = Set.copyOf(httpHosts);
        }

        /** Whether a user may read the views. */
        public boolean mayView(String user) {
            return views.contains(EVERYBODY) || views.contains(user) || mayChange(user);
        }

        /** Whether a user may change something. */
        public boolean mayChange(String user) {
            return changes.contains(EVERYBODY) || changes.contains(user);
        }
    }

    /**
     * What is logged, and how.
     *
     * @param slow statements that took long
     */
    public record Log(LogLevel level, LogFormat format, SlowLog slow) {}

    /** How important a message is at least. */
    public enum LogLevel {
        ERROR,
        WARN,
        INFO,
        DEBUG
    }

    /** What a message looks like. */
    public enum LogFormat {
        TEXT,
        JSON
    }

    /**
     * Statements that took long.
     *
     * @param threshold how long; null: none are told of
     * @param file where they are written; null: nowhere
     * @param linesPerSecond most of them in the file
     */
    public record SlowLog(
            @Nullable Duration threshold, @Nullable Path file, int linesPerSecond) {}

    /**
     * Lines in memory.
     *
     * @param enabled off: every statement goes to the store
     * @param sizeBytes hard budget of all lines together
     * @param ttl age, from the start of its load, at which a line is no longer served
     * @param signalTtl the same while a change signal has told of all changes until less than a ttl ago
     * @param prefix load granularity of tables that set none
     * @param autoRows rows that a line may have on average where the granularity is chosen
     * @param maxWaitersPerLoad readers that may wait for one load; the others go to the store
     * @param loadTimeout age at which a load is given up
     * @param refreshAhead whether hot lines are loaded anew before their time is over
     * @param auditOneIn one of so many hits is compared with the store in the background; 0: none
     * @param transactions which lines may answer one transaction with a snapshot, in front of a store that others write to
     * @param writeThrough what becomes of the lines of a row that is written
     */
    public record Cache(
            boolean enabled,
            long sizeBytes,
            Duration ttl,
            Duration signalTtl,
            Granularity prefix,
            int autoRows,
            int maxRowsPerLine,
            long maxBytesPerLine,
            int maxWaitersPerLoad,
            Duration loadTimeout,
            boolean refreshAhead,
            int auditOneIn,
            TransactionMode transactions,
            WriteThroughMode writeThrough) {}

    /** What becomes of the lines of a row that is written. */
    public enum WriteThroughMode {
        /** They are dropped. */
        OFF,
        /** They are changed as the row was, where that is certain; else dropped. */
        EXACT
    }

    /** Which transactions at REPEATABLE READ lines may answer. */
    public enum TransactionMode {
        /** Those that began as others did which ended without the store. */
        TRUST,
        /** None. */
        NEVER
    }

    /**
     * Filter lines: results of conditions that bind no key prefix.
     *
     * @param reads which reads they answer, of tables that have no setting of their own
     * @param sizeBytes their part of the budget of all lines, where any table has them
     * @param order what becomes of several rows without an order
     */
    public record Filter(FilterReads reads, long sizeBytes, FilterOrder order) {}

    /** What becomes of several rows of a filter line where no order was asked for. */
    public enum FilterOrder {
        /** The store answers them, in the order of its choice. */
        EXACT,
        /** They come in the order of the key. */
        ANY
    }

    /**
     * A gateway in front of the same store.
     *
     * @param address where the others reach it as clients; null: they hear of it through the tier only
     */
    public record Member(String name, @Nullable HostPort address) {}

    /** All gateways in front of the same store. */
    public record Members(List<Member> all) {
        public Members {
            all = List.copyOf(all);
        }

        /** Their names. */
        public Set<String> names() {
            return all.stream().map(Member::name).collect(Collectors.toUnmodifiableSet());
        }

        /** Those but this one. */
        public List<Member> without(String name) {
            return all.stream().filter(member -> !member.name().equals(name)).toList();
        }
    }

    /**
     * How gateways in front of the same store tell each other of writes.
     *
     * @param url {@code redis://HOST:PORT[,HOST:PORT…]}, or {@code rediss://…} with TLS; null: none, they tell each other directly
     * @param user empty: the server's default one
     * @param password empty: none
     * @param authority PEM certificates that are trusted with TLS, of servers and of other gateways; null: those of the platform
     * @param namespace what the keys at the server begin with
     * @param name of this gateway
     * @param members all gateways
     * @param staleness for how long a write that another gateway has acknowledged may go unseen here
     * @param strict whether a write is acknowledged only when no other gateway may miss it any more
     * @param values whether gateways use each other's lines
     * @param valueKey encrypts them in the tier; empty: they are not encrypted
     */
    public record Tier(
            @Nullable String url,
            String user,
            Secret password,
            @Nullable Path authority,
            String namespace,
            String name,
            Members members,
            Duration staleness,
            boolean strict,
            boolean values,
            Secret valueKey) {
        /** The prefix of servers without TLS. */
        static final String REDIS = "redis://";

        /** The prefix of servers with TLS. */
        static final String REDISS = "rediss://";

        private static final int USUAL_PORT = 6379;

        /** Whether connections to the servers are encrypted. */
        public boolean tls() {
            return url != null && url.startsWith(REDISS);
        }

        /** Whether other gateways have to be reached under TLS, by certificates that are trusted. */
        public boolean verifiesMembers() {
            return tls() || authority != null;
        }

        /** Where the servers are, one of which is used at a time; none where gateways tell each other directly only. */
        public List<HostPort> addresses() {
            return url == null ? List.of() : addresses(url);
        }

        /** The other gateways that are told directly. */
        public List<Member> linked() {
            return members.without(name).stream()
                    .filter(member -> member.address() != null)
                    .toList();
        }

        static List<HostPort> addresses(String url) {
            String prefix = url.startsWith(REDISS) ? REDISS : REDIS;
            return Arrays.stream(url.substring(prefix.length()).split(",", -1))
                    .map(address -> HostPort.parse(address, USUAL_PORT))
                    .toList();
        }
    }

    /** Whether any table has filter lines. */
    public boolean filters() {
        return filter.reads() != FilterReads.OFF || tables.values().stream().anyMatch(Table::hasFilters);
    }

    /** Whether INSERTs of any table are merged. */
    public boolean merges() {
        return tables.values().stream().anyMatch(Table::mergeWrites);
    }

    /** Whether any table's lines are lent to other gateways. */
    public boolean lends() {
        return tier != null
                && (tier.values()
                        || tables.values().stream()
                                .anyMatch(table -> table.tier().use() != TierUse.LOCAL));
    }

    /** Where the lines of a table are. */
    public enum TierUse {
        /** In the memory of the gateways that read them. */
        LOCAL,
        /** In the tier alone. */
        SHARED,
        BOTH
    }

    /**
     * How one table uses the tier.
     *
     * @param namespace what the names of its lines begin with
     * @param ttl how long its lines stay in the tier at most; null: as long as they may answer
     */
    public record TableTier(
            TierUse use, String namespace, @Nullable Duration ttl) {
        static TableTier of(@Nullable Tier tier) {
            return tier == null
                    ? new TableTier(TierUse.LOCAL, "", null)
                    : new TableTier(tier.values() ? TierUse.BOTH : TierUse.LOCAL, tier.namespace(), null);
        }
    }

    /**
     * The settings of one table.
     *
     * @param mergeWrites whether INSERTs of several clients may go to the store as one
     */
    public record Table(
            Granularity prefix,
            Duration ttl,
            Duration signalTtl,
            boolean enabled,
            FilterReads filters,
            TableTier tier,
            boolean mergeWrites) {
        /** Returns whether it has filter lines. */
        public boolean hasFilters() {
            return filters != FilterReads.OFF;
        }
    }

    /**
     * What one gateway holds at most.
     *
     * @param maxAllowedPacketBytes largest command of a client
     * @param planCacheBytes weight of all cached plans
     * @param memoryBytes what all clients together may make the gateway keep, on the heap or beside it
     */
    public record Limits(
            int connections,
            int preparedStatementsPerSession,
            int preparedStatements,
            int maxAllowedPacketBytes,
            long planCacheBytes,
            long memoryBytes,
            Duration loginTimeout,
            Duration peerTimeout,
            PerUser perUser) {}

    /**
     * What one user may have in use at a time; 0 is no limit.
     *
     * @param forwards statements that run at the store
     */
    public record PerUser(int connections, int forwards) {}
}
