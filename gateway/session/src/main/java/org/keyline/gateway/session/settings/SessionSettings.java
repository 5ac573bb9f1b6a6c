package org.keyline.gateway.session.settings;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.key.SlotValues;
import org.keyline.gateway.session.settings.SetStatement.Assignment;
import org.keyline.gateway.table.MissReason;
import org.keyline.planner.PointRead;
import org.keyline.planner.StatementKind;
import org.keyline.planner.digest.Lexer;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.stores.ResetScope;
import org.keyline.stores.SessionDefaults;
import org.keyline.stores.StoreSession;
import org.keyline.stores.TransactionRules;

/** A session's schema, transaction, locks and variables. Confined to one event loop. */
public final class SessionSettings {
    /*
     * After a statement that this class does not understand, or a SET of a variable that is neither
     * modelled nor harmless, the gateway forwards all further reads of the session. A statement is
     * applied only after the store has accepted it. If one of several statements in a text fails
     * and any of them changes settings, the text counts as not understood.
     */

    /** Statements that change no setting. */
    private static final Set<String> PLAIN = Set.of("""
            SELECT INSERT REPLACE UPDATE DELETE WITH VALUES TABLE SHOW DESC DESCRIBE EXPLAIN SAVEPOINT
            RELEASE TRUNCATE ALTER DROP CREATE ANALYZE KEYLINE
            """.strip().split("\\s+"));

    /** First words of statements whose effects remain after a later error in the same text. */
    private static final Set<String> BEGINS = Set.of("CREATE", "DROP", "BEGIN", "START");

    /** The variable with the statements that a store runs at each login. */
    public static final String INIT_CONNECT = "init_connect";

    private static final List<String> PLACE = List.of(StoreSession.CATALOG, StoreSession.SCHEMA);

    private static final Pattern XA_VERB = Pattern.compile("\\bXA\\s+([A-Z]+)", Pattern.CASE_INSENSITIVE);

    private static final int MAX_FOLLOWED_BYTES = 64 << 10;

    /**
     * Matches an sql_mode that rejects invalid values. Without such a mode, stores adjust them.
     * Some stores do so only in INSERTs of many rows.
     */
    private static final Pattern STRICT =
            Pattern.compile("\\bSTRICT_(?:TRANS|ALL)_TABLES\\b|\\bTRADITIONAL\\b", Pattern.CASE_INSENSITIVE);

    private final SessionVariables variables;
    private final TransactionState transactions;
    private final CurrentCatalog catalog;
    private final SettingCounts counts = new SettingCounts();
    private final InsertSettings inserts = new InsertSettings();
    private final Bindings bindings;
    private @Nullable String schema;
    private boolean autocommit = true;
    private boolean locked;
    private boolean temporaryTables;
    /** Whether an XA transaction is open. */
    private boolean xa;

    private boolean transaction;
    /** Whether the last flags showed an open transaction; used for stores without snapshots. */
    private boolean flagged;

    private boolean reportsFlags;
    private boolean schemaKnown = true;
    private boolean schemaChosen;
    private boolean initialised;
    /** Whether the store has reported the statements that it runs at each login. */
    private boolean initKnown;
    /**
     * Whether the session has set a role. If the store does not report roles, lines no longer
     * answer the session.
     */
    private boolean roleSet;

    private @Nullable String account;
    private Staleness maxStaleness = Staleness.DEFAULT;
    private int changes;
    private int rightsRead;
    private int replyForms;

    /**
     * @param defaults the initial settings of a remote store's sessions; null if sessions begin
     * with the values in this class
     * @param harmless the store's own variables that change no reply to a read
     * @param ownCatalog the store's own catalog; null if the store has a single catalog
     */
    public SessionSettings(
            int collation,
            @Nullable String schema,
            @Nullable SessionDefaults defaults,
            TransactionRules rules,
            Set<String> harmless,
            @Nullable String ownCatalog) {
        variables = new SessionVariables(collation, defaults, harmless);
        transactions = new TransactionState(rules);
        catalog = new CurrentCatalog(ownCatalog);
        bindings = new Bindings(harmless);
        this.schema = catalog.schemaOf(schema);
    }

    /** Resets the state after login, COM_CHANGE_USER or COM_RESET_CONNECTION. */
    public void reset(int collation, @Nullable String initialSchema) {
        variables.reset(collation);
        catalog.mayHaveChanged();
        schema = catalog.schemaOf(initialSchema);
        schemaChosen = false;
        autocommit = true;
        locked = false;
        temporaryTables = false;
        xa = false;
        transaction = false;
        flagged = false;
        schemaKnown = true;
        initialised = false;
        initKnown = false;
        roleSet = false;
        account = null;
        transactions.reset();
        counts.reset();
        inserts.reset();
        bindings.reset();
        maxStaleness = Staleness.DEFAULT;
        changes++;
        replyForms++;
    }

    public void resetConnection(ResetScope scope) {
        catalog.mayHaveChanged();
        replyForms++;
        switch (scope) {
            case SETTINGS_AND_STATEMENTS -> {
                reset(variables.handshake(), schema);
                variables.resetConnection();
                bindings.resetConnection();
            }
            case SCHEMA -> schema(null);
            case UNKNOWN -> {
                schema(null);
                variables.becomeUnknown();
            }
        }
    }

    /** Applies a COM_CHANGE_USER at a store where variables outlive the user. */
    public void changeUser(@Nullable String initialSchema) {
        catalog.mayHaveChanged();
        schema(initialSchema == null || initialSchema.isEmpty() ? null : catalog.schemaOf(initialSchema));
        account = null;
        replyForms++;
        askAgain();
    }

    /** Returns whether the settings are known. If not, statements that need them wait. */
    public boolean verified() {
        return variables.verified() && transactions.verified();
    }

    /** Returns whether Keyline must ask the store for the session's current catalog. */
    public boolean asksPlace() {
        return !catalog.verified();
    }

    /** Returns the names to ask for: the catalog, and the schema if it is unknown. */
    public List<String> placeQuestions() {
        return schemaKnown ? List.of(StoreSession.CATALOG) : PLACE;
    }

    public SessionVariables variables() {
        return variables;
    }

    public CurrentCatalog catalog() {
        return catalog;
    }

    /**
     * Called when the catalog may have changed. The store must then be asked for it.
     *
     * @param current the current schema in the new catalog; null if only the store knows it
     */
    public void placeChanged(@Nullable String current) {
        catalog.mayHaveChanged();
        schema = current == null ? schema : catalog.schemaOf(current);
        schemaKnown = current != null;
        changes++;
    }

    /**
     * Receives the store's answer, with the values of {@link SessionVariables#ASKED} and other
     * names. The answer has no values if the store refused.
     */
    public void received(StoreSession.SessionAnswer received) {
        Map<String, @Nullable String> values = received.values();
        if (values.containsKey(StoreSession.CATALOG)) {
            catalog.received(values.get(StoreSession.CATALOG));
            changes++;
            if (verified() && PLACE.containsAll(values.keySet())) {
                schemaReceived(values);
                return;
            }
        }
        if ((received.counted() || counts.pending()) && counts.received(received.counts())) {
            variables.becomeUnknown();
        }
        // A store that refuses to report variables may still report catalog and schema.
        Map<String, @Nullable String> settled = PLACE.containsAll(values.keySet()) ? Map.of() : values;
        String initial = settled.get(INIT_CONNECT);
        if (initial != null && !initial.isEmpty() && !initialised) {
            follow(SqlStatement.of(StatementKind.MULTI, initial.getBytes(StandardCharsets.UTF_8)), true);
            bindings.bind(Binding.INIT_CONNECT);
        }
        initialised = true;
        initKnown |= settled.containsKey(INIT_CONNECT);
        variables.received(settled, received.collation());
        transactions.received(settled);
        inserts.received(settled);
        schemaReceived(values);
        String current = values.get("CURRENT_USER()");
        String role = values.get("CURRENT_ROLE()");
        account = current != null && isExact(current) && isExact(role) ? current + " as " + role : null;
        if (roleSet && !values.containsKey("CURRENT_ROLE()")) {
            variables.becomeUnknown();
        }
        if (received.hasStatus()) {
            status(received.status());
            transactions.received(transaction, autocommit);
        }
        changes++;
    }

    private void schemaReceived(Map<String, @Nullable String> values) {
        if (values.containsKey(StoreSession.SCHEMA)) {
            String current = values.get(StoreSession.SCHEMA);
            schema = isExact(current) ? current : null;
            schemaKnown = true;
        }
    }

    /** Returns whether a name was decoded correctly, because it is in UTF-8 or ASCII. */
    private boolean isExact(@Nullable String name) {
        return name == null
                || variables.characterSets().resultsAreUtf8()
                || name.chars().allMatch(at -> at <= 0x7F);
    }

    /** Returns whether the store may read the text differently than Keyline does in UTF-8. */
    public boolean mayMeanElse(byte[] text, int from, int to) {
        return !variables.textIsUtf8() && OtherEncoding.mayMeanElse(text, from, to, variables.sqlMode());
    }

    private boolean mayMeanElse(SqlStatement text) {
        return mayMeanElse(text.sql(), text.from(), text.to());
    }

    /** Returns the client's account and roles; null if unreported or not in UTF-8. */
    public @Nullable String account() {
        return account;
    }

    /** Returns whether the client could see the gateway's own statements or their results. */
    public boolean isWatched() {
        return variables.isWatched() || transactions.isTracked();
    }

    /** Makes the session ask for the variables before the next statement that needs them. */
    public void askAgain() {
        variables.askAgain();
    }

    /** Makes the session ask again, because its sql_mode may differ from the known one. */
    public void doubtMode() {
        variables.doubtMode();
    }

    /**
     * Called when a function or trigger may have run. It can set any variable and create temporary
     * tables. If the store counts SETs and CREATEs, its next answer shows whether any ran.
     *
     * @param exists whether the store is known to have stored code; if not, Keyline only asks for
     * the session's variables again
     */
    public void storedCodeMayHaveRun(boolean exists) {
        bindings.bind(Binding.STORED_CODE);
        if (counts.known()) {
            counts.codeMayHaveRun();
        } else if (exists) {
            variables.becomeUnknown();
        }
        askAgain();
    }

    /** Returns whether the next answer of the store must include its counts of SETs and CREATEs. */
    public boolean awaitsCounts() {
        return counts.pending();
    }

    /** Returns whether the store must report its counts before a statement runs stored code. */
    public boolean lacksCounts() {
        return !variables.isUnknown() && !counts.known() && !counts.refused();
    }

    /** Returns the bindings, which other classes of the session update. */
    public Bindings bindings() {
        return bindings;
    }

    /** Returns what binds the session to its store session; null if nothing does. */
    public @Nullable Binding binding() {
        if (!transactions.isApart() || transactions.isOpen() || transactionOpen() || !reportsFlags) {
            return Binding.TRANSACTION;
        }
        if (!schemaKnown) {
            return Binding.SCHEMA;
        }
        if (variables.isUnknown()) {
            return Binding.UNREAD;
        }
        return bindings.first();
    }

    /** Returns whether the store has reported the statements that it runs at each login. */
    public boolean isInitKnown() {
        return initKnown;
    }

    /** Called after {@link #applied}, once the store has answered. */
    public void answered(SqlStatement text, ReplySummary reply) {
        boolean exact = !mayMeanElse(text) && (variables.readingKnown() || !isQuoted(text));
        bindings.answered(text, reply, new Bindings.Reading(variables.sqlMode(), exact));
    }

    /** Applies a SET statement that the store has not received yet, but will accept. */
    public void setLate(SqlStatement text) {
        applied(text, true);
        bindings.set(text, variables.sqlMode());
    }

    /**
     * Applies a SET SESSION TRANSACTION READ ONLY or READ WRITE that the store has not received
     * yet, but will accept.
     */
    public void readOnlyLate(boolean readOnly, SqlStatement text) {
        changes++;
        transactions.readOnly(readOnly);
        if (inserts.set("transaction")) {
            askAgain();
        }
        bindings.set(text, variables.sqlMode());
    }

    /** Returns whether the ends of strings and names in the text depend on the sql_mode. */
    private static boolean isQuoted(SqlStatement text) {
        return text.indexOf("\\") >= 0 || text.indexOf("\"") >= 0;
    }

    /** Called when a new store session was opened. Global variables and rights may have changed. */
    public void storeSessionIsAnother() {
        counts.reset();
        rightsRead++;
        askAgain();
    }

    /** Called when the gateway itself has sent a SET in the session. */
    public void setBeside() {
        counts.setBeside();
    }

    private void forgetCounts() {
        if (counts.forget()) {
            variables.becomeUnknown();
        }
    }

    /** Returns whether the schema is known. If not, an unqualified name may refer to any schema. */
    public boolean schemaKnown() {
        return schemaKnown;
    }

    /** Returns why all reads of the session go to the store; null if lines may answer. */
    public @Nullable String whyForwarded() {
        String why = catalog.whyForwarded() != null ? catalog.whyForwarded() : whyUnknown();
        return why != null ? why : transactions.whyForwarded();
    }

    /** Returns why lines must not answer reads; null if they may. */
    public @Nullable MissReason missReason() {
        if (catalog.whyForwarded() != null) {
            return MissReason.CATALOG;
        }
        if (whyUnknown() != null) {
            return MissReason.SESSION;
        }
        return transactions.whyForwarded() != null ? MissReason.TRANSACTION : null;
    }

    /** Returns why all reads go to the store, apart from transactions; null if lines may answer. */
    private @Nullable String whyUnknown() {
        if (isUnknown()) {
            return "Autocommit is off.";
        }
        if (locked) {
            return "The session holds table locks.";
        }
        if (temporaryTables) {
            return "The session has created temporary tables.";
        }
        if (xa) {
            return "An XA transaction that the session began is not committed or rolled back.";
        }
        String why = variables.whyForwarded();
        return why != null || catalog.isOwn() ? why : "The store has not reported the session's catalog yet.";
    }

    /**
     * Returns why a read means something else in this session than in lines; null if it does not.
     */
    public @Nullable MissReason otherMeaning(PointRead read, SlotValues values) {
        if (variables.otherTimeZone() && read.showsTimeZone()) {
            return MissReason.TIME_ZONE;
        }
        return values.areOnes(read.ones()) && areLiterals(read.constants(), values) ? null : MissReason.NUMBER;
    }

    private static boolean areLiterals(List<Integer> slots, SlotValues values) {
        for (int i = 0; i < slots.size(); i++) {
            if (!values.isOne(slots.get(i)) && values.literal(slots.get(i)) == null) {
                return false;
            }
        }
        return true;
    }

    public boolean hitsAllowed() {
        return readsFollowed() && transactions.allows();
    }

    /** Returns whether lines may answer, apart from the transaction. */
    public boolean readsFollowed() {
        return isFollowed() && variables.hitsAllowed();
    }

    /** Returns whether lines may answer, apart from the transaction and the character sets. */
    public boolean isFollowed() {
        return !isUnknown() && !locked && !temporaryTables && !xa && variables.areModelled() && catalog.isOwn();
    }

    /** Returns whether the session can have an open transaction that the store does not report. */
    private boolean isUnknown() {
        return !autocommit && !reportsFlags && transactions.hasViews();
    }

    /** Sets the variables by which INSERTs are {@linkplain #insertMeaning compared}. */
    public void compareInsertsBy(List<String> asked) {
        inserts.compare(asked);
    }

    /** Returns equal texts for sessions in which INSERTs have equal effects; null if unknown. */
    public @Nullable String insertMeaning() {
        String mode = variables.sqlModeText();
        String values = inserts.values();
        boolean strict = mode != null && STRICT.matcher(mode).find();
        if (!strict || values == null || variables.otherTimeZone() || transactions.isTracked()) {
            return null;
        }
        CharacterSets sets = variables.characterSets();
        return values + mode + ";" + sets.client() + ";" + sets.connection();
    }

    /** Returns the state of the session's transaction. */
    public TransactionState current() {
        return transactions;
    }

    public Staleness maxStaleness() {
        return maxStaleness;
    }

    public void maxStaleness(Staleness asked) {
        maxStaleness = asked;
    }

    public @Nullable String schema() {
        return schema;
    }

    public void schema(@Nullable String current) {
        schema = current;
        schemaKnown = true;
        schemaChosen = true;
        changes++;
        rightsRead++;
    }

    /** Returns whether the client chose the schema since its login or COM_RESET_CONNECTION. */
    public boolean isSchemaChosen() {
        return schemaChosen;
    }

    /** Called when the current schema is unknown. The store must be asked for it. */
    public void schemaUnknown() {
        schemaChosen = true;
        schemaKnown = false;
        catalog.askAgain();
        askAgain();
        changes++;
        rightsRead++;
    }

    /**
     * Returns a number that changes whenever the store may have reloaded rights, for example after
     * SET ROLE or USE.
     */
    public int rightsRead() {
        return rightsRead;
    }

    /** Returns a number that changes whenever the content of OK packets may have changed. */
    public int replyForms() {
        return replyForms;
    }

    /** Returns a number that increases whenever a setting that affects replies may have changed. */
    public int changes() {
        return changes;
    }

    /** Returns {@link CharacterSets#utf8Bytes}; 0 if the encoding of statements is unknown. */
    public int utf8Bytes() {
        return variables.verified() ? variables.characterSets().utf8Bytes() : 0;
    }

    /** Returns whether autocommit is off, and no transaction is open. */
    public boolean readBeginsTransaction() {
        return !autocommit && !transactionOpen();
    }

    /**
     * Returns whether the store may receive BEGIN, COMMIT, ROLLBACK, SETs, and changes of
     * autocommit and schema late. The store session must have no transaction, savepoint or setting
     * that these commands would affect.
     */
    public boolean isApart() {
        return verified()
                && reportsFlags
                && isFollowed()
                && !counts.pending()
                && !transactionOpen()
                && transactions.isApart();
    }

    /** Returns whether this session may have uncommitted writes. */
    public boolean transactionOpen() {
        return transaction || flagged;
    }

    /**
     * Receives the status flags of a reply.
     *
     * <p>The two flags AUTOCOMMIT and IN_TRANS are exact from the first reply in which a store with
     * snapshots sets one of them. Doris and StarRocks set no flags, or set flags one reply late. So
     * without flags, a transaction that statements have begun counts as open.
     */
    public void status(int flags) {
        boolean open = (flags & ServerStatus.SERVER_STATUS_IN_TRANS) != 0;
        boolean commits = (flags & ServerStatus.SERVER_STATUS_AUTOCOMMIT) != 0;
        if (!transactions.hasViews()) {
            flagged = open;
            return;
        }
        reportsFlags |= open || commits;
        if (reportsFlags) {
            transaction = open;
            autocommit = commits;
        }
    }

    /** Returns whether a failed statement may have begun or ended a transaction. */
    public boolean mayHaveMoved(StatementKind kind) {
        return reportsFlags
                && switch (kind) {
                    case CALL, EXECUTE, UNKNOWN, XA, MULTI, MULTI_PRIVILEGE -> true;
                    default -> readBeginsTransaction() || transactionOpen();
                };
    }

    /** Called when a statement may have changed any setting. */
    public void becomeUnknown() {
        rightsRead++;
        replyForms++;
        variables.becomeUnknown();
        variables.askAgain();
        catalog.mayHaveChanged();
        schemaKnown = false;
        changes++;
    }

    /**
     * Applies a forwarded statement that the store has answered.
     *
     * @param ok whether the reply ended without an error
     */
    public void applied(SqlStatement text, boolean ok) {
        if (catalog.mayChange(text)) {
            placeChanged(null);
        }
        switch (text.kind()) {
            case SELECT, INSERT, UPDATE, DELETE, LOAD, SHOW, SHOW_STATUS, EXPLAIN, KILL, PREPARE -> {}
            case SAVEPOINT, KEYLINE, EMPTY -> {}
            case OTHER -> {
                if (!text.isEmpty()) {
                    forgetCounts();
                }
            }
            case PRIVILEGE -> {
                forgetCounts();
                askAgain();
            }
            case XA -> xa(text.latin(), ok);
            case CALL, EXECUTE, UNKNOWN -> becomeUnknown();
            case ROLE -> {
                forgetCounts();
                roleSet = true;
                rightsRead++;
                askAgain();
            }
            case MULTI, MULTI_PRIVILEGE -> follow(text, ok);
            case TEMPORARY_TABLE -> temporaryTables = true;
            case LOCK -> {
                forgetCounts();
                locked |= ok;
            }
            case UNLOCK -> locked &= !ok;
            case DDL, BEGIN, COMMIT, ROLLBACK, SET, USE -> {
                if (ok) {
                    follow(text, true);
                } else {
                    forgetCounts();
                }
            }
        }
    }

    /**
     * Called when the command has ended, after {@link #applied} and {@link #status}.
     *
     * @param touches whether the statement may have read tables
     * @param chooses whether the statement began a transaction and declared its access mode
     */
    public void settled(StatementKind kind, boolean touches, boolean chooses) {
        transactions.settled(kind, touches, chooses, transaction, autocommit);
    }

    /** Called after a failed command if the store did not report the state of the transaction. */
    public void failed() {
        transactions.failed();
    }

    /** Receives the store session's initial flags. */
    public void begins(int flags) {
        status(flags);
        transactions.settled(StatementKind.OTHER, false, false, transaction, autocommit);
    }

    private void follow(SqlStatement followed, boolean ok) {
        changes++;
        if (followed.length() > MAX_FOLLOWED_BYTES || mayMeanElse(followed)) {
            becomeUnknown();
            return;
        }
        String text = new String(followed.sql(), followed.from(), followed.length(), StandardCharsets.UTF_8);
        List<List<Token>> statements = statements(Lexer.tokens(text, variables.sqlMode()));
        if (followed.kind() == StatementKind.DDL) {
            // Only the first statement has run. The others are the body of a trigger or routine.
            statements = statements.subList(0, Math.min(1, statements.size()));
        }
        boolean plain = true;
        if (!ok) {
            forgetCounts();
        }
        for (List<Token> statement : statements) {
            plain &= PLAIN.contains(statement.get(0).text().toUpperCase(Locale.ROOT));
            if (ok || BEGINS.contains(statement.get(0).text().toUpperCase(Locale.ROOT))) {
                followStatement(statement);
            }
        }
        if (!ok && !plain) {
            becomeUnknown();
        }
    }

    private void followStatement(List<Token> tokens) {
        Token first = tokens.get(0);
        Token second = tokens.size() > 1 ? tokens.get(1) : first;
        boolean chained = tokens.size() > 1
                && tokens.get(tokens.size() - 1).is("CHAIN")
                && !tokens.get(tokens.size() - 2).is("NO");
        if (counts.follow(tokens)) {
            variables.becomeUnknown();
        }
        switch (first.text().toUpperCase(Locale.ROOT)) {
            case "SET" -> {
                if (catalog.isOneOfSeveral() && second.is("CATALOG")) {
                    placeChanged(null);
                } else {
                    set(SetStatement.read(tokens));
                }
            }
            case "USE" -> use(tokens);
            case "BEGIN" -> transaction = true;
            case "START" -> transaction |= second.is("TRANSACTION");
            case "COMMIT" -> transaction = chained;
            case "ROLLBACK" ->
                transaction = chained || (transaction && tokens.stream().anyMatch(t -> t.is("TO")));
            case "CREATE" -> {
                temporaryTables |= tokens.stream().limit(4).anyMatch(token -> token.is("TEMPORARY"));
                replaced(tokens);
            }
            case "DROP" -> replaced(tokens);
            default -> {
                if (catalog.isOneOfSeveral() && first.is("SWITCH")) {
                    placeChanged(null);
                } else if (!PLAIN.contains(first.text().toUpperCase(Locale.ROOT))) {
                    becomeUnknown();
                }
            }
        }
    }

    /** Applies a USE of a schema or, if the store has several catalogs, of CATALOG.SCHEMA. */
    private void use(List<Token> tokens) {
        int size = tokens.size();
        Token last = tokens.get(size - 1);
        boolean qualified = size == 4
                && tokens.get(2).type() == TokenType.DOT
                && last.type().isName();
        if (catalog.isOneOfSeveral() && (qualified || (size == 2 && last.type().isName()))) {
            schema = catalog.schemaOf(last.name());
            schemaKnown = true;
        } else if (catalog.isOneOfSeveral()) {
            placeChanged(null);
        } else {
            schema = tokens.get(size > 1 ? 1 : 0).name();
            schemaKnown = true;
            schemaChosen = true;
            if (size != 2) {
                becomeUnknown();
            }
        }
    }

    /** Applies DROP DATABASE or CREATE OR REPLACE DATABASE. The schema is unknown afterwards. */
    private void replaced(List<Token> tokens) {
        boolean schemas = tokens.stream().limit(4).anyMatch(token -> token.is("DATABASE") || token.is("SCHEMA"));
        if (schemas && tokens.stream().anyMatch(token -> token.is("DROP") || token.is("REPLACE"))) {
            schema = null;
            schemaKnown = false;
            catalog.askAgain();
            variables.askAgain();
        }
    }

    private void set(SetStatement statement) {
        for (Assignment assignment : statement.assignments()) {
            if (!assignment.global() && inserts.set(assignment.variable())) {
                askAgain();
            }
            if (assignment.variable().startsWith("session_track")) {
                replyForms++;
            }
            if (assignment.global()) {
                // Some global variables apply to existing sessions at once.
                askAgain();
            } else if (assignment.variable().equals("autocommit")) {
                setAutocommit(assignment.value());
            } else if (catalog.isOneOfSeveral() && assignment.variable().equals("catalog")) {
                placeChanged(null);
            } else if (!transactions.set(assignment)) {
                variables.set(assignment);
            }
        }
        if (!statement.understood()) {
            becomeUnknown();
        }
    }

    private void setAutocommit(@Nullable String value) {
        switch (value == null ? "" : value.toUpperCase(Locale.ROOT)) {
            case "1", "ON", "TRUE" -> autocommit = true;
            case "0", "OFF", "FALSE" -> autocommit = false;
            default -> {
                // If the store sends status flags, the flags in the reply to this statement have
                // already set the state.
                if (!reportsFlags) {
                    becomeUnknown();
                }
            }
        }
    }

    /** Applies an XA statement. Within XA, the store refuses most other statements. */
    private void xa(String statement, boolean ok) {
        Matcher verb = XA_VERB.matcher(statement);
        if (!verb.find()) {
            becomeUnknown();
        } else if (ok) {
            switch (verb.group(1).toUpperCase(Locale.ROOT)) {
                case "START", "BEGIN" -> xa = true;
                case "COMMIT", "ROLLBACK" -> xa = false;
                default -> {}
            }
        }
    }

    /** Returns the statements of a text, without empty ones. */
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
