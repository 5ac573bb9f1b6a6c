package org.keyline.protocol.client;

import java.util.List;
import org.keyline.protocol.ColumnDefinition;

/**
 * A statement prepared on one connection.
 *
 * @param id the id for COM_STMT_EXECUTE, unsigned 32-bit
 * @param parameters one definition for each placeholder
 * @param columns definitions of the result's columns; empty if there is no result, or if the server
 *     sends the definitions only at the execution
 */
public record PreparedStatement(int id, List<ColumnDefinition> parameters, List<ColumnDefinition> columns) {
    public PreparedStatement {
        parameters = List.copyOf(parameters);
        columns = List.copyOf(columns);
    }
}
