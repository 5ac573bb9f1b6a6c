package org.keyline.stores.duckdb.calcite;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.SqlNode;
import org.keyline.stores.duckdb.translate.Conversion;
import org.keyline.stores.duckdb.translate.SqlType;
import org.keyline.stores.duckdb.translate.SqlType.Family;

/** MySQL's implicit conversions, made explicit: DuckDB converts differently or refuses. */
final class Coercions {

    private static final int INT_DIGITS = 10;

    private Coercions() {}

    /** For WHERE, AND, IF and their like: a number is true if it is not 0, text if its number is not. */
    static SqlNode truth(Typed value) {
        return switch (value.family()) {
            case BOOLEAN -> value.node();
            case NULL -> Duck.raw("CAST(NULL AS BOOLEAN)");
            default -> Duck.infix(number(value).node(), "<>", Duck.raw("0"));
        };
    }

    static Typed bool(SqlNode node) {
        return Typed.of(node, SqlType.BOOLEAN);
    }

    /** For arithmetic: integers of 64 bits, decimals and doubles stay, all others become one of them. */
    static Typed number(Typed value) {
        if (value.isParameter()) {
            return switch (value.family()) {
                case INTEGER, DECIMAL, DOUBLE, NULL -> value;
                case BYTES -> value.converted(Conversion.NUMBER, SqlType.UNSIGNED);
                case DATE, DATETIME, TIME -> value.converted(Conversion.NUMBER, SqlType.INTEGER);
                default -> value.converted(Conversion.DOUBLE, SqlType.DOUBLE);
            };
        }
        SqlNode node = value.node();
        return switch (value.family()) {
            case INTEGER ->
                value.type().digits() > 0 && value.type().digits() <= INT_DIGITS
                        ? Typed.of(Duck.cast(node, "BIGINT"), SqlType.INTEGER, value.nullable())
                        : value;
            case BOOLEAN -> Typed.of(Duck.cast(node, "BIGINT"), SqlType.INTEGER, value.nullable());
            case DATE ->
                Typed.of(Duck.cast(Duck.call("strftime", node, Duck.string("%Y%m%d")), "BIGINT"), SqlType.INTEGER);
            case DATETIME ->
                Typed.of(
                        Duck.cast(Duck.call("strftime", node, Duck.string("%Y%m%d%H%M%S")), "BIGINT"), SqlType.INTEGER);
            case TIME ->
                Typed.of(
                        Duck.cast(
                                Duck.call(
                                        "replace",
                                        Duck.call("left", Duck.cast(node, "VARCHAR"), Duck.number(8)),
                                        Duck.string(":"),
                                        Duck.string("")),
                                "BIGINT"),
                        SqlType.INTEGER);
            case BYTES ->
                // As text with escapes: bytes that are no UTF-8 are no digits either.
                Typed.of(Duck.call("keyline_number", Duck.cast(node, "VARCHAR")), SqlType.DOUBLE);
            case STRING, JSON ->
                Typed.of(Duck.call("keyline_number", text(value).node()), SqlType.DOUBLE);
            default -> value;
        };
    }

    /** A double. */
    static SqlNode toDouble(Typed value) {
        Typed number = number(value);
        if (number.isParameter()) {
            return number.converted(Conversion.DOUBLE, SqlType.DOUBLE).node();
        }
        return number.family() == Family.DOUBLE ? number.node() : Duck.cast(number.node(), "DOUBLE");
    }

    /** A 64-bit integer, rounded. */
    static SqlNode toInteger(Typed value) {
        if (value.isParameter()) {
            return Duck.cast(
                    value.converted(Conversion.INTEGER, SqlType.INTEGER).node(), "BIGINT");
        }
        Typed number = number(value);
        if (number.family() == Family.INTEGER) {
            return number.node();
        }
        return Duck.cast(Duck.call("round", number.node()), "BIGINT");
    }

    /** A 32-bit integer, for arguments of DuckDB's functions that count. */
    static SqlNode toInt(Typed value) {
        return Duck.cast(
                Duck.call(
                        "greatest",
                        Duck.raw("-2147483648"),
                        Duck.call("least", Duck.raw("2147483647"), toInteger(value))),
                "INTEGER");
    }

    /** Text as MySQL prints the value. */
    static Typed text(Typed value) {
        if (value.isParameter()) {
            return value.family() == Family.NULL ? value : value.converted(Conversion.STRING, SqlType.STRING);
        }
        SqlNode node = value.node();
        return switch (value.family()) {
            case STRING, NULL -> value;
            case BOOLEAN -> string(Duck.cast(Duck.cast(node, "INTEGER"), "VARCHAR"), value);
            case DOUBLE -> string(Duck.call("keyline_double_text", node), value);
            case BYTES -> string(Duck.call("decode", node), value);
            case DATETIME ->
                string(withFraction(node, "%Y-%m-%d %H:%M:%S", 19, value.type().scale()), value);
            case TIME ->
                string(
                        value.type().scale() == 0
                                ? Duck.call("left", Duck.cast(node, "VARCHAR"), Duck.number(8))
                                : Duck.cast(node, "VARCHAR"),
                        value);
            default -> string(Duck.cast(node, "VARCHAR"), value);
        };
    }

    private static Typed string(SqlNode node, Typed of) {
        return Typed.of(node, SqlType.STRING, of.nullable());
    }

    private static SqlNode withFraction(SqlNode node, String format, int length, int scale) {
        if (scale == 0) {
            return Duck.call("strftime", node, Duck.string(format));
        }
        return Duck.call(
                "left", Duck.call("strftime", node, Duck.string(format + ".%f")), Duck.number(length + 1L + scale));
    }

    /** Bytes. */
    static SqlNode bytes(Typed value) {
        if (value.isParameter()) {
            return value.converted(Conversion.BYTES, SqlType.BYTES).node();
        }
        return value.family() == Family.BYTES
                ? value.node()
                : Duck.call("encode", text(value).node());
    }

    /** A date or a moment; text that is none becomes NULL. */
    static Typed moment(Typed value, Translation translation) {
        switch (value.family()) {
            case DATE, DATETIME:
                return value;
            case NULL:
                return Typed.of(Duck.cast(value.node(), "TIMESTAMP"), SqlType.datetime(0));
            case TIME:
                return Typed.of(
                        Duck.infix(
                                Duck.cast(
                                        translation
                                                .session(
                                                        org.keyline.stores.duckdb.translate.Parameter.Source.NOW,
                                                        SqlType.datetime(6))
                                                .node(),
                                        "DATE"),
                                "+",
                                value.node()),
                        SqlType.datetime(value.type().scale()));
            default:
                break;
        }
        if (value.isParameter()) {
            String literal = translation.literalText(value);
            boolean date = literal != null && literal.strip().length() <= 10;
            int digits = literal == null ? 6 : fractionDigits(literal);
            Typed converted = value.converted(Conversion.DATETIME, date ? SqlType.DATE : SqlType.datetime(digits));
            return new Typed(Duck.cast(converted.node(), date ? "DATE" : "TIMESTAMP"), converted.type(), true, null);
        }
        if (value.type().numeric()) {
            SqlNode digits = Duck.cast(toInteger(value), "VARCHAR");
            return Typed.of(
                    Duck.call(
                            "coalesce",
                            Duck.call("try_strptime", digits, Duck.string("%Y%m%d%H%M%S")),
                            Duck.call("try_strptime", digits, Duck.string("%Y%m%d"))),
                    SqlType.datetime(0));
        }
        return Typed.of(Duck.tryCast(text(value).node(), "TIMESTAMP"), SqlType.datetime(6));
    }

    private static int fractionDigits(String literal) {
        int point = literal.indexOf('.');
        return point < 0 ? 0 : Math.min(6, literal.strip().length() - point - 1);
    }

    static SqlNode date(Typed value, Translation translation) {
        Typed moment = moment(value, translation);
        return moment.family() == Family.DATE ? moment.node() : Duck.cast(moment.node(), "DATE");
    }

    static SqlNode timestamp(Typed value, Translation translation) {
        Typed moment = moment(value, translation);
        return moment.family() == Family.DATETIME ? moment.node() : Duck.cast(moment.node(), "TIMESTAMP");
    }

    /** What a SELECT answers: a truth value is the integer 0 or 1, unless it is a column of that type. */
    static Typed output(Typed value) {
        if (value.family() == Family.BOOLEAN && value.origin() == null) {
            return new Typed(
                    Duck.cast(value.node(), "INTEGER"),
                    new SqlType(Family.INTEGER, 1, 0, false),
                    value.nullable(),
                    null);
        }
        return value;
    }

    /** One type for the branches of CASE, IF, COALESCE and UNION. */
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
        int digits = types.stream()
                .mapToInt(type -> type.digits() == 0 ? 19 : type.digits())
                .max()
                .orElse(0);
        return new SqlType(Family.INTEGER, digits, 0, unsigned);
    }

    /** A value as one of a common type. */
    static SqlNode as(SqlType common, Typed value) {
        if (value.family() == Family.NULL) {
            return value.node();
        }
        return switch (common.family()) {
            case STRING -> text(value).node();
            case BYTES -> bytes(value);
            case DATETIME -> value.family() == Family.DATE ? Duck.cast(value.node(), "TIMESTAMP") : value.node();
            case INTEGER -> value.family() == Family.BOOLEAN ? Duck.cast(value.node(), "BIGINT") : value.node();
            case DECIMAL -> value.family() == Family.BOOLEAN ? Duck.cast(value.node(), "BIGINT") : value.node();
            case DOUBLE -> toDouble(value);
            default -> value.node();
        };
    }

    static List<SqlNode> as(SqlType common, List<Typed> values) {
        List<SqlNode> nodes = new ArrayList<>(values.size());
        values.forEach(value -> nodes.add(as(common, value)));
        return nodes;
    }
}
