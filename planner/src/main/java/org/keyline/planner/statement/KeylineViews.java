package org.keyline.planner.statement;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;

/** Finds the gateway's views that a statement names. */
public final class KeylineViews {
    /*
     * `keyline` may also be a table or an alias in the store. So a statement that has this name
     * without a dot after it goes to the store. In SHOW, however, the last FROM names a schema.
     */

    public static final String SCHEMA = "keyline";

    private static final Set<String> BEFORE_A_TABLE = Set.of("FROM", "JOIN", "STRAIGHT_JOIN");
    private static final Set<String> QUERIES = Set.of("SELECT", "WITH", "TABLE", "(");
    private static final Set<String> DEFINITIONS = Set.of("TABLE", "DESCRIBE", "DESC", "EXPLAIN");
    private static final Set<String> OF_A_TABLE = Set.of("COLUMNS", "FIELDS", "INDEX", "INDEXES", "KEYS");

    private KeylineViews() {}

    /** Returns the names of the views, in lower case. A read needs a privilege for each. */
    public static Set<String> named(List<Token> tokens) {
        Set<String> named = new TreeSet<>();
        for (int i = 0; i < tokens.size(); i++) {
            String view = view(tokens, i);
            if (view != null) {
                named.add(view);
            } else if (isSchemaOfShow(tokens, i) && isWord(tokens, i - 3, Set.of("FROM", "IN"))) {
                named.add(tokens.get(i - 2).name().toLowerCase(Locale.ROOT));
            }
        }
        return named;
    }

    /** Returns whether a view's name is in the place of a table, or SHOW names the schema. */
    static boolean mentions(List<Token> tokens) {
        boolean show = tokens.get(0).is("SHOW");
        if (tokens.get(0).is("KEYLINE") || (!show && namesTheSchemaAlone(tokens))) {
            return false;
        }
        boolean query = QUERIES.contains(tokens.get(0).text().toUpperCase(Locale.ROOT));
        for (int i = tokens.get(0).is("DELETE") ? afterTarget(tokens) : 1; i < tokens.size(); i++) {
            if (view(tokens, i) == null) {
                if (show && isSchemaOfShow(tokens, i)) {
                    return true;
                }
                continue;
            }
            int before = i - 1;
            while (before > 0 && typeAt(tokens, before) == TokenType.LEFT_PARENTHESIS) {
                before--;
            }
            boolean inQuery = query && typeAt(tokens, before) == TokenType.COMMA;
            boolean defined = (show || before == 0) && isWord(tokens, before, DEFINITIONS);
            if (isWord(tokens, before, BEFORE_A_TABLE)
                    || inQuery
                    || defined
                    || (show && tokens.get(before).is("IN"))) {
                return true;
            }
        }
        return false;
    }

    /** Returns an index after the schema of a DELETE's target, so that no view is found there. */
    private static int afterTarget(List<Token> tokens) {
        int at = 0;
        while (at < tokens.size() && !tokens.get(at).is("FROM")) {
            at++;
        }
        return at + 2;
    }

    private static boolean namesTheSchemaAlone(List<Token> tokens) {
        for (int i = 0; i < tokens.size(); i++) {
            if (isSchema(tokens, i) && typeAt(tokens, i + 1) != TokenType.DOT) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether the token is the schema in {@code SHOW TABLES FROM keyline} or
     * {@code SHOW COLUMNS FROM view FROM keyline}.
     */
    private static boolean isSchemaOfShow(List<Token> tokens, int at) {
        return isSchema(tokens, at)
                && typeAt(tokens, at + 1) != TokenType.DOT
                && isWord(tokens, at - 1, Set.of("FROM", "IN"))
                && typeAt(tokens, at - 2).isName()
                && (!isWord(tokens, at - 2, OF_A_TABLE) || isWord(tokens, at - 3, Set.of("FROM", "IN")));
    }

    /** Returns the name of a view; null for other tokens, such as a function call. */
    private static @Nullable String view(List<Token> tokens, int at) {
        boolean named = isSchema(tokens, at)
                && typeAt(tokens, at + 1) == TokenType.DOT
                && typeAt(tokens, at + 2).isName()
                && typeAt(tokens, at + 3) != TokenType.LEFT_PARENTHESIS
                && typeAt(tokens, at - 1) != TokenType.DOT;
        return named ? tokens.get(at + 2).name().toLowerCase(Locale.ROOT) : null;
    }

    private static boolean isSchema(List<Token> tokens, int at) {
        return typeAt(tokens, at).isName() && tokens.get(at).name().equalsIgnoreCase(SCHEMA);
    }

    private static boolean isWord(List<Token> tokens, int at, Set<String> words) {
        return typeAt(tokens, at) == TokenType.WORD
                && words.contains(tokens.get(at).text().toUpperCase(Locale.ROOT));
    }

    private static TokenType typeAt(List<Token> tokens, int at) {
        return at >= 0 && at < tokens.size() ? tokens.get(at).type() : TokenType.END;
    }
}
