package org.keyline.gateway.store.wire.catalog;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.keyline.planner.TableName;

/** Reads the definitions of MySQL and MariaDB from {@code information_schema}. Confined to one thread. */
final class SchemaReader implements StoreReader {
    /** More are not listed: their reads are forwarded, and writes to them close everything. */
    private static final int MAX_TABLES = 100_000;

    private static final String OTHERS = " NOT IN ('information_schema', 'mysql', 'performance_schema', 'sys')";

    private static final String TABLES = "SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, ENGINE,"
            + " TABLE_COLLATION, TABLE_COMMENT FROM information_schema.TABLES"
            + " WHERE TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED') AND TABLE_SCHEMA" + OTHERS;

    private static final String COLUMNS = "SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, COLUMN_DEFAULT, IS_NULLABLE,"
            + " DATA_TYPE, COLUMN_TYPE, CHARACTER_MAXIMUM_LENGTH, NUMERIC_PRECISION, NUMERIC_SCALE, DATETIME_PRECISION,"
            + " COLLATION_NAME, EXTRA, COLUMN_COMMENT, GENERATION_EXPRESSION FROM information_schema.COLUMNS"
            + " WHERE TABLE_SCHEMA" + OTHERS + " ORDER BY TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION";

    private static final String INDEXES =
            "SELECT TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, NON_UNIQUE, COLUMN_NAME, SUB_PART"
                    + " FROM information_schema.STATISTICS WHERE TABLE_SCHEMA" + OTHERS
                    + " ORDER BY TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX";

    private static final String TRIGGERS =
            "SELECT DISTINCT EVENT_OBJECT_SCHEMA, EVENT_OBJECT_TABLE FROM information_schema.TRIGGERS";

    private static final String CASCADES = "SELECT DISTINCT UNIQUE_CONSTRAINT_SCHEMA, REFERENCED_TABLE_NAME"
            + " FROM information_schema.REFERENTIAL_CONSTRAINTS"
            + " WHERE UPDATE_RULE NOT IN ('RESTRICT', 'NO ACTION') OR DELETE_RULE NOT IN ('RESTRICT', 'NO ACTION')";

    /** Those that the schema {@code sys} comes with write nothing. */
    private static final String FUNCTIONS = "SELECT COUNT(*) AS FUNCTIONS FROM information_schema.ROUTINES"
            + " WHERE ROUTINE_TYPE <> 'PROCEDURE' AND NOT (ROUTINE_SCHEMA = 'sys'"
            + " AND DEFINER IN ('mysql.sys@localhost', 'mariadb.sys@localhost'))";

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

    @Override
    public Reading read(CatalogRows rows) throws ReadFailure {
        Set<String> remarks = new TreeSet<>();
        Grants grants = Grants.read(rows);
        NameRule names = nameRule(rows);
        Map<TableName, TableDraft> drafts = new LinkedHashMap<>();
        rows.query(TABLES, row -> {
            if (drafts.size() < MAX_TABLES) {
                TableDraft draft = new TableDraft(row);
                drafts.put(draft.name(), draft);
            } else {
                remarks.add("the store has more than " + MAX_TABLES + " tables: the rest are forwarded");
            }
        });
        rows.query(COLUMNS, row -> {
            TableDraft draft = drafts.get(name(row));
            if (draft != null) {
                draft.column(row, dialect);
            }
        });
        rows.query(INDEXES, row -> {
            TableDraft draft = drafts.get(name(row));
            if (draft != null) {
                draft.indexPart(row);
            }
        });
        reaches(rows, grants, names, drafts, remarks);
        List<ListedTable> listed = new ArrayList<>();
        if (grants.seesColumns()) {
            drafts.values().forEach(draft -> listed.add(draft.listed()));
        } else {
            remarks.add(HIDDEN_COLUMNS);
        }
        return Reading.of(listed, storedFunctions(rows, grants), names, remarks);
    }

    private NameRule nameRule(CatalogRows rows) throws ReadFailure {
        int[] rule = new int[1];
        rows.query(NAME_RULE, row -> rule[0] = row.number("NAME_RULE"));
        return NameRule.of(dialect, rule[0]);
    }

    private static void reaches(
            CatalogRows rows, Grants grants, NameRule names, Map<TableName, TableDraft> drafts, Set<String> remarks)
            throws ReadFailure {
        if (!grants.seesTriggers()) {
            drafts.values().forEach(TableDraft::reachesOthers);
            remarks.add(HIDDEN_TRIGGERS);
            return;
        }
        Map<TableName, TableDraft> byKey = new HashMap<>();
        drafts.forEach((name, draft) -> byKey.put(names.key(name), draft));
        for (String query : List.of(TRIGGERS, CASCADES)) {
            rows.query(query, row -> {
                TableDraft draft = byKey.get(names.key(row.required(1), row.required(2)));
                if (draft != null) {
                    draft.reachesOthers();
                }
            });
        }
    }

    private static boolean storedFunctions(CatalogRows rows, Grants grants) throws ReadFailure {
        int[] functions = {grants.seesFunctions() ? 0 : 1};
        if (grants.seesFunctions()) {
            rows.query(FUNCTIONS, row -> functions[0] = row.number("FUNCTIONS"));
        }
        return functions[0] > 0;
    }

    private static TableName name(CatalogRows.Row row) throws ReadFailure {
        return new TableName(row.required("TABLE_SCHEMA"), row.required("TABLE_NAME"));
    }
}
