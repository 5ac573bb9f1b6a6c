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
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.keyline.planner.TableName;
import org.keyline.planner.TriggerText;

/**
 * Reads the tables of MySQL or MariaDB, several hundred per query. If the store refuses to describe
 * a table, only this table is unknown. Confined to one reading.
 */
final class SchemaPages {
    /**
     * Maximum number of tables per query, so that each query completes soon even if the store has
     * to open the tables.
     */
    private static final int TABLES_PER_QUERY = 500;

    /** Maximum number of refused tables. If the store refuses more, it probably refuses all. */
    private static final int MAX_REFUSED = 100;

    /** Maximum total time of refused queries, because a slow store can take long to refuse each. */
    private static final long MAX_REFUSING_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final int NAMED_IN_REMARK = 5;

    private static final Set<String> SYSTEM = Set.of("mysql", "sys");

    private static final String TABLES = "SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, ENGINE,"
            + " TABLE_COLLATION, TABLE_COMMENT FROM information_schema.TABLES"
            + " WHERE TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED')" + among("TABLE_SCHEMA", "TABLE_NAME");

    private static final String OPTIONS = "SELECT TABLE_SCHEMA, TABLE_NAME, CREATE_OPTIONS"
            + " FROM information_schema.TABLES WHERE TRUE" + among("TABLE_SCHEMA", "TABLE_NAME");

    private static final String COLUMNS = "SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, COLUMN_DEFAULT, IS_NULLABLE,"
            + " DATA_TYPE, COLUMN_TYPE, CHARACTER_MAXIMUM_LENGTH, NUMERIC_PRECISION, NUMERIC_SCALE, DATETIME_PRECISION,"
            + " COLLATION_NAME, EXTRA, COLUMN_COMMENT, GENERATION_EXPRESSION FROM information_schema.COLUMNS"
            + " WHERE TRUE" + among("TABLE_SCHEMA", "TABLE_NAME")
            + " ORDER BY TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION";

    private static final String INDEXES =
            "SELECT TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, NON_UNIQUE, COLUMN_NAME, SUB_PART, COLLATION"
                    + " FROM information_schema.STATISTICS WHERE TRUE" + among("TABLE_SCHEMA", "TABLE_NAME")
                    + " ORDER BY TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX";

    private static final String TRIGGERS = "SELECT EVENT_OBJECT_SCHEMA, EVENT_OBJECT_TABLE, TRIGGER_SCHEMA,"
            + " TRIGGER_NAME, ACTION_STATEMENT, SQL_MODE FROM information_schema.TRIGGERS WHERE TRUE";

    /** Sorts the triggers, so that equal triggers compare equal in two readings. */
    private static final String BY_NAME = " ORDER BY EVENT_OBJECT_SCHEMA, EVENT_OBJECT_TABLE, TRIGGER_NAME";

    private static final String SOME_TRIGGERS = TRIGGERS + among("EVENT_OBJECT_SCHEMA", "EVENT_OBJECT_TABLE") + BY_NAME;

    static final String ALL_TRIGGERS = TRIGGERS + BY_NAME;

    private static final String CONSTRAINTS = "SELECT DISTINCT CONSTRAINT_SCHEMA, TABLE_NAME, UNIQUE_CONSTRAINT_SCHEMA,"
            + " REFERENCED_TABLE_NAME FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE ";

    private static final String CASCADES = CONSTRAINTS
            + "(UPDATE_RULE NOT IN ('RESTRICT', 'NO ACTION') OR DELETE_RULE NOT IN ('RESTRICT', 'NO ACTION'))"
            + among("CONSTRAINT_SCHEMA", "TABLE_NAME");

    /**
     * The query for the foreign keys that cascade into the requested tables, and for all foreign
     * keys of the system schemas, whose tables are never listed. To find the latter, MariaDB lists
     * the tables of all schemas, so this query runs once per reading.
     */
    private static final String ALL_CASCADES =
            CASCADES + " UNION ALL " + CONSTRAINTS + "CONSTRAINT_SCHEMA IN ('mysql', 'sys')";

    private final CatalogRows rows;
    private final Dialect dialect;
    private final NameRule rule;
    private final boolean seesTriggers;
    private final StoreReader.Interlude interlude;
    private final Map<TableName, TableDraft> drafts = new LinkedHashMap<>();
    /** The store's error for each table that it refuses to describe. */
    private final Map<TableName, String> refused = new LinkedHashMap<>();

    private long refusingNanos;
    /** Whether the foreign keys of the system schemas are known. */
    private boolean systemRead;

    private boolean cascadesHidden;

    /** @param seesTriggers whether the account sees triggers and foreign keys of all tables */
    SchemaPages(
            CatalogRows rows, Dialect dialect, NameRule rule, boolean seesTriggers, StoreReader.Interlude interlude) {
        this.rows = rows;
        this.dialect = dialect;
        this.rule = rule;
        this.seesTriggers = seesTriggers;
        this.interlude = interlude;
    }

    private static String among(String schema, String table) {
        return " AND " + schema + " %1$s AND " + table + " IN (%2$s)";
    }

    /** Reads the tables with these names, as far as they exist. */
    void read(Collection<TableName> names) throws ReadFailure {
        List<TableName> together = new ArrayList<>();
        for (List<TableName> schema : bySchema(names)) {
            if (together.size() + schema.size() > TABLES_PER_QUERY) {
                readPages(together);
                together.clear();
            }
            together.addAll(schema);
        }
        readPages(together);
    }

    private void readPages(List<TableName> tables) throws ReadFailure {
        for (int from = 0; from < tables.size(); from += TABLES_PER_QUERY) {
            readPage(tables.subList(from, Math.min(tables.size(), from + TABLES_PER_QUERY)));
        }
    }

    private static Collection<List<TableName>> bySchema(Collection<TableName> names) {
        Map<String, List<TableName>> bySchema = new TreeMap<>();
        names.forEach(name -> bySchema.computeIfAbsent(name.schema(), schema -> new ArrayList<>())
                .add(name));
        return bySchema.values();
    }

    Collection<TableDraft> drafts() {
        return drafts.values();
    }

    /** Returns whether writes possibly cascade further from a table that is not listed. */
    boolean cascadesAreHidden() {
        return cascadesHidden;
    }

    Set<TableName> refused() {
        return refused.keySet();
    }

    /** Reads a page of tables. Halves a refused page until it has found the refused tables. */
    private void readPage(List<TableName> tables) throws ReadFailure {
        long began = System.nanoTime();
        try {
            drafts.putAll(page(tables));
        } catch (ReadFailure e) {
            refusingNanos += System.nanoTime() - began;
            if (!e.refused() || refused.size() >= MAX_REFUSED || refusingNanos > MAX_REFUSING_NANOS) {
                throw e;
            }
            if (tables.size() == 1) {
                refused.put(tables.get(0), String.valueOf(e.getMessage()));
                return;
            }
            int half = tables.size() / 2;
            readPage(tables.subList(0, half));
            readPage(tables.subList(half, tables.size()));
        }
    }

    void remark(Set<String> remarks) {
        if (refused.isEmpty()) {
            return;
        }
        StringJoiner named = new StringJoiner(", ");
        refused.keySet().stream().limit(NAMED_IN_REMARK).forEach(name -> named.add(name.schema() + "." + name.table()));
        if (refused.size() > NAMED_IN_REMARK) {
            named.add("…");
        }
        remarks.add(
                "the store does not return the definitions of these tables, so reads of them are forwarded, and until it"
                        + " does, every write drops the lines of all tables: " + named + " ("
                        + refused.values().iterator().next() + ")");
    }

    private Map<TableName, TableDraft> page(List<TableName> tables) throws ReadFailure {
        Set<TableName> asked = tables.stream().map(rule::key).collect(Collectors.toSet());
        Map<TableName, TableDraft> page = new LinkedHashMap<>();
        Set<TableName> elsewhere = new HashSet<>();
        ask(TABLES, tables, row -> {
            TableDraft draft = new TableDraft(row);
            TableName key = rule.key(draft.name());
            // A query for several schemas also finds a name in schemas where it was not requested.
            if (asked.contains(key)) {
                page.put(draft.name(), draft);
            }
            if (draft.isElsewhere()) {
                elsewhere.add(key);
            }
        });
        if (page.isEmpty()) {
            return page;
        }
        ask(COLUMNS, tables, row -> {
            TableDraft draft = page.get(name(row));
            if (draft != null) {
                draft.column(row, dialect);
            }
        });
        // MariaDB answers the queries above from definitions. For the queries below, it opens
        // tables, so they omit tables with rows on other servers. Each query then has one schema,
        // because with several it would open an omitted table if another schema has its name.
        if (elsewhere.isEmpty()) {
            open(tables, page);
        } else {
            List<TableName> here = tables.stream()
                    .filter(name -> !elsewhere.contains(rule.key(name)))
                    .toList();
            for (List<TableName> schema : bySchema(here)) {
                open(schema, page);
            }
        }
        return page;
    }

    /** Reads the parts of these definitions for which the store opens the tables. */
    private void open(List<TableName> tables, Map<TableName, TableDraft> page) throws ReadFailure {
        ask(OPTIONS, tables, row -> {
            TableDraft draft = page.get(name(row));
            if (draft != null) {
                draft.options(row);
            }
        });
        ask(INDEXES, tables, row -> {
            TableDraft draft = page.get(name(row));
            if (draft != null) {
                draft.indexPart(row);
            }
        });
        if (!seesTriggers) {
            return;
        }
        Map<TableName, TableDraft> byKey = new HashMap<>();
        page.forEach((name, draft) -> byKey.put(rule.key(name), draft));
        ask(SOME_TRIGGERS, tables, row -> {
            TableDraft draft = byKey.get(rule.key(row.required(1), row.required(2)));
            if (draft != null) {
                draft.trigger(trigger(row));
            }
        });
        ask(systemRead ? CASCADES : ALL_CASCADES, tables, row -> {
            cascadesHidden |= SYSTEM.contains(row.required(1));
            TableDraft draft = byKey.get(rule.key(row.required(1), row.required(2)));
            if (draft != null) {
                draft.cascadesFrom(rule.key(row.required(3), row.required(4)));
            }
        });
        systemRead = true;
    }

    /**
     * Returns a trigger, without its body if unqualified names in it would refer to another schema
     * than the table's.
     */
    static TriggerText trigger(CatalogRows.Row row) throws ReadFailure {
        String body = row.text("ACTION_STATEMENT");
        boolean own = row.required("EVENT_OBJECT_SCHEMA").equals(row.required("TRIGGER_SCHEMA"));
        String mode = row.text("SQL_MODE");
        return new TriggerText(
                row.required("TRIGGER_NAME"),
                body == null || mode == null || !own ? "" : body,
                mode == null ? "" : mode);
    }

    private void ask(String query, List<TableName> tables, CatalogRows.RowTaker taker) throws ReadFailure {
        Set<String> schemas = tables.stream().map(TableName::schema).collect(Collectors.toCollection(TreeSet::new));
        // With "=", MariaDB lists only the tables of this schema.
        String among = schemas.size() == 1 ? "= " + quoted(tables.get(0).schema()) : "IN (" + quoted(schemas) + ")";
        Set<String> names = tables.stream().map(TableName::table).collect(Collectors.toCollection(TreeSet::new));
        rows.query(String.format(Locale.ROOT, query, among, quoted(names)), taker);
        interlude.play();
    }

    private static String quoted(Collection<String> names) {
        return names.stream().map(SchemaPages::quoted).collect(Collectors.joining(", "));
    }

    /**
     * Returns a string literal. It is valid under any sql_mode except NO_BACKSLASH_ESCAPES, which
     * the session lacks.
     */
    static String quoted(String name) {
        return "'" + name.replace("\\", "\\\\").replace("'", "''") + "'";
    }

    static TableName name(CatalogRows.Row row) throws ReadFailure {
        return new TableName(row.required("TABLE_SCHEMA"), row.required("TABLE_NAME"));
    }
}
