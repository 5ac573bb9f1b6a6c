package org.keyline.stores.duckdb.rewrite;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.digest.ReservedWords;
import org.keyline.planner.digest.TokenType;
import org.keyline.stores.duckdb.translate.Conversion;
import org.keyline.stores.duckdb.translate.Parameter;
import org.keyline.stores.duckdb.translate.SqlType;
import org.keyline.stores.duckdb.translate.Tokens;

/** Reads calls of functions. Some functions, such as CAST and TRIM, have their own grammar. */
final class FunctionReader {
    private static final Set<String> DISTINCT = Set.of("count", "sum", "avg", "min", "max");

    private final Expressions expressions;
    private final Tokens tokens;

    FunctionReader(Expressions expressions) {
        this.expressions = expressions;
        this.tokens = expressions.tokens();
    }

    /** Reads the call after the function's name, from the opening parenthesis. */
    Typed read(String name) {
        int open = tokens.index();
        tokens.expectSymbol("(");
        return switch (name.toUpperCase(Locale.ROOT)) {
            case "CAST" -> cast("AS");
            case "CONVERT" -> cast(null);
            case "EXTRACT" -> extract();
            case "TRIM" -> trim();
            case "SUBSTRING", "SUBSTR", "MID" -> substring(name);
            case "POSITION" -> position();
            case "GROUP_CONCAT" -> joined();
            case "TIMESTAMPADD", "TIMESTAMPDIFF" -> unitFirst(name);
            case "DATE_ADD", "ADDDATE" -> shifted(true);
            case "DATE_SUB", "SUBDATE" -> shifted(false);
            case "VALUES" -> inserted();
            case "GET_LOCK", "RELEASE_LOCK" -> lock(name.toUpperCase(Locale.ROOT), open);
            default -> plain(name, open);
        };
    }

    private Typed plain(String name, int open) {
        if (!Functions.exists(name)) {
            tokens.go(open);
            throw ReservedWords.contains(name)
                    ? tokens.error("an expression")
                    : new StatementRefusedException(1305, "42000", "FUNCTION " + name + " does not exist");
        }
        boolean distinct = tokens.take("DISTINCT");
        if (distinct && !DISTINCT.contains(name.toLowerCase(Locale.ROOT))) {
            throw StatementRefusedException.unsupported("DISTINCT in " + name.toUpperCase(Locale.ROOT));
        }
        List<Typed> arguments = new ArrayList<>();
        if (tokens.isSymbol("*") && name.equalsIgnoreCase("count")) {
            // Doris accepts COUNT() for COUNT(*).
            tokens.next();
        } else if (!tokens.isSymbol(")")) {
            arguments = expressions.list();
        }
        tokens.expectSymbol(")");
        return Functions.call(new FunctionCall(name, arguments, expressions, distinct));
    }

    /** Reads a lock function, which must be the only item of a SELECT, but may have an alias. */
    private Typed lock(String name, int open) {
        FunctionCall call = new FunctionCall(name, expressions.list(), expressions);
        tokens.expectSymbol(")");
        int size = name.equals("GET_LOCK") ? 2 : 1;
        @Nullable Parameter lock = call.arity(size, size).arg(0).parameter();
        @Nullable Parameter limit = call.arg(size - 1).parameter();
        int end = tokens.index() + (tokens.is("AS") ? 1 : 0);
        boolean alias = tokens.at(end).type().isName() || tokens.at(end).type() == TokenType.STRING;
        end += alias && !tokens.at(end).is("FROM") ? 1 : 0;
        end += tokens.at(end).is("FROM") && tokens.at(end + 1).is("DUAL") ? 2 : 0;
        boolean alone = open == 2 && tokens.at(0).is("SELECT") && tokens.at(end).type() == TokenType.END;
        if (!alone || lock == null || limit == null || lock.slot() < 0 || limit.slot() < 0) {
            throw StatementRefusedException.unsupported(
                    "the function " + name + ", except as the only item of a SELECT");
        }
        Parameter result = new Parameter(
                Parameter.Source.valueOf(name),
                lock.slot(),
                String.valueOf(limit.slot()),
                Conversion.NONE,
                null,
                null,
                limit.negated(),
                1);
        return Typed.of(Sql.cast(new Sql.Value(result), "BIGINT"), SqlType.INTEGER);
    }

    private Typed close(Typed result) {
        tokens.expectSymbol(")");
        return result;
    }

    private Typed call(String name, Typed... arguments) {
        return Functions.call(new FunctionCall(name, List.of(arguments), expressions));
    }

    /** Reads CAST(x AS type), CONVERT(x, type) and CONVERT(x USING charset). */
    private Typed cast(@Nullable String separator) {
        Typed x = expressions.expression();
        boolean using = separator == null && tokens.take("USING");
        if (!using && separator != null) {
            tokens.expect(separator);
        } else if (!using) {
            tokens.expectSymbol(",");
        }
        int from = tokens.index();
        while (!tokens.isSymbol(")") && !tokens.atEnd()) {
            if (tokens.isSymbol("(")) {
                tokens.go(tokens.behind(tokens.index()));
            } else {
                tokens.next();
            }
        }
        if (tokens.index() == from) {
            throw tokens.error("a type");
        }
        pin(from, tokens.index());
        String type = tokens.written(from, tokens.index());
        Typed cast = Casts.cast(x, using ? "using " + type : type, expressions.rewriting());
        return close(TextRoom.held(new FunctionCall("cast", List.of(x), expressions), cast));
    }

    private void pin(int from, int to) {
        for (int i = from; i < to; i++) {
            if (tokens.at(i).type().isValue()) {
                expressions.rewriting().pin(tokens.slot(i));
            }
        }
    }

    private Typed extract() {
        if (!Intervals.isUnit(tokens.token())) {
            throw StatementRefusedException.unsupported("EXTRACT of such a unit");
        }
        String unit = tokens.next().text().toLowerCase(Locale.ROOT);
        tokens.expect("FROM");
        Typed x = close(expressions.expression());
        if (!Functions.exists("extract " + unit)) {
            throw StatementRefusedException.unsupported("EXTRACT(" + unit.toUpperCase(Locale.ROOT) + " …)");
        }
        return call("extract " + unit, x);
    }

    /** Reads TRIM(s), TRIM(x FROM s), TRIM(LEADING x FROM s) and TRIM(LEADING FROM s). */
    private Typed trim() {
        String side = tokens.isAny("LEADING", "TRAILING", "BOTH")
                ? tokens.next().text().toLowerCase(Locale.ROOT)
                : "";
        @Nullable Typed what = side.isEmpty() || !tokens.is("FROM") ? expressions.expression() : null;
        if (!tokens.take("FROM")) {
            if (what == null || !side.isEmpty()) {
                throw tokens.error("FROM");
            }
            return close(call("trim both", what));
        }
        String name = "trim " + (side.isEmpty() ? "both" : side);
        Typed text = close(expressions.expression());
        return what == null ? call(name, text) : call(name, text, what);
    }

    private Typed substring(String name) {
        List<Typed> arguments = new ArrayList<>(List.of(expressions.expression()));
        if (tokens.take("FROM")) {
            arguments.add(expressions.expression());
            if (tokens.take("FOR")) {
                arguments.add(expressions.expression());
            }
        }
        while (tokens.takeSymbol(",")) {
            arguments.add(expressions.expression());
        }
        return close(Functions.call(new FunctionCall(name, arguments, expressions)));
    }

    private Typed position() {
        Typed what = expressions.operand();
        tokens.expect("IN");
        return close(call("locate", what, expressions.expression()));
    }

    /** Reads GROUP_CONCAT([DISTINCT] a ORDER BY c SEPARATOR s). */
    private Typed joined() {
        boolean distinct = tokens.take("DISTINCT");
        List<Typed> values = expressions.list();
        if (values.size() > 1) {
            // MySQL joins the expressions; Doris uses the second one as the separator.
            throw StatementRefusedException.unsupported(
                    "GROUP_CONCAT of several expressions; write CONCAT(a, b), or SEPARATOR 's'");
        }
        Sql order = tokens.takeAll("ORDER", "BY") ? Sql.of(" ORDER BY {}", expressions.orderKeys()) : Sql.raw("");
        String separator = ",";
        if (tokens.take("SEPARATOR")) {
            if (tokens.token().type() != TokenType.STRING) {
                throw tokens.error("a string");
            }
            int slot = tokens.slot(tokens.index());
            expressions.rewriting().pin(slot);
            separator = tokens.text().slots().get(slot).value() instanceof String text ? text : "";
            tokens.next();
        }
        tokens.expectSymbol(")");
        return Typed.of(
                Sql.of(
                        "string_agg(" + (distinct ? "DISTINCT " : "") + "{}, {}{})",
                        Coercions.text(values.get(0)).sql(),
                        Sql.string(separator),
                        order),
                SqlType.STRING);
    }

    /** Reads TIMESTAMPADD(unit, n, moment) and TIMESTAMPDIFF(unit, from, to). */
    private Typed unitFirst(String name) {
        String unit = tokens.name("a unit").toUpperCase(Locale.ROOT).replace("SQL_TSI_", "");
        tokens.expectSymbol(",");
        Typed first = expressions.expression();
        tokens.expectSymbol(",");
        Typed second = close(expressions.expression());
        if (name.equalsIgnoreCase("TIMESTAMPADD")) {
            return Intervals.shifted(expressions.rewriting(), second, new Intervals.Interval(unit, first), true);
        }
        String function = "timestampdiff " + unit.toLowerCase(Locale.ROOT);
        if (!Functions.exists(function)) {
            throw StatementRefusedException.unsupported("TIMESTAMPDIFF of " + unit);
        }
        return call(function, first, second);
    }

    private Typed shifted(boolean forward) {
        Typed date = expressions.expression();
        tokens.expectSymbol(",");
        Intervals.Interval interval = expressions.intervalOrDays();
        return close(Intervals.shifted(expressions.rewriting(), date, interval, forward));
    }

    /** Reads VALUES(column) of ON DUPLICATE KEY UPDATE: the value that would have been inserted. */
    private Typed inserted() {
        List<String> path = tokens.path("a column name");
        String column = path.get(path.size() - 1);
        Typed found = expressions.scope().own(List.of(Insert.VALUES, column), "field list");
        if (found == null) {
            throw Rewriting.unknownColumn(column, "field list");
        }
        return close(found);
    }
}
