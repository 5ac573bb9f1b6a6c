package org.keyline.stores.duckdb.translate;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;

/**
 * Converts arrays of plain values to the text that Doris shows, {@code [1, null]} or {@code ["a",
 * "b"]}. The store holds this text, and every reply has it unchanged. Elements are checked and
 * printed like values of columns of their type.
 */
final class ArrayValues {
    private static final String QUOTE = "\"";

    private ArrayValues() {}

    /** Replaces each array literal, such as {@code [1, 'a', NULL]}, by a string. */
    static void fold(List<Token> tokens, List<ValueSlot> slots) {
        for (int i = 0; i < tokens.size(); i++) {
            boolean operand = i == 0 || !endsOperand(tokens.get(i - 1));
            int end = operand && tokens.get(i).isSymbol("[") ? end(tokens, i) : -1;
            if (end < 0) {
                continue;
            }
            int from = tokens.get(i).start();
            int to = tokens.get(end).end();
            List<String> elements = new ArrayList<>();
            for (int j = i + 1; j < end; j++) {
                if (tokens.get(j).type() != TokenType.COMMA) {
                    boolean negative = tokens.get(j).isSymbol("-");
                    j += negative ? 1 : 0;
                    elements.add((negative ? "-" : "") + element(tokens.get(j), slots));
                }
            }
            int at = (int) slots.stream().filter(slot -> slot.start() < from).count();
            slots.removeIf(slot -> slot.start() >= from && slot.end() <= to);
            String text = "[" + String.join(", ", elements) + "]";
            slots.add(at, new ValueSlot(ValueSlot.Kind.STRING, text, false, from, to));
            tokens.subList(i + 1, end + 1).clear();
            tokens.set(i, new Token(TokenType.STRING, text, from, to));
        }
    }

    private static boolean endsOperand(Token before) {
        return (before.type().isName() && !before.is("SELECT") && !before.is("VALUES") && !before.is("VALUE"))
                || before.type().isValue()
                || before.type() == TokenType.RIGHT_PARENTHESIS
                || before.isSymbol("]");
    }

    /**
     * Returns the index of the bracket that closes the array literal; -1 if no array literal begins
     * at {@code open}.
     */
    private static int end(List<Token> tokens, int open) {
        int i = open + 1;
        if (i < tokens.size() && tokens.get(i).isSymbol("]")) {
            return i;
        }
        while (i < tokens.size()) {
            i += tokens.get(i).isSymbol("-") ? 1 : 0;
            if (i + 1 >= tokens.size() || !isElement(tokens.get(i))) {
                return -1;
            }
            if (tokens.get(i + 1).isSymbol("]")) {
                return i + 1;
            }
            if (tokens.get(i + 1).type() != TokenType.COMMA) {
                return -1;
            }
            i += 2;
        }
        return -1;
    }

    private static boolean isElement(Token token) {
        return switch (token.type()) {
            case INTEGER, DECIMAL, FLOAT, STRING -> true;
            default -> token.is("NULL") || token.is("TRUE") || token.is("FALSE");
        };
    }

    private static String element(Token token, List<ValueSlot> slots) {
        if (token.type() == TokenType.STRING) {
            return slots.stream()
                    .filter(slot -> slot.start() == token.start() && slot.value() instanceof String)
                    .map(slot -> quoted((String) slot.value()))
                    .findFirst()
                    .orElseThrow(() -> StatementRefusedException.unsupported("bytes inside arrays"));
        }
        return token.is("NULL") ? "null" : token.is("TRUE") ? "1" : token.is("FALSE") ? "0" : token.text();
    }

    /**
     * Returns an element in quotes. Refuses quotes and backslashes in it, because Doris shows
     * elements without escapes.
     */
    private static String quoted(@Nullable String value) {
        if (value == null || value.contains(QUOTE) || value.indexOf('\\') >= 0) {
            throw StatementRefusedException.unsupported("text with '\"' or '\\' inside arrays");
        }
        return QUOTE + value + QUOTE;
    }

    /** Returns an array as the column stores it. Throws error 1366 for an invalid array. */
    static String of(Object value, ColumnSchema column) {
        String text = Values.text(value).strip();
        if (!text.startsWith("[") || !text.endsWith("]")) {
            throw incorrect(column, text);
        }
        ColumnType type = column.type().fields().get(0).type();
        ColumnSchema element = new ColumnSchema(column.name(), type, true, null, false, "");
        List<String> shown = new ArrayList<>();
        int at = 1;
        int end = text.length() - 1;
        while (!text.substring(at, end).isBlank()) {
            while (Character.isWhitespace(text.charAt(at))) {
                at++;
            }
            char quote = text.charAt(at);
            boolean quotes = quote == '"' || quote == '\'';
            int close = quotes ? text.indexOf(quote, at + 1) : at;
            int comma = close < 0 ? -1 : text.indexOf(',', close);
            int next = comma < 0 || comma > end ? end : comma;
            String word = quotes && close > 0
                    ? text.substring(at + 1, close)
                    : text.substring(at, next).strip();
            boolean rest = quotes
                    && (close < 0
                            || close >= end
                            || !text.substring(close + 1, next).isBlank());
            boolean last = next < end && text.substring(next + 1, end).isBlank();
            if (rest || last || (word.isEmpty() && !quotes)) {
                throw incorrect(column, text);
            }
            shown.add(!quotes && word.equals("null") ? word : shown(StoredValues.of(word, element), type));
            at = Math.min(next + 1, end);
        }
        return "[" + String.join(", ", shown) + "]";
    }

    private static StatementRefusedException incorrect(ColumnSchema column, String value) {
        String shown = value.length() > 64 ? value.substring(0, 64) : value;
        return new StatementRefusedException(
                1366, "HY000", "Incorrect array value: '" + shown + "' for column '" + column.name() + "' at row 1");
    }

    private static String shown(@Nullable Object value, ColumnType type) {
        if (value instanceof Boolean truth) {
            return truth ? "1" : "0";
        }
        if (value instanceof BigDecimal decimal) {
            return decimal.toPlainString();
        }
        if (value instanceof Double number) {
            return Values.text(type.kind() == ColumnType.Kind.FLOAT ? (Object) number.floatValue() : number);
        }
        if (value instanceof LocalDateTime moment) {
            return QUOTE + Temporals.text(moment, type.scale()) + QUOTE;
        }
        return value instanceof LocalDate
                ? QUOTE + value + QUOTE
                : value instanceof String text ? quoted(text) : String.valueOf(value);
    }
}
