package org.keyline.stores.duckdb.session;

import java.util.List;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.TableName;
import org.keyline.stores.duckdb.load.FileFormat;

/**
 * A LOAD DATA LOCAL INFILE. Immutable.
 *
 * @param file the client's name of the file
 * @param verb the statement that inserts the records: INSERT or INSERT IGNORE
 * @param linesToSkip the number of lines to skip at the beginning of the file
 * @param columns the columns that store the fields of a record, in order
 */
record LoadStatement(
        String file, String verb, TableName table, FileFormat format, long linesToSkip, List<ColumnSchema> columns) {

    LoadStatement {
        columns = List.copyOf(columns);
    }

    /**
     * Returns whether records with too many or too few fields cause warnings instead of errors.
     * With IGNORE they do, as in MySQL.
     */
    boolean isLenient() {
        return verb.equals("INSERT IGNORE");
    }
}
