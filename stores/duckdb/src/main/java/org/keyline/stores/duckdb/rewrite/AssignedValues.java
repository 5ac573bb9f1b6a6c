package org.keyline.stores.duckdb.rewrite;

import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.translate.DuckDdl;
import org.keyline.stores.duckdb.translate.DuckTypes;
import org.keyline.stores.duckdb.translate.OutputColumn;
import org.keyline.stores.duckdb.translate.Parameter;
import org.keyline.stores.duckdb.translate.SqlType.Family;

/** Converts expressions for assignment to a column. A value that does not fit causes an error. */
final class AssignedValues {

    private AssignedValues() {}

    /** Returns the value, converted for storing in the column. */
    static Sql assigned(Typed value, ColumnSchema column, Rewriting rewriting) {
        if (value.sql() instanceof Sql.Value parameter) {
            return parameter.with(parameter.parameter().storedIn(column));
        }
        if (value.family() == Family.NULL) {
            return value.sql();
        }
        ColumnType type = column.type();
        String duckType = DuckTypes.of(type);
        return switch (type.kind()) {
            case CHAR, VARCHAR, TEXT -> fitted(value, column);
            case JSON -> Sql.cast(Coercions.text(value).sql(), duckType);
            case ARRAY -> array(value, column);
            case BINARY, VARBINARY, BLOB -> Coercions.bytes(value);
            case DATE ->
                within(
                        value,
                        value.type().textual() ? Sql.cast(written(value), "DATE") : Coercions.date(value, rewriting));
            case DATETIME, TIMESTAMP -> moment(value, column, rewriting);
            case BOOLEAN -> Coercions.truth(value);
            case BIT -> Sql.cast(whole(value, column), duckType);
            default ->
                value.type().textual()
                        ? Sql.cast(digits(value, column), duckType)
                        : Sql.cast(Coercions.number(value).sql(), duckType);
        };
    }

    /**
     * Returns the value for an ARRAY column. The value must be a column of the same type, because
     * DuckDB would parse text differently.
     */
    private static Sql array(Typed value, ColumnSchema column) {
        OutputColumn.Origin origin = value.origin();
        if (origin == null || !origin.column().type().equals(column.type())) {
            throw StatementRefusedException.unsupported("expressions for the ARRAY column '" + column.name()
                    + "', other than literals and columns of its type");
        }
        return value.sql();
    }

    /** Returns the number for a BIT column. A double is truncated. */
    private static Sql whole(Typed value, ColumnSchema column) {
        if (value.type().textual()) {
            throw StatementRefusedException.unsupported(
                    "expressions of text for the BIT column '" + column.name() + "'");
        }
        Typed number = Coercions.number(value);
        return number.family() == Family.DOUBLE ? Sql.call("trunc", number.sql()) : number.sql();
    }

    private static Sql fitted(Typed value, ColumnSchema column) {
        Sql text = Coercions.text(value).sql();
        int length = column.type().length();
        int known = value.family() == Family.STRING ? value.type().digits() : 0;
        boolean fits = length == 0 || length == Integer.MAX_VALUE || (known > 0 && known <= length);
        return fits ? text : Sql.call("keyline_fit", text, Sql.number(length), Sql.string(column.name()));
    }

    private static Sql moment(Typed value, ColumnSchema column, Rewriting rewriting) {
        ColumnType type = column.type();
        Sql moment = value.type().textual() ? written(value) : Coercions.timestamp(value, rewriting);
        boolean exact = value.type().temporal() && value.type().scale() <= type.scale();
        if (exact || type.scale() >= 6) {
            return within(value, moment);
        }
        return Coercions.rounded(moment, type.scale());
    }

    /** Returns a text for a numeric column. Refuses forms of numbers that only DuckDB reads. */
    private static Sql digits(Typed text, ColumnSchema column) {
        return Sql.call("keyline_digits", Coercions.text(text).sql(), Sql.string(column.name()));
    }

    /** Returns the date and time that a computed text contains. */
    private static Sql written(Typed text) {
        return Sql.cast(Sql.call("keyline_plain", Coercions.text(text).sql()), "TIMESTAMP");
    }

    /** Adds a check that a date or time is in MySQL's range. A stored value needs no check. */
    private static Sql within(Typed value, Sql moment) {
        return value.origin() != null && value.type().temporal() ? moment : Sql.call("keyline_moment", moment);
    }

    /** Returns the time of the statement, for CURRENT_TIMESTAMP as a default or ON UPDATE. */
    static Sql now(ColumnSchema column) {
        return new Sql.Value(Parameter.of(Parameter.Source.NOW, "").storedIn(column));
    }

    /** Returns the default of a column. Throws error 1364 if a NOT NULL column has none. */
    static Sql defaultOf(ColumnSchema column) {
        String value = column.defaultSql();
        if (value == null && !column.nullable()) {
            throw new StatementRefusedException(
                    1364, "HY000", "Field '" + column.name() + "' doesn't have a default value");
        }
        return DuckDdl.isNow(value) ? now(column) : Sql.raw(DuckDdl.defaultValue(column));
    }
}
