package org.keyline.stores.duckdb.calcite;

import java.util.List;
import java.util.Map;
import org.apache.calcite.sql.SqlNode;
import org.keyline.stores.duckdb.calcite.Functions.Function;
import org.keyline.stores.duckdb.translate.SqlType;
import org.keyline.stores.duckdb.translate.SqlType.Family;
import org.keyline.stores.duckdb.translate.ValueSlot;

/** Functions of numbers, and the arithmetic operators. */
final class NumberFunctions {

    private static final String MAX_UNSIGNED = "18446744073709551615";

    private NumberFunctions() {}

    static void register(Map<String, Function> all) {
        all.put("abs", c -> {
            Typed x = Coercions.number(c.arity(1, 1).arg(0));
            return Typed.of(Duck.call("abs", x.node()), x.type());
        });
        Function ceil = c -> whole(c, "ceil");
        all.put("ceil", ceil);
        all.put("ceiling", ceil);
        all.put("floor", c -> whole(c, "floor"));
        all.put("round", NumberFunctions::round);
        all.put("truncate", NumberFunctions::truncate);
        all.put(
                "sign",
                c -> c.integer(Duck.cast(
                        Duck.call("sign", Coercions.number(c.arity(1, 1).arg(0)).node()), "INTEGER")));
        all.put("mod", c -> modulo(c.arity(2, 2).arg(0), c.arg(1)));
        Function power = c -> Typed.of(Duck.call("pow", c.arity(2, 2).toDouble(0), c.toDouble(1)), SqlType.DOUBLE);
        all.put("pow", power);
        all.put("power", power);
        all.put("sqrt", c -> guarded(c, "sqrt", "< 0"));
        all.put("ln", c -> guarded(c, "ln", "<= 0"));
        all.put("log10", c -> guarded(c, "log10", "<= 0"));
        all.put("log2", c -> guarded(c, "log2", "<= 0"));
        all.put("log", c -> {
            if (c.arity(1, 2).size() == 1) {
                return guarded(c, "ln", "<= 0");
            }
            SqlNode base = positive(c.toDouble(0));
            return Typed.of(
                    Duck.infix(
                            Duck.call("ln", positive(c.toDouble(1))),
                            "/",
                            Duck.call("nullif", Duck.call("ln", base), Duck.number(0))),
                    SqlType.DOUBLE);
        });
        for (String name : new String[] {"exp", "sin", "cos", "tan", "cot", "degrees", "radians"}) {
            all.put(name, c -> Typed.of(Duck.call(name, c.arity(1, 1).toDouble(0)), SqlType.DOUBLE));
        }
        for (String name : new String[] {"asin", "acos"}) {
            all.put(name, c -> {
                SqlNode x = c.arity(1, 1).toDouble(0);
                return Typed.of(
                        Duck.around("CASE WHEN abs(", ") <= 1 THEN ", " END", x, Duck.call(name, x)), SqlType.DOUBLE);
            });
        }
        Function arctangent = c -> Typed.of(
                c.arity(1, 2).size() == 1
                        ? Duck.call("atan", c.toDouble(0))
                        : Duck.call("atan2", c.toDouble(0), c.toDouble(1)),
                SqlType.DOUBLE);
        all.put("atan", arctangent);
        all.put("atan2", arctangent);
        all.put("pi", c -> Typed.of(Duck.call("pi"), SqlType.DOUBLE, false));
        all.put("rand", c -> Typed.of(Duck.call("random"), SqlType.DOUBLE, false));
        all.put(
                "bit_count",
                c -> c.integer(Duck.cast(
                        Duck.call(
                                "bit_count",
                                Duck.cast(
                                        Duck.call(
                                                "keyline_bits",
                                                Coercions.toInteger(
                                                        c.arity(1, 1).arg(0))),
                                        "HUGEINT")),
                        "BIGINT")));
    }

    private static SqlNode positive(SqlNode x) {
        return Duck.around("CASE WHEN ", " > 0 THEN ", " END", x, x);
    }

    private static Typed guarded(FunctionCall c, String name, String outside) {
        SqlNode x = c.arity(1, 1).toDouble(0);
        return Typed.of(
                Duck.around("CASE WHEN ", " " + outside + " THEN NULL ELSE ", " END", x, Duck.call(name, x)),
                SqlType.DOUBLE);
    }

    private static Typed whole(FunctionCall c, String name) {
        Typed x = Coercions.number(c.arity(1, 1).arg(0));
        return switch (x.family()) {
            case INTEGER -> x;
            case DECIMAL -> Typed.of(Duck.cast(Duck.call(name, x.node()), "HUGEINT"), SqlType.INTEGER);
            default -> Typed.of(Duck.call(name, x.node()), SqlType.DOUBLE);
        };
    }

    private static Typed round(FunctionCall c) {
        Typed x = Coercions.number(c.arity(1, 2).arg(0));
        if (c.size() == 1) {
            return switch (x.family()) {
                case INTEGER -> x;
                case DECIMAL ->
                    Typed.of(Duck.cast(Duck.call("round", x.node()), "DECIMAL(38,0)"), SqlType.decimal(38, 0));
                default -> Typed.of(Duck.call("round_even", x.node(), Duck.number(0)), SqlType.DOUBLE);
            };
        }
        Typed digits = c.arg(1);
        ValueSlot slot = c.translation().literal(digits);
        SqlNode n = c.toInt(1);
        if (x.family() == Family.DECIMAL) {
            if (slot != null && slot.value() instanceof Long count) {
                long signed = digits.parameter() != null && digits.parameter().negated() ? -count : count;
                int scale = (int) Math.max(Math.min(signed, x.type().scale()), 0);
                return Typed.of(
                        Duck.cast(
                                Duck.call("round", x.node(), Duck.raw("CAST(" + clamp(signed) + " AS INTEGER)")),
                                "DECIMAL(38," + scale + ")"),
                        SqlType.decimal(38, scale));
            }
            return Typed.of(Duck.call("round", Coercions.toDouble(x), n), SqlType.DOUBLE);
        }
        if (x.family() == Family.INTEGER) {
            return Typed.of(
                    Duck.cast(Duck.call("round", Duck.cast(x.node(), "DECIMAL(38,0)"), n), "HUGEINT"), SqlType.INTEGER);
        }
        return Typed.of(Duck.call("round_even", Duck.cast(x.node(), "DOUBLE"), n), SqlType.DOUBLE);
    }

    private static long clamp(long n) {
        return Math.max(-37, Math.min(n, 37));
    }

    private static Typed truncate(FunctionCall c) {
        Typed x = Coercions.number(c.arity(2, 2).arg(0));
        if (x.family() == Family.INTEGER) {
            return Typed.of(
                    Duck.cast(Duck.call("trunc", Duck.cast(x.node(), "DECIMAL(38,0)"), c.toInt(1)), "HUGEINT"),
                    SqlType.INTEGER);
        }
        ValueSlot slot = c.translation().literal(c.arg(1));
        if (x.family() == Family.DECIMAL && slot != null && slot.value() instanceof Long count) {
            int scale = (int) Math.max(Math.min(count, x.type().scale()), 0);
            return Typed.of(
                    Duck.cast(Duck.call("trunc", x.node(), c.toInt(1)), "DECIMAL(38," + scale + ")"),
                    SqlType.decimal(38, scale));
        }
        return Typed.of(Duck.call("trunc", Coercions.toDouble(x), c.toInt(1)), SqlType.DOUBLE);
    }

    /** {@code + - *}. */
    static Typed arithmetic(String operator, Typed left, Typed right) {
        Typed a = Coercions.number(left);
        Typed b = Coercions.number(right);
        if (a.family() == Family.DOUBLE || b.family() == Family.DOUBLE) {
            return Typed.of(Duck.infix(Coercions.toDouble(a), operator, Coercions.toDouble(b)), SqlType.DOUBLE);
        }
        if (a.family() == Family.DECIMAL || b.family() == Family.DECIMAL) {
            int scale = operator.equals("*")
                    ? a.type().scale() + b.type().scale()
                    : Math.max(a.type().scale(), b.type().scale());
            return Typed.of(Duck.infix(a.node(), operator, b.node()), SqlType.decimal(38, scale));
        }
        if (a.family() == Family.INTEGER
                && b.family() == Family.INTEGER
                && (a.type().unsigned() || b.type().unsigned())) {
            SqlNode huge = Duck.infix(Duck.cast(a.node(), "HUGEINT"), operator, Duck.cast(b.node(), "HUGEINT"));
            return Typed.of(Duck.cast(huge, "UBIGINT"), SqlType.UNSIGNED);
        }
        SqlType type = a.family() == Family.INTEGER || b.family() == Family.INTEGER ? SqlType.INTEGER : a.type();
        return Typed.of(Duck.infix(a.node(), operator, b.node()), type);
    }

    /** {@code /}: exact numbers give a decimal of four more digits, others a double; by zero, NULL. */
    static Typed divide(Typed left, Typed right) {
        Typed a = Coercions.number(left);
        Typed b = Coercions.number(right);
        SqlNode quotient = Duck.infix(
                Coercions.toDouble(a), "/", Duck.call("nullif", Coercions.toDouble(b), Duck.raw("0::DOUBLE")));
        if (!isExact(a) || !isExact(b)) {
            return Typed.of(quotient, SqlType.DOUBLE);
        }
        int scale = Math.min(a.type().scale() + 4, 30);
        SqlType type = SqlType.decimal(38, scale);
        SqlNode rounded = Duck.cast(Duck.call("round", quotient, Duck.number(scale)), "DECIMAL(38," + scale + ")");
        int shift = scale + b.type().scale() - a.type().scale();
        if (shift < 0 || shift > 37) {
            return Typed.of(rounded, type);
        }
        // DuckDB divides decimals as doubles. Exact are integers of 128 bits; a quotient that needs more is a double's.
        SqlNode ratio = Duck.call(
                "keyline_ratio",
                Duck.infix(digits(a), "*", Duck.raw("1" + "0".repeat(shift) + "::HUGEINT")),
                Duck.call("nullif", digits(b), Duck.number(0)));
        SqlNode exact = pointed(ratio, scale);
        SqlNode fits = Duck.chain(
                "AND",
                List.of(fits(a, scale + b.type().scale()), fits(b, b.type().scale())));
        return Typed.of(Duck.call("coalesce", Duck.around("CASE WHEN ", " THEN ", " END", fits, exact), rounded), type);
    }

    /** An integer with a point before its last digits; NULL where DECIMAL can't hold it. */
    private static SqlNode pointed(SqlNode digits, int scale) {
        SqlNode unit = Duck.raw("CAST('0." + "0".repeat(scale - 1) + "1' AS DECIMAL(" + scale + "," + scale + "))");
        if (2 * scale > 38) {
            return Duck.infix(Duck.tryCast(digits, "DECIMAL(" + (38 - scale) + ",0)"), "*", unit);
        }
        SqlNode one = Duck.raw("1" + "0".repeat(scale) + "::HUGEINT");
        SqlNode whole = Duck.tryCast(Duck.infix(digits, "//", one), "DECIMAL(38," + scale + ")");
        SqlNode rest = Duck.cast(Duck.infix(digits, "%", one), "DECIMAL(" + scale + ",0)");
        return Duck.infix(whole, "+", Duck.infix(rest, "*", unit));
    }

    /** Whether a number with so many digits after the point stays within 128 bits, twice over. */
    private static SqlNode fits(Typed x, int scale) {
        return Duck.infix(Duck.call("abs", Coercions.toDouble(x)), "<", Duck.raw("1e" + (37 - scale) + "::DOUBLE"));
    }

    /** All digits of an exact number, without the point. */
    private static SqlNode digits(Typed x) {
        if (x.family() == Family.INTEGER) {
            return Duck.cast(x.node(), "HUGEINT");
        }
        SqlNode text = Duck.cast(Duck.cast(x.node(), "DECIMAL(38," + x.type().scale() + ")"), "VARCHAR");
        return Duck.cast(Duck.call("replace", text, Duck.string("."), Duck.string("")), "HUGEINT");
    }

    private static boolean isExact(Typed x) {
        return x.family() == Family.INTEGER || x.family() == Family.DECIMAL;
    }

    /** {@code DIV}. */
    static Typed integerDivide(Typed left, Typed right) {
        Typed a = Coercions.number(left);
        Typed b = Coercions.number(right);
        SqlNode divisor = Duck.call("nullif", b.node(), Duck.number(0));
        if (a.family() == Family.INTEGER && b.family() == Family.INTEGER) {
            return Typed.of(
                    Duck.infix(a.node(), "//", divisor),
                    new SqlType(Family.INTEGER, 0, 0, a.type().unsigned()));
        }
        SqlNode quotient = Duck.infix(
                Coercions.toDouble(a), "/", Duck.call("nullif", Coercions.toDouble(b), Duck.raw("0::DOUBLE")));
        return Typed.of(Duck.cast(Duck.call("trunc", quotient), "BIGINT"), SqlType.INTEGER);
    }

    /** {@code %}: the sign is the dividend's; by zero, NULL. */
    static Typed modulo(Typed left, Typed right) {
        Typed a = Coercions.number(left);
        Typed b = Coercions.number(right);
        boolean dbl = a.family() == Family.DOUBLE || b.family() == Family.DOUBLE;
        SqlNode divisor = dbl
                ? Duck.call("nullif", Coercions.toDouble(b), Duck.raw("0::DOUBLE"))
                : Duck.call("nullif", b.node(), Duck.number(0));
        SqlNode dividend = dbl ? Coercions.toDouble(a) : a.node();
        SqlType type = dbl
                ? SqlType.DOUBLE
                : isExact(a) && (a.family() == Family.DECIMAL || b.family() == Family.DECIMAL)
                        ? SqlType.decimal(
                                38, Math.max(a.type().scale(), b.type().scale()))
                        : a.type();
        return Typed.of(Duck.infix(dividend, "%", divisor), type);
    }

    /** {@code -x}. */
    static Typed negative(Typed x) {
        if (x.node() instanceof ParameterNode parameter && x.type().numeric()) {
            return new Typed(
                    parameter.with(parameter.parameter().negation()),
                    new SqlType(x.family(), x.type().digits(), x.type().scale(), false),
                    x.nullable(),
                    null);
        }
        Typed number = Coercions.number(x);
        SqlType type = number.type().unsigned() ? SqlType.INTEGER : number.type();
        SqlNode operand = number.type().unsigned() ? Duck.cast(number.node(), "HUGEINT") : number.node();
        return Typed.of(Duck.prefix("-", operand), type, x.nullable());
    }

    /** {@code & | ^ << >>}: of 64 bits without a sign. */
    static Typed bits(String operator, Typed left, Typed right) {
        SqlNode a = bits(left);
        return switch (operator) {
            case "<<" -> Typed.of(Duck.call("keyline_shift_left", a, Coercions.toInteger(right)), SqlType.UNSIGNED);
            case ">>" -> Typed.of(Duck.call("keyline_shift_right", a, Coercions.toInteger(right)), SqlType.UNSIGNED);
            case "^" -> Typed.of(Duck.call("xor", a, bits(right)), SqlType.UNSIGNED);
            default -> Typed.of(Duck.infix(a, operator, bits(right)), SqlType.UNSIGNED);
        };
    }

    private static SqlNode bits(Typed x) {
        Typed number = Coercions.number(x);
        SqlNode whole = number.family() == Family.INTEGER ? number.node() : Duck.call("round", number.node());
        return Duck.call("keyline_bits", whole);
    }

    /** {@code ~x}. */
    static Typed inverted(Typed x) {
        return Typed.of(Duck.call("xor", bits(x), Duck.raw(MAX_UNSIGNED + "::UBIGINT")), SqlType.UNSIGNED);
    }
}
