package org.keyline.gateway.session.settings;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.session.settings.SetStatement.Assignment;
import org.keyline.planner.digest.SqlMode;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;
import org.keyline.protocol.Collation;
import org.keyline.stores.ReadVariable;
import org.keyline.stores.SessionDefaults;

/**
 * The system variables of a session, known from its SET statements and the store's answers. The
 * class stores the values of modelled variables (such as sql_mode), and only the names of other
 * variables that can affect reads. Confined to one event loop.
 */
public final class SessionVariables {
    private static final String SELECT_LIMIT = "sql_select_limit";
    private static final String TIME_ZONE = "time_zone";

    /** The variables that a remote store is asked for. */
    public static final List<String> ASKED = List.of(
            "sql_mode",
            "character_set_client",
            "character_set_results",
            "collation_connection",
            TIME_ZONE,
            SELECT_LIMIT);

    /** Variables with idle timeouts of a session at the store, in seconds; 0 means no timeout. */
    private static final List<String> IDLE = List.of(
            "wait_timeout",
            "idle_transaction_timeout",
            "idle_readonly_transaction_timeout",
            "idle_write_transaction_timeout");

    private static final Pattern ROWS = Pattern.compile("\\d{1,20}");
    private static final Pattern SECONDS = Pattern.compile("\\d{1,9}");
    /** A value that means "no limit", as do numbers greater than any number of rows. */
    private static final String UNLIMITED = "-1";

    private static final BigInteger NO_LIMIT = BigInteger.valueOf(Long.MAX_VALUE);
    private static final int MAX_UNMODELLED = 64;
    private static final int MAX_MODE_TOKENS = 64;

    /** Modes that do not change point reads. */
    private static final Set<String> HARMLESS_MODES = Set.of("""
            ALLOW_INVALID_DATES ANSI ANSI_QUOTES ERROR_FOR_DIVISION_BY_ZERO HIGH_NOT_PRECEDENCE IGNORE_SPACE NO_AUTO_CREATE_USER
            NO_AUTO_VALUE_ON_ZERO NO_BACKSLASH_ESCAPES NO_DIR_IN_CREATE NO_ENGINE_SUBSTITUTION NO_FIELD_OPTIONS NO_KEY_OPTIONS
            NO_TABLE_OPTIONS NO_UNSIGNED_SUBTRACTION NO_ZERO_DATE NO_ZERO_IN_DATE ONLY_FULL_GROUP_BY PIPES_AS_CONCAT REAL_AS_FLOAT
            SIMULTANEOUS_ASSIGNMENT STRICT_ALL_TABLES STRICT_TRANS_TABLES TIME_ROUND_FRACTIONAL TIME_TRUNCATE_FRACTIONAL TRADITIONAL
            """.split("\\s+"));

    private final @Nullable SessionDefaults defaults;
    private final Set<String> harmless;
    private final Set<String> unmodelled = new HashSet<>();
    private Collation handshake;
    private SqlMode sqlMode = SqlMode.DEFAULT;
    private @Nullable String sqlModeText = "";
    private boolean foreignMode;
    private CharacterSets characterSets;
    private boolean otherTimeZone;
    private long selectLimit = Long.MAX_VALUE;
    private long idleSeconds;
    private boolean opaque;
    private boolean verified;
    /** Whether the store has reported {@link #sqlMode}, or the session has set it. */
    private boolean modeKnown;
    /** Whether the store reads texts in the known character set. */
    private boolean encodingKnown;

    /**
     * @param defaults the initial settings of a remote store's sessions; null for the values in
     * this class
     * @param harmless the store's own variables that change no reply to a read
     */
    SessionVariables(int collation, @Nullable SessionDefaults defaults, Set<String> harmless) {
        this.defaults = defaults;
        this.harmless = harmless;
        handshake = known(collation);
        characterSets = CharacterSets.of(handshake, CharacterSets.GLOBAL);
        reset(collation);
    }

    /** Begins a session with this collation in its handshake. */
    void reset(int collation) {
        handshake = known(collation);
        unmodelled.clear();
        sqlModeText = defaultMode();
        foreignMode = false;
        sqlMode = SqlMode.parse(defaultMode()).orElse(SqlMode.DEFAULT);
        characterSets = CharacterSets.of(handshake, "login " + collation);
        otherTimeZone = false;
        selectLimit = Long.MAX_VALUE;
        opaque = false;
        verified = defaults == null;
        modeKnown = verified;
        encodingKnown = verified;
    }

    /** Applies a COM_RESET_CONNECTION. A remote store then uses its global character sets. */
    void resetConnection() {
        reset(handshake.id());
        if (defaults != null) {
            characterSets = CharacterSets.of(handshake, CharacterSets.GLOBAL);
        }
    }

    int handshake() {
        return handshake.id();
    }

    /** Returns whether the values are known. If not, statements that need them wait. */
    boolean verified() {
        return verified;
    }

    /**
     * Receives the values of {@link #ASKED}; empty if the store refused.
     *
     * @param collation the collation's number in the answer's columns; 0 if no column has one
     */
    void received(Map<String, @Nullable String> values, int collation) {
        verified = true;
        if (defaults == null) {
            return;
        }
        modeKnown = !values.isEmpty();
        encodingKnown = modeKnown;
        if (values.isEmpty()) {
            sqlModeText = null;
            foreignMode = true;
            unmodelled("variables that the store does not report");
            return;
        }
        StringBuilder defaultCollations = new StringBuilder();
        for (ReadVariable variable : defaults.reads()) {
            String value = values.get(variable.name());
            String shown = variable.shown();
            received(variable.name(), shown == null || shown.equalsIgnoreCase(value));
            defaultCollations.append(variable.value() == null ? value : "");
        }
        setSqlMode(Objects.requireNonNullElse(values.get("sql_mode"), ""));
        characterSets = characterSets.received(
                values.get("character_set_client"),
                values.get("collation_connection"),
                values.get("character_set_results"),
                collation,
                defaultCollations.toString());
        String zone = Objects.requireNonNullElse(values.get(TIME_ZONE), "");
        otherTimeZone = defaults == null || !defaults.timeZones().contains(zone);
        setSelectLimit(Objects.requireNonNullElse(values.get(SELECT_LIMIT), ""));
        idleSeconds = 0;
        for (String variable : IDLE) {
            String text = values.get(variable);
            long seconds = text != null && SECONDS.matcher(text).matches() ? Long.parseLong(text) : 0;
            if (seconds > 0 && (idleSeconds == 0 || seconds < idleSeconds)) {
                idleSeconds = seconds;
            }
        }
    }

    private void setSelectLimit(String rows) {
        boolean number = ROWS.matcher(rows).matches();
        received(SELECT_LIMIT, number || rows.equals(UNLIMITED));
        selectLimit = number ? new BigInteger(rows).min(NO_LIMIT).longValue() : Long.MAX_VALUE;
    }

    private void received(String variable, boolean harmless) {
        if (harmless) {
            unmodelled.remove(variable);
        } else {
            unmodelled(variable);
        }
    }

    /** Called when a statement may have set any variable. */
    void becomeUnknown() {
        opaque = true;
    }

    /** Returns whether {@link #becomeUnknown} was called since the last reset. */
    boolean isUnknown() {
        return opaque;
    }

    /** Returns whether the client can list all statements of its session. */
    boolean isWatched() {
        // Every hit calls this method, so it avoids the allocation of an iterator over the names.
        return !unmodelled.isEmpty() && !Collections.disjoint(unmodelled, KnownVariables.WATCHING);
    }

    /** Called when the store's last answer may be outdated. */
    void askAgain() {
        doubtMode();
        encodingKnown = false;
    }

    /** Called when the sql_mode in the store's last answer may be outdated. */
    void doubtMode() {
        verified = false;
        modeKnown = false;
    }

    /** Returns whether Keyline finds the ends of strings and names as the store does. */
    public boolean readingKnown() {
        return modeKnown && !foreignMode;
    }

    boolean textIsUtf8() {
        return encodingKnown && characterSets.textIsUtf8();
    }

    /** Returns true if lines may answer under the session's variables. */
    boolean hitsAllowed() {
        return areModelled() && characterSets.served();
    }

    /** Returns true if all variables apart from character sets allow lines to answer. */
    boolean areModelled() {
        return !opaque && verified && unmodelled.isEmpty();
    }

    /** Returns why all reads go to the store, as a sentence; null if lines may answer. */
    @Nullable
    String whyForwarded() {
        if (!verified) {
            return "The store has not reported the session's variables yet.";
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

    public SqlMode sqlMode() {
        return sqlMode;
    }

    /** Returns the sql_mode; null if unknown. */
    public @Nullable String sqlModeText() {
        return verified ? sqlModeText : null;
    }

    /** Returns whether the mode may change statements in ways that Keyline does not model. */
    public boolean foreignMode() {
        return foreignMode;
    }

    public CharacterSets characterSets() {
        return characterSets;
    }

    /** Returns whether the session's time zone may differ from that of times in lines. */
    public boolean otherTimeZone() {
        return otherTimeZone;
    }

    /** Returns the store's idle timeout in seconds; 0 if unknown or unlimited. */
    public long idleSeconds() {
        return idleSeconds;
    }

    /** Returns the maximum number of rows of a SELECT without LIMIT. */
    public long selectLimit() {
        return selectLimit;
    }

    // ---------------------------------------------------------------- SET

    /** Applies an assignment that the store has accepted. */
    void set(Assignment assignment) {
        String variable = assignment.variable();
        switch (variable) {
            case "sql_mode" -> setSqlMode(assignment);
            case "names" -> setNames(assignment.expression());
            case "character_set" -> {
                // SET CHARACTER SET gives the connection the collation of the current schema, which
                // only the store knows.
                characterSets(null);
                received(variable, defaults != null);
            }
            case "character_set_results" -> {
                String charset = name(assignment, handshake.charset());
                characterSets(charset == null ? null : characterSets.withResults(charset, assignment.isDefault()));
            }
            case "character_set_client" -> {
                String charset = name(assignment, handshake.charset());
                characterSets(charset == null ? null : characterSets.withClient(charset));
            }
            case "collation_connection", "character_set_connection" -> setConnection(assignment);
            default -> {
                boolean known = harmless.contains(variable) || KnownVariables.harmless(variable, assignment.value());
                if (defaults != null && (ASKED.contains(variable) || IDLE.contains(variable))) {
                    verified = false;
                } else if (variable.equals(TIME_ZONE)) {
                    otherTimeZone = !assignment.isDefault();
                } else if (!known && decides(variable)) {
                    characterSets(null);
                } else {
                    received(variable, assignment.isDefault() || known);
                }
            }
        }
    }

    /** Returns whether the variable affects reads, so that Keyline asks the store for its value. */
    private boolean decides(String variable) {
        return defaults != null
                && defaults.reads().stream()
                        .anyMatch(read -> read.isAsked() && read.name().equals(variable));
    }

    /** Called when only a remote store knows a new value. Statements then await its answer. */
    private void awaitAnswer() {
        verified = defaults == null;
    }

    private void unmodelled(String variable) {
        if (unmodelled.size() < MAX_UNMODELLED) {
            unmodelled.add(variable);
        } else {
            opaque = true;
        }
    }

    private void setSqlMode(Assignment assignment) {
        SqlMode before = sqlMode;
        String text = assignment.isDefault() ? defaultMode() : assignment.value();
        modeKnown = text != null && !assignment.isDefault();
        setSqlMode(text == null ? appendedMode(assignment.expression()) : text);
        if (!readingKnown() || !sqlMode.equals(before)) {
            // The store accepts numbers, and some stores ignore a mode, so the store must report
            // the value. It need not if the names are known, and none changes how texts are read.
            awaitAnswer();
        }
    }

    private String defaultMode() {
        return defaults == null ? "" : defaults.sqlMode();
    }

    private void setSqlMode(@Nullable String text) {
        Optional<SqlMode> mode = text == null ? Optional.empty() : SqlMode.parse(text);
        sqlModeText = text;
        sqlMode = mode.orElse(sqlMode);
        foreignMode = text == null || mode.isEmpty() || !harmless(text);
        received("sql_mode", !foreignMode);
    }

    /** Returns whether each of the modes is modelled, or changes neither rows nor comparisons. */
    private static boolean harmless(String modes) {
        return Arrays.stream(modes.toUpperCase(Locale.ROOT).split(",", -1))
                .map(String::strip)
                .allMatch(mode -> mode.isEmpty() || HARMLESS_MODES.contains(mode));
    }

    /** Returns the value of an expression that appends to {@code @@sql_mode}; null for others. */
    private @Nullable String appendedMode(List<Token> tokens) {
        int size = tokens.size();
        if (size > MAX_MODE_TOKENS) {
            return null;
        }
        boolean query = size > 3
                && tokens.get(0).type() == TokenType.LEFT_PARENTHESIS
                && tokens.get(1).is("SELECT")
                && tokens.get(size - 1).isSymbol(")");
        if (query) {
            return appendedMode(tokens.subList(2, size - 1));
        }
        if (size == 1) {
            Token variable = tokens.get(0);
            boolean mode = variable.type() == TokenType.SYSTEM_VARIABLE
                    && variable.text().toLowerCase(Locale.ROOT).endsWith("sql_mode");
            return mode ? sqlModeText : null;
        }
        boolean concatenation = size >= 6
                && tokens.get(0).is("CONCAT")
                && tokens.get(1).type() == TokenType.LEFT_PARENTHESIS
                && tokens.get(size - 3).isSymbol(",")
                && tokens.get(size - 2).type() == TokenType.STRING;
        String before = concatenation ? appendedMode(tokens.subList(2, size - 3)) : null;
        String more = concatenation ? SetStatement.literal(tokens.get(size - 2)) : null;
        return before == null || more == null ? null : before + more;
    }

    private void setNames(List<Token> expression) {
        String charset = expression.isEmpty() ? null : SetStatement.literal(expression.get(0));
        Collation collation = charset == null ? null : defaultOf(charset);
        boolean byDefault = charset != null && charset.equalsIgnoreCase("DEFAULT");
        mayMeanMb4(charset);
        if (byDefault) {
            collation = handshake;
            awaitAnswer();
        }
        if (expression.size() == 3 && expression.get(1).is("COLLATE")) {
            String name = SetStatement.literal(expression.get(2));
            collation = name == null ? null : Collation.byName(name);
        } else if (expression.size() != 1) {
            collation = null;
        }
        if (collation == null) {
            characterSets(null);
        } else {
            String from = expression.size() == 1 ? String.valueOf(charset) : collation.name();
            characterSets = characterSets.withNames(
                    collation, byDefault ? CharacterSets.GLOBAL : from.toLowerCase(Locale.ROOT));
        }
    }

    /** Returns the collation that the store selects for the character set; null if unknown. */
    private @Nullable Collation defaultOf(String charset) {
        String utf8mb4 = defaults == null ? "" : defaults.utf8mb4();
        Collation known = charset.equalsIgnoreCase("utf8mb4") ? Collation.byName(utf8mb4) : null;
        return known != null ? known : Collation.defaultOf(charset);
    }

    private void setConnection(Assignment assignment) {
        String value = name(assignment, handshake.name());
        Collation collation = value == null ? null : Collation.byName(value);
        if (value != null && collation == null) {
            collation = defaultOf(value);
        }
        characterSets(collation == null ? null : characterSets.withConnection(collation));
    }

    /** @param understood the new character sets; null if only the store knows them */
    private void characterSets(@Nullable CharacterSets understood) {
        if (understood != null) {
            characterSets = understood;
        } else if (defaults == null) {
            opaque = true;
        } else {
            characterSets = characterSets.unknown();
            verified = false;
            encodingKnown = false;
        }
    }

    /** Returns the assigned name, {@code byDefault} for DEFAULT, or null for other expressions. */
    private @Nullable String name(Assignment assignment, String byDefault) {
        if (assignment.isDefault()) {
            awaitAnswer();
            return byDefault;
        }
        mayMeanMb4(assignment.value());
        boolean number = assignment.expression().stream().anyMatch(token -> token.type() == TokenType.INTEGER);
        return number ? null : assignment.value();
    }

    /** Asks again after {@code utf8}, whose meaning on MariaDB depends on {@code old_mode}. */
    private void mayMeanMb4(@Nullable String charset) {
        if ("utf8".equalsIgnoreCase(charset)) {
            awaitAnswer();
        }
    }

    private static Collation known(int id) {
        Collation collation = Collation.byId(id);
        return collation != null
                ? collation
                : new Collation(Collation.UTF8MB4_GENERAL_CI, "utf8mb4_general_ci", "utf8mb4");
    }
}
