package org.keyline.stores.mysql.catalog;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;

/**
 * Reads the definitions of Doris and StarRocks by SHOW statements, which their frontend answers alone and alike in all versions.
 * What it refuses to tell is not listed, and remarked. Confined to one thread.
 */
final class DdlCatalogReader implements StoreReader {
    /** More are not listed: their reads are forwarded, and writes to them close everything. */
    private static final int MAX_TABLES = 20_000;

    private static final Set<String> OTHERS =
            Set.of("information_schema", "mysql", "sys", "__internal_schema", "_statistics_", "performance_schema");

    private static final String BASE_TABLE = "BASE TABLE";
    private static final int NAMED_IN_REMARK = 5;
    private static final Comparator<TableName> BY_NAME =
            Comparator.comparing(TableName::schema).thenComparing(TableName::table);

    private final Dialect dialect;
    private final DdlTables tables = new DdlTables();
    /** Refused in the reading before; a table that is refused once may just have been dropped. */
    private Set<TableName> refusedBefore = Set.of();

    private Set<TableName> refused = new TreeSet<>(BY_NAME);

    DdlCatalogReader(Dialect dialect) {
        this.dialect = dialect;
    }

    @Override
    public Reading read(CatalogRows rows, Interlude interlude) throws ReadFailure {
        Set<String> remarks = new TreeSet<>();
        NameRule names = nameRule(rows, remarks);
        RowPolicies policies = RowPolicies.read(rows, dialect, remarks);
        tables.begin();
        List<ListedTable> listed = new ArrayList<>();
        for (TableName name : names(rows, remarks)) {
            ListedTable table = table(rows, name, policies.on(name, names));
            if (table != null) {
                listed.add(table);
            }
        }
        remarkRefused(remarks);
        return Reading.of(listed, StoredCode.NONE, names, Set.of(), remarks);
    }

    /** Where it is not told, names count as they are spelled: a table under another spelling is one that is not known. */
    private NameRule nameRule(CatalogRows rows, Set<String> remarks) throws ReadFailure {
        int[] rule = new int[1];
        ifTold(
                rows,
                "SHOW VARIABLES LIKE 'lower_case_table_names'",
                row -> rule[0] = row.number("Value"),
                "names of tables count as they are spelled",
                remarks);
        return NameRule.of(dialect, rule[0]);
    }

    /** Asks, and remarks what follows if the store refuses. */
    private static void ifTold(
            CatalogRows rows, String query, CatalogRows.RowTaker taker, String otherwise, Set<String> remarks)
            throws ReadFailure {
        try {
            rows.query(query, taker);
        } catch (ReadFailure e) {
            if (!e.refused()) {
                throw e;
            }
            remarks.add(query + " can't be read: " + otherwise + " (" + e.getMessage() + ")");
        }
    }

    private void remarkRefused(Set<String> remarks) {
        List<String> again = refused.stream()
                .filter(refusedBefore::contains)
                .map(name -> name.schema() + "." + name.table())
                .toList();
        if (!again.isEmpty()) {
            List<String> named = again.subList(0, Math.min(again.size(), NAMED_IN_REMARK));
            remarks.add(
                    "the definitions of these tables cannot be read or are not understood, so reads of them are forwarded: "
                            + String.join(", ", named) + (again.size() > named.size() ? ", …" : ""));
        }
        refusedBefore = refused;
        refused = new TreeSet<>(BY_NAME);
    }

    private static List<TableName> names(CatalogRows rows, Set<String> remarks) throws ReadFailure {
        List<String> schemas = new ArrayList<>();
        ifTold(rows, "SHOW DATABASES", row -> schemas.add(row.required(1)), "no table is cached", remarks);
        List<TableName> names = new ArrayList<>();
        for (String schema : schemas) {
            if (OTHERS.contains(schema)) {
                continue;
            }
            CatalogRows.RowTaker taker = row -> {
                if (!row.required("Table_type").equals(BASE_TABLE)) {
                    return;
                }
                if (names.size() < MAX_TABLES) {
                    names.add(new TableName(schema, row.required(1)));
                } else {
                    remarks.add("the store has more than " + MAX_TABLES + " tables: the rest are forwarded");
                }
            };
            ifTold(rows, "SHOW FULL TABLES FROM " + quoted(schema), taker, "its tables are forwarded", remarks);
        }
        return names;
    }

    /** A table that is gone by now, or that the account may not see, is not listed. */
    private @Nullable ListedTable table(CatalogRows rows, TableName name, boolean policy) throws ReadFailure {
        List<String> texts = new ArrayList<>();
        try {
            rows.query(
                    "SHOW CREATE TABLE " + quoted(name.schema()) + "." + quoted(name.table()),
                    row -> texts.add(row.required(2)));
        } catch (ReadFailure e) {
            if (!e.refused()) {
                throw e;
            }
        }
        ListedTable table = texts.size() == 1 ? tables.table(name, texts.get(0), policy) : null;
        if (table == null) {
            refused.add(name);
        }
        return table;
    }

    private static String quoted(String name) {
        return '`' + name.replace("`", "``") + '`';
    }
}
