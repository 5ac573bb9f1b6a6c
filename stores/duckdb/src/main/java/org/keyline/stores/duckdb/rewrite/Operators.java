package org.keyline.stores.duckdb.rewrite;

import org.keyline.stores.duckdb.translate.SqlType;
import org.keyline.stores.duckdb.translate.SqlType.Family;

/** Operators on numbers and bits. */
final class Operators {
    private static final String MAX_UNSIGNED = "18446744073709551615";

    private Operators() {}

    static Typed infix(String operator, Typed left, Typed right) {
        return switch (operator) {
            case "+", "-", "*" -> arithmetic(operator, left, right);
            case "/" -> divide(left, right);
            case "DIV" -> integerDivide(left, right);
            case "%", "MOD" -> modulo(left, right);
            default -> bits(operator, left, right);
        };
    }

    private static Typed arithmetic(String operator, Typed left, Typed right) {
        Typed a = Coercions.number(left);
        Typed b = Coercions.number(right);
        if (a.family() == Family.DOUBLE || b.family() == Family.DOUBLE) {
            return Typed.of(Sql.infix(Coercions.toDouble(a), operator, Coercions.toDouble(b)), SqlType.DOUBLE);
        }
        if (a.family() == Family.DECIMAL || b.family() == Family.DECIMAL) {
            int scale = operator.equals("*")
                    ? a.type().scale() + b.type().scale()
                    : Math.max(a.type().scale(), b.type().scale());
            return Typed.of(Sql.infix(a.sql(), operator, b.sql()), SqlType.decimal(38, scale));
        }
        boolean integers = a.family() == Family.INTEGER && b.family() == Family.INTEGER;
        if (integers && (a.type().unsigned() || b.type().unsigned())) {
            Sql huge = Sql.infix(Sql.cast(a.sql(), "HUGEINT"), operator, Sql.cast(b.sql(), "HUGEINT"));
            return Typed.of(Sql.cast(huge, "UBIGINT"), SqlType.UNSIGNED);
        }
        boolean integer = a.family() == Family.INTEGER || b.family() == Family.INTEGER;
        return Typed.of(Sql.infix(a.sql(), operator, b.sql()), integer ? SqlType.INTEGER : a.type());
    }

    /**
     * {@code /}: two exact numbers give a decimal with four more digits, other operands a double.
     * Division by zero gives NULL.
     */
    static Typed divide(Typed left, Typed right) {
        Typed a = Coercions.number(left);
        Typed b = Coercions.number(right);
        Sql quotient = Sql.infix(Coercions.toDouble(a), "/", Sql.of("nullif({}, 0::DOUBLE)", Coercions.toDouble(b)));
        if (!isExact(a) || !isExact(b)) {
            return Typed.of(quotient, SqlType.DOUBLE);
        }
        int scale = Math.min(a.type().scale() + 4, 30);
        SqlType type = SqlType.decimal(38, scale);
        Sql rounded = Sql.of("CAST(round({}, " + scale + ") AS DECIMAL(38," + scale + "))", quotient);
        int shift = scale + b.type().scale() - a.type().scale();
        if (shift < 0 || shift > 37) {
            return Typed.of(rounded, type);
        }
        // DuckDB divides decimals as doubles. Division of 128-bit integers is exact; a quotient
        // that needs more bits is divided as doubles.
        Sql ratio = Sql.of(
                "keyline_ratio(({} * 1" + "0".repeat(shift) + "::HUGEINT), nullif({}, 0))", digits(a), digits(b));
        Sql fits = Sql.and(fits(a, scale + b.type().scale()), fits(b, b.type().scale()));
        return Typed.of(Sql.of("coalesce(CASE WHEN {} THEN {} END, {})", fits, pointed(ratio, scale), rounded), type);
    }

    /**
     * Returns an integer with a point before its last digits; NULL if DECIMAL cannot represent it.
     */
    private static Sql pointed(Sql digits, int scale) {
        String unit = "CAST('0." + "0".repeat(scale - 1) + "1' AS DECIMAL(" + scale + "," + scale + "))";
        if (2 * scale > 38) {
            return Sql.of("(TRY_CAST({} AS DECIMAL(" + (38 - scale) + ",0)) * " + unit + ")", digits);
        }
        String one = "1" + "0".repeat(scale) + "::HUGEINT";
        return Sql.of(
                "(TRY_CAST(({} // " + one + ") AS DECIMAL(38," + scale + ")) + (CAST(({} % " + one + ") AS DECIMAL("
                        + scale + ",0)) * " + unit + "))",
                digits,
                digits);
    }

    /**
     * Returns whether all digits of a number, with this many digits after the point, fit into 128
     * bits with room for one more digit.
     */
    private static Sql fits(Typed x, int scale) {
        return Sql.of("(abs({}) < 1e" + (37 - scale) + "::DOUBLE)", Coercions.toDouble(x));
    }

    /** Returns all digits of an exact number, without the point. */
    private static Sql digits(Typed x) {
        return x.family() == Family.INTEGER
                ? Sql.cast(x.sql(), "HUGEINT")
                : Sql.of(
                        "CAST(replace(CAST(CAST({} AS DECIMAL(38," + x.type().scale()
                                + ")) AS VARCHAR), '.', '') AS HUGEINT)",
                        x.sql());
    }

    static boolean isExact(Typed x) {
        return x.family() == Family.INTEGER || x.family() == Family.DECIMAL;
    }

    private static Typed integerDivide(Typed left, Typed right) {
        Typed a = Coercions.number(left);
        Typed b = Coercions.number(right);
        if (a.family() == Family.INTEGER && b.family() == Family.INTEGER) {
            return Typed.of(
                    Sql.of("({} // nullif({}, 0))", a.sql(), b.sql()),
                    new SqlType(Family.INTEGER, 0, 0, a.type().unsigned()));
        }
        return Typed.of(
                Sql.of(
                        "CAST(trunc({} / nullif({}, 0::DOUBLE)) AS BIGINT)",
                        Coercions.toDouble(a),
                        Coercions.toDouble(b)),
                SqlType.INTEGER);
    }

    /** {@code %}: the result has the sign of the dividend. Division by zero gives NULL. */
    static Typed modulo(Typed left, Typed right) {
        Typed a = Coercions.number(left);
        Typed b = Coercions.number(right);
        if (a.family() == Family.DOUBLE || b.family() == Family.DOUBLE) {
            Sql rest = Sql.of("({} % nullif({}, 0::DOUBLE))", Coercions.toDouble(a), Coercions.toDouble(b));
            return Typed.of(rest, SqlType.DOUBLE);
        }
        boolean decimal = isExact(a) && (a.family() == Family.DECIMAL || b.family() == Family.DECIMAL);
        SqlType type = decimal
                ? SqlType.decimal(38, Math.max(a.type().scale(), b.type().scale()))
                : a.type();
        return Typed.of(Sql.of("({} % nullif({}, 0))", a.sql(), b.sql()), type);
    }

    /** {@code -x}. */
    static Typed negative(Typed x) {
        if (x.sql() instanceof Sql.Value value && x.type().numeric()) {
            return x.with(
                    new SqlType(x.family(), x.type().digits(), x.type().scale(), false),
                    value.parameter().negation());
        }
        Typed number = Coercions.number(x);
        boolean unsigned = number.type().unsigned();
        Sql operand = unsigned ? Sql.cast(number.sql(), "HUGEINT") : number.sql();
        return Typed.of(Sql.of("(- {})", operand), unsigned ? SqlType.INTEGER : number.type(), x.nullable());
    }

    /** {@code & | ^ << >>} on unsigned 64-bit integers. */
    private static Typed bits(String operator, Typed left, Typed right) {
        Sql a = bits(left);
        return Typed.of(
                switch (operator) {
                    case "<<" -> Sql.call("keyline_shift_left", a, Coercions.toInteger(right));
                    case ">>" -> Sql.call("keyline_shift_right", a, Coercions.toInteger(right));
                    case "^" -> Sql.call("xor", a, bits(right));
                    default -> Sql.infix(a, operator, bits(right));
                },
                SqlType.UNSIGNED);
    }

    private static Sql bits(Typed x) {
        Typed number = Coercions.number(x);
        return Sql.of(number.family() == Family.INTEGER ? "keyline_bits({})" : "keyline_bits(round({}))", number.sql());
    }

    /** {@code ~x}. */
    static Typed inverted(Typed x) {
        return Typed.of(Sql.of("xor({}, " + MAX_UNSIGNED + "::UBIGINT)", bits(x)), SqlType.UNSIGNED);
    }
}
