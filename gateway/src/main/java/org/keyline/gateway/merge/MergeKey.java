package org.keyline.gateway.merge;

import java.util.List;
import java.util.stream.Collectors;
import org.keyline.planner.TableName;

/**
 * What INSERTs have in common that may go as one. Immutable.
 *
 * @param definition the id of the table's definition
 * @param columns that get values, by name
 * @param account as whom the store runs them, and until when that is believed
 * @param settings of their sessions, as far as an INSERT depends on them
 */
public record MergeKey(TableName table, long definition, List<String> columns, String account, String settings) {
    public MergeKey {
        columns = List.copyOf(columns);
    }

    /** The beginning of the statement, up to the rows. */
    String head() {
        return "INSERT INTO " + quoted(table.schema()) + "." + quoted(table.table())
                + columns.stream().map(MergeKey::quoted).collect(Collectors.joining(", ", " (", ") VALUES "));
    }

    private static String quoted(String name) {
        return "`" + name.replace("`", "``") + "`";
    }
}
