package org.keyline.stores.duckdb.rewrite;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.translate.SqlType.Family;

/**
 * Limits the texts that functions build. DuckDB builds up to 2,048 texts at a time and does not
 * count their memory. So a statement first computes an upper bound of each text's length, and the
 * function {@code keyline_hold} checks this bound.
 */
final class TextRoom {
    /** The value of {@code max_allowed_packet}. */
    private static final Sql MAX_BYTES = Sql.number(64 << 20);

    /** The maximum length in bytes of a number or time as text, and of results such as an MD5. */
    private static final Sql SHORT = Sql.of("64");

    /** Like SHORT, but not a constant, because DuckDB would check a constant length only once. */
    private static final Sql ANY_SHORT = Sql.of("(63 + CAST(hash(random()) & 1 AS BIGINT))");

    /** The maximum number of bytes of a character. */
    private static final int WIDEST = 4;

    /** The maximum length of an expression that is repeated to compute the length of its text. */
    private static final int WRITTEN_TWICE = 2_000;

    /** Functions that return one of their arguments. */
    private static final Set<String> CHOOSING = Set.of("if", "ifnull", "nvl", "coalesce", "nullif");

    /** Functions that return a value of one of several rows. */
    private static final Set<String> OF_ROWS = Set.of("min", "max", "any_value");

    private TextRoom() {}

    /** Returns the result of a call. If the result is a text, adds the check of its length. */
    static Typed held(FunctionCall call, Typed result) {
        String name = call.name().toLowerCase(Locale.ROOT);
        if (!result.type().textual() || result.isParameter() || OF_ROWS.contains(name)) {
            return result;
        }
        if (CHOOSING.contains(name)) {
            return bounded(result, all(call));
        }
        if (call.size() == 0) {
            return bounded(result, result.sql().isRandom() ? ANY_SHORT : SHORT);
        }
        Sql length = length(name, call);
        if (length.isRandom()) {
            throw StatementRefusedException.unsupported("RAND() where it decides how long a text is");
        }
        Sql text = Sql.held(result.sql(), call.rewriting().numberOf(result.sql()), length);
        // The length of a NULL text is NULL, for which least would return MAX_BYTES.
        Sql most = Sql.of("least(coalesce({}, 0), {})", length, MAX_BYTES);
        return bounded(new Typed(text, result.type(), result.nullable(), null), most);
    }

    private static Sql length(String name, FunctionCall c) {
        return switch (name) {
            case "repeat" -> Sql.of("{} * {}", size(c.arg(0)), count(c, 1));
            case "space" -> count(c, 0);
            case "lpad", "rpad" ->
                Sql.of("greatest({}, {}, {} * " + WIDEST + ")", size(c.arg(0)), size(c.arg(2)), count(c, 1));
            case "hex" -> Sql.of("2 * {}", all(c));
            case "to_base64", "quote" -> Sql.of("2 * {} + 2", all(c));
            // JSON escapes a control character as six characters.
            case "json_quote" -> Sql.of("6 * {} + 64", all(c));
            case "concat_ws" ->
                Sql.of("{} + " + c.size() + " * {}", sum(c.arguments().subList(1, c.size())), size(c.arg(0)));
            case "replace" -> replaced(c);
            // A reference to a group in the replacement inserts at most the whole match.
            case "regexp_replace" ->
                Sql.of("({} + 1) * (2 * {} + 1) + {}", size(c.arg(0)), size(c.arg(2)), size(c.arg(1)));
            case "left", "strleft", "right" -> cut(c, 1);
            case "substring", "substr", "mid" -> c.size() == 2 ? all(c) : cut(c, 2);
            // %W, for example, becomes Wednesday: 9 characters instead of 2.
            case "date_format", "from_unixtime" -> Sql.of("5 * {}", all(c));
            // Some letters have more bytes in the other case.
            case "upper", "ucase", "lower", "lcase" -> Sql.of("2 * {}", size(c.arg(0)));
            case "md5", "sha", "sha1", "sha2", "bin", "dayname", "monthname" -> SHORT;
            default -> all(c);
        };
    }

    private static Sql all(FunctionCall c) {
        return sum(c.arguments());
    }

    private static Sql sum(List<Typed> texts) {
        List<Sql> sizes = new ArrayList<>();
        texts.forEach(text -> sizes.add(Sql.of("coalesce({}, 0)", size(text))));
        return Sql.chain("+", sizes);
    }

    private static Sql replaced(FunctionCall c) {
        Sql text = Sql.cast(c.text(0), "VARCHAR");
        Sql from = Sql.of("greatest({}, 1)", size(c.arg(1)));
        if (text.isRandom() || c.text(1).isRandom() || text.length() > WRITTEN_TWICE) {
            return Sql.of("{} * greatest(({} - 1) // {} + 1, 1)", size(c.arg(0)), size(c.arg(2)), from);
        }
        return Sql.of(
                "strlen({}) + greatest({} - {}, 0) * ((strlen({}) - strlen(replace({}, {}, ''))) // {})",
                text,
                size(c.arg(2)),
                from,
                text,
                text,
                c.text(1),
                from);
    }

    /** Returns an argument that is a count; 0 if it is negative. */
    private static Sql count(FunctionCall c, int i) {
        return Sql.of("CAST(greatest({}, 0) AS BIGINT)", c.toInt(i));
    }

    /**
     * Returns an upper bound of the length in bytes of a part of the first argument. The argument
     * with the index {@code characters} limits the part's number of characters.
     */
    private static Sql cut(FunctionCall c, int characters) {
        Sql count = count(c, characters);
        return count.isRandom() ? all(c) : Sql.of("least({}, {} * " + WIDEST + ")", all(c), count);
    }

    /** Returns an upper bound of the length in bytes of an argument as text. */
    private static Sql size(Typed x) {
        @Nullable Sql bytes = x.bytes();
        if (bytes != null) {
            return bytes;
        }
        if (x.family() == Family.NULL || x.type().numeric() || x.type().temporal()) {
            return x.isParameter() || x.family() == Family.NULL
                    ? SHORT
                    : x.sql().isRandom() || x.sql().length() > WRITTEN_TWICE
                            ? ANY_SHORT
                            : Sql.of("(63 + CAST(hash({}) & 1 AS BIGINT))", x.sql());
        }
        return x.family() == Family.BYTES
                ? Sql.of("octet_length(CAST({} AS BLOB))", Coercions.bytes(x))
                : Sql.of("strlen(CAST({} AS VARCHAR))", Coercions.text(x).sql());
    }

    private static Typed bounded(Typed text, Sql bytes) {
        return new Typed(text.sql(), text.type(), text.nullable(), text.origin(), text.row(), bytes);
    }
}
