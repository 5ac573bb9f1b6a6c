package org.keyline.gateway.merge;

import java.util.List;
import java.util.stream.Collectors;
import org.keyline.planner.TableName;
import org.keyline.stores.ddl.SqlText;

/**
 * The properties that INSERTs must share to be merged.
 *
 * @param definition the id of the table's definition
 * @param columns the columns that get values, by name
 * @param account the store account that runs the INSERTs, and a number that changes with the
 * account's rights
 * @param settings the session settings that affect an INSERT
 */
public record MergeKey(TableName table, long definition, List<String> columns, String account, String settings) {
    public MergeKey {
        columns = List.copyOf(columns);
    }

    String head() {
        return "INSERT INTO " + SqlText.name(table.schema()) + "." + SqlText.name(table.table())
                + columns.stream().map(SqlText::name).collect(Collectors.joining(", ", " (", ") VALUES "));
    }
}
