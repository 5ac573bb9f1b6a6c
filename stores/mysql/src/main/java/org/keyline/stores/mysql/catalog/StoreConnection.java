package org.keyline.stores.mysql.catalog;

import java.time.Duration;
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

/** A connection to the store, and what the store says it is. Confined to one thread at a time. */
public final class StoreConnection implements AutoCloseable {
    /* By SHOW … LIKE, which Doris answers while it has no live backend; it then refuses a SELECT even of variables, and SHOW … WHERE. */
    private static final List<String> DEFAULTS =
            List.of("SHOW GLOBAL VARIABLES LIKE 'sql_mode'", "SHOW GLOBAL VARIABLES LIKE 'time_zone'");
    private static final List<String> VERSION = List.of("SHOW VARIABLES LIKE 'version%'");

    /** The variable of Doris that makes a session ask for the newest versions; loads set it. */
    private static final String FORCES_VERSIONS = "cloud_force_sync_version";

    private static final String KEYWORDS = "SELECT WORD FROM information_schema.KEYWORDS";

    /** Fewer than any server that speaks SQL has: a list that is not whole. */
    private static final int FEWEST_KEYWORDS = 400;

    /** Values of time_zone that mean the same where the system's is UTC. */
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

    /** Connects to the server in use, logs in and asks what the store is. */
    public static StoreConnection open(CatalogOptions options) throws ReadFailure {
        ServerAddress server = options.server();
        JdbcRows rows = JdbcRows.connect(options, server);
        try {
            Map<String, String> said = variables(rows, VERSION);
            String version = said.getOrDefault("version", "");
            Dialect dialect = dialect(rows, version, said.getOrDefault("version_comment", ""));
            runIfKnown(rows, dialect.limit(options.readTimeout()));
            runIfKnown(rows, dialect.useOwnCatalog());
            return new StoreConnection(options.servers(), server, rows, version, dialect);
        } catch (ReadFailure e) {
            rows.close();
            throw e;
        }
    }

    /** Tells the kind of store by what it says of itself or, where that is nothing known, by the variables that it has. */
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

    /** Runs a statement that sets something for the connection, unless it is null. A store that is older than the setting refuses it. */
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

    /** Asks what new sessions begin with. */
    SessionDefaults sessionDefaults() throws ReadFailure {
        Map<String, String> said = variables(rows, DEFAULTS);
        String mode = said.get("sql_mode");
        String zone = said.get("time_zone");
        if (mode == null || zone == null) {
            throw new ReadFailure("SHOW VARIABLES of the store has no sql_mode or no time_zone");
        }
        return new SessionDefaults(mode, zone, sameTimeZones(zone), readVariables());
    }

    /** Those variables that decide what a read has which this release of the store knows. */
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
     * Asks how old a version may be that the store answers as its newest: where its storage is apart from it, and no variable of a session
     * can rule that out.
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
        return ruledOut[0] || millis[0] <= 0 || !mayKeepStorageApart(rows)
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

    /** Whether Doris runs in compute-storage mode, or does not tell. */
    private static boolean mayKeepStorageApart(CatalogRows rows) throws ReadFailure {
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

    /** Whom the store lets in with any password over its own loopback; where it does not tell, all whom it may. */
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

    /** What sessions are asked beside the variables that all stores have; a store that is not known is not asked for roles that it cannot tell. */
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

    /** The words of its grammar, in upper case; empty where it does not tell them. */
    Set<String> keywords() throws ReadFailure {
        Set<String> words = new HashSet<>();
        if (dialect.listsKeywords()) {
            try {
                rows.query(KEYWORDS, row -> words.add(row.required(1).toUpperCase(Locale.ROOT)));
            } catch (ReadFailure e) {
                if (!e.refused()) {
                    throw e;
                }
                // Older than the table.
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

    /** Asks for the sql_mode that new sessions begin with. */
    String sqlMode() throws ReadFailure {
        String mode = variables(rows, DEFAULTS).get("sql_mode");
        if (mode == null) {
            throw new ReadFailure("SHOW VARIABLES of the store has no sql_mode");
        }
        return mode;
    }

    /**
     * Asks which time zones show every moment as this one: besides itself only the system's, where it calls itself UTC and has been
     * that at the beginning and in the middle of every year there is, and that without an offset.
     */
    Set<String> sameTimeZones(String zone) throws ReadFailure {
        boolean utc = dialect.comparesTimeZones()
                && UTC.contains(zone)
                && one("SELECT @@system_time_zone").equals("UTC");
        return utc && one(SYSTEM_IS_UTC).equals("1") ? UTC : Set.of(zone);
    }

    private String one(String select) throws ReadFailure {
        String[] said = {""};
        rows.query(select, row -> said[0] = row.required(1));
        return said[0];
    }

    /** Where it goes. */
    public ServerAddress server() {
        return server;
    }

    /** Whether the server that it goes to is the one in use. */
    public boolean isCurrent() {
        return server.equals(servers.current());
    }

    /** Runs a statement without an answer. */
    public void run(String sql) throws ReadFailure {
        rows.run(sql);
    }

    /** Makes the server answer from what it knows itself, as it answers loads. */
    public void answerAlone() throws ReadFailure {
        runIfKnown(rows, dialect.answersAlone());
    }

    /** Its answers. */
    public CatalogRows rows() {
        return rows;
    }

    /** The server's variable {@code version}. */
    public String serverVersion() {
        return serverVersion;
    }

    /** What kind of store it is. */
    public Dialect dialect() {
        return dialect;
    }

    /** Ends what a reading waits for, from another thread. */
    public void abort() {
        rows.abort();
    }

    @Override
    public void close() {
        rows.close();
    }
}
