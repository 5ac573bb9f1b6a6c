package org.keyline.gateway.session;

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
import org.keyline.planner.digest.SqlMode;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;
import org.keyline.protocol.Collation;

/**
 * The system variables of a session, as its own SET statements and the store's answers have them: sql_mode and character sets by
 * value, and the names of those that are neither modelled nor known to be harmless. Confined to one event loop.
 */
final class SessionVariables {
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

    /** Variables that a remote store is asked for; two of them count only if they are not as in the gateway's own sessions. */
    static final List<String> ASKED = List.of(
            "sql_mode",
            "character_set_client",
            "character_set_results",
            "collation_connection",
            "time_zone",
            "sql_select_limit");

    private static final Set<String> NO_LIMIT = Set.of("18446744073709551615", "9223372036854775807", "-1");
    private static final String ISOLATION = "transaction_isolation";
    private static final int MAX_UNMODELLED = 64;

    private final @Nullable SessionDefaults defaults;
    private final Set<String> unmodelled = new HashSet<>();
    private Collation handshake;
    private SqlMode sqlMode = SqlMode.DEFAULT;
    private String sqlModeText = "";
    private CharacterSets characterSets;
    private boolean opaque;
    private boolean verified;

    /** @param defaults what a remote store's sessions begin with; null where they begin as is written here */
    SessionVariables(int collation, @Nullable SessionDefaults defaults) {
        this.defaults = defaults;
        handshake = known(collation);
        characterSets = CharacterSets.of(handshake, CharacterSets.GLOBAL);
        reset(collation);
    }

    /** As a session begins that named this collation in its handshake. */
    void reset(int collation) {
        handshake = known(collation);
        unmodelled.clear();
        sqlModeText = defaultMode();
        sqlMode = SqlMode.parse(sqlModeText).orElse(SqlMode.DEFAULT);
        characterSets = CharacterSets.of(handshake, "login " + collation);
        opaque = false;
        verified = defaults == null;
    }

    /** After COM_RESET_CONNECTION: a remote store then takes its global variables, not the handshake. */
    void resetConnection() {
        reset(handshake.id());
        if (defaults != null) {
            characterSets = CharacterSets.of(handshake, CharacterSets.GLOBAL);
        }
    }

    /** The collation that the client named in its handshake. */
    int handshake() {
        return handshake.id();
    }

    /** Whether the values are known; if not, a statement that depends on them has to wait for {@link #told}. */
    boolean verified() {
        return verified;
    }

    /** The store's answer to the question for {@link #ASKED}; empty if it refused. */
    void told(Map<String, @Nullable String> values) {
        verified = true;
        if (values.isEmpty()) {
            unmodelled("variables that the store does not tell");
            return;
        }
        setSqlMode(Objects.requireNonNullElse(values.get("sql_mode"), ""));
        characterSets = characterSets.told(
                values.get("character_set_client"),
                values.get("collation_connection"),
                values.get("character_set_results"));
        String zone = Objects.requireNonNullElse(values.get("time_zone"), "");
        told("time_zone", defaults == null || defaults.timeZone().equals(zone));
        String limit = values.get("sql_select_limit");
        told("sql_select_limit", limit != null && NO_LIMIT.contains(limit));
    }

    private void told(String variable, boolean harmless) {
        if (harmless) {
            unmodelled.remove(variable);
        } else {
            unmodelled(variable);
        }
    }

    /** A statement ran that may have set anything: nothing is known of the variables any more. */
    void becomeUnknown() {
        opaque = true;
    }

    /** Whether no variable changes what lines would answer. */
    boolean hitsAllowed() {
        return !opaque && verified && unmodelled.isEmpty() && characterSets.served();
    }

    /** Why reads go to the store, as a sentence; null if they need not. */
    @Nullable
    String whyForwarded() {
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
        return characterSets.served()
                ? null
                : "The session's character sets are " + characterSets.names() + ", not utf8mb4.";
    }

    SqlMode sqlMode() {
        return sqlMode;
    }

    /** The value of {@code sql_mode}; null if it is not known. */
    @Nullable
    String sqlModeText() {
        return !verified || unmodelled.contains("sql_mode") ? null : sqlModeText;
    }

    CharacterSets characterSets() {
        return characterSets;
    }

    // ---------------------------------------------------------------- SET

    /** An assignment that the store accepted. */
    void set(Assignment assignment) {
        String variable = assignment.variable();
        switch (variable) {
            case "sql_mode" -> setSqlMode(assignment);
            case "names" -> setNames(assignment.expression());
            case "transaction" -> {
                // The isolation level of single reads changes nothing, except that the lowest shows uncommitted rows.
                if (assignment.expression().stream().anyMatch(token -> token.is("UNCOMMITTED"))) {
                    unmodelled(ISOLATION);
                }
            }
            case ISOLATION, "tx_isolation" -> {
                String level = assignment.value();
                told(ISOLATION, level != null && !level.equalsIgnoreCase("READ-UNCOMMITTED"));
            }
            case "character_set_results" -> {
                String charset = valueOr(assignment, handshake.charset());
                characterSets(charset == null ? null : characterSets.withResults(charset, assignment.isDefault()));
            }
            case "character_set_client" -> {
                String charset = valueOr(assignment, handshake.charset());
                characterSets(charset == null ? null : characterSets.withClient(charset));
            }
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

    private void setSqlMode(Assignment assignment) {
        String text = valueOr(assignment, defaultMode());
        setSqlMode(text == null ? appendedMode(assignment.expression()) : text);
    }

    private String defaultMode() {
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
            String from = expression.size() == 1 ? String.valueOf(charset) : collation.name();
            characterSets = CharacterSets.of(
                    collation, from.equalsIgnoreCase("DEFAULT") ? CharacterSets.GLOBAL : from.toLowerCase(Locale.ROOT));
        }
    }

    private void setConnection(Assignment assignment) {
        String value = valueOr(assignment, handshake.name());
        Collation collation = value == null ? null : Collation.byName(value);
        if (value != null && collation == null) {
            collation = Collation.defaultOf(value);
        }
        characterSets(collation == null ? null : characterSets.withConnection(collation));
    }

    private void characterSets(@Nullable CharacterSets understood) {
        if (understood == null) {
            opaque = true;
        } else {
            characterSets = understood;
        }
    }

    /** What is assigned; null for an expression. The global value behind DEFAULT may have changed since the store was asked. */
    private @Nullable String valueOr(Assignment assignment, String byDefault) {
        if (assignment.isDefault()) {
            verified = defaults == null;
            return byDefault;
        }
        return assignment.value();
    }

    private static Collation known(int id) {
        Collation collation = Collation.byId(id);
        return collation != null
                ? collation
                : new Collation(Collation.UTF8MB4_GENERAL_CI, "utf8mb4_general_ci", "utf8mb4");
    }
}
