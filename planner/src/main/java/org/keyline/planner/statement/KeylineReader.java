package org.keyline.planner.statement;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.KeyPart;
import org.keyline.planner.digest.Digester;
import org.keyline.planner.digest.Lexer;
import org.keyline.planner.digest.Outcome;
import org.keyline.planner.digest.SlotKind;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;

/** Reads the statements that the gateway answers itself. */
public final class KeylineReader {
    private static final String STATUS_PREFIX = "keyline";
    private static final String MAX_STALENESS = "keyline_max_staleness";

    private static final String EXPECTED_STALENESS =
            MAX_STALENESS + ": not understood (expected: a duration such as '200ms', 0, or DEFAULT, in a separate SET)";

    private static final String EXPECTED_KEY =
            "KEYLINE SET: not understood (expected: path = value, such as cache.ttl = '5s', or path = DEFAULT)";

    /**
     * First words of statements that {@code EXPLAIN KEYLINE} explains. Before any other word,
     * KEYLINE is a table, and the word is the column that the store describes.
     */
    private static final List<String> EXPLAINED = List.of(
            "SELECT", "WITH", "INSERT", "REPLACE", "UPDATE", "DELETE", "CALL", "LOAD", "CREATE", "ALTER", "DROP",
            "SHOW", "SET");

    private KeylineReader() {}

    /** Returns the gateway's own statement; null if the statement is for the store. */
    public static @Nullable KeylineStatement read(Digester digested) {
        if (digested.outcome() != Outcome.DIGESTED || digested.statements() != 1) {
            return null;
        }
        List<Token> tokens = tokens(digested);
        Cursor at = Cursor.of(tokens);
        if (at.accept("SHOW")) {
            return show(digested, at);
        }
        if (at.accept("SET")) {
            return setsMaxStaleness(at.copy()) ? setMaxStaleness(digested, at) : null;
        }
        if (at.accept("SELECT")) {
            return selectsMaxStaleness(at)
                    ? new KeylineStatement.SelectMaxStaleness(at.token().text())
                    : null;
        }
        if (at.accept("EXPLAIN")) {
            boolean own = at.accept("KEYLINE") && EXPLAINED.stream().anyMatch(at::at);
            return own ? explain(tokens, at) : null;
        }
        if (!at.accept("KEYLINE")) {
            return null;
        }
        if (at.accept("EXPLAIN")) {
            return at.atEnd()
                    ? new KeylineStatement.Invalid("KEYLINE EXPLAIN: no statement (expected: a SELECT or a write)")
                    : explain(tokens, at);
        }
        if (at.accept("LAST") && at.atEnd()) {
            return new KeylineStatement.Last();
        }
        if (at.accept("TIER") && at.atEnd()) {
            return new KeylineStatement.Tier();
        }
        if (at.accept("RELOAD")) {
            boolean forced = at.accept("FORCE");
            return at.atEnd()
                    ? new KeylineStatement.Reload(forced)
                    : new KeylineStatement.Invalid("KEYLINE RELOAD: not understood (expected: nothing, or FORCE)");
        }
        if (at.accept("SET")) {
            return setKey(digested, at);
        }
        if (at.accept("TELL")) {
            String entry = lastValue(digested, at);
            return entry == null
                    ? new KeylineStatement.Invalid("KEYLINE TELL: not understood (expected: a string)")
                    : new KeylineStatement.Tell(entry);
        }
        return at.accept("FLUSH")
                ? flush(at)
                : new KeylineStatement.Invalid(
                        "KEYLINE: unknown statement (expected: EXPLAIN, LAST, TIER, FLUSH, RELOAD, SET)");
    }

    private static KeylineStatement explain(List<Token> tokens, Cursor at) {
        return new KeylineStatement.Explain(
                at.token().start(), tokens.get(tokens.size() - 1).end());
    }

    private static KeylineStatement setKey(Digester digested, Cursor at) {
        List<String> path = new ArrayList<>();
        do {
            List<String> names = at.name();
            if (names == null) {
                return new KeylineStatement.Invalid(EXPECTED_KEY);
            }
            path.addAll(names);
        } while (dot(at));
        if (!at.acceptSymbol("=") && !at.acceptSymbol(":=")) {
            return new KeylineStatement.Invalid(EXPECTED_KEY);
        }
        if (at.accept("DEFAULT") && at.atEnd()) {
            return new KeylineStatement.SetKey(path, null);
        }
        Token word = at.token();
        if (word.type().isName()) {
            at.advance();
            return at.atEnd()
                    ? new KeylineStatement.SetKey(path, word.name())
                    : new KeylineStatement.Invalid(EXPECTED_KEY);
        }
        String value = lastValue(digested, at);
        return value == null ? new KeylineStatement.Invalid(EXPECTED_KEY) : new KeylineStatement.SetKey(path, value);
    }

    /** Returns the string or whole number that follows as the last token; null if none does. */
    private static @Nullable String lastValue(Digester digested, Cursor at) {
        KeyPart part = at.value();
        if (part == null || part.negated() || !at.atEnd()) {
            return null;
        }
        return switch (digested.slotKind(part.slot())) {
            case STRING -> new String(digested.stringValue(part.slot()), UTF_8);
            case INTEGER -> digested.slotText(part.slot());
            default -> null;
        };
    }

    private static boolean dot(Cursor at) {
        boolean dot = at.token().type() == TokenType.DOT;
        if (dot) {
            at.advance();
        }
        return dot;
    }

    private static KeylineStatement flush(Cursor at) {
        if (at.accept("ALL") && at.atEnd()) {
            return new KeylineStatement.FlushAll();
        }
        boolean rows = at.at("ROWS");
        boolean filters = at.at("FILTERS");
        if (!at.accept("TABLE", "FILTERS", "ROWS")) {
            return new KeylineStatement.Invalid(
                    "KEYLINE FLUSH: unknown target (expected: ALL, TABLE name, FILTERS name, ROWS name WHERE …)");
        }
        List<String> name = at.name();
        if (name == null || name.size() > 2) {
            return new KeylineStatement.Invalid("KEYLINE FLUSH: no table (expected: table or schema.table)");
        }
        String schema = name.size() == 2 ? name.get(0) : null;
        String table = name.get(name.size() - 1);
        if (!rows && !at.atEnd()) {
            return new KeylineStatement.Invalid("KEYLINE FLUSH " + (filters ? "FILTERS" : "TABLE")
                    + ": more text (expected: nothing after the table)");
        }
        if (filters) {
            return new KeylineStatement.FlushFilters(schema, table);
        }
        if (!rows) {
            return new KeylineStatement.FlushTable(schema, table);
        }
        List<KeylineStatement.Condition> conditions = conditions(at);
        return conditions == null
                ? new KeylineStatement.Invalid("KEYLINE FLUSH ROWS: no condition (expected: WHERE key = value [AND …])")
                : new KeylineStatement.FlushRows(schema, table, conditions);
    }

    private static @Nullable List<KeylineStatement.Condition> conditions(Cursor at) {
        if (!at.accept("WHERE")) {
            return null;
        }
        List<KeylineStatement.Condition> conditions = new ArrayList<>();
        do {
            List<String> column = at.name();
            boolean equals = at.acceptSymbol("=");
            var value = at.value();
            if (column == null || column.size() > 1 || !equals || value == null) {
                return null;
            }
            conditions.add(new KeylineStatement.Condition(column.get(0), value));
        } while (at.accept("AND"));
        return at.atEnd() ? conditions : null;
    }

    private static @Nullable KeylineStatement show(Digester digested, Cursor at) {
        at.accept("SESSION", "GLOBAL", "LOCAL");
        boolean status = at.at("STATUS");
        boolean like = at.accept("STATUS", "VARIABLES") && at.accept("LIKE") && at.value() != null && at.atEnd();
        if (!like || digested.slotKind(0) != SlotKind.STRING) {
            return null;
        }
        String pattern = new String(digested.stringValue(0), UTF_8);
        if (!pattern.toLowerCase(Locale.ROOT).startsWith(STATUS_PREFIX)) {
            return null;
        }
        return status ? new KeylineStatement.ShowStatus(pattern) : new KeylineStatement.ShowVariables(pattern);
    }

    static boolean setsMaxStaleness(Cursor at) {
        at.accept("SESSION", "LOCAL");
        return isMaxStaleness(at.token());
    }

    static boolean selectsMaxStaleness(Cursor at) {
        return at.token().type() == TokenType.SYSTEM_VARIABLE
                && isMaxStaleness(at.token())
                && at.token(1).type() == TokenType.END;
    }

    private static boolean isMaxStaleness(Token token) {
        String name = token.type() == TokenType.SYSTEM_VARIABLE
                ? token.text().toLowerCase(Locale.ROOT).replaceFirst("^@@((session|local)\\.)?", "")
                : token.type().isName() ? token.name().toLowerCase(Locale.ROOT) : "";
        return name.equals(MAX_STALENESS);
    }

    private static KeylineStatement setMaxStaleness(Digester digested, Cursor at) {
        at.accept("SESSION", "LOCAL");
        at.advance();
        if (!at.acceptSymbol("=") && !at.acceptSymbol(":=")) {
            return new KeylineStatement.Invalid(EXPECTED_STALENESS);
        }
        if (at.accept("DEFAULT") && at.atEnd()) {
            return new KeylineStatement.SetMaxStaleness(null);
        }
        String value = lastValue(digested, at);
        return value == null
                ? new KeylineStatement.Invalid(EXPECTED_STALENESS)
                : new KeylineStatement.SetMaxStaleness(value);
    }

    /** Returns the tokens of the statement without semicolons. Each literal is a placeholder. */
    public static List<Token> tokens(Digester digested) {
        Lexer lexer = new Lexer();
        digested.lex(lexer);
        List<Token> tokens = new ArrayList<>();
        for (TokenType type = lexer.next(); type != TokenType.END; type = lexer.next()) {
            if (type.isValue()) {
                tokens.add(new Token(TokenType.PLACEHOLDER, "?", lexer.start(), lexer.end()));
            } else if (type != TokenType.SEMICOLON) {
                tokens.add(lexer.token());
            }
        }
        return tokens;
    }
}
