package org.keyline.stores.mysql.catalog;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.keyline.stores.ReadVariable;
import org.keyline.stores.SessionDefaults;
import org.keyline.stores.mysql.server.ServerAddress;
import org.keyline.stores.mysql.server.StoreServers;

/** A connection that knows the store's kind and version. Confined to one thread at a time. */
public final class StoreConnection implements AutoCloseable {
    /*
     * Without a live backend, Doris answers SHOW … LIKE, but rejects SHOW … WHERE and any SELECT,
     * even of variables.
     */
    private static final String SQL_MODE = "SHOW GLOBAL VARIABLES LIKE 'sql_mode'";
    private static final List<String> DEFAULTS = List.of(SQL_MODE, "SHOW GLOBAL VARIABLES LIKE 'time_zone'");
    private static final String UTF8MB4 = "SELECT COLLATION(_utf8mb4'') AS COLLATION_NAME";
    private static final List<String> VERSION = List.of("SHOW VARIABLES LIKE 'version%'");

    /** The variable with which load sessions of Doris request the newest versions. */
    private static final String FORCES_VERSIONS = "cloud_force_sync_version";

    private static final String KEYWORDS = "SELECT WORD FROM information_schema.KEYWORDS";

    /** Minimum number of keywords. Every SQL server has more, so a shorter list is incomplete. */
    private static final int FEWEST_KEYWORDS = 400;

    /** Time zones that are equal if the system's time zone is UTC. */
    private static final Set<String> UTC = Set.of("SYSTEM", "+00:00");

    private static final String SYSTEM_IS_UTC = IntStream.rangeClosed(1971, 2037)
            .boxed()
            .flatMap(year -> Stream.of("'" + year + "-01-01 00:00:00'", "'" + year + "-07-01 00:00:00'"))
            .map(moment -> "CONVERT_TZ(" + moment + ", '+00:00', 'SYSTEM') = " + moment)
            .collect(Collectors.joining(" AND ", "SELECT COALESCE(", ", 0)"));

    private final StoreServers servers;
    private final ServerAddress server;
    private final JdbcRows rows;
    private final String serverVersion;
    private final Dialect dialect;

    private StoreConnection(
            StoreServers servers, ServerAddress server, JdbcRows rows, String serverVersion, Dialect dialect) {
        this.servers = servers;
        this.server = server;
        this.rows = rows;
        this.serverVersion = serverVersion;
        this.dialect = dialect;
    }

    public static StoreConnection open(CatalogOptions options) throws ReadFailure {
        ServerAddress server = options.server();
        JdbcRows rows = JdbcRows.connect(options, server);
        try {
            Map<String, String> said = variables(rows, VERSION);
            String version = said.getOrDefault("version", "");
            Dialect dialect = dialect(rows, version, said.getOrDefault("version_comment", ""));
            runIfKnown(rows, dialect.limit(options.readTimeout()));
            runIfKnown(rows, dialect.useOwnCatalog());
            runIfKnown(rows, dialect.unauditedExecutions());
            return new StoreConnection(options.servers(), server, rows, version, dialect);
        } catch (ReadFailure e) {
            rows.close();
            throw e;
        }
    }

    /** Detects the kind of store by the version strings or, if these are unknown, by variables. */
    static Dialect dialect(CatalogRows rows, String version, String comment) throws ReadFailure {
        Dialect said = Dialect.of(version, comment);
        if (said != Dialect.OTHER) {
            return said;
        }
        for (Dialect kind : Dialect.values()) {
            String own = kind.ownVariable();
            if (own != null
                    && variables(rows, List.of("SHOW VARIABLES LIKE '" + own + "'"))
                            .containsKey(own)) {
                return kind;
            }
        }
        return said;
    }

    /** Runs a setting. A store older than the setting may reject it. */
    private static void runIfKnown(JdbcRows rows, @Nullable String setting) throws ReadFailure {
        if (setting == null) {
            return;
        }
        try {
            rows.run(setting);
        } catch (ReadFailure e) {
            if (!e.refused()) {
                throw e;
            }
        }
    }

    SessionDefaults sessionDefaults() throws ReadFailure {
        Map<String, String> said = variables(rows, DEFAULTS);
        String mode = said.get("sql_mode");
        String zone = said.get("time_zone");
        if (mode == null || zone == null) {
            throw new ReadFailure(
                    "the store's SHOW VARIABLES does not list " + (mode == null ? "sql_mode" : "time_zone"));
        }
        return new SessionDefaults(mode, zone, sameTimeZones(zone), readVariables(), utf8mb4());
    }

    String utf8mb4() throws ReadFailure {
        List<String> collation = new ArrayList<>();
        if (dialect.isMySqlOrMariaDb()) {
            rows.query(UTF8MB4, row -> collation.add(row.required(1)));
        }
        return String.join("", collation);
    }

    /** Returns the {@link Dialect#readVariables} that this release of the store has. */
    List<ReadVariable> readVariables() throws ReadFailure {
        List<ReadVariable> wanted = dialect.readVariables();
        if (wanted.isEmpty()) {
            return List.of();
        }
        Set<String> known = new HashSet<>();
        rows.query("SHOW VARIABLES", row -> known.add(row.required(1).toLowerCase(Locale.ROOT)));
        return wanted.stream()
                .filter(variable -> known.contains(variable.name()))
                .toList();
    }

    /**
     * Returns the maximum age of row versions that a read returns. Zero unless Doris stores rows
     * separately from the servers that compute, and no session variable excludes old versions.
     */
    Duration versionAge() throws ReadFailure {
        return versionAge(rows, dialect);
    }

    static Duration versionAge(CatalogRows rows, Dialect dialect) throws ReadFailure {
        String variable = dialect.versionAge();
        long[] millis = new long[1];
        boolean[] ruledOut = {variable == null};
        if (variable != null) {
            rows.query("SHOW VARIABLES", row -> {
                String name = row.required(1).toLowerCase(Locale.ROOT);
                ruledOut[0] |= name.equals(FORCES_VERSIONS);
                millis[0] = name.equals(variable) ? millis(row.text(2)) : millis[0];
            });
        }
        return ruledOut[0] || millis[0] <= 0 || !maySeparateStorage(rows)
                ? Duration.ZERO
                : Duration.ofMillis(millis[0]);
    }

    private static long millis(@Nullable String text) throws ReadFailure {
        try {
            return text == null ? 0 : Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new ReadFailure("the store answered " + text + " for a number of milliseconds");
        }
    }

    /** Returns whether Doris may store rows separately. True also if it reports no mode. */
    private static boolean maySeparateStorage(CatalogRows rows) throws ReadFailure {
        @Nullable String[] mode = {null};
        try {
            rows.query("ADMIN SHOW FRONTEND CONFIG LIKE 'deploy_mode'", row -> mode[0] = row.text("Value"));
        } catch (ReadFailure e) {
            if (!e.refused()) {
                throw e;
            }
            return true;
        }
        return mode[0] == null || mode[0].equalsIgnoreCase("cloud");
    }

    /**
     * Returns the users whose passwords the store does not check if they log in from its own host.
     * Includes all candidates if the store does not report the setting.
     */
    Set<String> unguardedUsers() throws ReadFailure {
        String setting = dialect.localTrust();
        if (setting == null) {
            return Set.of();
        }
        boolean[] off = {false};
        try {
            rows.query("ADMIN SHOW FRONTEND CONFIG LIKE '" + setting + "'", row -> {
                off[0] |= row.required("Key").equals(setting) && "false".equalsIgnoreCase(row.text("Value"));
            });
        } catch (ReadFailure e) {
            if (!e.refused()) {
                throw e;
            }
        }
        return off[0] ? Set.of() : Dialect.UNGUARDED;
    }

    /**
     * Returns the names of the values that Keyline requests from sessions. Omits the role if an
     * unknown store has no roles.
     */
    List<String> sessionQuestions() throws ReadFailure {
        List<String> questions = dialect.sessionQuestions(serverVersion);
        if (dialect.isKnown()) {
            return questions;
        }
        try {
            rows.query("SELECT " + Dialect.ROLE, row -> {});
            return questions;
        } catch (ReadFailure e) {
            if (!e.refused()) {
                throw e;
            }
            return questions.stream()
                    .filter(question -> !question.equals(Dialect.ROLE))
                    .toList();
        }
    }

    /** Returns the store's keywords in upper case; empty if the store does not list them. */
    Set<String> keywords() throws ReadFailure {
        Set<String> words = new HashSet<>();
        if (dialect.isMySqlOrMariaDb()) {
            try {
                rows.query(KEYWORDS, row -> words.add(row.required(1).toUpperCase(Locale.ROOT)));
            } catch (ReadFailure e) {
                if (!e.refused()) {
                    throw e;
                }
                // An older release does not have this table.
            }
        }
        return words.size() < FEWEST_KEYWORDS ? Set.of() : Set.copyOf(words);
    }

    private static Map<String, String> variables(CatalogRows rows, List<String> shows) throws ReadFailure {
        Map<String, String> said = new HashMap<>();
        for (String show : shows) {
            rows.query(show, row -> said.put(row.required(1).toLowerCase(Locale.ROOT), row.required(2)));
        }
        return said;
    }

    String sqlMode() throws ReadFailure {
        String mode = variables(rows, List.of(SQL_MODE)).get("sql_mode");
        if (mode == null) {
            throw new ReadFailure("the store's SHOW VARIABLES does not list sql_mode");
        }
        return mode;
    }

    /**
     * Returns the zones that are equal to this one at every moment. Only SYSTEM and +00:00 can be
     * shown to be equal. For this, the system's zone must be called UTC, and must equal UTC at the
     * beginning and in the middle of every year from 1971 to 2037.
     */
    Set<String> sameTimeZones(String zone) throws ReadFailure {
        boolean utc = dialect.isMySqlOrMariaDb()
                && UTC.contains(zone)
                && one("SELECT @@system_time_zone").equals("UTC");
        return utc && one(SYSTEM_IS_UTC).equals("1") ? UTC : Set.of(zone);
    }

    private String one(String select) throws ReadFailure {
        String[] said = {""};
        rows.query(select, row -> said[0] = row.required(1));
        return said[0];
    }

    public ServerAddress server() {
        return server;
    }

    /** Returns whether this server is still the one in use. */
    public boolean isCurrent() {
        return server.equals(servers.current());
    }

    public void run(String sql) throws ReadFailure {
        rows.run(sql);
    }

    /**
     * Prepares the session for polling. From now on the server answers SHOW from its own state,
     * which is also the state that loads read.
     */
    public void beginPolling() throws ReadFailure {
        for (String setting : dialect.pollingSettings()) {
            runIfKnown(rows, setting);
        }
    }

    public CatalogRows rows() {
        return rows;
    }

    public String serverVersion() {
        return serverVersion;
    }

    public Dialect dialect() {
        return dialect;
    }

    /** Aborts a read in progress. Called on another thread. */
    public void abort() {
        rows.abort();
    }

    @Override
    public void close() {
        rows.close();
    }
}
