package org.keyline.stores.duckdb.calcite;

import java.util.ArrayList;
import java.util.List;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.stores.duckdb.translate.OutputColumn;
import org.keyline.stores.duckdb.translate.Relations.Relation;
import org.keyline.stores.duckdb.translate.SqlType;
import org.keyline.stores.duckdb.translate.SqlType.Family;

/** Columns of tables with the types of their values. */
final class Columns {

    /** Longer than any text whose definition tells its length. */
    private static final int LONG_TEXT = 1 << 24;

    private Columns() {}

    static Source source(Relation relation, String alias) {
        List<Source.Column> columns = new ArrayList<>(relation.columns().size());
        for (ColumnSchema column : relation.columns()) {
            columns.add(new Source.Column(
                    column.name(),
                    type(column.type()),
                    column.nullable(),
                    new OutputColumn.Origin(relation, alias, column)));
        }
        return new Source(alias, relation, columns);
    }

    static SqlType type(ColumnType type) {
        boolean unsigned = type.unsigned();
        return switch (type.kind()) {
            case BOOLEAN -> SqlType.BOOLEAN;
            case TINYINT -> new SqlType(Family.INTEGER, 3, 0, unsigned);
            case SMALLINT -> new SqlType(Family.INTEGER, 5, 0, unsigned);
            case MEDIUMINT -> new SqlType(Family.INTEGER, 7, 0, unsigned);
            case INT -> new SqlType(Family.INTEGER, 10, 0, unsigned);
            case BIGINT -> new SqlType(Family.INTEGER, unsigned ? 20 : 19, 0, unsigned);
            case LARGEINT -> new SqlType(Family.INTEGER, 39, 0, false);
            case YEAR -> SqlType.YEAR;
            case BIT -> SqlType.UNSIGNED;
            case FLOAT, DOUBLE -> SqlType.DOUBLE;
            case DECIMAL -> new SqlType(Family.DECIMAL, type.length(), type.scale(), unsigned);
            case DATE -> SqlType.DATE;
            case DATETIME, TIMESTAMP -> SqlType.datetime(type.scale());
            case TIME -> SqlType.time(type.scale());
            case CHAR, VARCHAR, TEXT, ENUM, SET, IPV4, IPV6, OTHER ->
                new SqlType(Family.STRING, type.length(), 0, false);
            case ARRAY, MAP, STRUCT, VARIANT -> new SqlType(Family.STRING, LONG_TEXT, 0, false);
            case BINARY, VARBINARY, BLOB, GEOMETRY -> SqlType.BYTES;
            case JSON -> SqlType.JSON;
        };
    }
}
