package org.keyline.planner.statement;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.digest.Lexer;
import org.keyline.planner.digest.SqlMode;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;

/** Finds in statements the views of the gateway that they read: what they name behind FROM in the schema of the gateway. */
public final class KeylineViews {
    /** The schema of the gateway's views. */
    public static final String SCHEMA = "keyline";

    private static final Set<String> BEFORE_A_TABLE =
            Set.of("FROM", "JOIN", "STRAIGHT_JOIN", "IN", "TABLE", "DESCRIBE", "DESC", "EXPLAIN");

    private KeylineViews() {}

    /**
     * What a text reads of the gateway's views.
     *
     * @param named views that it names, in lower case; sorted
     * @param schema whether it names the schema alone, as SHOW TABLES FROM does
     * @param placeholders offsets of its question marks, in bytes of UTF-8
     * @param tells whether it tells of definitions only, and of no rows
     */
    public record Views(Set<String> named, boolean schema, List<Integer> placeholders, boolean tells) {
        public Views {
            named = Set.copyOf(named);
            placeholders = List.copyOf(placeholders);
        }
    }

    /** What a text reads, in MySQL's default sql_mode; null if that is nothing of the gateway's. */
    public static @Nullable Views read(String text) {
        List<Token> tokens = Lexer.tokens(text, SqlMode.DEFAULT);
        boolean mentioned = mentions(tokens);
        Set<String> named = new TreeSet<>();
        boolean schema = false;
        List<Integer> placeholders = new ArrayList<>();
        boolean metadata = false;
        for (int i = 0; i < tokens.size(); i++) {
            Token token = tokens.get(i);
            metadata |= token.type().isName() && token.name().equalsIgnoreCase("information_schema");
            schema |= token.type().isName()
                    && token.name().equalsIgnoreCase(SCHEMA)
                    && typeAt(tokens, i + 1) != TokenType.DOT;
            String view = view(tokens, i);
            if (view != null) {
                named.add(view);
            }
            if (token.type() == TokenType.PLACEHOLDER) {
                placeholders.add(token.start());
            }
        }
        boolean show = !tokens.isEmpty() && (tokens.get(0).is("SHOW") || (mentioned && view(tokens, 1) != null));
        return mentioned || metadata
                ? new Views(named, schema, placeholders, show || (metadata && named.isEmpty()))
                : null;
    }

    /** Whether a statement that begins with one of the reading verbs names a view, or the schema in SHOW. */
    static boolean mentions(List<Token> tokens) {
        boolean show = !tokens.isEmpty() && tokens.get(0).is("SHOW");
        for (int i = 1; i < tokens.size(); i++) {
            boolean whole = show && isSchema(tokens, i) && typeAt(tokens, i + 1) != TokenType.DOT;
            if ((whole || view(tokens, i) != null) && followsTheWordBeforeATable(tokens, i)) {
                return true;
            }
        }
        return false;
    }

    private static boolean followsTheWordBeforeATable(List<Token> tokens, int at) {
        int before = at - 1;
        while (before > 0 && tokens.get(before).type() == TokenType.LEFT_PARENTHESIS) {
            before--;
        }
        Token word = tokens.get(before);
        return word.type() == TokenType.WORD
                && BEFORE_A_TABLE.contains(word.text().toUpperCase(Locale.ROOT));
    }

    /** The view whose name begins at a token, with the schema's. */
    private static @Nullable String view(List<Token> tokens, int at) {
        boolean named = isSchema(tokens, at)
                && typeAt(tokens, at + 1) == TokenType.DOT
                && typeAt(tokens, at + 2).isName()
                && (at == 0 || typeAt(tokens, at - 1) != TokenType.DOT);
        return named ? tokens.get(at + 2).name().toLowerCase(Locale.ROOT) : null;
    }

    private static boolean isSchema(List<Token> tokens, int at) {
        return typeAt(tokens, at).isName() && tokens.get(at).name().equalsIgnoreCase(SCHEMA);
    }

    private static TokenType typeAt(List<Token> tokens, int at) {
        return at >= 0 && at < tokens.size() ? tokens.get(at).type() : TokenType.END;
    }
}
