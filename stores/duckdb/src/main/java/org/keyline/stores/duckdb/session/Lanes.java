package org.keyline.stores.duckdb.session;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableName;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;
import org.keyline.protocol.CommandCode;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.duckdb.engine.Workers.Lane;
import org.keyline.stores.duckdb.meta.SystemViews;
import org.keyline.stores.duckdb.translate.Relations.Relation;
import org.keyline.stores.duckdb.translate.StatementText;
import org.keyline.stores.duckdb.translate.Translated;

/**
 * Assigns commands to the lanes of workers. A statement that is not known to be short is long. Also
 * decides whether a write changes few rows and may share a commit. A wrong decision costs time,
 * never correctness.
 */
final class Lanes {
    private static final int WORD = "SHOW ".length();

    private static final Set<String> SHORT = Set.of(
            "SHOW KILL USE SET BEGIN START COMMIT ROLLBACK SAVEPOINT RELEASE DESC DESCRIBE EXPLAIN DO".split(" ", -1));
    private static final Set<String> OF_LONG_STATEMENTS = Set.of("SELECT", "JOIN", "UNION");

    private static final int MAX_VALUES = 1_000;

    private Lanes() {}

    /** Returns the first lane of a command: CONTROL for SHOW and KILL, otherwise SHORT. */
    static Lane first(byte[] command) {
        int at = 1;
        // Skips white space, and the two counts that precede a text without query attributes.
        while (at < command.length && command[at] >= 0 && command[at] <= ' ') {
            at++;
        }
        String word = new String(command, at, Math.min(WORD, command.length - at), US_ASCII);
        boolean control = command[0] == CommandCode.COM_PROCESS_KILL
                || (command[0] == CommandCode.COM_QUERY
                        && (word.equalsIgnoreCase("KILL ") || word.equalsIgnoreCase("SHOW ")));
        return control ? Lane.CONTROL : Lane.SHORT;
    }

    /**
     * Returns whether a statement that is not translated is short. Data definitions and loads are
     * long, and so is a SET with a query.
     */
    static boolean isShort(Words statement, String first) {
        return SHORT.contains(first) && hasNone(OF_LONG_STATEMENTS, statement.tokens());
    }

    /**
     * Returns whether a translated statement is short: it reads no table, or it reads or changes
     * rows of one table by their keys. INSERTs of values are short.
     */
    static boolean isShort(Translated translated, StatementText text, DuckDbState session) {
        List<TableName> reads = translated.reads();
        if (session.identity().connectionId() == 0
                || reads.stream().allMatch(name -> SystemViews.isSystem(name.schema()))) {
            // Sessions with the id 0 load the gateway's cache lines. These reads count as short.
            boolean few = translated.target() == null || translated.kind() == Translated.Kind.INSERT;
            return few || namesKey(translated.target(), text.tokens());
        }
        Relation table = session.services().catalog().relation(reads.get(0));
        List<Token> rest = text.tokens().subList(1, text.length());
        return reads.size() == 1
                && !translated.writes()
                && table != null
                && hasNone(OF_LONG_STATEMENTS, rest)
                && namesKey(table.definition(), rest);
    }

    /**
     * Returns whether a write may share a commit: an INSERT of few values, or an UPDATE or DELETE
     * that compares every key column with values.
     */
    static boolean isSmallWrite(Translated translated, StatementText text) {
        boolean few = translated.kind() == Translated.Kind.INSERT || namesKey(translated.target(), text.tokens());
        return few
                && translated.writes()
                && translated.reads().isEmpty()
                && text.slots().size() <= MAX_VALUES;
    }

    /**
     * Returns whether tokens after WHERE compare all key columns with values by {@code =} or IN.
     */
    private static boolean namesKey(@Nullable TableDefinition table, List<Token> tokens) {
        int where = tokens.size() - 1;
        while (where >= 0
                && !tokens.get(where).is("WHERE")
                && !tokens.get(where).is("OR")) {
            where--;
        }
        if (table == null
                || table.model() != TableModel.UNIQUE
                || where < 0
                || tokens.get(where).is("OR")) {
            return false;
        }
        Set<String> bound = new HashSet<>();
        for (int i = where + 1; i + 2 < tokens.size(); i++) {
            Token name = tokens.get(i);
            Token operator = tokens.get(i + 1);
            boolean equal = operator.type() == TokenType.OPERATOR && operator.isSymbol("=");
            boolean in = operator.is("IN") && tokens.get(i + 2).type() == TokenType.LEFT_PARENTHESIS;
            Token value = tokens.get(Math.min(i + (in ? 3 : 2), tokens.size() - 1));
            if (name.type().isName() && (equal || in) && value.type().isValue()) {
                bound.add(name.name().toLowerCase(Locale.ROOT));
            }
        }
        return table.keyColumns().stream()
                .map(key -> table.columns().get(key).name().toLowerCase(Locale.ROOT))
                .allMatch(bound::contains);
    }

    private static boolean hasNone(Set<String> words, List<Token> tokens) {
        return tokens.stream()
                .noneMatch(token -> token.type() == TokenType.WORD
                        && words.contains(token.text().toUpperCase(Locale.ROOT)));
    }
}
