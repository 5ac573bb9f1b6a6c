package org.keyline.stores.mysql.catalog;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;
import org.keyline.planner.TriggerText;
import org.keyline.stores.ProcedureText;

/**
 * Reads the {@code information_schema} of MySQL and MariaDB. Thread-safe if each thread passes its
 * own rows.
 */
final class SchemaReader implements StoreReader {
    /** Maximum number of known tables. A write to any further table fences all tables. */
    private static final int MAX_TABLES = 100_000;

    private static final String OTHERS = " NOT IN ('information_schema', 'mysql', 'performance_schema', 'sys')";

    /** The query for names, which the store answers without opening a table. */
    private static final String NAMES =
            "SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA" + OTHERS;

    /** The query for stored functions except those of {@code sys}, which write nothing. */
    private static final String FROM_FUNCTIONS = " FROM information_schema.ROUTINES"
            + " WHERE ROUTINE_TYPE <> 'PROCEDURE' AND NOT (ROUTINE_SCHEMA = 'sys'"
            + " AND DEFINER IN ('mysql.sys@localhost', 'mariadb.sys@localhost'))";

    private static final String FUNCTIONS = "SELECT COUNT(*) AS FUNCTIONS" + FROM_FUNCTIONS;

    private static final String FUNCTION_NAMES = "SELECT DISTINCT ROUTINE_NAME" + FROM_FUNCTIONS;

    /** The query for views. A definition is empty if the account may not see the view. */
    private static final String VIEWS =
            "SELECT TABLE_NAME, VIEW_DEFINITION FROM information_schema.VIEWS WHERE TABLE_SCHEMA" + OTHERS;

    private static final String PROCEDURES = "SELECT ROUTINE_SCHEMA, ROUTINE_NAME, ROUTINE_TYPE, ROUTINE_BODY,"
            + " ROUTINE_DEFINITION, SQL_MODE, CREATED, LAST_ALTERED FROM information_schema.ROUTINES WHERE ";

    /*
     * Counts the sessions that may be running a statement. A client's session shows Sleep between
     * its statements. System threads of a replica or a cluster may run statements in any state, and
     * the thread of an event shows Connect. A daemon runs no statements.
     */
    private static final String UNDER_WAY = "SELECT COUNT(*) AS UNDER_WAY FROM information_schema.PROCESSLIST"
            + " WHERE ID <> CONNECTION_ID() AND COMMAND NOT IN ('Daemon', 'Binlog Dump', 'Slave_IO')"
            + " AND (COMMAND <> 'Sleep' OR USER = 'system user')";

    private static final String NAME_RULE = "SELECT @@lower_case_table_names AS NAME_RULE";

    private static final String HIDDEN_TRIGGERS =
            "the gateway's account has no TRIGGER privilege on *.*, so some triggers"
                    + " and foreign keys may be hidden from it: every write drops the lines of all tables"
                    + " (GRANT TRIGGER ON *.* TO this account)";

    private static final String HIDDEN_COLUMNS =
            "the gateway's account has rights on single columns only, so some columns"
                    + " may be hidden from it: no table is cached";

    private static final String HIDDEN_TABLES =
            "the gateway's account has no SELECT privilege on *.*: tables that it cannot read are"
                    + " not cached (GRANT SELECT ON *.* TO this account)";

    private static final String HIDDEN_VIEWS =
            "the gateway's account has no SHOW VIEW privilege on *.*, so it cannot see which views call"
                    + " the store's functions: a read of a view drops all lines"
                    + " (GRANT SHOW VIEW ON *.* TO this account)";

    private final Dialect dialect;
    /** The rights of each session. Several threads read, each in its own session. */
    private final Map<CatalogRows, Grants> rights = Collections.synchronizedMap(new WeakHashMap<>());

    SchemaReader(Dialect dialect) {
        this.dialect = dialect;
    }

    /**
     * Returns the rights of the gateway's account.
     *
     * @throws ReadFailure if the rights have changed. New privileges on {@code *.*} apply only to
     * later logins, so this session does not have the rights that SHOW GRANTS lists
     */
    private Grants grants(CatalogRows rows) throws ReadFailure {
        Grants now = Grants.read(rows, dialect);
        Grants first = rights.putIfAbsent(rows, now);
        if (first != null && !first.equals(now)) {
            throw ReadFailure.ofConnection("the rights of the gateway's account have changed, so it logs in again");
        }
        return now;
    }

    @Override
    public Reading read(CatalogRows rows, Interlude interlude) throws ReadFailure {
        List<TableName> names = new ArrayList<>();
        boolean[] more = new boolean[1];
        rows.query(NAMES, row -> {
            if (names.size() < MAX_TABLES) {
                names.add(SchemaPages.name(row));
            } else {
                more[0] = true;
            }
        });
        return read(rows, names, null, more[0], interlude);
    }

    @Override
    public Reading read(CatalogRows rows, Collection<TableName> names, Reading before) throws ReadFailure {
        Set<TableName> asked = before.named(names);
        return before.with(asked, read(rows, asked, before, false, Interlude.NONE));
    }

    @Override
    public Reading readCode(CatalogRows rows, Reading before) throws ReadFailure {
        Grants grants = grants(rows);
        Map<TableName, List<TriggerText>> triggers = triggers(rows, grants);
        return before.with(code(rows, grants, !triggers.isEmpty()), triggers);
    }

    private static Map<TableName, List<TriggerText>> triggers(CatalogRows rows, Grants grants) throws ReadFailure {
        Map<TableName, List<TriggerText>> triggers = new HashMap<>();
        if (grants.seesTriggers()) {
            rows.query(
                    SchemaPages.ALL_TRIGGERS,
                    row -> triggers.computeIfAbsent(
                                    new TableName(row.required(1), row.required(2)), name -> new ArrayList<>())
                            .add(SchemaPages.trigger(row)));
        }
        return triggers;
    }

    @Override
    public @Nullable DefinitionCount definitionCount(CatalogRows rows) throws ReadFailure {
        return DefinitionCount.read(rows);
    }

    @Override
    public boolean mayBeUnderWay(CatalogRows rows) throws ReadFailure {
        // The states in which a thread of MySQL can run a statement are not all known.
        if (dialect != Dialect.MARIADB || !grants(rows).seesProcesses()) {
            return true;
        }
        int[] count = new int[1];
        rows.query(UNDER_WAY, row -> count[0] = row.number("UNDER_WAY"));
        return count[0] > 0;
    }

    @Override
    public @Nullable ProcedureText procedure(CatalogRows rows, String schema, String name) throws ReadFailure {
        // The session retains the global rights of its login, so one SHOW GRANTS is enough.
        Grants first = rights.get(rows);
        if (!(first == null ? grants(rows) : first).seesFunctions()) {
            return null;
        }
        List<ProcedureText> found = new ArrayList<>();
        boolean[] unknown = new boolean[1];
        // If a package has the schema's name, the CALL can mean a routine of the package.
        String which =
                "(ROUTINE_SCHEMA = " + SchemaPages.quoted(schema) + " AND ROUTINE_NAME = " + SchemaPages.quoted(name)
                        + " AND ROUTINE_TYPE = 'PROCEDURE') OR (ROUTINE_NAME = " + SchemaPages.quoted(schema)
                        + " AND ROUTINE_TYPE LIKE 'PACKAGE%')";
        rows.query(PROCEDURES + which, row -> {
            String body = row.text("ROUTINE_DEFINITION");
            boolean plain = row.required("ROUTINE_TYPE").equals("PROCEDURE")
                    && row.required("ROUTINE_BODY").equals("SQL")
                    && row.required("ROUTINE_SCHEMA").equalsIgnoreCase(schema)
                    && row.required("ROUTINE_NAME").equalsIgnoreCase(name);
            if (plain && body != null) {
                found.add(new ProcedureText(
                        row.required("ROUTINE_SCHEMA"),
                        row.required("ROUTINE_NAME"),
                        body,
                        row.required("SQL_MODE"),
                        row.text("CREATED") + " " + row.text("LAST_ALTERED")));
            } else {
                unknown[0] = true;
            }
        });
        return found.size() == 1 && !unknown[0] ? found.get(0) : null;
    }

    private Reading read(
            CatalogRows rows, Collection<TableName> names, @Nullable Reading before, boolean more, Interlude interlude)
            throws ReadFailure {
        Set<String> remarks = new TreeSet<>();
        if (more) {
            remarks.add(
                    "the store has more than " + MAX_TABLES
                            + " tables. Keyline forwards reads of the others, and a write to one of them drops the lines of all tables");
        }
        Grants grants = grants(rows);
        // The rule is constant while the server runs.
        NameRule rule = before == null ? nameRule(rows) : before.names();
        SchemaPages pages = new SchemaPages(rows, dialect, rule, grants.seesTriggers(), interlude);
        pages.read(names);
        pages.remark(remarks);
        if (!grants.seesTriggers()) {
            remarks.add(HIDDEN_TRIGGERS);
        }
        if (!grants.seesTables()) {
            remarks.add(HIDDEN_TABLES);
        }
        if (more || !grants.seesTriggers() || pages.cascadesAreHidden()) {
            pages.drafts().forEach(TableDraft::cascadesToOthers);
        }
        List<ListedTable> listed = new ArrayList<>();
        if (grants.seesColumns()) {
            pages.drafts().forEach(draft -> listed.add(draft.listed()));
        } else {
            remarks.add(HIDDEN_COLUMNS);
        }
        StoredCode code = before != null
                ? before.code()
                : code(rows, grants, !triggers(rows, grants).isEmpty());
        if (code.functions() && !code.callers().isEmpty() && !grants.seesViews()) {
            remarks.add(HIDDEN_VIEWS);
        }
        return Reading.of(listed, code, rule, pages.refused(), remarks);
    }

    private NameRule nameRule(CatalogRows rows) throws ReadFailure {
        int[] rule = new int[1];
        rows.query(NAME_RULE, row -> rule[0] = row.number("NAME_RULE"));
        return NameRule.of(dialect, rule[0]);
    }

    private static StoredCode code(CatalogRows rows, Grants grants, boolean triggered) throws ReadFailure {
        int[] functions = {grants.seesFunctions() ? 0 : 1};
        if (grants.seesFunctions()) {
            rows.query(FUNCTIONS, row -> functions[0] = row.number("FUNCTIONS"));
        }
        boolean triggers = !grants.seesTriggers() || triggered;
        if (functions[0] == 0) {
            return new StoredCode(false, triggers, Set.of(), Set.of(), false, true);
        }
        Set<String> names = new HashSet<>();
        rows.query(FUNCTION_NAMES, row -> names.add(row.required(1).toUpperCase(Locale.ROOT)));
        Map<String, String> views = new HashMap<>();
        boolean[] unseen = {!grants.seesColumns()};
        rows.query(VIEWS, row -> {
            String definition = row.text("VIEW_DEFINITION");
            if (views.size() < MAX_TABLES) {
                views.merge(
                        row.required("TABLE_NAME").toLowerCase(Locale.ROOT),
                        definition == null ? "" : definition,
                        (one, other) -> one.isEmpty() || other.isEmpty() ? "" : one + "\n" + other);
            } else {
                unseen[0] = true;
            }
        });
        return new StoredCode(true, triggers, names, StoredCode.callers(views), unseen[0], true);
    }
}
