package org.keyline.stores.duckdb.rewrite;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.translate.SqlType;

/**
 * A call of a function.
 *
 * @param name the name as written
 * @param distinct whether DISTINCT precedes the arguments
 */
record FunctionCall(String name, List<Typed> arguments, Expressions expressions, boolean distinct) {

    FunctionCall(String name, List<Typed> arguments, Expressions expressions) {
        this(name, arguments, expressions, false);
    }

    int size() {
        return arguments.size();
    }

    Rewriting rewriting() {
        return expressions.rewriting();
    }

    /** Returns this call. Throws error 1582 unless the number of arguments is in this range. */
    FunctionCall arity(int min, int max) {
        if (size() < min || size() > max) {
            throw new StatementRefusedException(
                    1582, "42000", "Incorrect parameter count in the call to native function '" + name + "'");
        }
        return this;
    }

    Typed arg(int i) {
        return arguments.get(i);
    }

    Sql text(int i) {
        return Coercions.text(arg(i)).sql();
    }

    Sql toInt(int i) {
        return Coercions.toInt(arg(i));
    }

    Sql toDouble(int i) {
        return Coercions.toDouble(arg(i));
    }

    Typed moment(int i) {
        return Coercions.moment(arg(i), rewriting());
    }

    Sql timestamp(int i) {
        return Coercions.timestamp(arg(i), rewriting());
    }

    /** Returns the text of an argument that must be a string literal. */
    String literal(int i) {
        @Nullable String text = rewriting().literalText(arg(i));
        if (text == null) {
            throw StatementRefusedException.unsupported(name + " whose argument " + (i + 1) + " is no string literal");
        }
        return text;
    }

    /** Returns the value of an argument that must be an integer literal. */
    long integerLiteral(int i) {
        var slot = rewriting().literal(arg(i));
        if (slot == null || !(slot.value() instanceof Long value)) {
            throw StatementRefusedException.unsupported(name + " whose argument " + (i + 1) + " is no integer literal");
        }
        return value;
    }

    Typed string(Sql sql) {
        return Typed.of(sql, SqlType.STRING);
    }

    Typed integer(Sql sql) {
        return Typed.of(sql, SqlType.INTEGER);
    }
}
