package org.keyline.stores.duckdb.rewrite;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.translate.SqlType;
import org.keyline.stores.duckdb.translate.SqlType.Family;

/** Writes CAST and CONVERT. Text that is no number becomes 0. Text that is no date becomes NULL. */
final class Casts {

    private static final Pattern TYPE = Pattern.compile(
            "([A-Za-z][A-Za-z0-9_]*)(?:\\s*\\(\\s*(\\d{1,5})\\s*(?:,\\s*(\\d{1,2})\\s*)?\\))?(?:\\s+(.*))?");

    private Casts() {}

    /** @param type the type as written; {@code using} and a character set for CONVERT(… USING …) */
    static Typed cast(Typed x, String type, Rewriting rewriting) {
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
                Typed.of(Sql.cast(Coercions.number(x).sql(), "HUGEINT"), new SqlType(Family.INTEGER, 39, 0, false));
            case "CHAR", "VARCHAR", "STRING", "TEXT", "NCHAR", "CHARACTER" -> characters(x, first);
            case "BINARY" ->
                Typed.of(
                        first < 0
                                ? Coercions.bytes(x)
                                : Sql.call("keyline_binary", Coercions.bytes(x), Sql.number(first)),
                        SqlType.BYTES,
                        x.nullable());
            case "DATE", "DATEV2" -> Typed.of(Coercions.date(x, rewriting), SqlType.DATE);
            case "DATETIME", "TIMESTAMP", "DATETIMEV2" -> {
                int digits = Math.max(first, 0);
                yield Typed.of(Coercions.rounded(Coercions.timestamp(x, rewriting), digits), SqlType.datetime(digits));
            }
            case "DECIMAL", "DEC", "NUMERIC", "DECIMALV3" -> decimal(x, first < 0 ? 10 : first, second);
            case "DOUBLE", "REAL" -> Typed.of(Sql.cast(Coercions.toDouble(x), "DOUBLE"), SqlType.DOUBLE);
            case "FLOAT" -> Typed.of(Sql.cast(Coercions.toDouble(x), first > 24 ? "DOUBLE" : "FLOAT"), SqlType.DOUBLE);
            case "JSON" -> Typed.of(Sql.cast(Coercions.text(x).sql(), "JSON"), SqlType.JSON);
            case "BOOLEAN" -> Typed.bool(Coercions.truth(x));
            case "YEAR" -> Typed.of(Coercions.toInteger(x), SqlType.INTEGER);
            default -> throw StatementRefusedException.unsupported("CAST to " + type);
        };
    }

    private static Typed using(Typed x, @Nullable String charset) {
        return charset != null && charset.equalsIgnoreCase("binary")
                ? Typed.of(Coercions.bytes(x), SqlType.BYTES)
                : Coercions.text(x);
    }

    private static Typed characters(Typed x, int length) {
        Typed text = Coercions.text(x);
        Sql node = text.isParameter() ? Sql.cast(text.sql(), "VARCHAR") : text.sql();
        return Typed.of(length < 0 ? node : Sql.call("left", node, Sql.number(length)), SqlType.STRING, x.nullable());
    }

    /** Converts to a signed integer. Numbers are rounded. Text becomes its integer prefix. */
    private static Sql signed(Typed x) {
        if (x.family() == Family.INTEGER && x.type().unsigned()) {
            return Sql.call("keyline_signed", Coercions.number(x).sql());
        }
        return x.type().textual() ? prefix(x, "BIGINT") : Coercions.toInteger(x);
    }

    private static Sql prefix(Typed x, String type) {
        if (x.family() == Family.BYTES && x.isParameter()) {
            throw StatementRefusedException.unsupported("CAST of bytes to an integer");
        }
        Sql text = Coercions.text(x).sql();
        return Sql.of(
                "CASE WHEN {} IS NULL THEN NULL ELSE CAST(coalesce(nullif(regexp_extract({}, '^\\s*[-+]?\\d+'), ''), '0')"
                        + " AS " + type + ") END",
                text,
                text);
    }

    /** Converts to an unsigned integer. Negative numbers become their two's complement. */
    private static Sql unsigned(Typed x) {
        if (x.type().textual()) {
            return Sql.call("keyline_bits", prefix(x, "HUGEINT"));
        }
        Typed number = Coercions.number(x);
        return Sql.of(number.family() == Family.INTEGER ? "keyline_bits({})" : "keyline_bits(round({}))", number.sql());
    }

    /** Converts to a DECIMAL. A number with too many digits becomes the largest value. */
    private static Typed decimal(Typed x, int precision, int scale) {
        if (precision > 38 || scale > precision) {
            throw StatementRefusedException.unsupported("DECIMAL(" + precision + "," + scale + ")");
        }
        String type = "DECIMAL(" + Math.max(precision, 1) + "," + scale + ")";
        Typed number = Coercions.number(x);
        Sql exact =
                number.family() == Family.DOUBLE ? Sql.call("round", number.sql(), Sql.number(scale)) : number.sql();
        String digits = "9".repeat(precision - scale) + (scale > 0 ? "." + "9".repeat(scale) : "");
        return Typed.of(
                Sql.of(
                        "CASE WHEN {} IS NULL THEN NULL ELSE coalesce(try_cast({} AS " + type
                                + "), CASE WHEN {} < 0 THEN -" + digits + " ELSE " + digits + " END) END",
                        number.sql(),
                        exact,
                        number.sql()),
                SqlType.decimal(precision, scale));
    }
}
