package org.keyline.stores.duckdb.calcite;

import java.util.ArrayList;
import java.util.List;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.stores.duckdb.translate.OutputColumn;
import org.keyline.stores.duckdb.translate.Relations.Relation;
import org.keyline.stores.duckdb.translate.ValueType;
import org.keyline.stores.duckdb.translate.ValueType.Family;

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

    static ValueType type(ColumnType type) {
        boolean unsigned = type.unsigned();
        return switch (type.kind()) {
            case BOOLEAN -> ValueType.BOOLEAN;
            case TINYINT -> new ValueType(Family.INTEGER, 3, 0, unsigned);
            case SMALLINT -> new ValueType(Family.INTEGER, 5, 0, unsigned);
            case MEDIUMINT -> new ValueType(Family.INTEGER, 7, 0, unsigned);
            case INT -> new ValueType(Family.INTEGER, 10, 0, unsigned);
            case BIGINT -> new ValueType(Family.INTEGER, unsigned ? 20 : 19, 0, unsigned);
            case LARGEINT -> new ValueType(Family.INTEGER, 39, 0, false);
            case YEAR -> new ValueType(Family.INTEGER, 4, 0, false);
            case BIT -> ValueType.UNSIGNED;
            case FLOAT, DOUBLE -> ValueType.DOUBLE;
            case DECIMAL -> new ValueType(Family.DECIMAL, type.length(), type.scale(), unsigned);
            case DATE -> ValueType.DATE;
            case DATETIME, TIMESTAMP -> ValueType.datetime(type.scale());
            case TIME -> ValueType.time(type.scale());
            case CHAR, VARCHAR, TEXT, ENUM, SET, IPV4, IPV6, OTHER ->
                new ValueType(Family.STRING, type.length(), 0, false);
            case ARRAY, MAP, STRUCT, VARIANT -> new ValueType(Family.STRING, LONG_TEXT, 0, false);
            case BINARY, VARBINARY, BLOB, GEOMETRY -> ValueType.BYTES;
            case JSON -> ValueType.JSON;
        };
    }
}
