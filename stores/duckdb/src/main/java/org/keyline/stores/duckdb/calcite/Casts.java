package org.keyline.stores.duckdb.calcite;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.calcite.sql.SqlNode;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.translate.Conversion;
import org.keyline.stores.duckdb.translate.SqlType;
import org.keyline.stores.duckdb.translate.SqlType.Family;

/** CAST and CONVERT to the types of MySQL and Doris: text that is no number gives 0, text that is no date NULL. */
final class Casts {

    private static final Pattern TYPE = Pattern.compile(
            "([A-Za-z][A-Za-z0-9_]*)(?:\\s*\\(\\s*(\\d{1,5})\\s*(?:,\\s*(\\d{1,2})\\s*)?\\))?(?:\\s+(.*))?");

    private Casts() {}

    static Typed cast(FunctionCall c) {
        return cast(c.arity(2, 2).arg(0), c.word(1), c.translation());
    }

    private static Typed cast(Typed x, String type, Translation translation) {
        Matcher m = TYPE.matcher(type.strip());
        if (!m.matches()) {
            throw StatementRefusedException.syntax(
                    "You have an error in your SQL syntax near '" + type + "': expected a type");
        }
        String name = m.group(1).toUpperCase(Locale.ROOT);
        int first = m.group(2) == null ? -1 : Integer.parseInt(m.group(2));
        int second = m.group(3) == null ? 0 : Integer.parseInt(m.group(3));
        return switch (name) {
            case "USING" -> using(x, m.group(4));
            case "SIGNED", "INT", "INTEGER", "BIGINT", "SMALLINT", "TINYINT" ->
                Typed.of(signed(x), SqlType.INTEGER, x.nullable());
            case "UNSIGNED" -> Typed.of(unsigned(x), SqlType.UNSIGNED, x.nullable());
            case "LARGEINT" ->
                Typed.of(Duck.cast(Coercions.number(x).node(), "HUGEINT"), new SqlType(Family.INTEGER, 39, 0, false));
            case "CHAR", "VARCHAR", "STRING", "TEXT", "NCHAR", "CHARACTER" -> characters(x, first);
            case "BINARY", "VARBINARY" -> Typed.of(Coercions.bytes(x), SqlType.BYTES, x.nullable());
            case "DATE", "DATEV2" -> Typed.of(Coercions.date(x, translation), SqlType.DATE);
            case "DATETIME", "TIMESTAMP", "DATETIMEV2" -> datetime(x, Math.max(first, 0), translation);
            case "TIME" -> Typed.of(time(x, translation), SqlType.time(Math.max(first, 0)));
            case "DECIMAL", "DEC", "NUMERIC", "DECIMALV3" -> decimal(x, first < 0 ? 10 : first, second);
            case "DOUBLE", "REAL" -> Typed.of(Duck.cast(Coercions.toDouble(x), "DOUBLE"), SqlType.DOUBLE);
            case "FLOAT" -> Typed.of(Duck.cast(Coercions.toDouble(x), first > 24 ? "DOUBLE" : "FLOAT"), SqlType.DOUBLE);
            case "JSON" -> Typed.of(Duck.cast(Coercions.text(x).node(), "JSON"), SqlType.JSON);
            case "BOOLEAN" -> Coercions.bool(Coercions.truth(x));
            case "YEAR" -> Typed.of(Coercions.toInteger(x), SqlType.INTEGER);
            default -> throw StatementRefusedException.unsupported("CAST to " + type);
        };
    }

    private static Typed using(Typed x, String charset) {
        return charset.equalsIgnoreCase("binary") ? Typed.of(Coercions.bytes(x), SqlType.BYTES) : Coercions.text(x);
    }

    private static Typed characters(Typed x, int length) {
        Typed text = Coercions.text(x);
        SqlNode node = text.isParameter() ? Duck.cast(text.node(), "VARCHAR") : text.node();
        return Typed.of(length < 0 ? node : Duck.call("left", node, Duck.number(length)), SqlType.STRING, x.nullable());
    }

    /** Numbers are rounded, text is cut at its integer prefix. */
    private static SqlNode signed(Typed x) {
        if (x.family() == Family.INTEGER && x.type().unsigned()) {
            return Duck.call("keyline_signed", Coercions.number(x).node());
        }
        return x.type().textual() ? prefix(x) : Coercions.toInteger(x);
    }

    private static SqlNode prefix(Typed x) {
        SqlNode digits = Duck.call("regexp_extract", Coercions.text(x).node(), Duck.string("^\\s*[-+]?\\d+"));
        return Duck.around(
                "CASE WHEN ",
                " IS NULL THEN NULL ELSE coalesce(try_cast(",
                " AS BIGINT), 0) END",
                Coercions.text(x).node(),
                digits);
    }

    /** Negative numbers in two's complement. */
    private static SqlNode unsigned(Typed x) {
        if (x.type().textual()) {
            SqlNode digits = Duck.call("regexp_extract", Coercions.text(x).node(), Duck.string("^\\s*[-+]?\\d+"));
            SqlNode huge = Duck.around(
                    "CASE WHEN ",
                    " IS NULL THEN NULL ELSE coalesce(try_cast(",
                    " AS HUGEINT), 0) END",
                    Coercions.text(x).node(),
                    digits);
            return Duck.call("keyline_bits", huge);
        }
        Typed number = Coercions.number(x);
        return number.family() == Family.INTEGER
                ? Duck.call("keyline_bits", number.node())
                : Duck.call("keyline_bits", Duck.call("round", number.node()));
    }

    private static Typed datetime(Typed x, int digits, Translation translation) {
        SqlNode moment = Coercions.timestamp(x, translation);
        SqlNode rounded = digits >= 6
                ? moment
                : Duck.call(
                        "keyline_moment",
                        Duck.call(
                                "time_bucket",
                                Duck.raw("to_microseconds(" + (long) Math.pow(10, 6 - digits) + ")"),
                                Duck.infix(
                                        moment,
                                        "+",
                                        Duck.raw("to_microseconds(" + (long) Math.pow(10, 6 - digits) / 2 + ")"))));
        return Typed.of(rounded, SqlType.datetime(digits));
    }

    private static SqlNode time(Typed x, Translation translation) {
        if (x.isParameter()) {
            return Duck.cast(x.converted(Conversion.TIME, SqlType.time(6)).node(), "TIME");
        }
        if (x.type().textual()) {
            return Duck.tryCast(Coercions.text(x).node(), "TIME");
        }
        return x.family() == Family.TIME ? x.node() : Duck.cast(Coercions.timestamp(x, translation), "TIME");
    }

    /** What is too long becomes the longest value. */
    private static Typed decimal(Typed x, int precision, int scale) {
        if (precision > 38 || scale > precision) {
            throw StatementRefusedException.unsupported("DECIMAL(" + precision + "," + scale + ")");
        }
        String type = "DECIMAL(" + Math.max(precision, 1) + "," + scale + ")";
        Typed number = Coercions.number(x);
        SqlNode exact = number.family() == Family.DOUBLE
                ? Duck.call("round", number.node(), Duck.number(scale))
                : number.node();
        String digits = "9".repeat(precision - scale) + (scale > 0 ? "." + "9".repeat(scale) : "");
        return Typed.of(
                Duck.around(
                        "CASE WHEN ",
                        " IS NULL THEN NULL ELSE coalesce(try_cast(",
                        " END",
                        number.node(),
                        Duck.around(
                                "",
                                " AS " + type + "), CASE WHEN ",
                                " < 0 THEN -" + digits + " ELSE " + digits + " END)",
                                exact,
                                number.node())),
                SqlType.decimal(precision, scale));
    }
}
