package org.keyline.stores.duckdb.calcite;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.translate.SqlType;

/** One call of a function while it is translated. */
final class FunctionCall {

    private final String name;
    private final List<SqlNode> arguments;
    private final boolean distinct;
    private final ExpressionTranslator expressions;
    private final @Nullable SqlNode window;
    private final List<@Nullable Typed> translated;

    FunctionCall(
            String name,
            List<SqlNode> arguments,
            boolean distinct,
            ExpressionTranslator expressions,
            @Nullable SqlNode window) {
        this.name = name;
        this.arguments = arguments;
        this.distinct = distinct;
        this.expressions = expressions;
        this.window = window;
        this.translated = new ArrayList<>(Collections.nCopies(arguments.size(), null));
    }

    /** A call of an aggregate of DuckDB's, over the window if there is one. */
    SqlNode over(SqlNode call) {
        return window == null ? call : Duck.around("", " OVER ", "", call, window);
    }

    String name() {
        return name;
    }

    boolean distinct() {
        return distinct;
    }

    int size() {
        return arguments.size();
    }

    Translation translation() {
        return expressions.translation();
    }

    SqlNode raw(int i) {
        return arguments.get(i);
    }

    /** 1582 unless there are so many arguments. */
    FunctionCall arity(int min, int max) {
        if (size() < min || size() > max) {
            throw new StatementRefusedException(
                    1582, "42000", "Incorrect parameter count in the call to native function '" + name + "'");
        }
        return this;
    }

    Typed translate(SqlNode node) {
        return expressions.translate(node);
    }

    /** Translated once, however often it is asked for: calls within calls would double the work with every level. */
    Typed arg(int i) {
        Typed known = translated.get(i);
        if (known == null) {
            known = expressions.translate(arguments.get(i));
            translated.set(i, known);
        }
        return known;
    }

    List<Typed> args() {
        List<Typed> all = new ArrayList<>(size());
        for (int i = 0; i < size(); i++) {
            all.add(arg(i));
        }
        return all;
    }

    SqlNode text(int i) {
        return Coercions.text(arg(i)).node();
    }

    List<SqlNode> texts() {
        List<SqlNode> all = new ArrayList<>(size());
        for (int i = 0; i < size(); i++) {
            all.add(text(i));
        }
        return all;
    }

    SqlNode toInt(int i) {
        return Coercions.toInt(arg(i));
    }

    SqlNode toDouble(int i) {
        return Coercions.toDouble(arg(i));
    }

    Typed moment(int i) {
        return Coercions.moment(arg(i), translation());
    }

    SqlNode date(int i) {
        return Coercions.date(arg(i), translation());
    }

    SqlNode timestamp(int i) {
        return Coercions.timestamp(arg(i), translation());
    }

    /** The text of an argument that must be a string literal. */
    String literal(int i) {
        @Nullable String text = translation().literalText(arg(i));
        if (text == null) {
            throw StatementRefusedException.unsupported(name + " whose argument " + (i + 1) + " is no string literal");
        }
        return text;
    }

    /** The value of an argument that must be an integer literal. */
    long integerLiteral(int i) {
        var slot = translation().literal(arg(i));
        if (slot == null || !(slot.value() instanceof Long value)) {
            throw StatementRefusedException.unsupported(name + " whose argument " + (i + 1) + " is no integer literal");
        }
        return value;
    }

    /** A word that the writer marked, without its mark; null if the argument is something else. */
    @Nullable
    String marked(int i) {
        return arguments.get(i) instanceof SqlIdentifier id
                        && id.isSimple()
                        && id.getSimple().startsWith("#")
                        && !id.getSimple().startsWith("#n")
                ? id.getSimple().substring(1)
                : null;
    }

    /** A plain word or name as an argument, e.g. a unit. */
    String word(int i) {
        if (arguments.get(i) instanceof SqlIdentifier id && id.isSimple()) {
            return expressions.name(id.getSimple());
        }
        throw StatementRefusedException.unsupported(name + " with such an argument " + (i + 1));
    }

    Typed string(SqlNode node) {
        return Typed.of(node, SqlType.STRING);
    }

    Typed integer(SqlNode node) {
        return Typed.of(node, SqlType.INTEGER);
    }
}
