package org.keyline.gateway.session;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.session.SetStatement.Assignment;
import org.keyline.gateway.store.SessionDefaults;
import org.keyline.planner.StatementKind;
import org.keyline.planner.digest.Lexer;
import org.keyline.planner.digest.SqlMode;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;
import org.keyline.protocol.ServerStatus;

/**
 * What a session's own statements did to the meaning of its later ones: current schema, transaction, temporary tables, locks, and the
 * {@link SessionVariables}. Confined to one event loop.
 */
final class SessionSettings {
    /*
     * The rule is default-deny. A statement that this class does not understand, or a variable that is neither modelled nor
     * known to be harmless, turns hits off for the session: its reads are simply forwarded. Statements are applied only
     * after the store accepted them; a text of several statements that failed somewhere in the middle counts as not
     * understood if any of them changes settings.
     */

    /** First words of statements that change no setting. */
    private static final Set<String> PLAIN = Set.of(
            "SELECT",
            "INSERT",
            "REPLACE",
            "UPDATE",
            "DELETE",
            "WITH",
            "VALUES",
            "TABLE",
            "SHOW",
            "DESC",
            "DESCRIBE",
            "EXPLAIN",
            "SAVEPOINT",
            "RELEASE",
            "TRUNCATE",
            "ALTER",
            "DROP",
            "CREATE",
            "ANALYZE",
            "KEYLINE");

    private static final int MAX_FOLLOWED_BYTES = 64 << 10;

    private final SessionVariables variables;
    private @Nullable String schema;
    private boolean autocommit = true;
    private boolean locked;
    private boolean temporaryTables;
    private boolean transaction;
    private boolean flagsKept;
    private Staleness maxStaleness = Staleness.DEFAULT;
    private int changes;

    /** @param defaults what a remote store's sessions begin with; null where they begin as is written here */
    SessionSettings(int collation, @Nullable String schema, @Nullable SessionDefaults defaults) {
        variables = new SessionVariables(collation, defaults);
        this.schema = schema;
    }

    /** As a session begins: after login, COM_CHANGE_USER, COM_RESET_CONNECTION. */
    void reset(int collation, @Nullable String initialSchema) {
        variables.reset(collation);
        schema = initialSchema;
        autocommit = true;
        locked = false;
        temporaryTables = false;
        transaction = false;
        maxStaleness = Staleness.DEFAULT;
        changes++;
    }

    /** After COM_RESET_CONNECTION: all but the schema is as it was after login. */
    void resetConnection() {
        reset(variables.handshake(), schema);
        variables.resetConnection();
    }

    /** Whether the settings are known; if not, a statement that depends on them has to wait for {@link #told}. */
    boolean verified() {
        return variables.verified();
    }

    /** The store's answer to the question for {@link SessionVariables#ASKED}; empty if it refused. */
    void told(Map<String, @Nullable String> values) {
        variables.told(values);
        changes++;
    }

    /** Why reads of this session go to the store, as a sentence; null if they need not. */
    @Nullable
    String whyForwarded() {
        if (!autocommit) {
            return "Autocommit is off.";
        }
        if (transaction) {
            return "A transaction is open.";
        }
        if (locked) {
            return "The session holds table locks.";
        }
        if (temporaryTables) {
            return "The session has created temporary tables.";
        }
        return variables.whyForwarded();
    }

    boolean hitsAllowed() {
        return autocommit && !transaction && !locked && !temporaryTables && variables.hitsAllowed();
    }

    /** How old rows may be that this session takes from the gateway. */
    Staleness maxStaleness() {
        return maxStaleness;
    }

    void maxStaleness(Staleness asked) {
        maxStaleness = asked;
    }

    SqlMode sqlMode() {
        return variables.sqlMode();
    }

    /** The value of {@code sql_mode}; null if it is not known. */
    @Nullable
    String sqlModeText() {
        return variables.sqlModeText();
    }

    /** The current schema, or null. */
    @Nullable
    String schema() {
        return schema;
    }

    void schema(@Nullable String current) {
        schema = current;
        changes++;
    }

    /** Raised whenever something may have changed that is part of a reply's identity. */
    int changes() {
        return changes;
    }

    /** Of statements, literals and results. */
    CharacterSets characterSets() {
        return variables.characterSets();
    }

    /** How many bytes a character of a statement's strings has at most in UTF-8; 0 if their encoding is another or not known. */
    int utf8Bytes() {
        return variables.verified() ? variables.characterSets().utf8Bytes() : 0;
    }

    /** Whether what this session wrote is not committed yet. */
    boolean transactionOpen() {
        return transaction;
    }

    /**
     * The status flags of a reply. A store that ever set one of the two is believed from then on; one that never does, as
     * Doris, is followed by its statements alone.
     */
    void status(int flags) {
        int told = flags & (ServerStatus.SERVER_STATUS_IN_TRANS | ServerStatus.SERVER_STATUS_AUTOCOMMIT);
        flagsKept |= told != 0;
        if (flagsKept) {
            transaction = (flags & ServerStatus.SERVER_STATUS_IN_TRANS) != 0;
            autocommit = (flags & ServerStatus.SERVER_STATUS_AUTOCOMMIT) != 0;
        }
    }

    /** Applies a forwarded statement that the store answered; {@code ok} false if the reply ended with an error. */
    void applied(StatementKind kind, byte[] sql, int from, int to, boolean ok) {
        switch (kind) {
            case SELECT, INSERT, UPDATE, DELETE, LOAD, SHOW, SHOW_STATUS, EXPLAIN, KILL, PREPARE, PRIVILEGE -> {}
            case SAVEPOINT, KEYLINE, EMPTY, OTHER -> {}
            case CALL, EXECUTE, UNKNOWN, XA -> variables.becomeUnknown();
            case MULTI -> follow(sql, from, to, ok);
            case TEMPORARY_TABLE -> temporaryTables = true;
            case LOCK -> locked |= ok;
            case UNLOCK -> locked &= !ok;
            case DDL, BEGIN, COMMIT, ROLLBACK, SET, USE -> {
                if (ok) {
                    follow(sql, from, to, true);
                }
            }
        }
    }

    private void follow(byte[] sql, int from, int to, boolean ok) {
        changes++;
        if (to - from > MAX_FOLLOWED_BYTES) {
            variables.becomeUnknown();
            return;
        }
        String text = new String(sql, from, to - from, StandardCharsets.UTF_8);
        List<List<Token>> statements = statements(Lexer.tokens(text, variables.sqlMode()));
        boolean plain = true;
        for (List<Token> statement : statements) {
            plain &= PLAIN.contains(statement.get(0).text().toUpperCase(Locale.ROOT));
            if (ok || statement.get(0).is("CREATE")) {
                followStatement(statement);
            }
        }
        if (!ok && !plain) {
            variables.becomeUnknown();
        }
    }

    private void followStatement(List<Token> tokens) {
        Token first = tokens.get(0);
        Token second = tokens.size() > 1 ? tokens.get(1) : first;
        boolean chained = tokens.size() > 1
                && tokens.get(tokens.size() - 1).is("CHAIN")
                && !tokens.get(tokens.size() - 2).is("NO");
        switch (first.text().toUpperCase(Locale.ROOT)) {
            case "SET" -> set(SetStatement.read(tokens));
            case "USE" -> {
                schema = second.name();
                if (tokens.size() != 2) {
                    variables.becomeUnknown();
                }
            }
            case "BEGIN" -> transaction = true;
            case "START" -> transaction |= second.is("TRANSACTION");
            case "COMMIT" -> transaction = chained;
            case "ROLLBACK" ->
                transaction = chained || (transaction && tokens.stream().anyMatch(t -> t.is("TO")));
            case "CREATE" -> temporaryTables |= tokens.stream().limit(4).anyMatch(token -> token.is("TEMPORARY"));
            case "DROP" -> {
                if (second.is("DATABASE") || second.is("SCHEMA")) {
                    dropped(tokens);
                }
            }
            default -> {
                if (!PLAIN.contains(first.text().toUpperCase(Locale.ROOT))) {
                    variables.becomeUnknown();
                }
            }
        }
    }

    /** A session whose current schema is dropped has none. */
    private void dropped(List<Token> tokens) {
        if (schema != null && tokens.get(tokens.size() - 1).name().equalsIgnoreCase(schema)) {
            schema = null;
        }
    }

    private void set(SetStatement statement) {
        for (Assignment assignment : statement.assignments()) {
            if (assignment.variable().equals("autocommit")) {
                setAutocommit(assignment.value());
            } else {
                variables.set(assignment);
            }
        }
        if (!statement.understood()) {
            variables.becomeUnknown();
        }
    }

    private void setAutocommit(@Nullable String value) {
        switch (value == null ? "" : value.toUpperCase(Locale.ROOT)) {
            case "1", "ON", "TRUE", "DEFAULT" -> autocommit = true;
            case "0", "OFF", "FALSE" -> autocommit = false;
            default -> variables.becomeUnknown();
        }
    }

    /** The statements of a text, without empty ones. */
    private static List<List<Token>> statements(List<Token> tokens) {
        List<List<Token>> statements = new ArrayList<>();
        int from = 0;
        for (int i = 0; i <= tokens.size(); i++) {
            if (i == tokens.size() || tokens.get(i).type() == TokenType.SEMICOLON) {
                if (i > from) {
                    statements.add(tokens.subList(from, i));
                }
                from = i + 1;
            }
        }
        return statements;
    }
}
