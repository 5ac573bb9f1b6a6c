package org.keyline.stores.mysql.catalog;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ForwardReason;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;

/**
 * Reads the definitions of Doris and StarRocks with SHOW statements, which need no live backend and
 * are the same in all versions. If the store refuses to show a definition, or Keyline cannot parse
 * it, the table is not cached, and a remark names it. Confined to one thread.
 */
final class DdlCatalogReader implements StoreReader {
    /** Maximum number of known tables. A write to any further table fences all tables. */
    private static final int MAX_TABLES = 20_000;

    private static final Set<String> OTHERS =
            Set.of("information_schema", "mysql", "sys", "__internal_schema", "_statistics_", "performance_schema");

    /** Table names are listed again at least once in this many readings. */
    private static final int READINGS_PER_LISTING = 12;

    private static final String BASE_TABLE = "BASE TABLE";
    private static final int NAMED_IN_REMARK = 5;
    private static final Comparator<TableName> BY_NAME =
            Comparator.comparing(TableName::schema).thenComparing(TableName::table);

    private final Dialect dialect;
    private final String user;
    private final DdlTables tables = new DdlTables();
    /**
     * Tables that the store refused to show in the previous reading. If the store refuses a table
     * only once, the table has possibly just been dropped.
     */
    private Set<TableName> refusedBefore = Set.of();

    private Set<TableName> refused = new TreeSet<>(BY_NAME);
    private @Nullable Names listed;
    private int sinceListed;

    /** @param schemas all schemas that the account sees */
    private record Names(Set<String> schemas, List<TableName> tables, NameRule rule, Set<String> remarks) {}

    /** @param user the user of the gateway's account */
    DdlCatalogReader(Dialect dialect, String user) {
        this.dialect = dialect;
        this.user = user;
    }

    @Override
    public Reading read(CatalogRows rows, Interlude interlude) throws ReadFailure {
        Set<String> remarks = new TreeSet<>();
        RowPolicies policies = RowPolicies.read(rows, dialect, user, remarks);
        Names names = names(rows);
        remarks.addAll(names.remarks());
        List<ListedTable> read = new ArrayList<>();
        for (TableName name : names.tables()) {
            ListedTable table = table(rows, name, remarks);
            ForwardReason policy = policies.on(name, names.rule());
            read.add(policy == null || table.schema().excluded() != null ? table : DdlTables.excluded(table, policy));
        }
        refusedBefore = refused;
        refused = new TreeSet<>(BY_NAME);
        return Reading.of(read, StoredCode.NONE, names.rule(), Set.of(), remarks);
    }

    @Override
    public Reading read(CatalogRows rows, Collection<TableName> names, Reading before) throws ReadFailure {
        tables.forget(before.named(names));
        return read(rows, Interlude.NONE);
    }

    @Override
    public void forget() {
        tables.forget();
        listed = null;
    }

    /**
     * Returns the names of all tables. Does not list the tables again if the store lists the same
     * columns as in the previous reading.
     */
    private Names names(CatalogRows rows) throws ReadFailure {
        Set<String> remarks = new TreeSet<>();
        Set<String> schemas = new LinkedHashSet<>();
        ifAnswered(rows, "SHOW DATABASES", row -> schemas.add(row.required(1)), "Keyline caches no table", remarks);
        List<String> own =
                schemas.stream().filter(schema -> !OTHERS.contains(schema)).toList();
        boolean same = tables.begin(rows, own);
        Names before = listed;
        if (before != null && same && before.schemas().equals(schemas) && ++sinceListed < READINGS_PER_LISTING) {
            return before;
        }
        listed = null;
        NameRule rule = nameRule(rows, remarks);
        remarkHidden(rows, schemas, remarks);
        Names names = new Names(schemas, tables(rows, own, remarks), rule, remarks);
        listed = names;
        sinceListed = 0;
        return names;
    }

    /** Returns the store's rule for names. If it is unknown, names compare exactly. */
    private NameRule nameRule(CatalogRows rows, Set<String> remarks) throws ReadFailure {
        int[] rule = new int[1];
        ifAnswered(
                rows,
                "SHOW VARIABLES LIKE 'lower_case_table_names'",
                row -> rule[0] = row.number("Value"),
                "Keyline compares table names exactly as spelled",
                remarks);
        return NameRule.of(dialect, rule[0]);
    }

    /** Runs a query. If the store refuses it, adds a remark with the consequence. */
    private static void ifAnswered(
            CatalogRows rows, String query, CatalogRows.RowTaker taker, String consequence, Set<String> remarks)
            throws ReadFailure {
        try {
            rows.repeat(query, taker);
        } catch (ReadFailure e) {
            if (!e.refused()) {
                throw e;
            }
            remarks.add("the store refused " + query + " (" + e.getMessage() + "). Therefore " + consequence);
        }
    }

    private List<TableName> tables(CatalogRows rows, List<String> schemas, Set<String> remarks) throws ReadFailure {
        List<TableName> names = new ArrayList<>();
        for (String schema : schemas) {
            CatalogRows.RowTaker taker = row -> {
                if (!row.required("Table_type").equals(BASE_TABLE)) {
                    return;
                }
                if (names.size() < MAX_TABLES) {
                    names.add(new TableName(schema, row.required(1)));
                } else {
                    remarks.add(
                            "the store has more than " + MAX_TABLES
                                    + " tables. Keyline forwards reads of the others, and a write to one of them drops the lines of all tables");
                }
            };
            ifAnswered(
                    rows,
                    "SHOW FULL TABLES FROM " + DdlTables.quoted(schema),
                    taker,
                    "Keyline forwards reads of the tables of this database",
                    remarks);
        }
        if (names.isEmpty()) {
            remarks.add("the gateway's account sees no table, so nothing is cached. Unless the store has none: "
                    + dialect.grantOfRows(user));
        }
        return names;
    }

    /** Adds a remark about databases that the account does not see, if the store lists them. */
    private void remarkHidden(CatalogRows rows, Set<String> seen, Set<String> remarks) throws ReadFailure {
        String question = dialect.databasesQuestion();
        if (question == null) {
            return;
        }
        Set<String> hidden = new TreeSet<>();
        try {
            rows.query(question, row -> hidden.add(row.required("DbName")));
        } catch (ReadFailure e) {
            if (!e.refused()) {
                throw e;
            }
            // The remark on row policies already names the missing right.
        }
        hidden.removeAll(seen);
        hidden.removeAll(OTHERS);
        if (!hidden.isEmpty()) {
            remarks.add("the gateway's account does not see these databases, so reads of them are forwarded: "
                    + hidden.stream().limit(NAMED_IN_REMARK).collect(Collectors.joining(", "))
                    + (hidden.size() > NAMED_IN_REMARK ? ", …" : "") + ". Needed: " + dialect.grantOfRows(user));
        }
    }

    private ListedTable table(CatalogRows rows, TableName name, Set<String> remarks) throws ReadFailure {
        ListedTable table;
        try {
            table = tables.table(rows, name);
        } catch (ReadFailure e) {
            if (!e.refused()) {
                throw e;
            }
            refused.add(name);
            table = DdlTables.excluded(
                    name,
                    ForwardReason.DEFINITION_UNREAD,
                    "The store refuses to return its definition: " + e.getMessage() + ". Needed: "
                            + dialect.grantOfRows(user));
        }
        String because = table.schema().properties().get(TableSchema.EXCLUDED_BECAUSE);
        boolean dropped = refused.contains(name) && !refusedBefore.contains(name);
        if (because != null && !dropped) {
            remarks.add("the table " + name.schema() + "." + name.table() + " is not cached. " + because);
        }
        return table;
    }
}
