package org.keyline.stores.duckdb.session;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.protocol.Collation;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.duckdb.load.FileFormat;

/**
 * A LOAD DATA LOCAL INFILE. Immutable.
 *
 * @param file as the client knows it
 * @param verb how its rows are inserted: INSERT, INSERT IGNORE or REPLACE
 * @param table the target
 * @param charset of the file
 * @param linesToSkip at its beginning
 * @param fields where each field of a record goes, in order
 * @param cells values of a row, in order
 */
record LoadStatement(
        String file,
        String verb,
        TableDefinition table,
        Collation charset,
        FileFormat format,
        long linesToSkip,
        List<Target> fields,
        List<Cell> cells) {

    LoadStatement {
        fields = List.copyOf(fields);
        cells = List.copyOf(cells);
    }

    /**
     * Where a field goes: into a column or into a variable.
     *
     * @param column null for a variable
     * @param variable its name in lower case; null for a column
     */
    record Target(@Nullable ColumnSchema column, @Nullable String variable) {}

    /**
     * The value of one column.
     *
     * @param sql with a question mark for each field
     * @param fields the fields, in the order of the question marks
     */
    record Cell(String column, String sql, List<Use> fields) {
        Cell {
            fields = List.copyOf(fields);
        }
    }

    /**
     * A field in the value of a column.
     *
     * @param field its index
     * @param asColumn SET names the column that the field is read into, so it stands for that column's value
     */
    record Use(int field, boolean asColumn) {}

    /** Whether rows that do not fit are made to, with warnings, as MySQL does for IGNORE. */
    boolean isLenient() {
        return verb.equals("INSERT IGNORE");
    }
}
