package org.keyline.stores.duckdb.session;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.digest.TokenType;
import org.keyline.stores.duckdb.engine.Errors;

/**
 * A SELECT or DO of nothing but GET_LOCK and its like, as migration tools send it. In other expressions these functions are
 * refused by name.
 *
 * @param calls the calls, in order
 * @param select whether the statement has a result
 */
record LockFunctions(List<Call> calls, boolean select) {
    /** The functions with their number of arguments. */
    private static final Map<String, Integer> FUNCTIONS =
            Map.of("GET_LOCK", 2, "RELEASE_LOCK", 1, "IS_FREE_LOCK", 1, "IS_USED_LOCK", 1, "RELEASE_ALL_LOCKS", 0);

    private static final int MAX_NAME = 64;
    private static final Object PLACEHOLDER = new Object();

    /** One call: its arguments are strings, numbers and placeholders. */
    private record Call(String function, List<Object> arguments, String label) {}

    LockFunctions {
        calls = List.copyOf(calls);
    }

    /** Reads a statement from its first word on; returns null, and stays there, if it is something else. */
    @Nullable
    static LockFunctions read(Words words) {
        LockFunctions read = statement(words);
        if (read == null) {
            words.go(0);
        }
        return read;
    }

    private static @Nullable LockFunctions statement(Words words) {
        boolean select = words.take("SELECT");
        if (!select && !words.take("DO")) {
            return null;
        }
        List<Call> calls = new ArrayList<>();
        do {
            Call call = call(words, select);
            if (call == null) {
                return null;
            }
            calls.add(call);
        } while (words.takeSymbol(","));
        if (select && words.take("FROM") && !words.take("DUAL")) {
            return null;
        }
        return words.atEnd() ? new LockFunctions(calls, select) : null;
    }

    private static @Nullable Call call(Words words, boolean labelled) {
        int from = words.token().start();
        String function = words.next().text().toUpperCase(Locale.ROOT);
        Integer arity = FUNCTIONS.get(function);
        if (arity == null || !words.takeSymbol("(")) {
            return null;
        }
        List<Object> arguments = new ArrayList<>();
        while (!words.isSymbol(")")) {
            if (!arguments.isEmpty() && !words.takeSymbol(",")) {
                return null;
            }
            Object argument = argument(words);
            if (argument == null) {
                return null;
            }
            arguments.add(argument);
        }
        int to = words.next().end();
        if (arguments.size() != arity) {
            throw Errors.error(
                    1582, "42000", "Incorrect parameter count in the call to native function '" + function + "'");
        }
        String label = words.between(from, to);
        if (labelled && (words.take("AS") || (words.token().type().isName() && !words.is("FROM")))) {
            label = words.nameOrString();
        }
        return new Call(function, arguments, label);
    }

    private static @Nullable Object argument(Words words) {
        if (words.takeSymbol("?")) {
            return PLACEHOLDER;
        }
        boolean negative = words.takeSymbol("-");
        if (words.token().type() == TokenType.INTEGER) {
            long number = words.number();
            return negative ? -number : number;
        }
        return !negative && words.token().type() == TokenType.STRING ? words.string() : null;
    }

    /** The names of the columns of the result. */
    List<String> labels() {
        return calls.stream().map(Call::label).toList();
    }

    /**
     * Makes the calls.
     *
     * @param values of the placeholders
     * @param waited the seconds that the statement has waited for the first lock that it did not get
     * @return a value of each call; null if a lock must be waited for, and then no call has had an effect
     */
    @Nullable
    List<@Nullable String> run(DuckDbState session, List<? extends @Nullable Object> values, double waited) {
        UserLocks locks = session.services().userLocks();
        List<@Nullable String> results = new ArrayList<>();
        List<String> taken = new ArrayList<>();
        int next = 0;
        for (Call call : calls) {
            List<@Nullable Object> arguments = new ArrayList<>();
            for (Object argument : call.arguments()) {
                arguments.add(argument == PLACEHOLDER ? values.get(next++) : argument);
            }
            if (call.function().equals("RELEASE_ALL_LOCKS")) {
                results.add(Integer.toString(locks.releaseAll(session)));
                continue;
            }
            String name = name(arguments.get(0));
            switch (call.function()) {
                case "GET_LOCK" -> {
                    boolean got = locks.take(name, session);
                    double limit = seconds(arguments.get(1));
                    if (!got && (limit < 0 || waited < limit)) {
                        taken.forEach(other -> locks.release(other, session));
                        return null;
                    }
                    if (got) {
                        taken.add(name);
                    }
                    results.add(got ? "1" : "0");
                }
                case "RELEASE_LOCK" -> {
                    boolean held = locks.isHeld(name);
                    boolean released = locks.release(name, session);
                    results.add(released ? "1" : held ? "0" : null);
                }
                case "IS_FREE_LOCK" -> results.add(locks.isHeld(name) ? "0" : "1");
                default -> {
                    long owner = locks.owner(name);
                    results.add(owner == 0 ? null : Long.toString(owner));
                }
            }
        }
        return results;
    }

    private static String name(@Nullable Object argument) {
        String name = argument == null ? "" : argument.toString().toLowerCase(Locale.ROOT);
        if (name.isEmpty() || name.codePointCount(0, name.length()) > MAX_NAME) {
            throw Errors.error(3057, "42000", "Incorrect user-level lock name '" + name + "'.");
        }
        return name;
    }

    private static double seconds(@Nullable Object argument) {
        if (argument instanceof Number number) {
            return number.doubleValue();
        }
        try {
            return argument == null ? 0 : Double.parseDouble(argument.toString());
        } catch (NumberFormatException e) {
            throw Errors.error(1210, "HY000", "Incorrect arguments to GET_LOCK");
        }
    }
}
