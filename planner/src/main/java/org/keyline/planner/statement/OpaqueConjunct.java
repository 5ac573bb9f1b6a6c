package org.keyline.planner.statement;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.OpaqueCondition.Value;
import org.keyline.planner.digest.ReservedWords;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;

/**
 * A parsed conjunct that only the store can evaluate: LIKE, REGEXP, full text search, or a
 * comparison of a function of a column. Immutable.
 *
 * @param parts the parts in text order
 * @param values the values of its placeholders, in text order; at least one
 */
public record OpaqueConjunct(List<Part> parts, List<Value> values) {
    public sealed interface Part {}

    /** A word or symbol, in canonical spelling. */
    public record Text(String text) implements Part {}

    /**
     * A column of the table.
     *
     * @param names the column's name, possibly after those of its table and database
     * @param date whether the type must be DATE or DATETIME; if not, it must be a text
     */
    public record Column(List<String> names, boolean date) implements Part {}

    public record Place() implements Part {}

    public OpaqueConjunct {
        parts = List.copyOf(parts);
        values = List.copyOf(values);
    }

    /**
     * In every store, these and the following functions depend only on the row and the values. So
     * functions of the time zone, the clock or the locale are excluded, as are divisions and texts
     * made from numbers. Without a schema, the names here never call a stored function. TRIM,
     * SUBSTRING and MID are excluded, because they can call one if a space precedes the
     * parenthesis.
     */
    private static final Set<String> TEXT_OF_TEXT =
            Set.of("LOWER", "LCASE", "UPPER", "UCASE", "REVERSE", "LTRIM", "RTRIM");

    private static final Set<String> PART_OF_TEXT = Set.of("LEFT", "RIGHT");
    private static final Set<String> NUMBER_OF_TEXT =
            Set.of("CHAR_LENGTH", "CHARACTER_LENGTH", "LENGTH", "OCTET_LENGTH");
    private static final Set<String> NUMBER_OF_DATE =
            Set.of("YEAR", "QUARTER", "MONTH", "DAY", "DAYOFMONTH", "DAYOFWEEK", "DAYOFYEAR");
    /** Words of Doris's search by inverted indexes. */
    private static final Set<String> SEARCH =
            Set.of("MATCH_ANY", "MATCH_ALL", "MATCH_PHRASE", "MATCH_PHRASE_PREFIX", "MATCH_REGEXP");

    private static final Set<String> COMPARISONS = Set.of("=", "<>", "!=", "<", "<=", ">", ">=");

    /**
     * Returns the parsed conjunct; null if it has none of these forms.
     *
     * @param firstSlot the slot of its first placeholder
     */
    static @Nullable OpaqueConjunct read(List<Token> conjunct, int firstSlot) {
        Reader reader = new Reader(conjunct, firstSlot);
        return reader.conjunct() ? new OpaqueConjunct(reader.parts, reader.values) : null;
    }

    /** Reads a conjunct. Its state is undefined after a failure. Confined to one thread. */
    private static final class Reader {
        private enum Operand {
            NONE,
            COLUMN,
            TEXT,
            NUMBER
        }

        private final List<Token> tokens;
        private final List<Part> parts = new ArrayList<>();
        private final List<Value> values = new ArrayList<>();
        private int slot;
        private int at;

        Reader(List<Token> tokens, int firstSlot) {
            this.tokens = tokens;
            this.slot = firstSlot;
        }

        boolean conjunct() {
            return (fullText() || comparison()) && at == tokens.size() && !values.isEmpty();
        }

        private @Nullable Token next() {
            return at < tokens.size() ? tokens.get(at) : null;
        }

        private boolean take(String word) {
            Token token = next();
            boolean is = token != null && (token.is(word) || (!token.type().isName() && token.isSymbol(word)));
            if (is) {
                text(word);
            }
            return is;
        }

        private void text(String text) {
            parts.add(new Text(text));
            at++;
        }

        private boolean take(Set<String> some) {
            Token token = next();
            return token != null
                    && token.type() != TokenType.QUOTED
                    && some.contains(upper(token))
                    && take(upper(token));
        }

        private boolean value(boolean text) {
            Token token = next();
            if (token == null || token.type() != TokenType.PLACEHOLDER) {
                return false;
            }
            parts.add(new Place());
            values.add(new Value(slot++, text));
            at++;
            return true;
        }

        private boolean column(boolean date) {
            List<String> names = new ArrayList<>();
            do {
                at += names.isEmpty() ? 0 : 1;
                Token token = next();
                if (token == null
                        || !token.type().isName()
                        || (token.type() == TokenType.WORD && ReservedWords.contains(token.text()))) {
                    return false;
                }
                names.add(token.name());
                at++;
            } while (at < tokens.size() && tokens.get(at).type() == TokenType.DOT);
            parts.add(new Column(names, date));
            return true;
        }

        /**
         * Reads {@code MATCH (column, …) AGAINST (value IN BOOLEAN MODE)}. Returns whether it is
         * present.
         */
        private boolean fullText() {
            if (!take("MATCH") || !take("(")) {
                return restart();
            }
            do {
                if (!column(false)) {
                    return false;
                }
            } while (take(","));
            if (!take(")") || !take("AGAINST") || !take("(") || !value(true)) {
                return false;
            }
            boolean mode = !take("IN")
                    || (take("BOOLEAN") && take("MODE"))
                    || (take("NATURAL") && take("LANGUAGE") && take("MODE"));
            return mode && take(")");
        }

        private boolean restart() {
            at = 0;
            parts.clear();
            return false;
        }

        private boolean comparison() {
            Operand operand = operand();
            if (operand == Operand.COLUMN && take(SEARCH)) {
                return value(true);
            }
            if (operand == Operand.COLUMN || operand == Operand.TEXT) {
                boolean not = take("NOT");
                if (take("LIKE")) {
                    return value(true) && (!take("ESCAPE") || value(true));
                }
                if (take("REGEXP") || take("RLIKE")) {
                    return value(true);
                }
                if (not) {
                    return false;
                }
            }
            return (operand == Operand.TEXT || operand == Operand.NUMBER)
                    && take(COMPARISONS)
                    && value(operand == Operand.TEXT);
        }

        private Operand operand() {
            Token token = next();
            if (token == null
                    || token.type() != TokenType.WORD
                    || at + 1 >= tokens.size()
                    || tokens.get(at + 1).type() != TokenType.LEFT_PARENTHESIS) {
                return column(false) ? Operand.COLUMN : Operand.NONE;
            }
            String function = upper(token);
            text(function);
            text("(");
            Operand result = Operand.TEXT;
            boolean read = false;
            if (TEXT_OF_TEXT.contains(function)) {
                read = textOperand();
            } else if (PART_OF_TEXT.contains(function)) {
                read = textOperand() && take(",") && value(false);
            } else {
                result = Operand.NUMBER;
                if (NUMBER_OF_TEXT.contains(function)) {
                    read = textOperand();
                } else if (NUMBER_OF_DATE.contains(function)) {
                    read = column(true);
                } else if (function.equals("INSTR")) {
                    read = textOperand() && take(",") && value(true);
                } else if (function.equals("LOCATE")) {
                    read = value(true) && take(",") && textOperand();
                }
            }
            return read && take(")") ? result : Operand.NONE;
        }

        private boolean textOperand() {
            Operand operand = operand();
            return operand == Operand.COLUMN || operand == Operand.TEXT;
        }

        private static String upper(Token token) {
            return token.text().toUpperCase(Locale.ROOT);
        }
    }
}
