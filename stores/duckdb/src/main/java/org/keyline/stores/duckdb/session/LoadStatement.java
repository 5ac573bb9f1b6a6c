package org.keyline.stores.duckdb.session;

import java.util.List;
import org.keyline.planner.ColumnSchema;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.ddl.TableDefinition.Flavour;
import org.keyline.stores.duckdb.load.FileFormat;

/**
 * A LOAD DATA LOCAL INFILE. Immutable.
 *
 * @param file the client's name of the file
 * @param verb the statement that inserts the records: INSERT, INSERT IGNORE or REPLACE
 * @param linesToSkip the number of lines to skip at the beginning of the file
 * @param columns the columns that store the fields of a record, in order
 */
record LoadStatement(
        String file,
        String verb,
        TableDefinition table,
        FileFormat format,
        long linesToSkip,
        List<ColumnSchema> columns) {

    LoadStatement {
        columns = List.copyOf(columns);
    }

    /**
     * Returns whether records with too many or too few fields cause warnings. MySQL does so for
     * IGNORE.
     */
    boolean isLenient() {
        return verb.equals("INSERT IGNORE");
    }

    /** Returns whether the reply counts replaced rows, including those of the same file. */
    boolean countsReplaced() {
        return verb.equals("REPLACE") && table.flavour() == Flavour.MYSQL;
    }

    List<ColumnSchema> keyColumns() {
        return table.keyColumns().stream()
                .map(ordinal -> table.columns().get(ordinal).schema())
                .toList();
    }
}
