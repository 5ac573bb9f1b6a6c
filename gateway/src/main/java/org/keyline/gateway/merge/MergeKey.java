package org.keyline.gateway.merge;

import java.util.List;
import java.util.stream.Collectors;
import org.keyline.planner.TableName;

/**
 * The common properties of INSERTs that may go as one. Immutable.
 *
 * @param definition the id of the table's definition
 * @param columns that get values, by name
 * @param account that runs them at the store, and until when that is valid
 * @param settings of their sessions that affect an INSERT
 */
public record MergeKey(TableName table, long definition, List<String> columns, String account, String settings) {
    public MergeKey {
        columns = List.copyOf(columns);
    }

    /** Returns the beginning of the statement, up to the rows. */
    String head() {
        return "INSERT INTO " + quoted(table.schema()) + "." + quoted(table.table())
                + columns.stream().map(MergeKey::quoted).collect(Collectors.joining(", ", " (", ") VALUES "));
    }

    private static String quoted(String name) {
        return "`" + name.replace("`", "``") + "`";
    }
}
