package org.keyline.stores.mysql.catalog;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeMap;
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
            + " TABLE_COLLATION, CREATE_OPTIONS, TABLE_COMMENT FROM information_schema.TABLES"
            + " WHERE TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED')" + among("TABLE_SCHEMA", "TABLE_NAME");

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

    /**
     * The query for the foreign keys that cascade into the requested tables, and for all foreign
     * keys of the system schemas, whose tables are never listed.
     */
    private static final String CASCADES = CONSTRAINTS
            + "(UPDATE_RULE NOT IN ('RESTRICT', 'NO ACTION') OR DELETE_RULE NOT IN ('RESTRICT', 'NO ACTION'))"
            + among("CONSTRAINT_SCHEMA", "TABLE_NAME") + " UNION ALL " + CONSTRAINTS
            + "CONSTRAINT_SCHEMA IN ('mysql', 'sys')";

    private final CatalogRows rows;
    private final Dialect dialect;
    private final NameRule rule;
    private final boolean seesTriggers;
    private final StoreReader.Interlude interlude;
    private final Map<TableName, TableDraft> drafts = new LinkedHashMap<>();
    /** The store's error for each table that it refuses to describe. */
    private final Map<TableName, String> refused = new LinkedHashMap<>();

    private long refusingNanos;
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
        return " AND " + schema + " = %1$s AND " + table + " IN (%2$s)";
    }

    /** Reads the tables with these names, as far as they exist. */
    void read(Collection<TableName> names) throws ReadFailure {
        Map<String, List<String>> bySchema = new TreeMap<>();
        for (TableName name : names) {
            bySchema.computeIfAbsent(name.schema(), schema -> new ArrayList<>()).add(name.table());
        }
        for (Map.Entry<String, List<String>> schema : bySchema.entrySet()) {
            List<String> tables = schema.getValue();
            for (int from = 0; from < tables.size(); from += TABLES_PER_QUERY) {
                int to = Math.min(tables.size(), from + TABLES_PER_QUERY);
                read(schema.getKey(), tables.subList(from, to));
            }
        }
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
    private void read(String schema, List<String> tables) throws ReadFailure {
        long began = System.nanoTime();
        try {
            drafts.putAll(page(schema, tables));
        } catch (ReadFailure e) {
            refusingNanos += System.nanoTime() - began;
            if (!e.refused() || refused.size() >= MAX_REFUSED || refusingNanos > MAX_REFUSING_NANOS) {
                throw e;
            }
            if (tables.size() == 1) {
                refused.put(new TableName(schema, tables.get(0)), String.valueOf(e.getMessage()));
                return;
            }
            int half = tables.size() / 2;
            read(schema, tables.subList(0, half));
            read(schema, tables.subList(half, tables.size()));
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

    private Map<TableName, TableDraft> page(String schema, List<String> tables) throws ReadFailure {
        Map<TableName, TableDraft> page = new LinkedHashMap<>();
        String quoted = quoted(schema);
        ask(TABLES, quoted, tables, row -> {
            TableDraft draft = new TableDraft(row);
            page.put(draft.name(), draft);
        });
        if (page.isEmpty()) {
            return page;
        }
        ask(COLUMNS, quoted, tables, row -> {
            TableDraft draft = page.get(name(row));
            if (draft != null) {
                draft.column(row, dialect);
            }
        });
        // MariaDB answers the queries above from definitions. For the queries below, MariaDB opens
        // tables, so these queries omit tables with rows on other servers.
        Set<TableName> elsewhere = page.values().stream()
                .filter(TableDraft::isElsewhere)
                .map(draft -> rule.key(draft.name()))
                .collect(Collectors.toSet());
        List<String> here = tables.stream()
                .filter(table -> !elsewhere.contains(rule.key(schema, table)))
                .toList();
        if (here.isEmpty()) {
            return page;
        }
        ask(INDEXES, quoted, here, row -> {
            TableDraft draft = page.get(name(row));
            if (draft != null) {
                draft.indexPart(row);
            }
        });
        if (!seesTriggers) {
            return page;
        }
        Map<TableName, TableDraft> byKey = new HashMap<>();
        page.forEach((name, draft) -> byKey.put(rule.key(name), draft));
        ask(SOME_TRIGGERS, quoted, here, row -> {
            TableDraft draft = byKey.get(rule.key(row.required(1), row.required(2)));
            if (draft != null) {
                draft.trigger(trigger(row));
            }
        });
        ask(CASCADES, quoted, here, row -> {
            cascadesHidden |= SYSTEM.contains(row.required(1));
            TableDraft draft = byKey.get(rule.key(row.required(1), row.required(2)));
            if (draft != null) {
                draft.cascadesFrom(rule.key(row.required(3), row.required(4)));
            }
        });
        return page;
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

    private void ask(String query, String schema, List<String> tables, CatalogRows.RowTaker taker) throws ReadFailure {
        String list = tables.stream().map(SchemaPages::quoted).collect(Collectors.joining(", "));
        rows.query(String.format(Locale.ROOT, query, schema, list), taker);
        interlude.play();
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
