package org.keyline.stores.duckdb.translate;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;

/** One item of a SELECT list as tokens: whether it has a name, and the name that MySQL gives it otherwise. */
final class SelectItem {

    private static final int MAX_LABEL = 255;
    private static final Set<String> OPERAND_WORDS = Set.of("NULL", "TRUE", "FALSE", "UNKNOWN", "END");

    private SelectItem() {}

    /**
     * The label of an item without an alias; null if it has one, or is a star or a column, which name themselves.
     *
     * @param from first token
     * @param to token after the last
     */
    static @Nullable String label(StatementText text, int from, int to) {
        List<Token> tokens = text.tokens();
        Token last = tokens.get(to - 1);
        if (last.isSymbol("*") && (to - from == 1 || tokens.get(to - 2).type() == TokenType.DOT)) {
            return null;
        }
        if (isColumn(tokens, from, to) || hasAlias(tokens, from, to)) {
            return null;
        }
        if (to - from == 1 && last.type() == TokenType.STRING) {
            @Nullable Object value = slotAt(text, last).value();
            return bounded(value instanceof String string ? string.stripLeading() : "");
        }
        return bounded(text.text(tokens.get(from).start(), last.end()));
    }

    private static ValueSlot slotAt(StatementText text, Token token) {
        return text.slots().stream()
                .filter(slot -> slot.start() == token.start())
                .findFirst()
                .orElseThrow();
    }

    private static String bounded(String label) {
        return label.length() <= MAX_LABEL ? label : label.substring(0, MAX_LABEL);
    }

    private static boolean isColumn(List<Token> tokens, int from, int to) {
        for (int i = from; i < to; i++) {
            boolean name = (i - from) % 2 == 0;
            Token token = tokens.get(i);
            if (name ? !isPlainName(token, i > from) : token.type() != TokenType.DOT) {
                return false;
            }
        }
        return (to - from) % 2 == 1;
    }

    private static boolean isPlainName(Token token, boolean afterDot) {
        if (token.type() == TokenType.QUOTED || (afterDot && token.type() == TokenType.WORD)) {
            return true;
        }
        String word = Keywords.upper(token.text());
        return token.type() == TokenType.WORD
                && !Keywords.BARE_CALLS.contains(word)
                && !Keywords.KEPT.contains(word)
                && !word.equals("DEFAULT");
    }

    private static boolean hasAlias(List<Token> tokens, int from, int to) {
        return to - from >= 2 && isAlias(tokens, to - 1, from);
    }

    /** Whether a token is the alias of the item that begins at {@code from}. */
    static boolean isAlias(List<Token> tokens, int index, int from) {
        if (index <= from) {
            return false;
        }
        Token token = tokens.get(index);
        Token before = tokens.get(index - 1);
        boolean mayBe = token.type() == TokenType.QUOTED
                || token.type() == TokenType.STRING
                || (token.type() == TokenType.WORD
                        && !isOperandWord(token)
                        && !Keywords.KEPT.contains(Keywords.upper(token.text())));
        if (!mayBe) {
            return false;
        }
        return before.is("AS")
                || (endsOperand(before) && !isUnit(tokens, index, from) && !beforeIsCollate(tokens, index));
    }

    private static boolean beforeIsCollate(List<Token> tokens, int index) {
        return tokens.get(index - 1).is("COLLATE");
    }

    private static boolean isOperandWord(Token token) {
        return OPERAND_WORDS.contains(Keywords.upper(token.text()));
    }

    /** Whether a word is the unit of an INTERVAL that begins before it in the same parentheses. */
    private static boolean isUnit(List<Token> tokens, int index, int from) {
        Token token = tokens.get(index);
        if (token.type() != TokenType.WORD || !Keywords.UNITS.contains(Keywords.upper(token.text()))) {
            return false;
        }
        int depth = 0;
        for (int i = index - 1; i >= from && depth >= 0; i--) {
            TokenType type = tokens.get(i).type();
            depth += type == TokenType.RIGHT_PARENTHESIS ? 1 : type == TokenType.LEFT_PARENTHESIS ? -1 : 0;
            if (depth == 0 && tokens.get(i).is("INTERVAL")) {
                return true;
            }
            if (depth == 0
                    && i < index - 1
                    && type == TokenType.WORD
                    && Keywords.UNITS.contains(Keywords.upper(tokens.get(i).text()))) {
                return false;
            }
        }
        return false;
    }

    /** Whether an operand may end with this token, so that what follows is an operator or an alias. */
    static boolean endsOperand(Token token) {
        return switch (token.type()) {
            case QUOTED,
                    STRING,
                    INTEGER,
                    DECIMAL,
                    FLOAT,
                    HEX,
                    BIT,
                    PLACEHOLDER,
                    USER_VARIABLE,
                    SYSTEM_VARIABLE,
                    RIGHT_PARENTHESIS -> true;
            case OPERATOR -> token.isSymbol("]");
            case WORD -> isOperandWord(token) || endsOperand(Keywords.upper(token.text()));
            default -> false;
        };
    }

    private static boolean endsOperand(String word) {
        return !Keywords.KEPT.contains(word)
                && !Keywords.BEFORE_OPERAND.contains(word)
                && !word.equals("MOD")
                && !word.equals("COLLATE")
                && !word.equals("SOUNDS");
    }
}
