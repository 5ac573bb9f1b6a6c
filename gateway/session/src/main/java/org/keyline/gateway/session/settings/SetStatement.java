package org.keyline.gateway.session.settings;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;

/**
 * A SET statement as a list of assignments, in text order. Immutable.
 *
 * @param assignments the assignments of system variables. User variables are omitted, since no
 *     point read uses one
 * @param understood false for unsupported forms such as SET ROLE and SET STATEMENT … FOR
 */
record SetStatement(List<Assignment> assignments, boolean understood) {
    static final String NEXT_TRANSACTION = "next transaction";

    /**
     * Characteristics of transactions. With two at-signs and no scope, SET changes them for the
     * next transaction only.
     */
    private static final Set<String> CHARACTERISTICS =
            Set.of("transaction_isolation", "tx_isolation", "transaction_read_only", "tx_read_only");

    private static final Set<String> SCOPES = Set.of("GLOBAL", "SESSION", "LOCAL", "PERSIST", "PERSIST_ONLY");

    private static final Set<String> GLOBAL = Set.of("GLOBAL", "PERSIST", "PERSIST_ONLY");

    /**
     * An assignment.
     *
     * @param variable the name in lower case, without scope. {@code names}, {@code character_set}
     *     and {@code transaction} stand for forms that set several variables. {@link
     *     #NEXT_TRANSACTION} stands for characteristics of only the next transaction
     * @param global whether the assignment sets the variable for all later sessions
     * @param value the single assigned literal or word, unquoted; null for an expression or a
     *     placeholder
     * @param expression the tokens of the right-hand side
     */
    record Assignment(
            String variable, boolean global, @Nullable String value, List<Token> expression) {
        boolean isDefault() {
            return expression.size() == 1 && expression.get(0).is("DEFAULT");
        }
    }

    SetStatement {
        assignments = List.copyOf(assignments);
    }

    /** Tokens whose meaning differs from store to store. */
    private static final Set<TokenType> UNSURE = Set.of(TokenType.EXECUTABLE_COMMENT, TokenType.HINT, TokenType.ERROR);

    /** Returns the assignments of a statement that begins with SET. */
    static SetStatement read(List<Token> tokens) {
        if (tokens.stream().anyMatch(token -> UNSURE.contains(token.type()))) {
            return new SetStatement(List.of(), false);
        }
        int at = tokens.size() > 2 && isScope(tokens.get(1)) ? 2 : 1;
        if (tokens.size() > at && tokens.get(at).is("TRANSACTION")) {
            String set = at == 1 ? NEXT_TRANSACTION : "transaction";
            boolean global = tokens.get(1).is("GLOBAL");
            return new SetStatement(List.of(of(set, global, tokens.subList(at + 1, tokens.size()))), true);
        }
        List<Assignment> assignments = new ArrayList<>();
        boolean inherits = false;
        for (List<Token> part : split(tokens.subList(1, tokens.size()))) {
            boolean scoped = !part.isEmpty() && isScope(part.get(0));
            if (part.isEmpty() || (inherits && !scoped && part.get(0).type().isName())) {
                // GLOBAL may also apply to the following assignments, up to the next scope.
                return new SetStatement(assignments, false);
            }
            inherits = scoped ? isGlobal(part.get(0)) : inherits;
            if (part.get(0).type() == TokenType.USER_VARIABLE) {
                continue;
            }
            Assignment assignment = assignment(part);
            if (assignment == null) {
                return new SetStatement(assignments, false);
            }
            assignments.add(assignment);
        }
        return new SetStatement(assignments, true);
    }

    private static boolean isScope(Token token) {
        return SCOPES.contains(token.text().toUpperCase(Locale.ROOT));
    }

    private static boolean isGlobal(Token token) {
        return GLOBAL.contains(token.text().toUpperCase(Locale.ROOT));
    }

    private static @Nullable Assignment assignment(List<Token> part) {
        int at = isScope(part.get(0)) && part.size() > 1 ? 1 : 0;
        Token name = part.get(at);
        boolean global = at == 1 && isGlobal(part.get(0));
        if (at == 0 && name.is("NAMES")) {
            return of("names", false, part.subList(1, part.size()));
        }
        if (at == 0
                && (name.is("CHARSET")
                        || (name.is("CHARACTER")
                                && part.size() > 1
                                && part.get(1).is("SET")))) {
            return of("character_set", false, part.subList(name.is("CHARSET") ? 1 : 2, part.size()));
        }
        boolean assigned = part.size() > at + 2
                && (part.get(at + 1).isSymbol("=") || part.get(at + 1).isSymbol(":="));
        if (!assigned) {
            return null;
        }
        String variable = switch (name.type()) {
            case WORD, QUOTED -> name.name();
            case SYSTEM_VARIABLE -> systemVariable(name.text());
            default -> null;
        };
        if (variable == null) {
            return null;
        }
        global |= name.type() == TokenType.SYSTEM_VARIABLE && isGlobal(name.text());
        return of(variable.toLowerCase(Locale.ROOT), global, part.subList(at + 2, part.size()));
    }

    private static boolean isGlobal(String text) {
        int dot = text.indexOf('.');
        return dot > 0 && GLOBAL.contains(text.substring(2, dot).toUpperCase(Locale.ROOT));
    }

    /** Returns the name in {@code @@name}, {@code @@session.name} and {@code @@session.`name`}. */
    private static String systemVariable(String text) {
        String name = text.substring(2);
        int dot = name.indexOf('.');
        if (dot > 0 && SCOPES.contains(name.substring(0, dot).toUpperCase(Locale.ROOT))) {
            return name.substring(dot + 1).replace("`", "");
        }
        String plain = name.replace("`", "");
        return CHARACTERISTICS.contains(plain.toLowerCase(Locale.ROOT)) ? NEXT_TRANSACTION : plain;
    }

    private static Assignment of(String variable, boolean global, List<Token> expression) {
        String value = expression.size() == 1 ? literal(expression.get(0)) : null;
        return new Assignment(variable, global, value, List.copyOf(expression));
    }

    /** Returns a token's text, or a string's content; null for any other token. */
    static @Nullable String literal(Token token) {
        return switch (token.type()) {
            case WORD, QUOTED -> token.name();
            case INTEGER -> token.text();
            case STRING -> {
                String content = token.text().substring(1, token.text().length() - 1);
                yield content.indexOf('\\') >= 0 || content.indexOf(token.text().charAt(0)) >= 0 ? null : content;
            }
            default -> null;
        };
    }

    /** Returns the tokens in upper case, as in {@code READ ONLY,ISOLATION LEVEL SERIALIZABLE}. */
    static String words(List<Token> tokens) {
        return tokens.stream()
                .map(token -> token.text().toUpperCase(Locale.ROOT))
                .collect(Collectors.joining(" "))
                .replace(" , ", ",");
    }

    private static List<List<Token>> split(List<Token> tokens) {
        List<List<Token>> parts = new ArrayList<>();
        int depth = 0;
        int from = 0;
        for (int i = 0; i < tokens.size(); i++) {
            switch (tokens.get(i).type()) {
                case LEFT_PARENTHESIS -> depth++;
                case RIGHT_PARENTHESIS -> depth--;
                case COMMA -> {
                    if (depth == 0) {
                        parts.add(tokens.subList(from, i));
                        from = i + 1;
                    }
                }
                default -> {}
            }
        }
        parts.add(tokens.subList(from, tokens.size()));
        return parts;
    }
}
