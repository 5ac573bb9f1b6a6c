package org.keyline.stores.duckdb.rewrite;

import java.util.ArrayList;
import java.util.List;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.translate.Conversion;
import org.keyline.stores.duckdb.translate.SqlType;
import org.keyline.stores.duckdb.translate.SqlType.Family;

/**
 * Compares by MySQL's rules: a text and a number as doubles, a text and a date as dates, and two
 * texts by their bytes. A literal or placeholder beside a column is converted to the column's type,
 * so that DuckDB can use an index of the column.
 */
final class Comparisons {

    private Comparisons() {}

    static Sql compare(String operator, Typed a, Typed b) {
        if (!a.row().isEmpty() || !b.row().isEmpty()) {
            return rows(operator, a.row(), b.row());
        }
        Typed[] aligned = aligned(a, b, rounding(operator));
        return Sql.infix(aligned[0].sql(), operator, aligned[1].sql());
    }

    /**
     * Returns how a value on the right of the operator is rounded to the scale of an exact number
     * on its left.
     */
    private static Conversion rounding(String operator) {
        return switch (operator) {
            case "<", ">=" -> Conversion.CEILING;
            case ">", "<=" -> Conversion.FLOOR;
            case "<>" -> Conversion.UNEQUAL;
            default -> Conversion.EQUAL;
        };
    }

    private static Conversion swapped(Conversion rounding) {
        return rounding == Conversion.CEILING
                ? Conversion.FLOOR
                : rounding == Conversion.FLOOR ? Conversion.CEILING : rounding;
    }

    private static Typed[] aligned(Typed a, Typed b, Conversion rounding) {
        if (a.isParameter() && b.isParameter()) {
            return parameters(a, b, rounding);
        }
        if (a.isParameter()) {
            Typed[] swapped = beside(b, a, swapped(rounding));
            return new Typed[] {swapped[1], swapped[0]};
        }
        return b.isParameter() ? beside(a, b, rounding) : expressions(a, b, rounding);
    }

    /**
     * Returns the conversion for a comparison with a date. For {@code =} or IN, text that is no
     * date equals no date. Other operators refuse such text, because MariaDB and Doris disagree.
     */
    private static Conversion date(Conversion rounding) {
        return rounding == Conversion.EQUAL || rounding == Conversion.NUMBER
                ? Conversion.SAME_MOMENT
                : Conversion.MOMENT;
    }

    private static Typed[] parameters(Typed a, Typed b, Conversion rounding) {
        boolean numeric = a.type().numeric() || b.type().numeric();
        boolean temporal = a.type().temporal() || b.type().temporal();
        if (numeric) {
            return new Typed[] {Coercions.number(a), Coercions.number(b)};
        }
        if (temporal) {
            return new Typed[] {
                a.converted(date(rounding), SqlType.datetime(6)), b.converted(date(rounding), SqlType.datetime(6))
            };
        }
        return new Typed[] {a, b};
    }

    /** Returns an expression and a parameter, converted for their comparison. */
    private static Typed[] beside(Typed x, Typed parameter, Conversion rounding) {
        if (parameter.family() == Family.NULL) {
            return new Typed[] {x, parameter};
        }
        return switch (x.family()) {
            case INTEGER, DECIMAL -> new Typed[] {x, parameter.beside(x.type(), rounding)};
            case DOUBLE -> new Typed[] {x, parameter.converted(Conversion.DOUBLE, SqlType.DOUBLE)};
            case BOOLEAN -> new Typed[] {Coercions.number(x), parameter.beside(SqlType.INTEGER, rounding)};
            case DATE, DATETIME -> new Typed[] {x, parameter.converted(date(rounding), SqlType.datetime(6))};
            case BYTES -> besideBytes(x, parameter);
            case JSON -> new Typed[] {Coercions.text(x), parameter.converted(Conversion.STRING, SqlType.STRING)};
            case STRING -> besideText(x, parameter, rounding);
            default -> new Typed[] {x, parameter};
        };
    }

    private static Typed[] besideBytes(Typed x, Typed parameter) {
        return switch (parameter.family()) {
            case INTEGER, DECIMAL, DOUBLE ->
                new Typed[] {Coercions.number(x), parameter.converted(Conversion.DOUBLE, SqlType.DOUBLE)};
            default -> new Typed[] {x, parameter.converted(Conversion.BYTES, SqlType.BYTES)};
        };
    }

    private static Typed[] besideText(Typed x, Typed parameter, Conversion rounding) {
        return switch (parameter.family()) {
            case INTEGER, DECIMAL, DOUBLE ->
                new Typed[] {Coercions.number(x), parameter.converted(Conversion.DOUBLE, SqlType.DOUBLE)};
            case BYTES -> new Typed[] {Typed.of(Coercions.bytes(x), SqlType.BYTES), parameter};
            case DATE, DATETIME -> new Typed[] {asTemporal(x, rounding), parameter};
            default -> {
                Typed text = parameter.converted(Conversion.STRING, SqlType.STRING);
                yield isOfSystem(x) ? new Typed[] {lower(x), lower(text)} : new Typed[] {x, text};
            }
        };
    }

    /**
     * Returns whether this is a column of information_schema. Comparisons with it ignore case,
     * because drivers request {@code IS_NULLABLE = 'yes'}.
     */
    static boolean isOfSystem(Typed x) {
        var origin = x.origin();
        return origin != null && origin.relation().name().schema().equalsIgnoreCase("information_schema");
    }

    private static Typed lower(Typed text) {
        return Typed.of(Sql.call("lower", text.sql()), SqlType.STRING, text.nullable());
    }

    private static Typed[] expressions(Typed a, Typed b, Conversion rounding) {
        SqlType ta = a.type();
        SqlType tb = b.type();
        if (ta.numeric() && tb.numeric()) {
            boolean same = a.family() == Family.BOOLEAN && b.family() == Family.BOOLEAN;
            boolean either = a.family() == Family.BOOLEAN || b.family() == Family.BOOLEAN;
            return either && !same ? new Typed[] {Coercions.number(a), Coercions.number(b)} : new Typed[] {a, b};
        }
        if (ta.textual() && tb.textual()) {
            boolean bytes = a.family() == Family.BYTES || b.family() == Family.BYTES;
            return bytes
                    ? new Typed[] {
                        Typed.of(Coercions.bytes(a), SqlType.BYTES), Typed.of(Coercions.bytes(b), SqlType.BYTES)
                    }
                    : new Typed[] {Coercions.text(a), Coercions.text(b)};
        }
        if ((ta.numeric() && tb.textual()) || (ta.textual() && tb.numeric())) {
            return new Typed[] {
                Typed.of(Coercions.toDouble(a), SqlType.DOUBLE), Typed.of(Coercions.toDouble(b), SqlType.DOUBLE)
            };
        }
        if ((ta.numeric() && tb.temporal()) || (ta.temporal() && tb.numeric())) {
            return new Typed[] {Coercions.number(a), Coercions.number(b)};
        }
        if (ta.temporal() && tb.textual()) {
            return new Typed[] {a, asTemporal(b, rounding)};
        }
        if (ta.textual() && tb.temporal()) {
            return new Typed[] {asTemporal(a, rounding), b};
        }
        return new Typed[] {a, b};
    }

    private static Typed asTemporal(Typed text, Conversion rounding) {
        Sql value = Coercions.text(text).sql();
        boolean lenient = date(rounding) == Conversion.SAME_MOMENT;
        return Typed.of(Sql.call(lenient ? "keyline_same_date" : "keyline_is_date", value), SqlType.datetime(6));
    }

    /**
     * Writes BETWEEN. If a text is compared with a number and another text, MySQL compares all
     * three as numbers.
     */
    static Sql between(Typed x, Typed from, Typed to) {
        if (!x.row().isEmpty() || !from.row().isEmpty() || !to.row().isEmpty()) {
            throw Rewriting.operands(1);
        }
        boolean numbers =
                x.type().textual() && (from.type().numeric() || to.type().numeric());
        Typed low = numbers && from.type().textual() ? Coercions.number(from) : from;
        Typed high = numbers && to.type().textual() ? Coercions.number(to) : to;
        return Sql.and(compare(">=", x, low), compare("<=", x, high));
    }

    static Sql in(Typed x, List<Typed> items) {
        if (!x.row().isEmpty()) {
            return Sql.chain(
                    "OR", items.stream().map(item -> compare("=", x, item)).toList());
        }
        // MySQL compares a decimal with a list by all computed digits, but with a single value only
        // by the digits that it shows.
        Typed open = x.family() == Family.DECIMAL
                ? Typed.of(x.open().sql(), SqlType.decimal(38, x.scale()), x.nullable())
                : x;
        List<Sql> equal = new ArrayList<>(items.size());
        List<Sql> bare = new ArrayList<>(items.size());
        boolean allBare = true;
        for (Typed item : items) {
            Typed[] aligned = aligned(open, item, Conversion.EQUAL);
            allBare &= aligned[0].sql() == open.sql();
            bare.add(aligned[1].sql());
            equal.add(Sql.infix(aligned[0].sql(), "=", aligned[1].sql()));
        }
        if (!allBare) {
            return Sql.chain("OR", equal);
        }
        return Sql.infix(open.sql(), "IN", Sql.call("", bare));
    }

    /** Writes IN with a subquery. Columns of the subquery are compared like columns of a table. */
    static Sql in(Typed left, Queries.Result query, Rewriting rewriting) {
        int size = Math.max(left.row().size(), 1);
        if (query.columns().size() != size) {
            throw Rewriting.operands(size);
        }
        String alias = rewriting.freshName();
        Sql derived = Sql.derived(query.sql(), alias, size);
        if (left.row().isEmpty()) {
            Typed column =
                    Typed.of(Sql.name(alias, "c0"), query.columns().get(0).type());
            Typed[] aligned = aligned(left, column, Conversion.NUMBER);
            return Sql.of("({} = ANY (SELECT {} FROM {}))", aligned[0].sql(), aligned[1].sql(), derived);
        }
        throw StatementRefusedException.unsupported("(…, …) IN (subquery)");
    }

    /** Compares rows of the same length. They are equal if all their elements are. */
    private static Sql rows(String operator, List<Typed> a, List<Typed> b) {
        if (a.size() != b.size()) {
            throw Rewriting.operands(Math.max(a.size(), 1));
        }
        if (!List.of("=", "<>", "IS NOT DISTINCT FROM").contains(operator)) {
            throw StatementRefusedException.unsupported("(…, …) beside " + operator);
        }
        List<Sql> parts = new ArrayList<>(a.size());
        for (int i = 0; i < a.size(); i++) {
            parts.add(compare(operator, a.get(i), b.get(i)));
        }
        return Sql.chain(operator.equals("<>") ? "OR" : "AND", parts);
    }
}
