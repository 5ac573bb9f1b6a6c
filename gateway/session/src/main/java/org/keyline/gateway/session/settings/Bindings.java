package org.keyline.gateway.session.settings;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.session.settings.SetStatement.Assignment;
import org.keyline.planner.StatementKind;
import org.keyline.planner.digest.BuiltinFunctions;
import org.keyline.planner.digest.Lexer;
import org.keyline.planner.digest.ReservedWords;
import org.keyline.planner.digest.SqlMode;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;
import org.keyline.protocol.client.ReplySummary;

/** Records state that binds a client to its store session. Confined to one event loop. */
public final class Bindings {
    /*
     * A statement leaves a session unbound only if its kind is known, its text was parsed to the
     * end, and no function that it calls leaves state behind. A SET leaves the session unbound only
     * if the same text has the same result in a new session. Any other statement binds the session
     * to its store session until COM_RESET_CONNECTION or COM_CHANGE_USER. A binding by table locks
     * ends with UNLOCK TABLES.
     */

    private static final int MAX_TEXT_BYTES = 256 << 10;
    private static final int MAX_SETS = 24;
    private static final int MAX_SET_BYTES = 1024;

    /** Words in statements that refer to state of a single store session. */
    private static final Map<String, Binding> WORDS = Map.ofEntries(
            Map.entry("GET_LOCK", Binding.NAMED_LOCK),
            Map.entry("RELEASE_LOCK", Binding.NAMED_LOCK),
            Map.entry("RELEASE_ALL_LOCKS", Binding.NAMED_LOCK),
            Map.entry("NEXTVAL", Binding.SEQUENCE),
            Map.entry("CURRVAL", Binding.SEQUENCE),
            Map.entry("LASTVAL", Binding.SEQUENCE),
            Map.entry("SETVAL", Binding.SEQUENCE),
            Map.entry("CONNECTION_ID", Binding.CONNECTION_ID),
            Map.entry("PS_CURRENT_THREAD_ID", Binding.CONNECTION_ID),
            Map.entry("PS_THREAD_ID", Binding.CONNECTION_ID),
            Map.entry("PROCESSLIST", Binding.CONNECTION_ID),
            Map.entry("PSEUDO_THREAD_ID", Binding.CONNECTION_ID),
            Map.entry("LAST_QUERY_ID", Binding.LAST_STATEMENT),
            Map.entry("LAST_GTID", Binding.LAST_STATEMENT),
            Map.entry("WSREP_LAST_SEEN_GTID", Binding.LAST_STATEMENT),
            Map.entry("WSREP_LAST_WRITTEN_GTID", Binding.LAST_STATEMENT),
            Map.entry("PROFILE", Binding.LAST_STATEMENT),
            Map.entry("PROFILES", Binding.LAST_STATEMENT),
            Map.entry("PROFILING", Binding.LAST_STATEMENT),
            Map.entry("OPTIMIZER_TRACE", Binding.LAST_STATEMENT));

    /** Variables whose SET changes other state, or whose value depends on when it runs. */
    private static final Set<String> NOT_AGAIN = Set.of("""
            audit_plugin binlog_format character_set_database character_set_server collation_database
            collation_server insert_id session_track_gtids session_track_transaction_info sql_log_bin
            """.strip().split("\\s+"));

    private static final Set<String> FOLLOWED = Set.of(
            "names",
            "character_set_client",
            "character_set_connection",
            "character_set_results",
            "collation_connection",
            "sql_mode",
            "sql_select_limit",
            "time_zone");

    /** The isolation level, and whether transactions are read-only. */
    private static final Set<String> TRANSACTION =
            Set.of("transaction", "transaction_isolation", "tx_isolation", "transaction_read_only", "tx_read_only");

    /** Parts of an expression whose result depends only on the current sql_mode. */
    private static final Set<String> OF_MODE = Set.of("""
            CONCAT CONCAT_WS REPLACE SELECT @@SQL_MODE @@SESSION.SQL_MODE ( ) ,
            """.strip().split("\\s+"));

    private final Set<String> harmless;
    private final Lexer lexer = new Lexer();
    private final EnumSet<Binding> bound = EnumSet.noneOf(Binding.class);
    private final List<Again> sets = new ArrayList<>(0);
    private boolean followed;
    private boolean wasReset;
    /** Whether LAST_INSERT_ID() might have another value than {@link #insertId}. */
    private boolean insertIdUnknown;

    private long insertId;

    /** @param harmless the store's own variables that change no reply to a read */
    Bindings(Set<String> harmless) {
        this.harmless = harmless;
    }

    /** Called if the store session may be released. Bindings are recorded only after this call. */
    public void follow() {
        followed = true;
    }

    void reset() {
        bound.clear();
        sets.clear();
        wasReset = false;
        insertIdUnknown = false;
        insertId = 0;
    }

    /** Records a COM_RESET_CONNECTION. Another store session must receive the command first. */
    void resetConnection() {
        reset();
        wasReset = true;
    }

    public void bind(Binding why) {
        bound.add(why);
    }

    /** Returns the first binding; null if nothing binds the session. */
    @Nullable
    Binding first() {
        return bound.isEmpty() ? null : bound.iterator().next();
    }

    /** Returns whether another store session must begin with COM_RESET_CONNECTION. */
    public boolean beginsReset() {
        return wasReset;
    }

    /** Returns, in order, the statements that give a new session the settings of this session. */
    public List<String> sets() {
        return sets.stream().map(Again::text).toList();
    }

    /** A SET to repeat in another store session, with the variables that it sets. */
    private record Again(String text, Set<String> variables) {}

    /** Returns whether only the store knows the value of LAST_INSERT_ID(). */
    public boolean isInsertIdUnknown() {
        return insertIdUnknown;
    }

    /** Returns the last known value of LAST_INSERT_ID(), unsigned. */
    public long insertId() {
        return insertId;
    }

    public void insertId(long value) {
        insertId = value;
        insertIdUnknown = false;
    }

    /**
     * Records a statement that the store has answered.
     *
     * @param reading the rules by which the store reads the text
     */
    void answered(SqlStatement text, ReplySummary reply, Reading reading) {
        if (!followed) {
            return;
        }
        StatementKind kind = text.kind();
        if (kind == StatementKind.UNLOCK && reply.error() == null) {
            bound.remove(Binding.TABLE_LOCKS);
        }
        Binding why = ofKind(kind, !text.isEmpty());
        if (why != null) {
            bound.add(why);
        }
        insertIdUnknown |= reply.lastInsertId() != 0
                || (kind == StatementKind.INSERT && (reply.error() != null || reply.columnCount() > 0));
        if (!text.isEmpty() && why == null) {
            read(text, reading);
            if (kind == StatementKind.SET) {
                set(text, reply.error() == null, reading.mode());
            }
        }
    }

    /** @param exact false if the store might read the text by other rules */
    record Reading(SqlMode mode, boolean exact) {}

    private static @Nullable Binding ofKind(StatementKind kind, boolean text) {
        return switch (kind) {
            case SELECT, INSERT, UPDATE, DELETE, SHOW, SHOW_STATUS, EXPLAIN, DDL, SET, USE -> null;
            case BEGIN, COMMIT, ROLLBACK, SAVEPOINT, UNLOCK, KEYLINE, EMPTY -> null;
            case OTHER -> text ? Binding.OTHER_STATEMENT : null;
            case LOAD -> Binding.LOAD;
            case TEMPORARY_TABLE -> Binding.TEMPORARY_TABLE;
            case LOCK -> Binding.TABLE_LOCKS;
            case XA -> Binding.XA;
            case ROLE -> Binding.ROLE;
            case PREPARE, EXECUTE -> Binding.NAMED_STATEMENT;
            case CALL -> Binding.STORED_CODE;
            case KILL, PRIVILEGE -> Binding.OTHER_STATEMENT;
            case MULTI, MULTI_PRIVILEGE, UNKNOWN -> Binding.UNREAD;
        };
    }

    private void read(SqlStatement statement, Reading reading) {
        if (statement.length() > MAX_TEXT_BYTES || !reading.exact()) {
            bound.add(Binding.UNREAD);
            return;
        }
        // In CREATE TABLE, and before the values of an INSERT, a name before a parenthesis need not
        // be a function.
        boolean calls = statement.kind() != StatementKind.DDL;
        boolean target = statement.kind() == StatementKind.INSERT;
        boolean qualified = false;
        boolean sequence = false;
        Name name = Name.NONE;
        lexer.reset(statement.sql(), statement.from(), statement.to(), reading.mode());
        for (TokenType type = lexer.next(); type != TokenType.END; type = lexer.next()) {
            if (type == TokenType.LEFT_PARENTHESIS && name == Name.UNKNOWN && calls && !target) {
                bound.add(Binding.FUNCTION);
            }
            if (type == TokenType.LEFT_PARENTHESIS && name != Name.NONE) {
                target = false;
            }
            name = Name.NONE;
            switch (type) {
                case USER_VARIABLE -> bound.add(Binding.USER_VARIABLE);
                case EXECUTABLE_COMMENT, ERROR -> bound.add(Binding.UNREAD);
                case WORD, QUOTED, SYSTEM_VARIABLE -> {
                    String word = lexer.token().text().toUpperCase(Locale.ROOT).replace("`", "");
                    named(word);
                    if (sequence && word.equals("VALUE")) {
                        bound.add(Binding.SEQUENCE);
                    }
                    sequence = word.equals("NEXT") || word.equals("PREVIOUS");
                    target &= !word.equals("SELECT") && !word.equals("VALUES") && !word.equals("SET");
                    calls |= word.equals("SELECT");
                    boolean known = type == TokenType.WORD
                            && !qualified
                            && (ReservedWords.contains(word) || BuiltinFunctions.contains(word));
                    name = known ? Name.KNOWN : Name.UNKNOWN;
                }
                default -> {}
            }
            qualified = type == TokenType.DOT;
        }
        if (lexer.ambiguous()) {
            bound.add(Binding.UNREAD);
        }
    }

    private enum Name {
        NONE,
        KNOWN,
        UNKNOWN
    }

    private void named(String word) {
        String last = word.startsWith("@@") ? word.substring(Math.max(2, word.lastIndexOf('.') + 1)) : word;
        Binding why = WORDS.get(last);
        if (why != null) {
            bound.add(why);
        }
        if (last.equals("LAST_INSERT_ID")) {
            // LAST_INSERT_ID with an argument sets the value.
            insertIdUnknown = true;
        }
    }

    /** Returns whether another SET statement can be recorded. */
    public boolean hasRoom() {
        return sets.size() < MAX_SETS;
    }

    /**
     * Records the bindings of a SET statement that the store has not received yet. The caller has
     * made sure that the store will accept it.
     */
    void set(SqlStatement text, SqlMode mode) {
        if (followed) {
            set(text, true, mode);
        }
    }

    private void set(SqlStatement set, boolean ok, SqlMode mode) {
        byte[] text = Arrays.copyOfRange(set.sql(), set.from(), set.to());
        SetStatement statement = SetStatement.read(Lexer.tokens(new String(text, StandardCharsets.UTF_8), mode));
        List<Assignment> assignments = statement.assignments();
        if (!statement.understood() || assignments.isEmpty() || (!ok && assignments.size() > 1)) {
            bound.add(Binding.SETTING);
            return;
        }
        boolean elsewhere = assignments.stream().allMatch(each -> !each.global() && isElsewhere(each.variable()));
        if (!ok || elsewhere) {
            return;
        }
        Set<String> variables = assignments.stream().map(Bindings::subject).collect(Collectors.toSet());
        if (assignments.stream()
                .allMatch(
                        each -> each.value() != null || each.variable().equals("names") || isOneCharacteristic(each))) {
            sets.removeIf(earlier -> variables.containsAll(earlier.variables()));
        }
        if (sets.size() < MAX_SETS && isPlain(text) && assignments.stream().allMatch(this::isSetAgain)) {
            sets.add(new Again(new String(text, StandardCharsets.US_ASCII), variables));
        } else {
            bound.add(Binding.SETTING);
        }
    }

    /** Returns the variable. For SET SESSION TRANSACTION, the first word of the value follows. */
    private static String subject(Assignment assignment) {
        String variable = assignment.variable();
        return isOneCharacteristic(assignment)
                ? variable + " " + SetStatement.words(assignment.expression().subList(0, 1))
                : variable;
    }

    private static boolean isOneCharacteristic(Assignment assignment) {
        return assignment.variable().equals("transaction")
                && !assignment.expression().isEmpty()
                && assignment.expression().stream().noneMatch(token -> token.type() == TokenType.COMMA);
    }

    /** Returns whether {@link TransactionState} restores this variable. */
    private static boolean isElsewhere(String variable) {
        return variable.equals("autocommit") || variable.equals(SetStatement.NEXT_TRANSACTION);
    }

    /** Returns whether the text is short, and means the same in any sql_mode and encoding. */
    private static boolean isPlain(byte[] text) {
        for (byte b : text) {
            if (b < 0 || b == '"' || b == '\\') {
                return false;
            }
        }
        return text.length <= MAX_SET_BYTES;
    }

    private boolean isSetAgain(Assignment assignment) {
        String variable = assignment.variable();
        List<Token> expression = assignment.expression();
        if (assignment.global()
                || NOT_AGAIN.contains(variable)
                || expression.stream().anyMatch(token -> token.is("DEFAULT"))) {
            return false;
        }
        if (variable.equals("sql_mode") && assignment.value() == null) {
            return expression.stream()
                    .allMatch(token -> token.type() == TokenType.STRING
                            || OF_MODE.contains(token.text().toUpperCase(Locale.ROOT)));
        }
        if (variable.equals("names") || variable.equals("transaction")) {
            return expression.stream()
                    .allMatch(token -> token.type() == TokenType.WORD
                            || token.type() == TokenType.STRING
                            || token.type() == TokenType.COMMA);
        }
        return assignment.value() != null
                && (variable.equals("autocommit")
                        || FOLLOWED.contains(variable)
                        || TRANSACTION.contains(variable)
                        || harmless.contains(variable)
                        || KnownVariables.harmless(variable, assignment.value()));
    }
}
