package org.keyline.stores.duckdb.rewrite;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.keyline.stores.duckdb.translate.Resources;
import org.keyline.stores.duckdb.translate.SqlType;
import org.keyline.stores.duckdb.translate.SqlType.Family;

/** Writes calls of the functions in {@code macros.sql}, which explains its format at the top. */
public final class Macros {
    private static final Pattern LINE =
            Pattern.compile("(CREATE OR REPLACE MACRO (\\w+)\\(.*);(?: -- ([a-z0-9_| ]+)\\(([a-z, ]*)\\) (\\w+)(!?))?");

    private static final Set<String> KINDS =
            Set.of("text bytes int integer double number date moment timestamp clock json any".split(" ", -1));
    private static final List<String> STATEMENTS = new ArrayList<>();
    private static final Map<String, List<Macro>> BY_NAME = new HashMap<>();
    private static final Map<String, Integer> COPIES = new HashMap<>();
    private static final Pattern CALL = Pattern.compile("keyline_\\w+");

    static {
        Resources.text(Macros.class, "macros.sql").lines().forEach(Macros::read);
    }

    private Macros() {}

    /**
     * A function that a macro computes.
     *
     * @param macro the name of the macro in DuckDB
     * @param arguments the conversion of each argument
     * @param result the type of the result
     */
    private record Macro(String macro, List<String> arguments, String result, boolean nullable) {}

    /** Returns the statements that create the macros. They may be run again. */
    public static List<String> statements() {
        return List.copyOf(STATEMENTS);
    }

    private static void read(String line) {
        if (line.isBlank() || line.startsWith("--")) {
            return;
        }
        Matcher m = LINE.matcher(line);
        if (!m.matches()) {
            throw new IllegalStateException("macros.sql: " + line);
        }
        STATEMENTS.add(m.group(1));
        COPIES.put(m.group(2), copies(m.group(2), m.group(1)));
        if (m.group(3) == null) {
            return;
        }
        List<String> arguments =
                m.group(4).isEmpty() ? List.of() : List.of(m.group(4).split(", ", -1));
        boolean known = m.group(5).equals("same") || !result(m.group(5)).equals(SqlType.UNKNOWN);
        if (!known || !KINDS.containsAll(arguments)) {
            throw new IllegalStateException("macros.sql: unknown word in the signature of " + line);
        }
        Macro macro = new Macro(m.group(2), arguments, m.group(5), m.group(6).isEmpty());
        for (String name : m.group(3).split("\\|", -1)) {
            BY_NAME.computeIfAbsent(name, key -> new ArrayList<>()).add(macro);
        }
    }

    /** Returns the maximum number of times that one argument occurs in the expanded macro. */
    private static int copies(String name, String statement) {
        int body = statement.indexOf(") AS ");
        String parameters = statement.substring(statement.indexOf(name + "(") + name.length() + 1, body);
        int most = 1;
        for (String parameter : parameters.split(", ", -1)) {
            Matcher uses = Pattern.compile("\\b" + parameter + "\\b").matcher(statement.substring(body));
            most = parameter.isEmpty()
                    ? most
                    : Math.max(most, (int) uses.results().count());
        }
        return most * copies(statement.substring(body));
    }

    /** Returns the most copies that a macro in the text makes of an argument; 1 without macros. */
    static int copies(String sql) {
        return sql.contains("keyline_")
                ? CALL.matcher(sql)
                        .results()
                        .mapToInt(call -> COPIES.getOrDefault(call.group(), 1))
                        .max()
                        .orElse(1)
                : 1;
    }

    static boolean exists(String name) {
        return BY_NAME.containsKey(name.toLowerCase(Locale.ROOT));
    }

    /** Returns the call of an existing macro. Throws error 1582 for a wrong number of arguments. */
    static Typed call(FunctionCall call) {
        List<Macro> named = BY_NAME.getOrDefault(call.name().toLowerCase(Locale.ROOT), List.of());
        for (Macro macro : named) {
            if (macro.arguments().size() == call.size()) {
                return call(macro, call);
            }
        }
        int size = named.get(0).arguments().size();
        call.arity(size, size);
        throw new IllegalStateException("two macros for " + call.name());
    }

    private static Typed call(Macro macro, FunctionCall call) {
        List<Sql> arguments = new ArrayList<>();
        @Nullable Typed first = null;
        for (int i = 0; i < call.size(); i++) {
            Typed argument = argument(macro.arguments().get(i), call, i);
            first = first == null ? argument : first;
            arguments.add(argument.sql());
        }
        SqlType type = first != null && macro.result().equals("same") ? first.type() : result(macro.result());
        Sql sql = Sql.call(macro.macro(), arguments);
        boolean same = macro.result().equals("same");
        if (macro.result().equals("double")) {
            return Typed.computed(sql);
        }
        if (same && call.size() > 0 && call.arg(0).sql() instanceof Sql.Computed x && type.family() == Family.DECIMAL) {
            return Typed.of(Sql.Computed.decimal(sql, x.scale(), type), type);
        }
        boolean day = type.family() == Family.DATE && same;
        return Typed.of(day ? Sql.cast(sql, "DATE") : sql, type, macro.nullable());
    }

    private static Typed argument(String kind, FunctionCall call, int i) {
        Typed x = call.arg(i);
        return switch (kind) {
            case "text" -> Coercions.characters(x, call.name());
            case "bytes" -> Typed.of(Coercions.bytes(x), SqlType.BYTES);
            case "int" -> Typed.of(Coercions.toInt(x), SqlType.INTEGER);
            case "integer" -> Typed.of(Coercions.toInteger(x), SqlType.INTEGER);
            case "double" -> Typed.of(Coercions.toDouble(x), SqlType.DOUBLE);
            case "number" -> Coercions.number(x);
            case "date" -> Typed.of(Coercions.date(x, call.rewriting()), SqlType.DATE);
            case "moment" -> call.moment(i);
            case "timestamp" ->
                Typed.of(
                        call.timestamp(i),
                        SqlType.datetime(call.moment(i).type().scale()));
            case "clock" -> Functions.clock(call, i);
            case "json" -> Typed.of(Functions.json(x), SqlType.JSON);
            default -> x;
        };
    }

    private static SqlType result(String name) {
        return switch (name) {
            case "text" -> SqlType.STRING;
            case "bytes" -> SqlType.BYTES;
            case "integer" -> SqlType.INTEGER;
            case "unsigned" -> SqlType.UNSIGNED;
            case "double" -> SqlType.DOUBLE;
            case "bool" -> SqlType.BOOLEAN;
            case "date" -> SqlType.DATE;
            case "datetime" -> SqlType.datetime(0);
            case "json" -> SqlType.JSON;
            default -> SqlType.UNKNOWN;
        };
    }
}
