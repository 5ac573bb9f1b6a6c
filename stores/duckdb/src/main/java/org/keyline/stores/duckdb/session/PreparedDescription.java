package org.keyline.stores.duckdb.session;

import java.util.Collections;
import java.util.List;
import org.keyline.protocol.Collation;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.PrepareOk;
import org.keyline.protocol.codec.StatementParameters;
import org.keyline.stores.duckdb.engine.Errors;

/**
 * What COM_STMT_PREPARE tells of a statement.
 *
 * @param parameters one definition per placeholder
 * @param columns of the result; empty where there is none
 */
record PreparedDescription(List<ColumnDefinition> parameters, List<ColumnDefinition> columns) {
    private static final ColumnDefinition PARAMETER =
            ColumnDefinition.of("?", Collation.BINARY, 0, ColumnType.VAR_STRING, ColumnType.BINARY_FLAG, 0);

    static PreparedDescription of(Words words, StatementRunner runner) {
        int placeholders = words.text().placeholders();
        if (placeholders > StatementParameters.MAX_PARAMETERS) {
            throw Errors.error(1390, "HY000", "Prepared statement contains too many placeholders");
        }
        return new PreparedDescription(Collections.nCopies(placeholders, PARAMETER), runner.describe(words));
    }

    PrepareOk reply(int statementId) {
        return new PrepareOk(statementId, columns.size(), parameters.size(), 0);
    }
}
