package org.keyline.stores.duckdb.session;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.digest.TokenType;
import org.keyline.stores.ddl.SqlText;
import org.keyline.stores.duckdb.engine.Errors;

/**
 * A SELECT or DO whose only expression is a call of GET_LOCK or RELEASE_LOCK, as migration tools
 * send it. The rewriter refuses these functions in other expressions.
 *
 * @param takes whether the function is GET_LOCK
 * @param arguments strings, numbers and placeholders
 * @param label the name of the result's column
 * @param select whether the statement is a SELECT, which has a result
 */
record LockFunction(boolean takes, List<Object> arguments, String label, boolean select) {
    private static final int MAX_NAME = 64;
    private static final Object PLACEHOLDER = new Object();

    LockFunction {
        arguments = List.copyOf(arguments);
    }

    /**
     * Reads a statement from its first word. For other statements, returns null and does not move.
     */
    @Nullable
    static LockFunction read(Words words) {
        boolean select = words.take("SELECT");
        LockFunction read = select || words.take("DO") ? call(words, select) : null;
        if (read == null) {
            words.go(0);
        }
        return read;
    }

    private static @Nullable LockFunction call(Words words, boolean select) {
        int from = words.token().start();
        boolean takes = words.take("GET_LOCK");
        if ((!takes && !words.take("RELEASE_LOCK")) || !words.takeSymbol("(")) {
            return null;
        }
        List<Object> arguments = new ArrayList<>();
        do {
            Object argument = argument(words);
            if (argument == null) {
                return null;
            }
            arguments.add(argument);
        } while (words.takeSymbol(","));
        int to = words.token().end();
        if (!words.takeSymbol(")")) {
            return null;
        }
        String label = words.between(from, to);
        if (arguments.size() != (takes ? 2 : 1)) {
            throw Errors.error(
                    1582, "42000", "Incorrect parameter count in the call to native function '" + label + "'");
        }
        if (select && (words.take("AS") || (words.token().type().isName() && !words.is("FROM")))) {
            label = words.nameOrString();
        }
        if (select && words.take("FROM") && !words.take("DUAL")) {
            return null;
        }
        return words.atEnd() ? new LockFunction(takes, arguments, label, select) : null;
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

    /**
     * Calls the function.
     *
     * @param values the values of the placeholders
     * @param waited the seconds for which the statement has waited
     * @return the result as text; null if the statement must wait for the lock
     */
    @Nullable
    String run(DuckDbState session, List<? extends @Nullable Object> values, double waited) {
        UserLocks locks = session.services().userLocks();
        List<@Nullable Object> bound = new ArrayList<>();
        int next = 0;
        for (Object argument : arguments) {
            bound.add(argument == PLACEHOLDER ? values.get(next++) : argument);
        }
        String name = name(bound.get(0));
        if (!takes) {
            boolean held = locks.isHeld(name);
            return locks.release(name, session) ? "1" : held ? "0" : "NULL";
        }
        double limit = seconds(bound.get(1));
        boolean got = locks.take(name, session);
        return got ? "1" : limit >= 0 && waited >= limit ? "0" : null;
    }

    /** Returns the SELECT whose only row has this result. */
    String selecting(String result) {
        return "SELECT CAST(" + result + " AS SIGNED) AS " + SqlText.name(label);
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
