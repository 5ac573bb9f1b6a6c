package org.keyline.gateway.session;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.session.SetStatement.Assignment;
import org.keyline.gateway.store.SessionDefaults;
import org.keyline.planner.StatementKind;
import org.keyline.planner.digest.Lexer;
import org.keyline.planner.digest.SqlMode;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;
import org.keyline.protocol.Collation;
import org.keyline.protocol.ServerStatus;

/**
 * What a session's own statements did to the meaning of its later ones: current schema, character sets, sql_mode,
 * temporary tables, locks, and every variable that is neither modelled nor known to be harmless. Confined to one event
 * loop.
 */
final class SessionSettings {
    /*
     * The rule is default-deny. A statement that this class does not understand, or a variable that is not on one of the
     * two lists, turns hits off for the session: its reads are simply forwarded. Statements are applied only after the
     * store accepted them; a text of several statements that failed somewhere in the middle counts as not understood if
     * any of them changes settings.
     *
     * Hits need utf8mb4 in both directions, since lines hold utf8mb4 and key bytes are compared as such.
     * character_set_results may also be NULL, as Connector/J sets it: text is then sent as it is stored.
     */

    /** Variables that change neither rows nor metadata of a SELECT, whatever they are set to. */
    private static final Set<String> HARMLESS = Set.of(
            "audit_plugin",
            "auto_increment_increment",
            "auto_increment_offset",
            "bulk_insert_buffer_size",
            "enable_insert_strict",
            "enable_profile",
            "foreign_key_checks",
            "innodb_lock_wait_timeout",
            "insert_timeout",
            "interactive_timeout",
            "keep_files_on_create",
            "lock_wait_timeout",
            "low_priority_updates",
            "max_allowed_packet",
            "max_execution_time",
            "max_statement_time",
            "net_buffer_length",
            "net_read_timeout",
            "net_retry_count",
            "net_write_timeout",
            "query_cache_type",
            "query_timeout",
            "session_track_gtids",
            "session_track_schema",
            "session_track_state_change",
            "session_track_system_variables",
            "session_track_transaction_info",
            "sql_log_bin",
            "sql_notes",
            "sql_quote_show_create",
            "sql_safe_updates",
            "sql_warnings",
            "unique_checks",
            "updatable_views_with_limit",
            "wait_timeout");

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

    /** Variables that a remote store is asked for; two of them count only if they are not as in the gateway's own sessions. */
    static final List<String> ASKED = List.of(
            "sql_mode",
            "character_set_client",
            "character_set_results",
            "collation_connection",
            "time_zone",
            "sql_select_limit");

    private static final Set<String> NO_LIMIT = Set.of("18446744073709551615", "9223372036854775807", "-1");

    private static final int MAX_FOLLOWED_BYTES = 64 << 10;
    private static final int MAX_UNMODELLED = 64;

    private final @Nullable SessionDefaults defaults;
    private final Set<String> unmodelled = new HashSet<>();
    private @Nullable String schema;
    private SqlMode sqlMode = SqlMode.DEFAULT;
    private String sqlModeText = "";
    private Collation handshake;
    private String clientCharset = "";
    private String connectionCollation = "";
    private String resultsCharset = "";
    private String characterSets = "";
    private boolean autocommit = true;
    private boolean locked;
    private boolean temporaryTables;
    private boolean opaque;
    private boolean transaction;
    private boolean flagsKept;
    private boolean verified;
    private Staleness maxStaleness = Staleness.DEFAULT;
    private int changes;

    /** @param defaults what a remote store's sessions begin with; null where they begin as is written here */
    SessionSettings(int collation, @Nullable String schema, @Nullable SessionDefaults defaults) {
        this.defaults = defaults;
        handshake = known(collation);
        reset(collation, schema);
    }

    /** As a session begins: after login, COM_CHANGE_USER, COM_RESET_CONNECTION. */
    void reset(int collation, @Nullable String initialSchema) {
        handshake = known(collation);
        schema = initialSchema;
        unmodelled.clear();
        sqlModeText = defaults == null ? "" : defaults.sqlMode();
        sqlMode = SqlMode.parse(sqlModeText).orElse(SqlMode.DEFAULT);
        verified = defaults == null;
        autocommit = true;
        locked = false;
        temporaryTables = false;
        opaque = false;
        transaction = false;
        maxStaleness = Staleness.DEFAULT;
        changes++;
        names(handshake);
    }

    /** After COM_RESET_CONNECTION: all but the schema is as it was after login. */
    void resetConnection() {
        reset(handshake.id(), schema);
    }

    /** Whether the settings are known; if not, a statement that depends on them has to wait for {@link #told}. */
    boolean verified() {
        return verified;
    }

    /** The store's answer to the question for {@link #ASKED}; empty if it refused. */
    void told(Map<String, @Nullable String> values) {
        verified = true;
        changes++;
        if (values.isEmpty()) {
            unmodelled("variables that the store does not tell");
            return;
        }
        setSqlMode(Objects.requireNonNullElse(values.get("sql_mode"), ""));
        clientCharset = lower(values.get("character_set_client"));
        resultsCharset = lower(values.get("character_set_results"));
        connectionCollation = lower(values.get("collation_connection"));
        nameCharacterSets();
        boolean sameZone =
                defaults == null || defaults.timeZone().equals(Objects.requireNonNullElse(values.get("time_zone"), ""));
        told("time_zone", sameZone);
        told("sql_select_limit", NO_LIMIT.contains(lower(values.get("sql_select_limit"))));
    }

    private void told(String variable, boolean harmless) {
        if (harmless) {
            unmodelled.remove(variable);
        } else {
            unmodelled(variable);
        }
    }

    private static String lower(@Nullable String value) {
        return value == null ? "null" : value.toLowerCase(Locale.ROOT);
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
        if (!verified) {
            return "The store has not told the session's variables yet.";
        }
        if (opaque) {
            return "The session ran a statement whose effect on its settings is not known.";
        }
        if (!unmodelled.isEmpty()) {
            return "The session has set "
                    + String.join(", ", unmodelled.stream().sorted().toList()) + ".";
        }
        return charsetsServed() ? null : "The session's character sets are " + characterSets + ", not utf8mb4.";
    }

    boolean hitsAllowed() {
        return autocommit
                && !transaction
                && !locked
                && !temporaryTables
                && !opaque
                && verified
                && unmodelled.isEmpty()
                && charsetsServed();
    }

    /** How old rows may be that this session takes from the gateway. */
    Staleness maxStaleness() {
        return maxStaleness;
    }

    void maxStaleness(Staleness asked) {
        maxStaleness = asked;
    }

    SqlMode sqlMode() {
        return sqlMode;
    }

    /** The value of {@code sql_mode}; null if it is not known. */
    @Nullable
    String sqlModeText() {
        return !verified || unmodelled.contains("sql_mode") ? null : sqlModeText;
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

    /** Names the character sets of statements, literals and results: part of what makes two replies the same. */
    String characterSets() {
        return characterSets;
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
            case CALL, EXECUTE, UNKNOWN, XA -> opaque = true;
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
            opaque = true;
            return;
        }
        String text = new String(sql, from, to - from, StandardCharsets.UTF_8);
        List<List<Token>> statements = statements(Lexer.tokens(text, sqlMode));
        boolean plain = true;
        for (List<Token> statement : statements) {
            plain &= PLAIN.contains(statement.get(0).text().toUpperCase(Locale.ROOT));
            if (ok) {
                followStatement(statement);
            } else if (statement.get(0).is("CREATE")) {
                followStatement(statement);
            }
        }
        opaque |= !ok && !plain;
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
                opaque |= tokens.size() != 2;
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
            default -> opaque |= !PLAIN.contains(first.text().toUpperCase(Locale.ROOT));
        }
    }

    /** A session whose current schema is dropped has none. */
    private void dropped(List<Token> tokens) {
        if (schema != null && tokens.get(tokens.size() - 1).name().equalsIgnoreCase(schema)) {
            schema = null;
        }
    }

    private void set(SetStatement statement) {
        statement.assignments().forEach(this::set);
        opaque |= !statement.understood();
    }

    private void set(Assignment assignment) {
        String variable = assignment.variable();
        switch (variable) {
            case "autocommit" -> setAutocommit(assignment.value());
            case "sql_mode" -> setSqlMode(assignment);
            case "names" -> setNames(assignment.expression());
            case "transaction" -> {
                // The isolation level of single reads changes nothing, except that the lowest shows uncommitted rows.
                if (assignment.expression().stream().anyMatch(token -> token.is("UNCOMMITTED"))) {
                    unmodelled("transaction_isolation");
                }
            }
            case "transaction_isolation", "tx_isolation" -> {
                if (assignment.value() == null || assignment.value().equalsIgnoreCase("READ-UNCOMMITTED")) {
                    unmodelled("transaction_isolation");
                } else {
                    unmodelled.remove("transaction_isolation");
                }
            }
            case "character_set_results" -> setResults(assignment);
            case "character_set_client" -> setClient(assignment);
            case "collation_connection", "character_set_connection" -> setConnection(assignment);
            default -> {
                if (defaults != null && ASKED.contains(variable)) {
                    verified = false;
                } else if (assignment.isDefault()) {
                    unmodelled.remove(variable);
                } else if (!HARMLESS.contains(variable)) {
                    unmodelled(variable);
                }
            }
        }
    }

    private void unmodelled(String variable) {
        if (unmodelled.size() < MAX_UNMODELLED) {
            unmodelled.add(variable);
        } else {
            opaque = true;
        }
    }

    private void setAutocommit(@Nullable String value) {
        switch (value == null ? "" : value.toUpperCase(Locale.ROOT)) {
            case "1", "ON", "TRUE", "DEFAULT" -> autocommit = true;
            case "0", "OFF", "FALSE" -> autocommit = false;
            default -> opaque = true;
        }
    }

    private void setSqlMode(Assignment assignment) {
        String text = assignment.isDefault() ? defaultMode() : assignment.value();
        setSqlMode(text == null ? appendedMode(assignment.expression()) : text);
    }

    /** A global value may have changed since the store was asked for it. */
    private String defaultMode() {
        verified = defaults == null;
        return defaults == null ? "" : defaults.sqlMode();
    }

    private void setSqlMode(@Nullable String text) {
        Optional<SqlMode> mode = text == null ? Optional.empty() : SqlMode.parse(text);
        if (text == null || mode.isEmpty() || text.toUpperCase(Locale.ROOT).contains("PAD_CHAR_TO_FULL_LENGTH")) {
            unmodelled("sql_mode");
            return;
        }
        unmodelled.remove("sql_mode");
        sqlModeText = text;
        sqlMode = mode.get();
    }

    /** The value of {@code CONCAT(@@sql_mode, 'more')}, which drivers send; null for any other expression. */
    private @Nullable String appendedMode(List<Token> tokens) {
        boolean concatenation = tokens.size() == 6
                && tokens.get(0).is("CONCAT")
                && tokens.get(2).type() == TokenType.SYSTEM_VARIABLE
                && tokens.get(2).text().toLowerCase(Locale.ROOT).endsWith("sql_mode")
                && tokens.get(4).type() == TokenType.STRING
                && !unmodelled.contains("sql_mode");
        String more = concatenation ? SetStatement.literal(tokens.get(4)) : null;
        return more == null ? null : sqlModeText + more;
    }

    private void setNames(List<Token> expression) {
        String charset = expression.isEmpty() ? null : SetStatement.literal(expression.get(0));
        Collation collation = charset == null ? null : Collation.defaultOf(charset);
        if (charset != null && charset.equalsIgnoreCase("DEFAULT")) {
            collation = handshake;
            verified = defaults == null;
        }
        if (expression.size() == 3 && expression.get(1).is("COLLATE")) {
            String name = SetStatement.literal(expression.get(2));
            collation = name == null ? null : Collation.byName(name);
        } else if (expression.size() != 1) {
            collation = null;
        }
        if (collation == null) {
            opaque = true;
        } else {
            names(collation);
        }
    }

    private void setResults(Assignment assignment) {
        String value = valueOr(assignment, handshake.charset());
        if (value == null) {
            opaque = true;
        } else {
            resultsCharset = value.toLowerCase(Locale.ROOT);
            nameCharacterSets();
        }
    }

    private @Nullable String valueOr(Assignment assignment, String byDefault) {
        if (assignment.isDefault()) {
            verified = defaults == null;
            return byDefault;
        }
        return assignment.value();
    }

    private void setClient(Assignment assignment) {
        String value = valueOr(assignment, handshake.charset());
        if (value == null) {
            opaque = true;
        } else {
            clientCharset = value.toLowerCase(Locale.ROOT);
            nameCharacterSets();
        }
    }

    private void setConnection(Assignment assignment) {
        String value = valueOr(assignment, handshake.name());
        Collation collation = value == null ? null : Collation.byName(value);
        if (value != null && collation == null) {
            collation = Collation.defaultOf(value);
        }
        if (collation == null) {
            opaque = true;
        } else {
            connectionCollation = collation.name();
            nameCharacterSets();
        }
    }

    private void names(Collation collation) {
        clientCharset = collation.charset();
        resultsCharset = collation.charset();
        connectionCollation = collation.name();
        nameCharacterSets();
    }

    private void nameCharacterSets() {
        characterSets = clientCharset + "/" + connectionCollation + "/" + resultsCharset;
    }

    /** How many bytes a character of a statement's strings has at most in UTF-8; 0 if they are in another encoding. */
    int utf8Bytes() {
        if (!verified) {
            return 0;
        }
        if (clientCharset.equals("utf8mb4") && connectionCollation.startsWith("utf8mb4")) {
            return 4;
        }
        boolean basic = isUtf8mb3(clientCharset)
                && (isUtf8mb3(connectionCollation) || connectionCollation.startsWith("utf8mb4"));
        return basic ? 3 : 0;
    }

    /** Whether results have no characters beyond the basic plane: the store replaces them. */
    boolean basicResults() {
        return isUtf8mb3(resultsCharset);
    }

    /** Whether text is sent in the character set that its column has. */
    boolean resultsAsStored() {
        return resultsCharset.equals("null");
    }

    private boolean charsetsServed() {
        return utf8Bytes() > 0 && (resultsCharset.equals("utf8mb4") || basicResults() || resultsAsStored());
    }

    /** {@code utf8mb3}, {@code utf8} and their collations. */
    private static boolean isUtf8mb3(String name) {
        return name.equals("utf8") || name.startsWith("utf8_") || name.startsWith("utf8mb3");
    }

    private static Collation known(int id) {
        Collation collation = Collation.byId(id);
        return collation != null
                ? collation
                : new Collation(Collation.UTF8MB4_GENERAL_CI, "utf8mb4_general_ci", "utf8mb4");
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
