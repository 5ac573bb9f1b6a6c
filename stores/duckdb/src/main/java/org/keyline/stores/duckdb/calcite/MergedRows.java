package org.keyline.stores.duckdb.calcite;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.SqlNode;
import org.keyline.planner.TableModel;
import org.keyline.stores.ddl.DeclaredColumn;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.duckdb.translate.DuckDdl;
import org.keyline.stores.duckdb.translate.DuckTypes;
import org.keyline.stores.duckdb.translate.Relations.Relation;

/**
 * An AGGREGATE KEY table as queries see it. Its rows are kept as they were written and merged when they are read: NULL is a key
 * like any other, and REPLACE takes the row that was written last.
 */
final class MergedRows {

    private MergedRows() {}

    /** A relation in a FROM clause. */
    static SqlNode of(Relation relation) {
        SqlNode table = Duck.name(relation.duckSchema(), relation.duckTable());
        TableDefinition definition = relation.definition();
        if (definition == null || definition.model() != TableModel.AGGREGATE) {
            return table;
        }
        List<String> items = new ArrayList<>();
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < definition.columns().size(); i++) {
            DeclaredColumn column = definition.columns().get(i);
            if (definition.keyColumns().contains(i)) {
                keys.add(DuckDdl.quoted(column.name()));
                items.add(DuckDdl.quoted(column.name()));
            } else {
                items.add("CAST(" + merged(column) + " AS "
                        + DuckTypes.of(column.schema().type()) + ") AS " + DuckDdl.quoted(column.name()));
            }
        }
        return Duck.around(
                "(SELECT " + String.join(", ", items) + " FROM ",
                "",
                " GROUP BY " + String.join(", ", keys) + ")",
                table);
    }

    private static String merged(DeclaredColumn column) {
        String name = DuckDdl.quoted(column.name());
        return switch (String.valueOf(column.aggregation())) {
            case "SUM" -> "sum(" + name + ")";
            case "MIN" -> "min(" + name + ")";
            case "MAX" -> "max(" + name + ")";
            case "REPLACE_IF_NOT_NULL" -> "last(" + name + " ORDER BY rowid) FILTER (" + name + " IS NOT NULL)";
            default -> "last(" + name + " ORDER BY rowid)";
        };
    }
}
