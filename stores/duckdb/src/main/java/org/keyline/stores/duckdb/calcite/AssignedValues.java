package org.keyline.stores.duckdb.calcite;

import org.apache.calcite.sql.SqlNode;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.translate.DuckTypes;
import org.keyline.stores.duckdb.translate.OutputColumn;
import org.keyline.stores.duckdb.translate.Parameter;
import org.keyline.stores.duckdb.translate.SqlType.Family;

/** Values on their way into a column: converted as by assignment, refused where they do not fit. */
final class AssignedValues {

    private AssignedValues() {}

    /** A value for a column. */
    static SqlNode assigned(Typed value, ColumnSchema column, Translation translation) {
        if (value.node() instanceof ParameterNode parameter) {
            return parameter.with(parameter.parameter().storedIn(column));
        }
        if (value.family() == Family.NULL) {
            return value.node();
        }
        ColumnType type = column.type();
        String duckType = DuckTypes.of(type);
        return switch (type.kind()) {
            case CHAR, VARCHAR, TEXT, ENUM, SET -> fitted(value, column);
            case JSON, IPV4, IPV6 -> Duck.cast(Coercions.text(value).node(), duckType);
            case ARRAY, MAP, STRUCT, VARIANT -> nested(value, column);
            case BINARY, VARBINARY, BLOB, GEOMETRY, OTHER -> Coercions.bytes(value);
            case DATE ->
                within(
                        value,
                        value.type().textual()
                                ? Duck.cast(Duck.cast(Coercions.text(value).node(), "TIMESTAMP"), "DATE")
                                : Coercions.date(value, translation));
            case DATETIME, TIMESTAMP -> moment(value, type, translation);
            case TIME ->
                Duck.cast(value.type().textual() ? Coercions.text(value).node() : value.node(), "TIME");
            case BOOLEAN -> Coercions.truth(value);
            default ->
                value.type().textual()
                        ? Duck.cast(Coercions.text(value).node(), duckType)
                        : Duck.cast(Coercions.number(value).node(), duckType);
        };
    }

    /** Only a column of the same type has what the column takes: text would have to be read, and DuckDB reads it differently. */
    private static SqlNode nested(Typed value, ColumnSchema column) {
        OutputColumn.Origin origin = value.origin();
        if (origin == null || !origin.column().type().equals(column.type())) {
            throw StatementRefusedException.unsupported(
                    "expressions for the " + column.type().kind() + " column '" + column.name()
                            + "', other than literals and columns of its type");
        }
        return value.node();
    }

    private static SqlNode fitted(Typed value, ColumnSchema column) {
        SqlNode text = Coercions.text(value).node();
        int length = column.type().length();
        int known = value.family() == Family.STRING ? value.type().digits() : 0;
        boolean fits = length == 0 || length == Integer.MAX_VALUE || (known > 0 && known <= length);
        return fits ? text : Duck.call("keyline_fit", text, Duck.number(length), Duck.string(column.name()));
    }

    private static SqlNode moment(Typed value, ColumnType type, Translation translation) {
        SqlNode moment = value.type().textual()
                ? Duck.cast(Coercions.text(value).node(), "TIMESTAMP")
                : Coercions.timestamp(value, translation);
        boolean exact = value.type().temporal() && value.type().scale() <= type.scale();
        if (exact || type.scale() >= 6) {
            return within(value, moment);
        }
        long unit = (long) Math.pow(10, 6 - type.scale());
        return Duck.call(
                "keyline_moment",
                Duck.call(
                        "time_bucket",
                        Duck.raw("to_microseconds(" + unit + ")"),
                        Duck.infix(moment, "+", Duck.raw("to_microseconds(" + unit / 2 + ")"))));
    }

    /** What a column takes, once it is known to be a moment of MySQL's; those that are stored are. */
    private static SqlNode within(Typed value, SqlNode moment) {
        return value.origin() != null && value.type().temporal() ? moment : Duck.call("keyline_moment", moment);
    }

    /** The moment of the statement, for CURRENT_TIMESTAMP as a default or ON UPDATE. */
    static SqlNode now(ColumnSchema column) {
        return new ParameterNode(Parameter.of(Parameter.Source.NOW, "").storedIn(column));
    }

    static boolean isNow(String sql) {
        return sql.startsWith("CURRENT_TIMESTAMP");
    }
}
