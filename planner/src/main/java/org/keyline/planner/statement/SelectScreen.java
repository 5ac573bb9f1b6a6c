package org.keyline.planner.statement;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ForwardReason;
import org.keyline.planner.digest.ReservedWords;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;

/** Recognises, by tokens alone, SELECTs that are not point reads, to avoid parsing them. */
final class SelectScreen {
    private static final Set<String> FAMILY = Set.of(
            "SELECT", "FROM", "WHERE", "AND", "OR", "IN", "BETWEEN", "ORDER", "BY", "ASC", "DESC", "LIMIT", "AS");

    private static final Map<String, ForwardReason> REASONS = reasons();
    private static final int MAX_DEPTH = 16;
    /** Maximum number of comparisons, each with the AND before it. */
    private static final int MAX_CONDITIONS = 64;
    /** Maximum number of columns, aliases, and their qualifiers. */
    private static final int MAX_NAMES = 2048;
    /** Maximum number of left parentheses: one per tuple of an IN list, and some others. */
    private static final int MAX_PARENTHESES = 1024 + MAX_DEPTH;

    private static final int MAX_VALUES = 8192;

    private SelectScreen() {}

    /** Returns the reason to forward a SELECT; null if the tokens do not decide it. */
    static @Nullable ForwardReason reason(List<Token> tokens) {
        if (tokens.get(0).is("WITH")) {
            return ForwardReason.COMMON_TABLE_EXPRESSION;
        }
        if (!tokens.get(0).is("SELECT")) {
            return tokens.get(0).isSymbol("(") ? ForwardReason.SUBQUERY : ForwardReason.NOT_A_SELECT;
        }
        Size size = new Size();
        boolean conditions = false;
        for (int i = 1; i < tokens.size(); i++) {
            Token token = tokens.get(i);
            ForwardReason reason = reason(tokens, i, conditions);
            if (reason != null) {
                return reason;
            }
            if (!size.admits(tokens, i)) {
                return ForwardReason.TOO_COMPLEX;
            }
            conditions |= token.is("WHERE");
        }
        return null;
    }

    /** The numbers of tokens of each kind. Their maxima bound a parser's time and stack. */
    private static final class Size {
        private int depth;
        private int parentheses;
        private int operators;
        private int names;
        private int values;

        /** Counts a token. Returns false above the maximum of its kind. */
        boolean admits(List<Token> tokens, int index) {
            Token token = tokens.get(index);
            switch (token.type()) {
                case LEFT_PARENTHESIS -> {
                    depth++;
                    parentheses++;
                }
                case RIGHT_PARENTHESIS -> depth--;
                case PLACEHOLDER -> values++;
                case OPERATOR -> operators += isSign(tokens, index) ? 0 : 1;
                case QUOTED, WORD -> {
                    names++;
                    operators +=
                            token.is("IN") || token.is("AND") || token.is("OR") || token.is("BETWEEN") || token.is("IS")
                                    ? 1
                                    : 0;
                }
                default -> {}
            }
            return depth >= 0
                    && depth <= MAX_DEPTH
                    && parentheses <= MAX_PARENTHESES
                    && operators < 2 * MAX_CONDITIONS
                    && names <= MAX_NAMES
                    && values <= MAX_VALUES;
        }

        /**
         * Returns whether the token is the sign of a value. A sign counts together with its value.
         */
        private static boolean isSign(List<Token> tokens, int index) {
            TokenType before = tokens.get(index - 1).type();
            return tokens.get(index).isSymbol("-")
                    && (before == TokenType.COMMA || before == TokenType.LEFT_PARENTHESIS)
                    && index + 1 < tokens.size()
                    && tokens.get(index + 1).type() == TokenType.PLACEHOLDER;
        }
    }

    private static @Nullable ForwardReason reason(List<Token> tokens, int index, boolean conditions) {
        Token token = tokens.get(index);
        boolean afterDot = tokens.get(index - 1).type() == TokenType.DOT;
        return switch (token.type()) {
            case HINT -> ForwardReason.OPTIMIZER_HINT;
            case EXECUTABLE_COMMENT -> ForwardReason.EXECUTABLE_COMMENT;
            case USER_VARIABLE -> ForwardReason.USER_VARIABLE;
            case SYSTEM_VARIABLE -> ForwardReason.SYSTEM_VARIABLE;
            case INTRODUCER -> ForwardReason.CHARSET_INTRODUCER;
            case QUOTED -> Calls.isCall(tokens, index, tokens.size()) ? ForwardReason.FUNCTION : null;
            case WORD -> afterDot ? called(tokens, index) : word(tokens, index, conditions);
            case OPERATOR -> operator(token.text(), conditions);
            default -> introduced(tokens, index);
        };
    }

    /**
     * Returns a reason if {@code _name} precedes a value, because the name can be an introducer or
     * a column before an alias. Returns null in any other case.
     */
    private static @Nullable ForwardReason introduced(List<Token> tokens, int index) {
        Token before = tokens.get(index - 1);
        boolean introduced = tokens.get(index).type() == TokenType.PLACEHOLDER
                && before.type() == TokenType.WORD
                && before.text().startsWith("_");
        return introduced ? ForwardReason.CHARSET_INTRODUCER : null;
    }

    private static @Nullable ForwardReason called(List<Token> tokens, int index) {
        return Calls.isCall(tokens, index, tokens.size()) ? ForwardReason.FUNCTION : null;
    }

    private static @Nullable ForwardReason word(List<Token> tokens, int index, boolean conditions) {
        String word = tokens.get(index).text().toUpperCase(Locale.ROOT);
        if (FAMILY.contains(word)) {
            if (word.equals("BETWEEN")) {
                return conditions ? null : ForwardReason.EXPRESSION;
            }
            return word.equals("SELECT") ? ForwardReason.SUBQUERY : null;
        }
        if (conditions && (isComparison(tokens, index) || word.equals("TRUE"))) {
            return null;
        }
        if (word.equals("NULL")) {
            return conditions ? ForwardReason.NULL_LITERAL : ForwardReason.EXPRESSION;
        }
        ForwardReason reason = REASONS.get(word);
        if (reason != null) {
            return reason == ForwardReason.OTHER_CONDITION && !conditions ? ForwardReason.EXPRESSION : reason;
        }
        if (Calls.isCall(tokens, index, tokens.size())) {
            return ForwardReason.FUNCTION;
        }
        return ReservedWords.contains(word) ? ForwardReason.OTHER_CLAUSE : null;
    }

    /** Returns whether the word is a part of IS NULL, IS NOT NULL, NOT IN or NOT BETWEEN. */
    private static boolean isComparison(List<Token> tokens, int index) {
        Token token = tokens.get(index);
        Token before = tokens.get(index - 1);
        Token next = index + 1 < tokens.size() ? tokens.get(index + 1) : token;
        if (token.is("IS")) {
            return next.is("NULL")
                    || (next.is("NOT")
                            && index + 2 < tokens.size()
                            && tokens.get(index + 2).is("NULL"));
        }
        if (token.is("NOT")) {
            return next.is("IN") || next.is("BETWEEN") || (before.is("IS") && next.is("NULL"));
        }
        return token.is("NULL")
                && (before.is("IS")
                        || (before.is("NOT") && tokens.get(index - 2).is("IS")));
    }

    private static @Nullable ForwardReason operator(String symbol, boolean conditions) {
        return switch (symbol) {
            case "*", "-", "=" -> null;
            case "||" -> conditions ? ForwardReason.DISJUNCTION : ForwardReason.EXPRESSION;
            case "<", "<=", ">", ">=", "<>", "!=" -> conditions ? null : ForwardReason.EXPRESSION;
            default -> conditions ? ForwardReason.OTHER_CONDITION : ForwardReason.EXPRESSION;
        };
    }

    private static Map<String, ForwardReason> reasons() {
        Map<String, ForwardReason> reasons = new HashMap<>();
        put(reasons, ForwardReason.DISTINCT, "DISTINCT", "DISTINCTROW");
        put(
                reasons,
                ForwardReason.SELECT_MODIFIER,
                "ALL",
                "HIGH_PRIORITY",
                "STRAIGHT_JOIN",
                "SQL_SMALL_RESULT",
                "SQL_BIG_RESULT",
                "SQL_BUFFER_RESULT",
                "SQL_CACHE",
                "SQL_NO_CACHE",
                "SQL_CALC_FOUND_ROWS");
        put(reasons, ForwardReason.SET_OPERATION, "UNION", "EXCEPT", "INTERSECT", "MINUS");
        put(reasons, ForwardReason.JOIN, "JOIN", "NATURAL", "CROSS", "INNER", "LEFT", "RIGHT", "FULL", "LATERAL");
        put(reasons, ForwardReason.GROUPING, "GROUP", "HAVING");
        put(reasons, ForwardReason.WINDOW, "OVER", "WINDOW", "QUALIFY");
        put(reasons, ForwardReason.LOCKING_READ, "FOR", "LOCK");
        put(reasons, ForwardReason.INTO, "INTO");
        put(reasons, ForwardReason.PARTITION_SELECTION, "PARTITION", "TABLET", "TABLESAMPLE", "TEMPORARY");
        put(reasons, ForwardReason.INDEX_HINT, "USE", "FORCE", "IGNORE");
        put(reasons, ForwardReason.DISJUNCTION, "XOR");
        put(
                reasons,
                ForwardReason.OTHER_CONDITION,
                "NOT",
                "LIKE",
                "REGEXP",
                "RLIKE",
                "IS",
                "EXISTS",
                "DIV",
                "MOD",
                "INTERVAL",
                "CASE",
                "BINARY",
                "COLLATE",
                "MATCH",
                "TRUE",
                "FALSE");
        put(
                reasons,
                ForwardReason.FUNCTION,
                "CURRENT_DATE",
                "CURRENT_ROLE",
                "CURRENT_TIME",
                "CURRENT_TIMESTAMP",
                "CURRENT_USER",
                "LOCALTIME",
                "LOCALTIMESTAMP",
                "SESSION_USER",
                "UTC_DATE",
                "UTC_TIME",
                "UTC_TIMESTAMP",
                "IF",
                "CONVERT",
                "VALUES",
                "CHAR",
                "DATABASE",
                "SCHEMA",
                "REPEAT",
                "REPLACE",
                "INSERT");
        return Map.copyOf(reasons);
    }

    private static void put(Map<String, ForwardReason> reasons, ForwardReason reason, String... words) {
        for (String word : words) {
            reasons.put(word, reason);
        }
    }
}
