package org.keyline.stores.duckdb.translate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;

/**
 * Doris's literals of arrays, maps and structs, {@code [1, 2]}, {@code {'a': 1}}, {@code struct(1, 'a')} and their like: each
 * becomes one string, the text in which Doris shows the value. What is no literal through and through stays as it is. Used once.
 */
final class NestedLiterals {
    private static final int MAX_DEPTH = 64;

    private final List<Token> tokens;
    private final Map<Integer, ValueSlot> slots = new HashMap<>();
    private final StringBuilder out = new StringBuilder();
    private int at;

    private NestedLiterals(List<Token> tokens, List<ValueSlot> slots) {
        this.tokens = tokens;
        slots.forEach(slot -> this.slots.put(slot.start(), slot));
    }

    /**
     * Puts a string in the place of each literal.
     *
     * @param tokens changed
     * @param slots changed
     */
    static void fold(List<Token> tokens, List<ValueSlot> slots) {
        if (tokens.stream().noneMatch(NestedLiterals::mayBegin)) {
            return;
        }
        NestedLiterals reader = new NestedLiterals(List.copyOf(tokens), slots);
        List<Token> folded = new ArrayList<>();
        List<ValueSlot> kept = new ArrayList<>();
        for (int i = 0; i < reader.tokens.size(); i++) {
            Token token = reader.tokens.get(i);
            int end = reader.begins(i) ? reader.literal(i) : -1;
            if (end < 0) {
                folded.add(token);
                @Nullable ValueSlot slot = reader.slots.get(token.start());
                if (slot != null) {
                    kept.add(slot);
                }
                continue;
            }
            int to = reader.tokens.get(end - 1).end();
            folded.add(new Token(TokenType.STRING, token.text(), token.start(), to));
            kept.add(new ValueSlot(ValueSlot.Kind.STRING, reader.out.toString(), false, token.start(), to));
            i = end - 1;
        }
        tokens.clear();
        tokens.addAll(folded);
        slots.clear();
        slots.addAll(kept);
    }

    private static boolean mayBegin(Token token) {
        return token.isSymbol("[") || token.isSymbol("{") || isConstructor(token);
    }

    private static boolean isConstructor(Token token) {
        return token.is("ARRAY") || token.is("MAP") || token.is("STRUCT") || token.is("NAMED_STRUCT");
    }

    /** Whether a literal may stand here: where an operand is expected, not after one, where a bracket is an access. */
    private boolean begins(int i) {
        Token token = tokens.get(i);
        if (!mayBegin(token) || (i > 0 && SelectItem.endsOperand(tokens.get(i - 1)))) {
            return false;
        }
        return !isConstructor(token) || (peek(i + 1).type() == TokenType.LEFT_PARENTHESIS);
    }

    private Token peek(int i) {
        return i < tokens.size() ? tokens.get(i) : new Token(TokenType.END, "", 0, 0);
    }

    /** Reads the literal that begins here into {@link #out}; answers the index after it, or -1 if it is no literal. */
    private int literal(int from) {
        out.setLength(0);
        at = from;
        return value(0) ? at : -1;
    }

    private boolean take(String symbol) {
        if (peek(at).isSymbol(symbol)) {
            at++;
            return true;
        }
        return false;
    }

    private boolean value(int depth) {
        if (depth > MAX_DEPTH) {
            throw new StatementRefusedException(
                    1436, "HY000", "Thread stack overrun: the statement is nested too deeply");
        }
        Token token = peek(at);
        if (take("[")) {
            return list("[", "]", "]", depth);
        }
        if (take("{")) {
            return map(":", "}", depth);
        }
        if (isConstructor(token) && peek(at + 1).type() == TokenType.LEFT_PARENTHESIS) {
            at += 2;
            return switch (token.text().toUpperCase(Locale.ROOT)) {
                case "ARRAY" -> list("[", ")", "]", depth);
                case "MAP" -> map(",", ")", depth);
                case "STRUCT" -> struct(")", out.length(), false, depth);
                default -> map(",", ")", depth);
            };
        }
        return scalar();
    }

    private boolean ends(String symbol) {
        boolean ends = symbol.equals(")") ? peek(at).type() == TokenType.RIGHT_PARENTHESIS : peek(at).isSymbol(symbol);
        at += ends ? 1 : 0;
        return ends;
    }

    private boolean takeComma() {
        boolean comma = peek(at).type() == TokenType.COMMA;
        at += comma ? 1 : 0;
        return comma;
    }

    private boolean list(String open, String end, String close, int depth) {
        out.append(open);
        if (!ends(end)) {
            do {
                if (!value(depth + 1)) {
                    return false;
                }
            } while (takeComma() && out.append(", ").length() > 0);
            if (!ends(end)) {
                return false;
            }
        }
        out.append(close);
        return true;
    }

    /** Keys and values in turn; between braces also values alone, which are a struct. */
    private boolean map(String between, String end, int depth) {
        int begin = out.length();
        out.append('{');
        if (!ends(end)) {
            do {
                if (!value(depth + 1)) {
                    return false;
                }
                if (!(between.equals(",") ? takeComma() : take(between))) {
                    return end.equals("}") && struct(end, begin, true, depth);
                }
                out.append(':');
                if (!value(depth + 1)) {
                    return false;
                }
            } while (takeComma() && out.append(", ").length() > 0);
            if (!ends(end)) {
                return false;
            }
        }
        out.append('}');
        return true;
    }

    /**
     * A struct whose fields have no names of their own.
     *
     * @param begin where its text begins
     * @param first whether the brace and the first value are written
     */
    private boolean struct(String end, int begin, boolean first, int depth) {
        if (first) {
            out.insert(begin + 1, name(0));
        } else {
            out.append('{').append(name(0));
            if (!value(depth + 1)) {
                return false;
            }
        }
        for (int field = 1; takeComma(); field++) {
            out.append(", ").append(name(field));
            if (!value(depth + 1)) {
                return false;
            }
        }
        out.append('}');
        return ends(end);
    }

    private static String name(int field) {
        return '"' + NestedValues.field(field) + "\":";
    }

    private boolean scalar() {
        boolean negative = take("-");
        Token token = peek(at++);
        @Nullable ValueSlot slot = slots.get(token.start());
        switch (token.type()) {
            case INTEGER, DECIMAL, FLOAT -> out.append(negative ? "-" : "").append(token.text());
            case STRING -> {
                if (negative || slot == null || !(slot.value() instanceof String text)) {
                    return false;
                }
                out.append(NestedValues.quoted(text));
            }
            case WORD -> {
                if (negative || !(token.is("NULL") || token.is("TRUE") || token.is("FALSE"))) {
                    return false;
                }
                out.append(token.is("NULL") ? "null" : token.is("TRUE") ? "1" : "0");
            }
            default -> {
                return false;
            }
        }
        return true;
    }
}
