package org.keyline.stores.duckdb.rewrite;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.stores.duckdb.translate.DuckDdl;
import org.keyline.stores.duckdb.translate.DuckLiterals;
import org.keyline.stores.duckdb.translate.Parameter;
import org.keyline.stores.duckdb.translate.Step;
import org.keyline.stores.duckdb.translate.ValueSlot;
import org.keyline.stores.duckdb.translate.Values;

/** A piece of DuckDB's text with its parameters. Pieces share their parts, so that building one costs no copy. Immutable. */
sealed class Sql permits Sql.Value {
    /** Strings and pieces. */
    private final List<Object> parts;

    /** Characters that DuckDB reads once macros are written out; roughly, and exact enough for a bound. */
    private final long length;

    private Sql(List<Object> parts, int copies) {
        this.parts = parts;
        long sum = 0;
        for (Object part : parts) {
            sum += part instanceof Sql sql ? sql.length : part.toString().length();
        }
        this.length = Math.min(sum * copies, Long.MAX_VALUE >> 8);
    }

    /** A value: a {@code ?} that knows where its value comes from, or the literal itself where DuckDB must see it. */
    static final class Value extends Sql {
        private final Parameter parameter;
        private final @Nullable ValueSlot literal;

        Value(Parameter parameter) {
            this(parameter, null);
        }

        /** @param literal printed as a literal if it is not null */
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
        void print(StringBuilder out, List<Parameter> parameters) {
            if (literal != null) {
                out.append(DuckLiterals.text(Values.of(literal, parameter)));
            } else {
                out.append('?');
                parameters.add(parameter);
            }
        }
    }

    /** The template with an operand in the place of each {@code {}}. */
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

    /** Words of DuckDB that hold no value of a user's. */
    static Sql raw(String words) {
        return new Sql(List.of(words), 1);
    }

    static Sql number(long value) {
        return raw(Long.toString(value));
    }

    /** A string literal. */
    static Sql string(String value) {
        return raw(DuckLiterals.string(value));
    }

    /** {@code "a"."b"}. */
    static Sql name(String... names) {
        return raw(String.join(".", Arrays.stream(names).map(DuckDdl::quoted).toList()));
    }

    /** Whether this is the name of a column of a table, and nothing else. */
    boolean isName(String table, String column) {
        return parts.size() == 1 && parts.get(0).equals(DuckDdl.quoted(table) + "." + DuckDdl.quoted(column));
    }

    /** The operands with a separator between them. */
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

    /** {@code name(a, b)}. */
    static Sql call(String name, Sql... arguments) {
        return call(name, Arrays.asList(arguments));
    }

    static Sql call(String name, List<Sql> arguments) {
        return of(name + "({})", list(arguments));
    }

    /** {@code (a operator b)}. */
    static Sql infix(Sql left, String operator, Sql right) {
        return of("({} " + operator + " {})", left, right);
    }

    /** {@code (a operator b operator c)} of an operator whose grouping does not matter. */
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

    /** A query in FROM with names {@code c0}, {@code c1}, … for its columns. */
    static Sql derived(Sql query, String alias, int columns) {
        List<Sql> names = new ArrayList<>(columns);
        for (int i = 0; i < columns; i++) {
            names.add(name("c" + i));
        }
        return of("({}) AS {}({})", query, name(alias), list(names));
    }

    /**
     * A statement of DuckDB.
     *
     * @param most characters that it may have
     */
    Step step(Step.Role role, long most) {
        if (length > most) {
            throw Rewriting.tooDeep();
        }
        StringBuilder out = new StringBuilder();
        List<Parameter> parameters = new ArrayList<>();
        print(out, parameters);
        return new Step(out.toString(), parameters, role);
    }

    void print(StringBuilder out, List<Parameter> parameters) {
        for (Object part : parts) {
            if (part instanceof Sql sql) {
                sql.print(out, parameters);
            } else {
                out.append(part);
            }
        }
    }
}
