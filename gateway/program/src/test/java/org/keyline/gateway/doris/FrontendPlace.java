package org.keyline.gateway.doris;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The catalog and database of a frontend's session, modelled after the frontend's source:
 * {@code Env.changeCatalog}, {@code changeDb}, {@code UseCommand} and
 * {@code ConnectProcessor.handleInitDb}. Both catalogs have the same database. Confined to one
 * thread.
 */
final class FrontendPlace {
    static final String OWN = "internal";
    static final String OTHER = "j";
    /** A user whose property {@code default_init_catalog} is the other catalog. */
    static final String USER_OF_OTHER = "dora";

    private static final Set<String> CATALOGS = Set.of(OWN, OTHER);
    private static final Set<String> DATABASES = Set.of("pq");

    private static final Pattern USE = Pattern.compile(
            "(?:/\\*.*?\\*/\\s*)?USE\\s+(?:`?(\\w+)`?\\s*\\.\\s*)?`?(\\w+)`?\\s*;?", Pattern.CASE_INSENSITIVE);
    private static final Pattern SWITCH =
            Pattern.compile("(?:/\\*.*?\\*/\\s*)?SWITCH\\s+`?(\\w+)`?\\s*;?", Pattern.CASE_INSENSITIVE);

    private final Map<String, String> lastDatabases = new HashMap<>();
    private String catalog = OWN;
    private String database = "";

    String catalog() {
        return catalog;
    }

    String database() {
        return database;
    }

    /**
     * Begins a session, or switches it to another user; returns false if the database does not
     * exist.
     */
    boolean login(String user, @Nullable String named) {
        catalog = user.equals(USER_OF_OTHER) ? OTHER : OWN;
        database = "";
        return named == null || named.isEmpty() || initDb(named);
    }

    /** COM_INIT_DB: changes nothing if the database does not exist. */
    boolean initDb(String named) {
        List<String> parts = List.of(named.split("\\.", -1));
        boolean there = DATABASES.contains(parts.get(parts.size() - 1))
                && (parts.size() == 1 || (parts.size() == 2 && CATALOGS.contains(parts.get(0))));
        if (there && parts.size() == 2) {
            changeCatalog(parts.get(0));
        }
        database = there ? parts.get(parts.size() - 1) : database;
        return there;
    }

    /** COM_RESET_CONNECTION. */
    void reset() {
        catalog = OWN;
        database = "";
        lastDatabases.clear();
    }

    /**
     * Runs a statement that changes the catalog or database. Returns whether it succeeds; null for
     * other statements.
     */
    @Nullable
    Boolean run(String sql) {
        Matcher switching = SWITCH.matcher(sql);
        if (switching.matches()) {
            return changeCatalog(switching.group(1));
        }
        Matcher use = USE.matcher(sql);
        if (!use.matches()) {
            return null;
        }
        // The catalog changes before the database is looked up.
        boolean there = (use.group(1) == null || changeCatalog(use.group(1))) && DATABASES.contains(use.group(2));
        database = there ? use.group(2) : database;
        return there;
    }

    private boolean changeCatalog(String to) {
        if (!CATALOGS.contains(to)) {
            return false;
        }
        if (!database.isEmpty()) {
            lastDatabases.put(catalog, database);
        }
        catalog = to;
        database = lastDatabases.getOrDefault(to, "");
        return true;
    }
}
