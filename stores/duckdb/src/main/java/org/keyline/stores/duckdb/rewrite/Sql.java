package org.keyline.stores.duckdb.rewrite;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.keyline.stores.duckdb.translate.DuckDdl;
import org.keyline.stores.duckdb.translate.DuckLiterals;
import org.keyline.stores.duckdb.translate.Parameter;
import org.keyline.stores.duckdb.translate.SqlType;
import org.keyline.stores.duckdb.translate.Step;
import org.keyline.stores.duckdb.translate.ValueSlot;
import org.keyline.stores.duckdb.translate.Values;

/**
 * A piece of a DuckDB statement with its parameters. Larger pieces refer to smaller ones, so that
 * building them copies no text. Immutable.
 */
sealed class Sql permits Sql.Value, Sql.Computed {
    private static final int MAX_COPIES = 1 << 15;

    /** Strings, smaller pieces, and {@link Copies}. */
    private final List<Object> parts;

    /** The approximate number of characters after DuckDB has expanded the macros. */
    private final long length;

    /** The maximum number of times that a part occurs after DuckDB has expanded the macros. */
    private final int copies;

    private final boolean random;

    private Sql(List<Object> parts, int copies) {
        this.parts = parts;
        this.copies = copies;
        long sum = 0;
        boolean chance = false;
        for (Object part : parts) {
            sum += part instanceof Sql sql ? sql.length : part.toString().length();
            chance |= part instanceof Sql sql
                    ? sql.random
                    : part instanceof String text
                            && (text.startsWith("keyline_rand") || text.startsWith("keyline_uuid"));
        }
        this.random = chance;
        this.length = Math.min(sum * copies, Long.MAX_VALUE >> 8);
    }

    /** A value of the statement. It is printed as a {@code ?}, or as a literal if inlined. */
    static final class Value extends Sql {
        private final Parameter parameter;
        private final @Nullable ValueSlot literal;

        Value(Parameter parameter) {
            this(parameter, null);
        }

        /** @param literal the literal to print; null for a {@code ?} */
        Value(Parameter parameter, @Nullable ValueSlot literal) {
            super(List.of("?"), 1);
            this.parameter = parameter;
            this.literal = literal;
        }

        Parameter parameter() {
            return parameter;
        }

        Value with(Parameter other) {
            return new Value(other, literal);
        }

        @Override
        void print(Printer out) {
            if (literal != null) {
                out.text.append(DuckLiterals.text(Values.of(literal, parameter)));
            } else {
                out.text.append('?');
                out.parameters.add(parameter);
            }
        }
    }

    /**
     * A computed number with the digits that MySQL shows. Further arithmetic uses {@code open} with
     * all digits, because MySQL computes with more digits than it shows and checks ranges last.
     */
    static final class Computed extends Sql {
        private final Sql open;
        private final int scale;

        private Computed(Sql open, int scale, List<Object> parts, int copies) {
            super(parts, copies);
            this.open = open;
            this.scale = scale;
        }

        /** @param scale the number of decimals of {@code open} */
        static Computed decimal(Sql open, int scale, SqlType shown) {
            String type = " AS DECIMAL(38," + shown.scale() + "))";
            return new Computed(open, scale, List.of("CAST(", open, type), 1);
        }

        static Computed ofDouble(Sql open) {
            String macro = "keyline_finite(";
            return new Computed(open, 0, List.of(macro, open, ")"), Macros.copies(macro));
        }

        Sql open() {
            return open;
        }

        int scale() {
            return scale;
        }
    }

    /**
     * Stands for how often the text with the number {@code text} occurs in the statement, which is
     * known only after the whole statement is printed.
     */
    private record Copies(int text) {}

    private static final class Printer {
        private final StringBuilder text = new StringBuilder();
        private final List<Parameter> parameters = new ArrayList<>();
        /** For each {@link Copies}, its offset in the printed text, then its {@code text}. */
        private final List<Integer> places = new ArrayList<>();

        private final Map<Integer, Integer> copies = new HashMap<>();
        private int multiplier = 1;

        private String text() {
            for (int i = places.size() - 2; i >= 0; i -= 2) {
                text.insert(places.get(i), String.valueOf(copies.get(places.get(i + 1))));
            }
            return text.toString();
        }
    }

    /** The printed form of a piece. Pieces with equal printed forms are equal. */
    record Printed(String text, List<Parameter> parameters) {}

    /** Returns a template with an operand in the place of each {@code {}}. */
    static Sql of(String template, Sql... operands) {
        List<Object> parts = new ArrayList<>(2 * operands.length + 1);
        int from = 0;
        for (Sql operand : operands) {
            int at = template.indexOf("{}", from);
            parts.add(template.substring(from, at));
            parts.add(operand);
            from = at + 2;
        }
        parts.add(template.substring(from));
        return new Sql(parts, template.startsWith("nullif(") ? 2 : Macros.copies(template));
    }

    /**
     * Returns a text that DuckDB computes only if the function {@code keyline_hold} accepts its
     * length. Otherwise the statement fails.
     *
     * @param number the number of the text in the statement; equal texts have the same number
     * @param length an upper bound of the text's length in bytes
     */
    static Sql held(Sql text, int number, Sql length) {
        return new Sql(
                List.of(
                        "CASE WHEN keyline_hold(" + number + ", ",
                        new Copies(number),
                        ", CAST(",
                        length,
                        " AS BIGINT), getvariable('keyline_connection')) THEN ",
                        text,
                        " END"),
                1);
    }

    /** Returns whether a second evaluation can return a different value. */
    boolean isRandom() {
        return random;
    }

    /** Returns the approximate number of characters that DuckDB reads. */
    long length() {
        return length;
    }

    Printed printed() {
        Printer out = new Printer();
        print(out);
        return new Printed(out.text(), out.parameters);
    }

    /** Returns a piece of DuckDB's text without parameters. */
    static Sql raw(String words) {
        return new Sql(List.of(words), 1);
    }

    static Sql number(long value) {
        return raw(Long.toString(value));
    }

    static Sql string(String value) {
        return raw(DuckLiterals.string(value));
    }

    /** Returns {@code "a"."b"}. */
    static Sql name(String... names) {
        return raw(String.join(".", Arrays.stream(names).map(DuckDdl::quoted).toList()));
    }

    /** Returns whether this is the name of this column of this table, and nothing more. */
    boolean isName(String table, String column) {
        return parts.size() == 1 && parts.get(0).equals(DuckDdl.quoted(table) + "." + DuckDdl.quoted(column));
    }

    /** Returns the operands with a separator between them. */
    static Sql joined(String separator, List<Sql> operands) {
        List<Object> parts = new ArrayList<>(2 * operands.size());
        for (Sql operand : operands) {
            if (!parts.isEmpty()) {
                parts.add(separator);
            }
            parts.add(operand);
        }
        return new Sql(parts, 1);
    }

    static Sql list(List<Sql> operands) {
        return joined(", ", operands);
    }

    static Sql call(String name, Sql... arguments) {
        return call(name, Arrays.asList(arguments));
    }

    static Sql call(String name, List<Sql> arguments) {
        return of(name + "({})", list(arguments));
    }

    static Sql infix(Sql left, String operator, Sql right) {
        return of("({} " + operator + " {})", left, right);
    }

    /** Returns {@code (a operator b operator c)} for an associative operator. */
    static Sql chain(String operator, List<Sql> operands) {
        return operands.size() == 1 ? operands.get(0) : of("({})", joined(" " + operator + " ", operands));
    }

    static Sql and(Sql... operands) {
        return chain("AND", Arrays.asList(operands));
    }

    static Sql cast(Sql operand, String type) {
        return of("CAST({} AS " + type + ")", operand);
    }

    static Sql tryCast(Sql operand, String type) {
        return of("TRY_CAST({} AS " + type + ")", operand);
    }

    /** Returns a query in FROM with the column names {@code c0}, {@code c1}, …. */
    static Sql derived(Sql query, String alias, int columns) {
        List<Sql> names = new ArrayList<>(columns);
        for (int i = 0; i < columns; i++) {
            names.add(name("c" + i));
        }
        return of("({}) AS {}({})", query, name(alias), list(names));
    }

    /**
     * Returns a statement of DuckDB.
     *
     * @param most the maximum number of characters; a longer statement causes error 1436
     */
    Step step(Step.Role role, long most) {
        if (length > most) {
            throw Rewriting.tooDeep();
        }
        Printed printed = printed();
        return new Step(printed.text(), printed.parameters(), role);
    }

    void print(Printer out) {
        int around = out.multiplier;
        out.multiplier = Math.min(around * copies, MAX_COPIES);
        for (Object part : parts) {
            if (part instanceof Sql sql) {
                sql.print(out);
            } else if (part instanceof Copies place) {
                out.places.add(out.text.length());
                out.places.add(place.text());
                out.copies.merge(place.text(), out.multiplier, (a, b) -> Math.min(a + b, MAX_COPIES));
            } else {
                out.text.append(part);
            }
        }
        out.multiplier = around;
    }
}
