package org.keyline.stores.mysql.catalog;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;
import org.keyline.stores.ProcedureText;

/** Reads the definitions of MySQL and MariaDB from {@code information_schema}. Confined to one thread. */
final class SchemaReader implements StoreReader {
    /** More are not listed: their reads are forwarded, and writes to them close everything. */
    private static final int MAX_TABLES = 100_000;

    private static final Set<String> SYSTEM = Set.of("mysql", "sys");

    private static final String OTHERS = " NOT IN ('information_schema', 'mysql', 'performance_schema', 'sys')";

    /** Tables that one query tells of: it is over soon, whatever the store has to open for it. */
    private static final int TABLES_PER_QUERY = 500;

    /** The store knows these without opening a table. */
    private static final String NAMES =
            "SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA" + OTHERS;

    private static final String TABLES = "SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, ENGINE,"
            + " TABLE_COLLATION, TABLE_COMMENT FROM information_schema.TABLES"
            + " WHERE TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED')" + among("TABLE_SCHEMA", "TABLE_NAME");

    private static final String COLUMNS = "SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, COLUMN_DEFAULT, IS_NULLABLE,"
            + " DATA_TYPE, COLUMN_TYPE, CHARACTER_MAXIMUM_LENGTH, NUMERIC_PRECISION, NUMERIC_SCALE, DATETIME_PRECISION,"
            + " COLLATION_NAME, EXTRA, COLUMN_COMMENT, GENERATION_EXPRESSION FROM information_schema.COLUMNS"
            + " WHERE TRUE" + among("TABLE_SCHEMA", "TABLE_NAME")
            + " ORDER BY TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION";

    private static final String INDEXES =
            "SELECT TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, NON_UNIQUE, COLUMN_NAME, SUB_PART"
                    + " FROM information_schema.STATISTICS WHERE TRUE" + among("TABLE_SCHEMA", "TABLE_NAME")
                    + " ORDER BY TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX";

    private static final String ALL_TRIGGERS =
            "SELECT DISTINCT EVENT_OBJECT_SCHEMA, EVENT_OBJECT_TABLE FROM information_schema.TRIGGERS";

    private static final String TRIGGERS =
            ALL_TRIGGERS + " WHERE TRUE" + among("EVENT_OBJECT_SCHEMA", "EVENT_OBJECT_TABLE");

    private static final String CASCADES = "SELECT DISTINCT CONSTRAINT_SCHEMA, TABLE_NAME, UNIQUE_CONSTRAINT_SCHEMA,"
            + " REFERENCED_TABLE_NAME FROM information_schema.REFERENTIAL_CONSTRAINTS"
            + " WHERE (UPDATE_RULE NOT IN ('RESTRICT', 'NO ACTION') OR DELETE_RULE NOT IN ('RESTRICT', 'NO ACTION'))"
            + among("CONSTRAINT_SCHEMA", "TABLE_NAME");

    /** A cascade may go on from a table that is not listed. */
    private static final String HIDDEN_CASCADES = "SELECT DISTINCT CONSTRAINT_SCHEMA"
            + " FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA IN ('mysql', 'sys')";

    /** Those that the schema {@code sys} comes with write nothing. */
    private static final String FROM_FUNCTIONS = " FROM information_schema.ROUTINES"
            + " WHERE ROUTINE_TYPE <> 'PROCEDURE' AND NOT (ROUTINE_SCHEMA = 'sys'"
            + " AND DEFINER IN ('mysql.sys@localhost', 'mariadb.sys@localhost'))";

    private static final String FUNCTIONS = "SELECT COUNT(*) AS FUNCTIONS" + FROM_FUNCTIONS;

    private static final String FUNCTION_NAMES = "SELECT DISTINCT ROUTINE_NAME" + FROM_FUNCTIONS;

    /** Without the right to see it, a definition is empty. */
    private static final String VIEWS =
            "SELECT TABLE_NAME, VIEW_DEFINITION FROM information_schema.VIEWS WHERE TABLE_SCHEMA" + OTHERS;

    private static final String PROCEDURES = "SELECT ROUTINE_SCHEMA, ROUTINE_NAME, ROUTINE_TYPE, ROUTINE_BODY,"
            + " ROUTINE_DEFINITION, SQL_MODE, CREATED, LAST_ALTERED FROM information_schema.ROUTINES WHERE ";

    /*
     * A session is asleep from the end of its statement to the beginning of the next. Threads of the system may run others' statements
     * whatever they show (a replica's, those of a cluster); an event's thread shows Connect. A daemon runs none.
     */
    private static final String UNDER_WAY = "SELECT COUNT(*) AS UNDER_WAY FROM information_schema.PROCESSLIST"
            + " WHERE ID <> CONNECTION_ID() AND COMMAND NOT IN ('Daemon', 'Binlog Dump', 'Slave_IO')"
            + " AND (COMMAND <> 'Sleep' OR USER = 'system user')";

    private static final String NAME_RULE = "SELECT @@lower_case_table_names AS NAME_RULE";

    private static final String HIDDEN_TRIGGERS =
            "the gateway's account has no TRIGGER privilege on *.*, so it may not see all"
                    + " triggers and foreign keys: every write closes every table";

    private static final String HIDDEN_COLUMNS =
            "the gateway's account has rights on single columns only, so it may not see all"
                    + " columns: no table is cached";

    private final Dialect dialect;

    SchemaReader(Dialect dialect) {
        this.dialect = dialect;
    }

    private static String among(String schema, String table) {
        return " AND " + schema + " = %1$s AND " + table + " IN (%2$s)";
    }

    @Override
    public Reading read(CatalogRows rows, Interlude interlude) throws ReadFailure {
        List<TableName> names = new ArrayList<>();
        boolean[] more = new boolean[1];
        rows.query(NAMES, row -> {
            if (names.size() < MAX_TABLES) {
                names.add(name(row));
            } else {
                more[0] = true;
            }
        });
        return read(rows, names, null, more[0], interlude);
    }

    @Override
    public Reading read(CatalogRows rows, Collection<TableName> names, Reading before) throws ReadFailure {
        Set<TableName> asked = before.named(names);
        return before.with(asked, read(rows, asked, before.code(), false, Interlude.NONE));
    }

    @Override
    public Reading readCode(CatalogRows rows, Reading before) throws ReadFailure {
        Grants grants = Grants.read(rows, dialect);
        Set<TableName> triggered = triggered(rows, grants);
        return before.with(code(rows, grants, triggered), triggered);
    }

    /** Tables with triggers, as far as they are seen. */
    private static Set<TableName> triggered(CatalogRows rows, Grants grants) throws ReadFailure {
        Set<TableName> triggered = new HashSet<>();
        if (grants.seesTriggers()) {
            rows.query(ALL_TRIGGERS, row -> triggered.add(new TableName(row.required(1), row.required(2))));
        }
        return triggered;
    }

    @Override
    public @Nullable DefinitionCount definitionCount(CatalogRows rows) throws ReadFailure {
        return DefinitionCount.read(rows);
    }

    @Override
    public boolean mayBeUnderWay(CatalogRows rows) throws ReadFailure {
        // How MySQL's list tells of threads that run others' statements is not known well enough.
        if (dialect != Dialect.MARIADB || !Grants.read(rows, dialect).seesProcesses()) {
            return true;
        }
        int[] count = new int[1];
        rows.query(UNDER_WAY, row -> count[0] = row.number("UNDER_WAY"));
        return count[0] > 0;
    }

    @Override
    public @Nullable ProcedureText procedure(CatalogRows rows, String schema, String name) throws ReadFailure {
        if (!Grants.read(rows, dialect).seesFunctions()) {
            return null;
        }
        List<ProcedureText> found = new ArrayList<>();
        boolean[] unknown = new boolean[1];
        // Where a schema has the name of a package, what is called may be in that.
        String which = "(ROUTINE_SCHEMA = " + quoted(schema) + " AND ROUTINE_NAME = " + quoted(name)
                + " AND ROUTINE_TYPE = 'PROCEDURE') OR (ROUTINE_NAME = " + quoted(schema)
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
            CatalogRows rows,
            Collection<TableName> names,
            @Nullable StoredCode known,
            boolean more,
            Interlude interlude)
            throws ReadFailure {
        Set<String> remarks = new TreeSet<>();
        if (more) {
            remarks.add("the store has more than " + MAX_TABLES + " tables: the rest are forwarded");
        }
        Grants grants = Grants.read(rows, dialect);
        NameRule rule = nameRule(rows);
        Map<TableName, TableDraft> drafts = new LinkedHashMap<>();
        Map<String, List<String>> bySchema = new TreeMap<>();
        for (TableName name : names) {
            bySchema.computeIfAbsent(name.schema(), schema -> new ArrayList<>()).add(name.table());
        }
        for (Map.Entry<String, List<String>> schema : bySchema.entrySet()) {
            List<String> tables = schema.getValue();
            for (int from = 0; from < tables.size(); from += TABLES_PER_QUERY) {
                int to = Math.min(tables.size(), from + TABLES_PER_QUERY);
                page(rows, grants, rule, drafts, schema.getKey(), tables.subList(from, to), interlude);
            }
        }
        if (!grants.seesTriggers()) {
            remarks.add(HIDDEN_TRIGGERS);
        }
        if (more || !grants.seesTriggers() || cascadesAreHidden(rows)) {
            drafts.values().forEach(TableDraft::reachesOthers);
        }
        List<ListedTable> listed = new ArrayList<>();
        if (grants.seesColumns()) {
            drafts.values().forEach(draft -> listed.add(draft.listed()));
        } else {
            remarks.add(HIDDEN_COLUMNS);
        }
        return Reading.of(listed, known != null ? known : code(rows, grants, triggered(rows, grants)), rule, remarks);
    }

    /** Some tables of one schema. */
    private void page(
            CatalogRows rows,
            Grants grants,
            NameRule rule,
            Map<TableName, TableDraft> drafts,
            String schema,
            List<String> tables,
            Interlude interlude)
            throws ReadFailure {
        String quoted = quoted(schema);
        String list = tables.stream().map(SchemaReader::quoted).collect(Collectors.joining(", "));
        rows.query(String.format(Locale.ROOT, TABLES, quoted, list), row -> {
            TableDraft draft = new TableDraft(row);
            drafts.put(draft.name(), draft);
        });
        interlude.play();
        rows.query(String.format(Locale.ROOT, COLUMNS, quoted, list), row -> {
            TableDraft draft = drafts.get(name(row));
            if (draft != null) {
                draft.column(row, dialect);
            }
        });
        interlude.play();
        rows.query(String.format(Locale.ROOT, INDEXES, quoted, list), row -> {
            TableDraft draft = drafts.get(name(row));
            if (draft != null) {
                draft.indexPart(row);
            }
        });
        interlude.play();
        if (!grants.seesTriggers()) {
            return;
        }
        Map<TableName, TableDraft> byKey = new HashMap<>();
        drafts.forEach((name, draft) -> byKey.put(rule.key(name), draft));
        rows.query(String.format(Locale.ROOT, TRIGGERS, quoted, list), row -> {
            TableDraft draft = byKey.get(rule.key(row.required(1), row.required(2)));
            if (draft != null) {
                draft.reachesOthers();
            }
        });
        interlude.play();
        rows.query(String.format(Locale.ROOT, CASCADES, quoted, list), row -> {
            TableDraft draft = byKey.get(rule.key(row.required(1), row.required(2)));
            if (draft != null) {
                draft.reachedFrom(rule.key(row.required(3), row.required(4)));
            }
        });
        interlude.play();
    }

    private static boolean cascadesAreHidden(CatalogRows rows) throws ReadFailure {
        boolean[] hidden = new boolean[1];
        rows.query(HIDDEN_CASCADES, row -> hidden[0] |= SYSTEM.contains(row.required(1)));
        return hidden[0];
    }

    /** As a literal under any sql_mode but NO_BACKSLASH_ESCAPES, which the session does not have. */
    private static String quoted(String name) {
        return "'" + name.replace("\\", "\\\\").replace("'", "''") + "'";
    }

    private NameRule nameRule(CatalogRows rows) throws ReadFailure {
        int[] rule = new int[1];
        rows.query(NAME_RULE, row -> rule[0] = row.number("NAME_RULE"));
        return NameRule.of(dialect, rule[0]);
    }

    private static StoredCode code(CatalogRows rows, Grants grants, Set<TableName> triggered) throws ReadFailure {
        int[] functions = {grants.seesFunctions() ? 0 : 1};
        if (grants.seesFunctions()) {
            rows.query(FUNCTIONS, row -> functions[0] = row.number("FUNCTIONS"));
        }
        boolean triggers = !grants.seesTriggers() || !triggered.isEmpty();
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

    private static TableName name(CatalogRows.Row row) throws ReadFailure {
        return new TableName(row.required("TABLE_SCHEMA"), row.required("TABLE_NAME"));
    }
}
