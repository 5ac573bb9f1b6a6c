package org.keyline.stores.duckdb.rewrite;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.translate.Conversion;
import org.keyline.stores.duckdb.translate.SqlType;
import org.keyline.stores.duckdb.translate.SqlType.Family;

/** Makes MySQL's implicit conversions explicit. DuckDB lacks them or converts differently. */
final class Coercions {

    private static final int INT_DIGITS = 10;

    private Coercions() {}

    /**
     * Returns the value as a condition of WHERE, AND or IF. A number is true if it is not 0. A text
     * is true if it begins with a number that is not 0.
     */
    static Sql truth(Typed value) {
        return switch (value.family()) {
            case BOOLEAN -> value.sql();
            case NULL -> Sql.raw("CAST(NULL AS BOOLEAN)");
            default -> Sql.infix(number(value).sql(), "<>", Sql.raw("0"));
        };
    }

    /**
     * Returns the value as an operand for arithmetic: an integer, a double, or a decimal with all
     * its computed digits.
     */
    static Typed number(Typed value) {
        if (value.isParameter()) {
            return switch (value.family()) {
                case INTEGER, DECIMAL, DOUBLE, NULL -> value;
                case BYTES -> value.converted(Conversion.NUMBER, SqlType.UNSIGNED);
                case DATE, DATETIME -> throw datesAsNumbers();
                default -> value.converted(Conversion.DOUBLE, SqlType.DOUBLE);
            };
        }
        Sql node = value.sql();
        return switch (value.family()) {
            case INTEGER ->
                value.type().digits() > 0 && value.type().digits() <= INT_DIGITS
                        ? Typed.of(
                                Sql.cast(node, "BIGINT"),
                                value.type().unsigned() ? SqlType.UNSIGNED : SqlType.INTEGER,
                                value.nullable())
                        : value;
            case BOOLEAN -> Typed.of(Sql.cast(node, "BIGINT"), SqlType.INTEGER, value.nullable());
            case DECIMAL -> opened(value);
            case DATE, DATETIME -> throw datesAsNumbers();
            case BYTES ->
                // The cast escapes bytes that are not UTF-8, which cannot belong to a number.
                Typed.of(Sql.call("keyline_number", Sql.cast(node, "VARCHAR")), SqlType.DOUBLE);
            case STRING, JSON -> Typed.of(Sql.call("keyline_number", text(value).sql()), SqlType.DOUBLE);
            default -> value;
        };
    }

    private static StatementRefusedException datesAsNumbers() {
        return StatementRefusedException.unsupported("dates as numbers");
    }

    /** Returns a decimal with all digits that were computed; other values unchanged. */
    static Typed opened(Typed value) {
        return value.family() == Family.DECIMAL ? value.open() : value;
    }

    static Sql toDouble(Typed value) {
        Typed number = number(value);
        if (number.isParameter()) {
            return number.converted(Conversion.DOUBLE, SqlType.DOUBLE).sql();
        }
        return number.family() == Family.DOUBLE ? number.sql() : Sql.cast(number.sql(), "DOUBLE");
    }

    /** Returns the value as a 64-bit integer, rounded. */
    static Sql toInteger(Typed value) {
        if (value.isParameter()) {
            return Sql.cast(value.converted(Conversion.INTEGER, SqlType.INTEGER).sql(), "BIGINT");
        }
        Typed number = number(value);
        if (number.family() == Family.INTEGER) {
            return number.sql();
        }
        return Sql.cast(Sql.call("round", number.sql()), "BIGINT");
    }

    /** Returns the value as a 32-bit integer, for DuckDB's functions that take a count. */
    static Sql toInt(Typed value) {
        Sql integer = toInteger(value);
        // Without CASE, NULL would become a number, because DuckDB's greatest and least skip NULL.
        return Sql.of(
                "CAST(CASE WHEN {} IS NOT NULL THEN greatest(-2147483648, least(2147483647, {})) END AS INTEGER)",
                integer,
                integer);
    }

    /** Returns the text that MySQL prints for the value. */
    static Typed text(Typed value) {
        if (value.isParameter()) {
            return value.family() == Family.NULL ? value : value.converted(Conversion.STRING, SqlType.STRING);
        }
        Sql node = value.sql();
        return switch (value.family()) {
            case STRING, NULL -> value;
            case BOOLEAN -> string(Sql.cast(Sql.cast(node, "INTEGER"), "VARCHAR"), value);
            case DOUBLE -> string(Sql.call("keyline_double_text", node), value);
            case DECIMAL ->
                // DuckDB prints a DECIMAL(1,1) without the 0 before the point.
                string(Sql.cast(Sql.cast(node, "DECIMAL(38," + value.type().scale() + ")"), "VARCHAR"), value);
            case BYTES -> string(Sql.call("decode", node), value);
            case DATETIME ->
                string(withFraction(node, "%Y-%m-%d %H:%M:%S", 19, value.type().scale()), value);
            default -> string(Sql.cast(node, "VARCHAR"), value);
        };
    }

    /**
     * Returns the text of an argument of a function that counts characters. Refuses a binary text,
     * because MySQL counts its bytes.
     */
    static Typed characters(Typed value, String function) {
        if (value.family() == Family.BYTES && !value.isParameter()) {
            throw StatementRefusedException.unsupported(
                    function.toUpperCase(Locale.ROOT) + " of a binary text; write CAST(… AS CHAR)");
        }
        return text(value);
    }

    private static Typed string(Sql node, Typed of) {
        return Typed.of(node, SqlType.STRING, of.nullable());
    }

    private static Sql withFraction(Sql node, String format, int length, int scale) {
        if (scale == 0) {
            return Sql.call("strftime", node, Sql.string(format));
        }
        return Sql.call(
                "left", Sql.call("strftime", node, Sql.string(format + ".%f")), Sql.number(length + 1L + scale));
    }

    static Sql bytes(Typed value) {
        if (value.isParameter()) {
            return value.converted(Conversion.BYTES, SqlType.BYTES).sql();
        }
        return value.family() == Family.BYTES
                ? value.sql()
                : Sql.call("encode", text(value).sql());
    }

    /** Returns the value as a date or timestamp. Text that is neither becomes NULL. */
    static Typed moment(Typed value, Rewriting rewriting) {
        switch (value.family()) {
            case DATE, DATETIME:
                return value;
            case NULL:
                return Typed.of(Sql.cast(value.sql(), "TIMESTAMP"), SqlType.datetime(0));
            default:
                break;
        }
        if (value.isParameter()) {
            String literal = rewriting.literalText(value);
            boolean date = literal != null && literal.strip().length() <= 10;
            int digits = literal == null ? 6 : fractionDigits(literal);
            Typed converted = value.converted(Conversion.DATETIME, date ? SqlType.DATE : SqlType.datetime(digits));
            return new Typed(Sql.cast(converted.sql(), date ? "DATE" : "TIMESTAMP"), converted.type(), true, null);
        }
        if (value.type().numeric()) {
            throw StatementRefusedException.unsupported("numbers as dates");
        }
        return Typed.of(Sql.tryCast(text(value).sql(), "TIMESTAMP"), SqlType.datetime(6));
    }

    private static int fractionDigits(String literal) {
        int point = literal.indexOf('.');
        return point < 0 ? 0 : Math.min(6, literal.strip().length() - point - 1);
    }

    static Sql date(Typed value, Rewriting rewriting) {
        Typed moment = moment(value, rewriting);
        return moment.family() == Family.DATE ? moment.sql() : Sql.cast(moment.sql(), "DATE");
    }

    static Sql timestamp(Typed value, Rewriting rewriting) {
        Typed moment = moment(value, rewriting);
        return moment.family() == Family.DATETIME ? moment.sql() : Sql.cast(moment.sql(), "TIMESTAMP");
    }

    /** Returns a timestamp rounded to this many digits of a second. */
    static Sql rounded(Sql moment, int digits) {
        long unit = (long) Math.pow(10, 6.0 - digits);
        return digits >= 6
                ? moment
                : Sql.of(
                        "keyline_moment(time_bucket(to_microseconds(" + unit + "), ({} + to_microseconds(" + unit / 2
                                + "))))",
                        moment);
    }

    /**
     * Returns the value as SELECT shows it. A truth value is 0 or 1, except in a BOOLEAN column.
     */
    static Typed output(Typed value) {
        if (value.family() == Family.BOOLEAN && value.origin() == null) {
            return new Typed(
                    Sql.cast(value.sql(), "INTEGER"), new SqlType(Family.INTEGER, 1, 0, false), value.nullable(), null);
        }
        return value;
    }

    /** Returns the common type of the branches of CASE, IF, COALESCE and UNION. */
    static SqlType common(List<Typed> values) {
        List<SqlType> types = values.stream()
                .map(Typed::type)
                .filter(type -> type.family() != Family.NULL)
                .toList();
        if (types.isEmpty()) {
            return SqlType.NULL;
        }
        boolean unknown = types.stream().anyMatch(type -> type.family() == Family.UNKNOWN);
        if (unknown) {
            return types.stream().allMatch(type -> type.family() == Family.UNKNOWN) ? SqlType.UNKNOWN : SqlType.STRING;
        }
        if (types.stream().allMatch(SqlType::numeric)) {
            return commonNumber(types);
        }
        Family first = types.get(0).family();
        if (types.stream().allMatch(type -> type.family() == first)) {
            int scale = types.stream().mapToInt(SqlType::scale).max().orElse(0);
            return new SqlType(first, 0, scale, false);
        }
        if (types.stream().allMatch(type -> type.family() == Family.DATE || type.family() == Family.DATETIME)) {
            return SqlType.datetime(
                    types.stream().mapToInt(SqlType::scale).max().orElse(0));
        }
        return types.stream().anyMatch(type -> type.family() == Family.BYTES) ? SqlType.BYTES : SqlType.STRING;
    }

    private static SqlType commonNumber(List<SqlType> types) {
        if (types.stream().anyMatch(type -> type.family() == Family.DOUBLE)) {
            return SqlType.DOUBLE;
        }
        int scale = types.stream().mapToInt(SqlType::scale).max().orElse(0);
        if (types.stream().anyMatch(type -> type.family() == Family.DECIMAL)) {
            return SqlType.decimal(38, scale);
        }
        boolean unsigned = types.stream().allMatch(SqlType::unsigned);
        if (!unsigned && types.contains(SqlType.UNSIGNED)) {
            // BIGINT UNSIGNED and signed values have no common integer type.
            return SqlType.decimal(38, 0);
        }
        int digits = types.stream()
                .mapToInt(type -> type.digits() == 0 ? 19 : type.digits())
                .max()
                .orElse(0);
        return new SqlType(Family.INTEGER, digits, 0, unsigned);
    }

    /**
     * Applies an expression to values that are converted to their common type. A decimal retains
     * all its computed digits.
     */
    static Typed merged(List<Typed> values, boolean nullable, Function<List<Sql>, Sql> expression) {
        SqlType common = common(values);
        int scale = values.stream().mapToInt(Typed::scale).max().orElse(0);
        boolean computed = common.family() == Family.DECIMAL && scale > common.scale();
        List<Typed> operands = computed ? values.stream().map(Typed::open).toList() : values;
        Sql merged = expression.apply(as(computed ? SqlType.decimal(38, scale) : common, operands));
        return Typed.of(computed ? Sql.Computed.decimal(merged, scale, common) : merged, common, nullable);
    }

    static Sql as(SqlType common, Typed value) {
        if (value.family() == Family.NULL) {
            return value.sql();
        }
        return switch (common.family()) {
            case STRING -> text(value).sql();
            case BYTES -> bytes(value);
            case DATETIME -> value.family() == Family.DATE ? Sql.cast(value.sql(), "TIMESTAMP") : value.sql();
            case INTEGER -> value.family() == Family.BOOLEAN ? Sql.cast(value.sql(), "BIGINT") : value.sql();
            case DECIMAL -> Sql.cast(value.sql(), "DECIMAL(38," + common.scale() + ")");
            case DOUBLE -> toDouble(value);
            default -> value.sql();
        };
    }

    static List<Sql> as(SqlType common, List<Typed> values) {
        List<Sql> nodes = new ArrayList<>(values.size());
        values.forEach(value -> nodes.add(as(common, value)));
        return nodes;
    }
}
