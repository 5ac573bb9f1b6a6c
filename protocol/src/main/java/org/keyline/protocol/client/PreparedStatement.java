package org.keyline.protocol.client;

import java.util.List;
import org.keyline.protocol.ColumnDefinition;

/**
 * A statement prepared on one connection.
 *
 * @param id what COM_STMT_EXECUTE names it by, unsigned 32-bit
 * @param parameters one per placeholder
 * @param columns of its result; empty if it has none, or if the server does not tell before execution
 */
public record PreparedStatement(int id, List<ColumnDefinition> parameters, List<ColumnDefinition> columns) {
    public PreparedStatement {
        parameters = List.copyOf(parameters);
        columns = List.copyOf(columns);
    }
}
