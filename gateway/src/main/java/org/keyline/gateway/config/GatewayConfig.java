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
 * The whole configuration. Immutable; every value has been checked.
 *
 * @param listen address of the MySQL protocol
 * @param http address of metrics and health; null: none
 * @param proxies addresses whose connections begin with a header of the PROXY protocol
 * @param demo whether the embedded store begins with sample data
 * @param users who may log in; empty: {@code root} without a password, from loopback only
 * @param access rights to the gateway itself
 * @param tables settings of single tables that override {@code cache}
 * @param tier how gateways of the same store notify each other of writes; null: they do not
 * @param privilegeTtl how long one success of a statement shape allows hits to that user
 * @param eventLoops threads that serve clients
 * @param transport socket implementation; available on this machine
 * @param reusePort whether other processes may listen on the same addresses
 * @param loadConnections store sessions of the gateway's own, for loads
 * @param drainDelay how long a stopping gateway accepts connections while it reports that it is not
 *     ready
 * @param drainTimeout how long running statements may take to complete at shutdown
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

    /**
     * Returns a copy with the settings that can change at run time taken from another
     * configuration.
     */
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

    /** Returns the settings of a table: its own ones over those of {@code cache}. */
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
     * The store of the rows.
     *
     * @param url {@code duckdb:FILE}, {@code duckdb:memory} or
     *     {@code mysql://HOST:PORT[,HOST:PORT…]}
     * @param user the gateway's own account at the store
     * @param tls whether connections to a store behind the MySQL protocol are encrypted
     * @param authority PEM certificates that {@code tls: verify} trusts; null: those of the
     *     platform
     * @param login who authenticates clients
     * @param unguardedLogins whether the store may authenticate users whom it accepts without a
     *     password from the gateway's host
     * @param proxyProtocol whether relayed logins report the client's address to the store
     * @param failoverAfter how long the server in use may be silent before another server of the
     *     store is used
     * @param startTimeout how long a start waits for an unreachable store; null: forever
     * @param refresh how often the catalog is read again
     * @param signal how writes that bypass the gateway are detected before their lines reach their
     *     ttl
     * @param idleSession how long a client that Keyline can log in again may not use its store
     *     session before that is closed; zero: never closed
     * @param embedded limits of a store in this process
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
            Duration idleSession,
            Embedded embedded) {
        /** The URL prefix of stores behind the MySQL protocol. */
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
                    idleSession,
                    new Embedded(embedded.memoryBytes, next.embedded.maxExecutionTime));
        }

        /** Returns whether the store is a server behind the MySQL protocol. */
        public boolean isRemote() {
            return url.startsWith(MYSQL);
        }

        /** Returns whether a remote store runs on this machine, by the addresses as written. */
        public boolean isOnLoopback() {
            return isRemote() && addresses().stream().allMatch(HostPort::isLoopback);
        }

        /** Returns the servers of a remote store, in order of preference. */
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
     * Limits of the embedded store.
     *
     * @param memoryBytes of tables, sorts and results together; 0: the memory of the machine or
     *     container besides the heap
     * @param maxExecutionTime of one statement; zero: unlimited
     */
    public record Embedded(long memoryBytes, Duration maxExecutionTime) {}

    /**
     * How changes in the store are detected.
     *
     * @param period how often the store is asked for its position, below the ttl; null: depends on
     *     the kind of store
     * @param serverId of the gateway as a reader of the binary log, unique among its replicas; 0:
     *     random at start
     */
    public record Signal(SignalMode mode, @Nullable Duration period, long serverId) {}

    /** The source of a change signal. */
    public enum SignalMode {
        /** No source: lines live for their ttl. */
        NONE,
        /** The row binary log (MySQL, MariaDB). */
        BINLOG,
        /** The versions of partitions (Doris, StarRocks). */
        VERSIONS,
        /** Depends on the kind of store. */
        AUTO
    }

    /** Whether connections to the store are encrypted. */
    public enum StoreTls {
        OFF,
        /** Encrypted if the store offers it. */
        PREFERRED,
        /** Encrypted, with any certificate. */
        REQUIRED,
        /** Encrypted, with a certificate of a trusted authority for the store's name. */
        VERIFY
    }

    /** Who authenticates clients. */
    public enum LoginMode {
        /** The store: its challenge goes to the client, the client's answer to the store. */
        RELAY,
        /** The users of this configuration. */
        LOCAL
    }

    /**
     * Whether to relay logins of users whom the store accepts with any password because they come
     * from the gateway's host.
     */
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
     * TLS of clients and operators.
     *
     * @param mode on the client port
     * @param certificate PEM chain; null: self-signed, created at start, if TLS is on
     * @param key PEM private key (PKCS#8), unencrypted
     * @param http whether the address of metrics and health accepts TLS only
     */
    public record Tls(
            TlsMode mode,
            @Nullable Path certificate,
            @Nullable Path key,
            boolean http) {}

    /**
     * A local user; its text has none of its secrets.
     *
     * @param storeUser the account at a remote store; null on an embedded one
     */
    public record User(
            String name, Credential credential, @Nullable String storeUser, Secret storePassword, boolean readOnly) {}

    /**
     * Rights to the gateway itself.
     *
     * @param views users who may read its views
     * @param changes users who may change it and read its views
     * @param httpToken required for figures over HTTP; empty: none
     * @param httpHosts allowed hosts of HTTP requests; empty: depends on the listen address
     */
    public record Access(Set<String> views, Set<String> changes, Secret httpToken, Set<String> httpHosts) {
        private static final String EVERYBODY = "*";

        public Access {
            views = Set.copyOf(views);
            changes = Set.copyOf(changes);
            httpHosts = Set.copyOf(httpHosts);
        }

        /** Returns whether a user may read the views. */
        public boolean mayView(String user) {
            return views.contains(EVERYBODY) || views.contains(user) || mayChange(user);
        }

        /** Returns whether a user may change the gateway. */
        public boolean mayChange(String user) {
            return changes.contains(EVERYBODY) || changes.contains(user);
        }
    }

    /** Settings of the log. */
    public record Log(LogLevel level, LogFormat format, SlowLog slow) {}

    /** The lowest level of logged messages. */
    public enum LogLevel {
        ERROR,
        WARN,
        INFO,
        DEBUG
    }

    /** The format of messages. */
    public enum LogFormat {
        TEXT,
        JSON
    }

    /**
     * Settings of the slow log.
     *
     * @param threshold minimum time of a slow statement; null: the slow log is off
     * @param file of slow statements; null: none
     * @param linesPerSecond maximum in the file
     */
    public record SlowLog(
            @Nullable Duration threshold, @Nullable Path file, int linesPerSecond) {}

    /**
     * Settings of lines in memory.
     *
     * @param enabled off: every statement goes to the store
     * @param sizeBytes hard budget of all lines together
     * @param ttl age, from the start of its load, at which a line expires
     * @param signalTtl the same while a change signal has reported all changes up to less than a
     *     ttl ago
     * @param prefix default load granularity of tables
     * @param autoRows maximum average rows of a line if the granularity is automatic
     * @param maxWaitersPerLoad readers that may wait for one load; the others go to the store
     * @param loadTimeout maximum duration of a load
     * @param refreshAhead whether hot lines are loaded again before they expire
     * @param auditOneIn compares one in this many hits with the store in the background; 0: none
     * @param transactions which lines may answer a transaction with a snapshot, if others write to
     *     the store
     * @param writeThrough the effect of a write on the lines of its row
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

    /** The effect of a write on the lines of its row. */
    public enum WriteThroughMode {
        /** Drops them. */
        OFF,
        /** Changes them like the row if the change is exact; otherwise drops them. */
        EXACT
    }

    /** The transactions at REPEATABLE READ that lines may answer. */
    public enum TransactionMode {
        /** Those that began like others that ended without the store. */
        TRUST,
        NEVER
    }

    /**
     * Settings of filter lines: results of conditions that bind no key prefix.
     *
     * @param reads the reads that they answer, for tables without a setting of their own
     * @param sizeBytes their part of the budget of all lines, if any table has them
     * @param order the treatment of several rows without an order
     */
    public record Filter(FilterReads reads, long sizeBytes, FilterOrder order) {}

    /** The treatment of several rows of a filter line if the statement has no ORDER BY. */
    public enum FilterOrder {
        /** The store answers, in the order of its choice. */
        EXACT,
        /** The line answers, in the order of the key. */
        ANY
    }

    /**
     * A gateway of the same store.
     *
     * @param address its client port for the others; null: they notify it through the tier only
     */
    public record Member(String name, @Nullable HostPort address) {}

    /** All gateways of the same store. */
    public record Members(List<Member> all) {
        public Members {
            all = List.copyOf(all);
        }

        public Set<String> names() {
            return all.stream().map(Member::name).collect(Collectors.toUnmodifiableSet());
        }

        /** Returns the members except this one. */
        public List<Member> without(String name) {
            return all.stream().filter(member -> !member.name().equals(name)).toList();
        }
    }

    /**
     * Settings of a tier, by which gateways of one store notify each other of writes.
     *
     * @param url {@code redis://HOST:PORT[,HOST:PORT…]}, or {@code rediss://…} with TLS; null:
     *     none, they notify each other directly
     * @param user empty: the server's default one
     * @param password empty: none
     * @param authority PEM certificates of trusted servers and gateways; null: those of the
     *     platform
     * @param namespace prefix of the keys at the server
     * @param name of this gateway
     * @param members all gateways
     * @param staleness how long another gateway's acknowledged write may be invisible here
     * @param strict whether a write is acknowledged only after all other gateways know of it
     * @param values whether gateways use each other's lines
     * @param valueKey encrypts lines in the tier; empty: they are not encrypted
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
        /** The URL prefix of servers without TLS. */
        static final String REDIS = "redis://";

        /** The URL prefix of servers with TLS. */
        static final String REDISS = "rediss://";

        private static final int USUAL_PORT = 6379;

        /** Returns whether connections to the servers are encrypted. */
        public boolean tls() {
            return url != null && url.startsWith(REDISS);
        }

        /** Returns whether connections to other gateways need TLS with trusted certificates. */
        public boolean verifiesMembers() {
            return tls() || authority != null;
        }

        /**
         * Returns the servers, of which one is in use at a time; empty if gateways notify each
         * other directly only.
         */
        public List<HostPort> addresses() {
            return url == null ? List.of() : addresses(url);
        }

        /** Returns the other gateways with direct connections. */
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

    /** Returns whether any table has filter lines. */
    public boolean filters() {
        return filter.reads() != FilterReads.OFF || tables.values().stream().anyMatch(Table::hasFilters);
    }

    /** Returns whether INSERTs of any table are merged. */
    public boolean merges() {
        return tables.values().stream().anyMatch(Table::mergeWrites);
    }

    /** Returns whether any table shares its lines with other gateways. */
    public boolean sharesLines() {
        return tier != null
                && (tier.values()
                        || tables.values().stream()
                                .anyMatch(table -> table.tier().use() != TierUse.LOCAL));
    }

    /** The place of a table's lines. */
    public enum TierUse {
        /** The memory of the gateways that read them. */
        LOCAL,
        /** The tier only. */
        SHARED,
        BOTH
    }

    /**
     * A table's use of the tier.
     *
     * @param namespace prefix of its lines' names
     * @param ttl maximum time of its lines in the tier; null: as long as they may answer
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
     * The settings of a table.
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
        /** Returns whether the table has filter lines. */
        public boolean hasFilters() {
            return filters != FilterReads.OFF;
        }
    }

    /**
     * Limits of the gateway.
     *
     * @param maxAllowedPacketBytes largest command of a client
     * @param planCacheBytes total bytes of all cached plans
     * @param memoryBytes total buffers of all clients, on the heap or off it
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
     * Limits per user; 0 is no limit.
     *
     * @param forwards statements running at the store
     */
    public record PerUser(int connections, int forwards) {}
}
