package org.keyline.stores.duckdb.meta;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.digest.SqlMode;
import org.keyline.stores.ddl.DdlReader;
import org.keyline.stores.ddl.DdlStatement;
import org.keyline.stores.ddl.DeclaredColumn;
import org.keyline.stores.ddl.DeclaredType;
import org.keyline.stores.ddl.SqlText;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.duckdb.translate.OutputColumn;
import org.keyline.stores.duckdb.translate.SqlType;

/** Columns of a query as columns of a table: a plain one has the type that its table declares, an expression the widest of its kind. */
public final class QueryColumns {
    private QueryColumns() {}

    /** A column of CREATE TABLE. */
    public static String sql(OutputColumn column) {
        return SqlText.name(column.label()) + " " + type(column) + (column.nullable() ? " NULL" : " NOT NULL");
    }

    /** Columns of a view. */
    static List<DeclaredColumn> declared(List<OutputColumn> columns) {
        List<DeclaredColumn> declared = new ArrayList<>(columns.size());
        for (OutputColumn column : columns) {
            DeclaredColumn origin = origin(column);
            DeclaredType type = origin == null ? read(type(column)) : origin.type();
            String comment = origin == null ? "" : origin.schema().comment();
            declared.add(new DeclaredColumn(
                    new ColumnSchema(column.label(), type.type(), column.nullable(), null, false, comment),
                    type,
                    null,
                    null));
        }
        return declared;
    }

    private static DeclaredType read(String type) {
        String table = "CREATE TABLE t (c " + type + ")";
        if (new DdlReader(SqlMode.DEFAULT).read(table, "d") instanceof DdlStatement.CreateTable create) {
            return create.definition().columns().get(0).type();
        }
        throw new IllegalStateException(table);
    }

    private static @Nullable DeclaredColumn origin(OutputColumn column) {
        OutputColumn.Origin origin = column.origin();
        TableDefinition table = origin == null ? null : origin.relation().definition();
        return origin == null || table == null
                ? null
                : table.columns().get(table.ordinal(origin.column().name()));
    }

    private static String type(OutputColumn column) {
        DeclaredColumn origin = origin(column);
        if (origin != null) {
            return origin.type().text();
        }
        SqlType type = column.type();
        return switch (type.family()) {
            case NULL, BOOLEAN -> "TINYINT";
            case INTEGER -> type.unsigned() ? "DECIMAL(20,0)" : "BIGINT";
            case DECIMAL -> "DECIMAL(" + (type.digits() == 0 ? 38 : type.digits()) + "," + type.scale() + ")";
            case DOUBLE -> "DOUBLE";
            case STRING, UNKNOWN -> "TEXT";
            case BYTES -> "BLOB";
            case DATE -> "DATE";
            case DATETIME -> "DATETIME" + digits(type);
            case TIME -> "TIME" + digits(type);
            case JSON -> "JSON";
            case INTERVAL, ROW ->
                throw StatementRefusedException.unsupported("such a column in CREATE TABLE … AS SELECT or in a view");
        };
    }

    private static String digits(SqlType type) {
        return type.scale() == 0 ? "" : "(" + type.scale() + ")";
    }
}
