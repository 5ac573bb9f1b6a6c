package org.keyline.stores.duckdb.rewrite;

import org.keyline.stores.duckdb.translate.SqlType;
import org.keyline.stores.duckdb.translate.SqlType.Family;

/** Writes the operators on numbers and bits. */
final class Operators {
    private static final String MAX_UNSIGNED = "18446744073709551615";

    /** The maximum scale of a product. It leaves 14 of DuckDB's 38 digits for the whole part. */
    private static final int MAX_PRODUCT_SCALE = 24;

    private static final int MAX_QUOTIENT_SCALE = 18;
    private static final int WORD = 9;

    private Operators() {}

    /** Returns an exact number, computed with {@code scale} decimals and shown as {@code type}. */
    static Typed exact(Sql sql, int scale, SqlType type) {
        return Typed.of(scale > type.scale() ? Sql.Computed.decimal(sql, scale, type) : sql, type);
    }

    /** Returns an exact operand with at most {@code most} decimals, unless MySQL shows more. */
    private static Typed limited(Typed x, Typed number, int most) {
        int scale = Math.min(x.scale(), Math.max(most, number.type().scale()));
        SqlType type = number.family() == Family.INTEGER
                ? number.type()
                : SqlType.decimal(number.type().digits(), scale);
        Sql sql = scale < x.scale() ? Sql.cast(number.sql(), "DECIMAL(38," + scale + ")") : number.sql();
        return Typed.of(sql, type);
    }

    /** Widens decimals of at most 18 digits, with which DuckDB would compute in only 64 bits. */
    private static Sql wide(Typed x, Typed number) {
        boolean narrow = number.family() == Family.DECIMAL
                && !number.isParameter()
                && number.type().digits() <= 18;
        return narrow ? Sql.cast(number.sql(), "DECIMAL(38," + x.scale() + ")") : number.sql();
    }

    private static int words(int digits) {
        return (digits + WORD - 1) / WORD * WORD;
    }

    /** @param fails whether a division by zero is an error; otherwise its result is NULL */
    static Typed infix(String operator, Typed left, Typed right, boolean fails) {
        return switch (operator) {
            case "+", "-", "*" -> arithmetic(operator, left, right);
            case "/" -> divide(left, right, fails);
            case "DIV" -> integerDivide(left, right, fails);
            case "%", "MOD" -> modulo(left, right, fails);
            default -> bits(operator, left, right);
        };
    }

    private static Typed arithmetic(String operator, Typed left, Typed right) {
        Typed a = Coercions.number(left);
        Typed b = Coercions.number(right);
        if (a.family() == Family.DOUBLE || b.family() == Family.DOUBLE) {
            return Typed.computed(Sql.infix(Coercions.toDouble(a.open()), operator, Coercions.toDouble(b.open())));
        }
        if (a.family() == Family.DECIMAL || b.family() == Family.DECIMAL) {
            if (!operator.equals("*")) {
                SqlType type =
                        SqlType.decimal(38, Math.max(a.type().scale(), b.type().scale()));
                Sql sum = Sql.infix(wide(left, a), operator, wide(right, b));
                return exact(sum, Math.max(left.scale(), right.scale()), type);
            }
            SqlType type = SqlType.decimal(38, a.type().scale() + b.type().scale());
            int most = left.scale() + right.scale() > MAX_PRODUCT_SCALE ? MAX_PRODUCT_SCALE / 2 : MAX_PRODUCT_SCALE;
            Typed x = limited(left, a, most);
            Typed y = limited(right, b, most);
            Sql product = Sql.infix(wide(x, x), operator, wide(y, y));
            return exact(product, x.type().scale() + y.type().scale(), type);
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
     * Writes {@code /}. Two exact numbers give a decimal with four more decimals than the dividend;
     * other operands give a double. As in MySQL, the quotient is computed in words of nine digits,
     * and further digits are cut off.
     */
    static Typed divide(Typed left, Typed right, boolean fails) {
        Typed x = Coercions.number(left);
        Typed y = Coercions.number(right);
        Sql quotient = ratio("{} / {}", Coercions.toDouble(x.open()), Coercions.toDouble(y.open()), fails);
        if (!isExact(x) || !isExact(y)) {
            return Typed.computed(quotient);
        }
        SqlType type = SqlType.decimal(38, Math.min(x.type().scale() + 4, 30));
        Typed a = limited(left, x, MAX_QUOTIENT_SCALE);
        Typed b = limited(right, y, MAX_QUOTIENT_SCALE);
        int whole = words(a.type().scale()) + words(b.type().scale());
        int more = Math.max(0, 4 - (whole - a.type().scale() - b.type().scale()));
        int scale = Math.max(type.scale(), Math.min(words(whole + more), MAX_QUOTIENT_SCALE));
        Sql fits = fits(a, Math.max(scale + b.type().scale(), a.type().scale()));
        // If 128 bits are too few, only the shown decimals and one more are computed.
        Sql shorter = Sql.cast(quotient(a, b, type.scale() + 1, fails), "DECIMAL(38," + scale + ")");
        Sql exact = Sql.of("CASE WHEN {} THEN {} ELSE {} END", fits, quotient(a, b, scale, fails), shorter);
        return exact(exact, scale, type);
    }

    /** Divides as 128-bit integers, because DuckDB divides decimals as doubles. */
    private static Sql quotient(Typed a, Typed b, int scale, boolean fails) {
        return pointed(ratio(a, b, scale, fails), scale);
    }

    /** Returns the digits of a quotient with this many decimals, without the point. */
    private static Sql ratio(Typed a, Typed b, int scale, boolean fails) {
        int shift = scale + b.type().scale() - a.type().scale();
        String unit = "1" + "0".repeat(Math.abs(shift)) + "::HUGEINT";
        Sql x = shift < 0 ? digits(a) : Sql.of("({} * " + unit + ")", digits(a));
        Sql y = shift < 0 ? Sql.of("({} * " + unit + ")", digits(b)) : digits(b);
        return ratio("{} // {}", x, y, fails);
    }

    /** Returns a division in parentheses. */
    private static Sql ratio(String template, Sql x, Sql y, boolean fails) {
        return Sql.of("(" + template + ")", x, fails ? Sql.call("keyline_divisor", y, x) : Sql.of("nullif({}, 0)", y));
    }

    /** Returns an integer with a point before its last {@code scale} digits; NULL on overflow. */
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
     * Returns the condition that a number fits into 128 bits with this many decimals and one digit
     * to spare.
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

    private static Typed integerDivide(Typed left, Typed right, boolean fails) {
        Typed a = Coercions.number(left);
        Typed b = Coercions.number(right);
        if (a.family() == Family.INTEGER && b.family() == Family.INTEGER) {
            return Typed.of(
                    ratio("{} // {}", a.sql(), b.sql(), fails),
                    new SqlType(Family.INTEGER, 0, 0, a.type().unsigned()));
        }
        if (isExact(a) && isExact(b)) {
            Sql exact = ratio(limited(left, a, MAX_QUOTIENT_SCALE), limited(right, b, MAX_QUOTIENT_SCALE), 0, fails);
            return Typed.of(Sql.cast(exact, "BIGINT"), SqlType.INTEGER);
        }
        Sql quotient = ratio("{} / {}", Coercions.toDouble(a), Coercions.toDouble(b), fails);
        return Typed.of(Sql.of("CAST(trunc({}) AS BIGINT)", quotient), SqlType.INTEGER);
    }

    /** Writes {@code %}. The result has the sign of the dividend. */
    static Typed modulo(Typed left, Typed right, boolean fails) {
        Typed a = Coercions.number(left);
        Typed b = Coercions.number(right);
        if (a.family() == Family.DOUBLE || b.family() == Family.DOUBLE) {
            return Typed.computed(ratio("{} % {}", Coercions.toDouble(a), Coercions.toDouble(b), fails));
        }
        if (!isExact(a) || (a.family() == Family.INTEGER && b.family() == Family.INTEGER)) {
            return Typed.of(ratio("{} % {}", a.sql(), b.sql(), fails), a.type());
        }
        SqlType type = SqlType.decimal(38, Math.max(a.type().scale(), b.type().scale()));
        Typed x = limited(left, a, MAX_QUOTIENT_SCALE);
        Typed y = limited(right, b, MAX_QUOTIENT_SCALE);
        int scale = Math.max(x.type().scale(), y.type().scale());
        // DuckDB would compute the remainder of operands of different types as doubles.
        String common = "DECIMAL(38," + scale + ")";
        return exact(ratio("{} % {}", Sql.cast(x.sql(), common), Sql.cast(y.sql(), common), fails), scale, type);
    }

    static Typed negative(Typed x) {
        if (x.sql() instanceof Sql.Value value && x.type().numeric()) {
            return x.with(
                    new SqlType(x.family(), x.type().digits(), x.type().scale(), false),
                    value.parameter().negation());
        }
        Typed number = Coercions.number(x);
        boolean unsigned = number.type().unsigned();
        Sql operand = unsigned ? Sql.cast(number.sql(), "HUGEINT") : number.sql();
        Typed negative = exact(
                Sql.of("(- {})", operand),
                number.family() == Family.DECIMAL ? x.scale() : 0,
                unsigned ? SqlType.INTEGER : number.type());
        return x.nullable() ? negative : Typed.of(negative.sql(), negative.type(), false);
    }

    /** Writes {@code & | ^ << >>} on unsigned 64-bit integers. */
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

    static Typed inverted(Typed x) {
        return Typed.of(Sql.of("xor({}, " + MAX_UNSIGNED + "::UBIGINT)", bits(x)), SqlType.UNSIGNED);
    }
}
