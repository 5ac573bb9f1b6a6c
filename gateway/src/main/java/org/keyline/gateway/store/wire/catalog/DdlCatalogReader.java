package org.keyline.gateway.store.wire.catalog;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;

/**
 * Reads the definitions of Doris and StarRocks by SHOW statements, which their frontend answers alone and alike in all versions.
 * Confined to one thread.
 */
final class DdlCatalogReader implements StoreReader {
    /** More are not listed: their reads are forwarded, and writes to them close everything. */
    private static final int MAX_TABLES = 20_000;

    private static final Set<String> OTHERS =
            Set.of("information_schema", "mysql", "sys", "__internal_schema", "_statistics_", "performance_schema");

    private static final String BASE_TABLE = "BASE TABLE";

    private final Dialect dialect;
    private final DdlTables tables = new DdlTables();

    DdlCatalogReader(Dialect dialect) {
        this.dialect = dialect;
    }

    @Override
    public Reading read(CatalogRows rows) throws ReadFailure {
        Set<String> remarks = new TreeSet<>();
        NameRule names = nameRule(rows);
        RowPolicies policies = RowPolicies.read(rows, dialect, remarks);
        tables.begin();
        List<ListedTable> listed = new ArrayList<>();
        for (TableName name : names(rows, remarks)) {
            ListedTable table = table(rows, name, policies.on(name, names));
            if (table != null) {
                listed.add(table);
            }
        }
        return Reading.of(listed, false, names, remarks);
    }

    private NameRule nameRule(CatalogRows rows) throws ReadFailure {
        int[] rule = new int[1];
        rows.query("SHOW VARIABLES LIKE 'lower_case_table_names'", row -> rule[0] = row.number("Value"));
        return NameRule.of(dialect, rule[0]);
    }

    private static List<TableName> names(CatalogRows rows, Set<String> remarks) throws ReadFailure {
        List<String> schemas = new ArrayList<>();
        rows.query("SHOW DATABASES", row -> schemas.add(row.required(1)));
        List<TableName> names = new ArrayList<>();
        for (String schema : schemas) {
            if (OTHERS.contains(schema)) {
                continue;
            }
            rows.query("SHOW FULL TABLES FROM " + quoted(schema), row -> {
                if (!row.required("Table_type").equals(BASE_TABLE)) {
                    return;
                }
                if (names.size() < MAX_TABLES) {
                    names.add(new TableName(schema, row.required(1)));
                } else {
                    remarks.add("the store has more than " + MAX_TABLES + " tables: the rest are forwarded");
                }
            });
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
        return texts.size() == 1 ? tables.table(name, texts.get(0), policy) : null;
    }

    private static String quoted(String name) {
        return '`' + name.replace("`", "``") + '`';
    }
}
