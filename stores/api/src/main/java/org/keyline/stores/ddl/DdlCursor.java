package org.keyline.stores.ddl;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableName;
import org.keyline.planner.digest.Lexer;
import org.keyline.planner.digest.SqlMode;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;
import org.keyline.planner.statement.Cursor;

/** A position in the tokens of one definition statement. Confined to one thread. */
final class DdlCursor {
    private static final int MAX_NEAR = 64;
    private static final int MAX_NAMES = 4_096;
    /** The largest exponent of ten; no DOUBLE has a larger one. */
    private static final int MAX_EXPONENT = 400;

    private static final int MAX_EXPONENT_LENGTH = 9;
    private static final Set<String> TABLE_OPTIONS = Set.of("""
            ENGINE AUTO_INCREMENT AVG_ROW_LENGTH CHARSET CHECKSUM COLLATE COMMENT COMPRESSION
            CONNECTION DELAY_KEY_WRITE ENCRYPTION INSERT_METHOD KEY_BLOCK_SIZE MAX_ROWS MIN_ROWS
            PACK_KEYS PAGE_COMPRESSED ROW_FORMAT STATS_AUTO_RECALC STATS_PERSISTENT
            STATS_SAMPLE_PAGES TRANSACTIONAL PAGE_CHECKSUM
            """.strip().split("\\s+"));

    private static final Set<String> STORED_CHARACTER_SETS = Set.of("utf8mb4", "utf8mb3", "utf8", "binary");

    private final Cursor tokens;
    private final byte[] source;
    private final String schema;
    private final SqlMode mode;
    /** Whether half of the {@code >>} at the cursor has already closed a nested type. */
    private boolean halfClosed;

    private boolean onlyHonoured;

    DdlCursor(String sql, String schema, SqlMode mode) {
        this.tokens = Cursor.of(Lexer.tokens(sql, mode));
        this.source = sql.getBytes(UTF_8);
        this.schema = schema;
        this.mode = mode;
    }

    /** Makes {@link #refuseUnhonoured(String)} throw. Called for the embedded store. */
    void refuseUnhonoured() {
        onlyHonoured = true;
    }

    /** Throws error 1235 if the statement is for the embedded store. */
    void refuseUnhonoured(String clause) {
        if (onlyHonoured) {
            throw StatementRefusedException.unsupported(clause);
        }
    }

    /** Reads a character set. The embedded store rejects sets outside Unicode. */
    String characterSet() {
        return honoured(nameOrString("a character set"));
    }

    /** Reads a collation and returns its name in lower case. */
    String collation() {
        String collation = Strings.collation(nameOrString("a collation"));
        int end = collation.indexOf('_');
        honoured(end < 0 ? collation : collation.substring(0, end));
        return collation;
    }

    /**
     * Reads a column's collation. The embedded store compares text by its bytes, and rejects other
     * orders.
     */
    String columnCollation() {
        String collation = collation();
        if (!collation.endsWith("_bin") && !collation.equals("binary")) {
            refuseUnhonoured("the collation " + collation + " of a column; declare utf8mb4_bin");
        }
        return collation;
    }

    private String honoured(String characterSet) {
        if (!STORED_CHARACTER_SETS.contains(characterSet.toLowerCase(Locale.ROOT))) {
            refuseUnhonoured("the character set " + characterSet + "; declare utf8mb4");
        }
        return characterSet;
    }

    boolean atEnd() {
        return tokens.atEnd();
    }

    boolean at(String word) {
        return tokens.at(word);
    }

    boolean atAll(String... words) {
        return tokens.atAll(words);
    }

    boolean atSymbol(String symbol) {
        return tokens.atSymbol(symbol);
    }

    boolean accept(String... words) {
        return tokens.accept(words);
    }

    boolean acceptSymbol(String symbol) {
        return tokens.acceptSymbol(symbol);
    }

    int index() {
        return tokens.index();
    }

    void moveTo(int index) {
        tokens.moveTo(index);
    }

    boolean atWord() {
        return tokens.token().type() == TokenType.WORD;
    }

    boolean atString() {
        return tokens.token().type() == TokenType.STRING;
    }

    boolean atAnyOf(Set<String> words) {
        return atWord() && words.contains(tokens.token().text().toUpperCase(Locale.ROOT));
    }

    boolean atCurrentTimestamp() {
        return at("CURRENT_TIMESTAMP") || at("NOW") || at("LOCALTIME") || at("LOCALTIMESTAMP");
    }

    /** Returns whether an index follows. INDEX and KEY can also be the name of a column. */
    boolean atIndexElement() {
        if (at("UNIQUE") || at("FULLTEXT") || at("SPATIAL")) {
            return true;
        }
        if (!at("INDEX") && !at("KEY")) {
            return false;
        }
        return tokens.token(1).isSymbol("(")
                || tokens.token(2).isSymbol("(")
                || tokens.token(1).is("USING")
                || tokens.token(2).is("USING")
                || tokens.token(1).is("IF");
    }

    boolean atLikeInParentheses() {
        return atSymbol("(") && tokens.token(1).is("LIKE");
    }

    boolean atStarInParentheses() {
        return atSymbol("(") && tokens.token(1).isSymbol("*");
    }

    boolean atTableOption() {
        return atAnyOf(TABLE_OPTIONS) || at("DEFAULT") || at("CHARACTER");
    }

    boolean atNameList() {
        int ahead = 1;
        while (tokens.token(ahead).type().isName()) {
            if (tokens.token(ahead + 1).isSymbol(")")) {
                return true;
            }
            ahead += 2;
        }
        return false;
    }

    /** Returns whether clauses of Doris follow the column list that starts at the cursor. */
    boolean dorisClausesAhead() {
        int depth = 0;
        for (int i = 0; tokens.token(i).type() != TokenType.END; i++) {
            Token token = tokens.token(i);
            if (token.type() == TokenType.LEFT_PARENTHESIS) {
                depth++;
            } else if (token.type() == TokenType.RIGHT_PARENTHESIS) {
                depth--;
            } else if (depth == 0 && token.type() == TokenType.WORD) {
                Token next = tokens.token(i + 1);
                Token after = tokens.token(i + 2);
                boolean engine = token.is("ENGINE") && (next.is("OLAP") || after.is("OLAP"));
                boolean key = next.is("KEY")
                        && (token.is("UNIQUE")
                                || token.is("DUPLICATE")
                                || token.is("AGGREGATE")
                                || token.is("PRIMARY"));
                if (engine || key || token.is("DISTRIBUTED") || token.is("PROPERTIES")) {
                    return true;
                }
            }
        }
        return false;
    }

    boolean dorisTypeAhead() {
        Token type = tokens.token(1);
        Token after = tokens.token(2);
        return type.is("STRING")
                || type.is("LARGEINT")
                || type.is("DECIMALV2")
                || type.is("DECIMALV3")
                || type.is("DATEV2")
                || type.is("DATETIMEV2")
                || (type.is("VARCHAR") && !after.isSymbol("("))
                || type.is("IPV4")
                || type.is("IPV6");
    }

    boolean acceptIfNotExists() {
        return tokens.acceptAll("IF", "NOT", "EXISTS");
    }

    boolean nameFollows() {
        return tokens.token(1).type().isName();
    }

    boolean acceptIfExists() {
        return tokens.acceptAll("IF", "EXISTS");
    }

    void expect(String word) {
        if (!accept(word)) {
            throw error(word);
        }
    }

    void expectSymbol(String symbol) {
        if (!acceptSymbol(symbol)) {
            throw error("'" + symbol + "'");
        }
    }

    /** Consumes {@code >} or half of a {@code >>}. */
    void closeAngle() {
        if (halfClosed) {
            halfClosed = false;
            tokens.advance();
        } else if (tokens.token().isSymbol(">>")) {
            halfClosed = true;
        } else {
            expectSymbol(">");
        }
    }

    private Token next() {
        Token next = tokens.token();
        tokens.advance();
        return next;
    }

    String name(String what) {
        if (!tokens.token().type().isName()) {
            throw error(what);
        }
        return next().name();
    }

    String string(String what) {
        if (!atString()) {
            throw error(what + " in quotes");
        }
        return Strings.value(next().text(), mode);
    }

    String nameOrString(String what) {
        return atString() ? string(what) : name(what);
    }

    int integer(String what, int max) {
        Token token = tokens.token();
        if (token.type() != TokenType.INTEGER) {
            throw error(what);
        }
        if (token.text().length() > 10 || Long.parseLong(token.text()) > max) {
            throw error(what + " of at most " + max);
        }
        tokens.advance();
        return Integer.parseInt(token.text());
    }

    String number(String what) {
        TokenType type = tokens.token().type();
        if (type != TokenType.INTEGER && type != TokenType.DECIMAL && type != TokenType.FLOAT) {
            throw error(what);
        }
        String text = next().text();
        if (type != TokenType.FLOAT) {
            return text;
        }
        String exponent = text.substring(Math.max(text.indexOf('e'), text.indexOf('E')) + 1);
        if (exponent.length() > MAX_EXPONENT_LENGTH || Math.abs(Integer.parseInt(exponent)) > MAX_EXPONENT) {
            throw back().error(what);
        }
        return text;
    }

    /** Reads {@code CONSTRAINT name}. Returns an empty name if it is missing. */
    String constraintName() {
        boolean named = accept("CONSTRAINT") && !at("PRIMARY") && !at("UNIQUE") && !at("FOREIGN") && !at("CHECK");
        return named ? name("a constraint name") : "";
    }

    List<String> names() {
        expectSymbol("(");
        List<String> names = new ArrayList<>();
        do {
            if (names.size() == MAX_NAMES) {
                throw error("at most " + MAX_NAMES + " names");
            }
            names.add(name("a column name"));
        } while (acceptSymbol(","));
        expectSymbol(")");
        return names;
    }

    /** Consumes {@code (a(10) DESC, b)}; returns only the names. */
    List<String> indexColumns() {
        expectSymbol("(");
        List<String> names = new ArrayList<>();
        do {
            if (names.size() == MAX_NAMES) {
                throw error("at most " + MAX_NAMES + " names");
            }
            if (atSymbol("(")) {
                throw StatementRefusedException.unsupported("an index on an expression");
            }
            names.add(name("a column name"));
            if (acceptSymbol("(")) {
                refuseUnhonoured("a key on the beginning of column " + names.get(names.size() - 1));
                integer("a prefix length", Integer.MAX_VALUE);
                expectSymbol(")");
            }
            if (!accept("ASC")) {
                accept("DESC");
            }
        } while (acceptSymbol(","));
        expectSymbol(")");
        return names;
    }

    TableName tableName() {
        return tableName(schema);
    }

    /** Accepts {@code table}, {@code database.table} and {@code internal.database.table}. */
    TableName tableName(String defaultSchema) {
        String first = name("a table name");
        if (!atSymbol(".")) {
            if (defaultSchema.isEmpty()) {
                throw new StatementRefusedException(1046, "3D000", "No database selected");
            }
            return new TableName(defaultSchema, first);
        }
        tokens.advance();
        String second = name("a table name");
        if (acceptSymbol(".")) {
            if (!first.equals("internal")) {
                throw StatementRefusedException.unsupported("the catalog '" + first + "'");
            }
            return new TableName(second, name("a table name"));
        }
        return new TableName(first, second);
    }

    String databaseName() {
        String first = name("a database name");
        if (acceptSymbol(".")) {
            if (!first.equals("internal")) {
                throw StatementRefusedException.unsupported("the catalog '" + first + "'");
            }
            return name("a database name");
        }
        return first;
    }

    /** Reads {@code (key = value, …)}. Allows a trailing comma, as in Doris's examples. */
    void properties(Map<String, String> into, int max) {
        expectSymbol("(");
        while (!atSymbol(")")) {
            String key = nameOrString("a property name");
            expectSymbol("=");
            String value = atString() ? string("a value") : atWord() ? name("a value") : number("a value");
            into.put(key, value);
            if (into.size() > max) {
                throw error("at most " + max + " properties");
            }
            if (!acceptSymbol(",")) {
                break;
            }
        }
        expectSymbol(")");
    }

    Map<String, String> tableOption() {
        Map<String, String> option = new LinkedHashMap<>();
        accept("DEFAULT");
        String key;
        if (accept("CHARACTER")) {
            expect("SET");
            key = "CHARSET";
        } else if (atAnyOf(TABLE_OPTIONS)) {
            key = name("an option").toUpperCase(Locale.ROOT);
        } else {
            throw error("a table option or the end of the statement");
        }
        acceptSymbol("=");
        String value;
        if (key.equals("CHARSET")) {
            value = characterSet();
        } else if (key.equals("COLLATE")) {
            value = collation();
        } else {
            value = atString()
                    ? string("a value")
                    : atWord() || tokens.token().type().isName() ? name("a value") : number("a value");
        }
        if (value.equalsIgnoreCase("binary")) {
            refuseUnhonoured("the character set binary of a table; declare its columns BINARY, VARBINARY or BLOB");
        }
        option.put(key, value);
        return option;
    }

    void skipGroup() {
        expectSymbol("(");
        int depth = 1;
        while (depth > 0) {
            if (atEnd()) {
                throw error("')'");
            }
            TokenType type = next().type();
            depth += type == TokenType.LEFT_PARENTHESIS ? 1 : type == TokenType.RIGHT_PARENTHESIS ? -1 : 0;
        }
    }

    void skipAngles() {
        expectSymbol("<");
        int depth = 1;
        while (depth > 0) {
            if (atEnd()) {
                throw error("'>'");
            }
            Token token = next();
            depth += token.isSymbol("<") ? 1 : token.isSymbol(">") ? -1 : token.isSymbol(">>") ? -2 : 0;
        }
        halfClosed = depth < 0;
        if (halfClosed) {
            back();
        }
    }

    void refuseQuery() {
        if (tokens.ahead("SELECT")) {
            throw StatementRefusedException.unsupported("CREATE TABLE … AS SELECT");
        }
    }

    /** Moves back by a token, which an error then names. */
    DdlCursor back() {
        moveTo(index() - 1);
        return this;
    }

    /** Returns the text from the token at the mark to the last consumed token. */
    String textSince(int mark) {
        int from = tokens.token(mark - index()).start();
        int last = halfClosed ? 0 : -1;
        int to = tokens.token(Math.max(last, mark - index())).end();
        return new String(source, from, (halfClosed ? to - 1 : to) - from, UTF_8);
    }

    StatementRefusedException error(String expected) {
        return Strings.syntaxError(source, tokens.token(), atEnd(), expected, MAX_NEAR);
    }
}
