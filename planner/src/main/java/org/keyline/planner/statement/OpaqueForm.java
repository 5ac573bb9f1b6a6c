package org.keyline.planner.statement;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.OpaqueCondition.Value;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;

/**
 * A SELECT without the conjuncts that only the store can evaluate. Immutable.
 *
 * @param tokens the tokens of the SELECT. A row of its placeholders, as {@code (?, ?)}, replaces
 * each such conjunct, so that all placeholders retain their order
 * @param conjuncts the replaced conjuncts by the slots of their values
 */
public record OpaqueForm(List<Token> tokens, Map<List<Integer>, OpaqueConjunct> conjuncts) {
    /**
     * Words that bind less tightly than AND, or can contain an AND. A clause with one of them is
     * not split.
     */
    private static final Set<String> UNCERTAIN = Set.of("OR", "XOR", "CASE", "SELECT");

    private static final Token OPEN = new Token(TokenType.LEFT_PARENTHESIS, "(", 0, 0);
    private static final Token CLOSE = new Token(TokenType.RIGHT_PARENTHESIS, ")", 0, 0);
    private static final Token COMMA = new Token(TokenType.COMMA, ",", 0, 0);
    private static final Token VALUE = new Token(TokenType.PLACEHOLDER, "?", 0, 0);

    public OpaqueForm {
        tokens = List.copyOf(tokens);
        conjuncts = Map.copyOf(conjuncts);
    }

    public static OpaqueForm of(List<Token> tokens) {
        int where = where(tokens);
        List<Integer> ends = where < 0 ? null : conjunctEnds(tokens, where + 1);
        if (ends == null) {
            return new OpaqueForm(tokens, Map.of());
        }
        Map<List<Integer>, OpaqueConjunct> conjuncts = new HashMap<>();
        List<Token> all = new ArrayList<>(tokens.subList(0, where + 1));
        int slot = placeholders(all);
        int from = where + 1;
        for (int end : ends) {
            List<Token> conjunct = tokens.subList(from, end);
            OpaqueConjunct opaque = OpaqueConjunct.read(withoutParentheses(conjunct), slot);
            if (opaque == null) {
                all.addAll(conjunct);
            } else {
                List<Integer> slots = opaque.values().stream().map(Value::slot).toList();
                conjuncts.put(slots, opaque);
                row(slots.size(), all);
            }
            slot += placeholders(conjunct);
            if (end < tokens.size()) {
                all.add(tokens.get(end));
            }
            from = end + 1;
        }
        all.addAll(tokens.subList(Math.min(from, tokens.size()), tokens.size()));
        return conjuncts.isEmpty() ? new OpaqueForm(tokens, Map.of()) : new OpaqueForm(all, conjuncts);
    }

    private static int where(List<Token> tokens) {
        int depth = 0;
        for (int i = 0; i < tokens.size(); i++) {
            depth += depth(tokens.get(i));
            if (depth == 0 && tokens.get(i).is("WHERE")) {
                return i;
            }
        }
        return -1;
    }

    /** Returns the index of the AND or the clause's end after each conjunct; null if unknown. */
    private static @Nullable List<Integer> conjunctEnds(List<Token> tokens, int from) {
        List<Integer> ends = new ArrayList<>();
        int depth = 0;
        int betweens = 0;
        int at = from;
        for (; at < tokens.size(); at++) {
            Token token = tokens.get(at);
            depth += depth(token);
            if (depth > 0) {
                continue;
            }
            if (depth < 0 || token.isSymbol("||") || UNCERTAIN.stream().anyMatch(token::is)) {
                return null;
            }
            if (token.is("ORDER") || token.is("LIMIT")) {
                break;
            }
            if (token.is("BETWEEN")) {
                betweens++;
            } else if (token.is("AND") && betweens > 0) {
                betweens--;
            } else if (token.is("AND")) {
                ends.add(at);
            }
        }
        ends.add(at);
        return ends;
    }

    private static int depth(Token token) {
        return switch (token.type()) {
            case LEFT_PARENTHESIS -> 1;
            case RIGHT_PARENTHESIS -> -1;
            default -> 0;
        };
    }

    private static int placeholders(List<Token> tokens) {
        return (int) tokens.stream()
                .filter(token -> token.type() == TokenType.PLACEHOLDER)
                .count();
    }

    /** Removes the parentheses around the whole conjunct. */
    private static List<Token> withoutParentheses(List<Token> conjunct) {
        List<Token> inner = conjunct;
        while (inner.size() > 2 && closing(inner) == inner.size() - 1) {
            inner = inner.subList(1, inner.size() - 1);
        }
        return inner;
    }

    /**
     * Returns the index of the closing parenthesis; -1 if the tokens begin without a parenthesis.
     */
    private static int closing(List<Token> tokens) {
        int depth = 0;
        for (int i = 0; i < tokens.size(); i++) {
            depth += depth(tokens.get(i));
            if (depth == 0) {
                return i == 0 ? -1 : i;
            }
        }
        return -1;
    }

    private static void row(int values, List<Token> all) {
        all.add(OPEN);
        for (int i = 0; i < values; i++) {
            if (i > 0) {
                all.add(COMMA);
            }
            all.add(VALUE);
        }
        all.add(CLOSE);
    }
}
