package org.keyline.gateway.session.local;

import static java.util.stream.Collectors.joining;

import com.github.benmanes.caffeine.cache.Ticker;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.config.ConfigException;
import org.keyline.gateway.config.ConfigKeys;
import org.keyline.gateway.config.LiveConfig;
import org.keyline.gateway.config.Settings;
import org.keyline.gateway.key.SlotValues;
import org.keyline.gateway.metrics.GatewayMetrics;
import org.keyline.gateway.read.ReadInspector;
import org.keyline.gateway.read.ReadScope;
import org.keyline.gateway.session.settings.Staleness;
import org.keyline.gateway.session.settings.TransactionState;
import org.keyline.gateway.session.state.LastAnswer;
import org.keyline.gateway.session.state.SessionState;
import org.keyline.gateway.table.Advice;
import org.keyline.gateway.table.MissReason;
import org.keyline.gateway.table.StatementFigures;
import org.keyline.gateway.units.Units;
import org.keyline.gateway.views.ViewRead;
import org.keyline.planner.Effect;
import org.keyline.planner.Forward;
import org.keyline.planner.KeyPart;
import org.keyline.planner.Plan;
import org.keyline.planner.PlannedStatement;
import org.keyline.planner.PointRead;
import org.keyline.planner.StatementKind;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.planner.digest.Digester;
import org.keyline.planner.digest.Lexer;
import org.keyline.planner.digest.Outcome;
import org.keyline.planner.digest.SqlMode;
import org.keyline.planner.digest.Token;
import org.keyline.planner.statement.KeylineReader;
import org.keyline.planner.statement.KeylineStatement;
import org.keyline.planner.statement.LikePattern;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.stores.StoreException;
import org.keyline.stores.ddl.SqlText;

/** Finds the KEYLINE, SHOW and EXPLAIN statements that the gateway answers. Thread-safe. */
public final class GatewayStatements {
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final int MAX_EXPLAINED_BYTES = 64 << 10;
    private static final List<String> PROPERTIES = List.of("Property", "Value");
    private static final List<String> CHANGES = List.of("path", "before", "after", "effect");
    private static final List<String> VARIABLES = List.of("Variable_name", "Value");
    private static final String TO_DO = "to do";
    private static final String MAX_STALENESS = "keyline_max_staleness";

    private final GatewayMetrics metrics;
    private final ReadInspector inspector;
    private final Ticker ticker;
    private final boolean embedded;
    private final LiveConfig config;
    private final @Nullable Consumer<byte[]> members;

    /** @param members receives messages of other gateways; null if there are no others */
    public GatewayStatements(
            GatewayMetrics metrics,
            ReadInspector inspector,
            Ticker ticker,
            boolean embedded,
            LiveConfig config,
            @Nullable Consumer<byte[]> members) {
        this.metrics = metrics;
        this.inspector = inspector;
        this.ticker = ticker;
        this.embedded = embedded;
        this.config = config;
        this.members = members;
    }

    /** Returns the last digested statement if the gateway answers it; null if the store does. */
    public @Nullable LocalStatement find(Plan plan, byte[] sql, int from, int to, SessionState session) {
        if (!(plan instanceof Forward forward)) {
            return null;
        }
        switch (forward.kind()) {
            case KEYLINE, SHOW_STATUS, SHOW -> {
                KeylineStatement statement = KeylineReader.read(session.parts().digester());
                if (statement != null) {
                    return own(statement, sql, from, to, session);
                }
                return forward.kind() == StatementKind.KEYLINE
                        ? view(session.parts().digester())
                        : null;
            }
            case EXPLAIN -> {
                KeylineStatement asked = KeylineReader.read(session.parts().digester());
                if (asked != null) {
                    return own(asked, sql, from, to, session);
                }
                return embedded && to - from <= MAX_EXPLAINED_BYTES ? storeExplain(sql, from, to, session) : null;
            }
            default -> {
                return null;
            }
        }
    }

    /** Returns a read of a view with the right that the view requires. */
    private static LocalStatement view(Digester digester) {
        if (digester.outcome() != Outcome.DIGESTED) {
            return refused(
                    ErrorCode.ER_NOT_SUPPORTED_YET,
                    "A statement that names Keyline's views is too long or cannot be parsed");
        }
        return view(ViewRead.of(digester));
    }

    private static LocalStatement view(ViewRead read) {
        // Every session may read the view of its own last reply.
        boolean open = Set.of("last").containsAll(read.named());
        return LocalStatement.of(read, open ? LocalStatement.Right.NONE : LocalStatement.Right.VIEWS);
    }

    private static LocalStatement refused(ErrorCode code, String problem) {
        return action(() -> {
            throw new StoreException(ErrPacket.of(code, problem));
        });
    }

    private LocalStatement own(KeylineStatement statement, byte[] sql, int from, int to, SessionState session) {
        if (statement instanceof KeylineStatement.Explain explain) {
            String text = new String(sql, explain.start(), explain.end() - explain.start(), StandardCharsets.UTF_8);
            return new LocalStatement(
                    PROPERTIES,
                    () -> consented(text, session) ? null : text.getBytes(StandardCharsets.UTF_8),
                    () -> CompletableFuture.completedFuture(explain(text, session)),
                    LocalStatement.Right.EXPLAINS,
                    "",
                    null);
        }
        if (statement instanceof KeylineStatement.Last) {
            return LocalStatement.of(PROPERTIES, () -> last(session));
        }
        if (statement instanceof KeylineStatement.Tier) {
            return view(new ViewRead(Lexer.tokens("SELECT * FROM keyline.tier", SqlMode.DEFAULT), List.of()));
        }
        if (statement instanceof KeylineStatement.ShowStatus status) {
            return LocalStatement.of(VARIABLES, () -> status(LikePattern.of(status.pattern())));
        }
        if (statement instanceof KeylineStatement.ShowVariables variables) {
            return LocalStatement.of(VARIABLES, () -> variables(LikePattern.of(variables.pattern()), session));
        }
        if (statement instanceof KeylineStatement.SelectMaxStaleness select) {
            List<String> column = List.of(select.column());
            return LocalStatement.of(
                    column,
                    () -> List.of(List.of(session.settings().maxStaleness().text())));
        }
        if (statement instanceof KeylineStatement.SetMaxStaleness set) {
            return action(() -> session.settings().maxStaleness(staleness(set.value())));
        }
        if (statement instanceof KeylineStatement.FlushAll) {
            return action(() -> {
                        inspector.flush();
                        session.context().logins().forget();
                    })
                    .changing("KEYLINE FLUSH ALL");
        }
        if (statement instanceof KeylineStatement.FlushTable flush) {
            return action(
                            flush.schema(),
                            flush.table(),
                            () -> inspector.flush(known(flush.schema(), flush.table(), session)
                                    .name()))
                    .changing("KEYLINE FLUSH TABLE " + flush.table());
        }
        if (statement instanceof KeylineStatement.FlushFilters flush) {
            return action(
                            flush.schema(),
                            flush.table(),
                            () -> inspector.flushFilters(known(flush.schema(), flush.table(), session)
                                    .name()))
                    .changing("KEYLINE FLUSH FILTERS " + flush.table());
        }
        if (statement instanceof KeylineStatement.FlushRows flush) {
            String text = new String(sql, from, to - from, StandardCharsets.UTF_8);
            return action(flush.schema(), flush.table(), () -> flushRows(flush, text, session))
                    .changing("KEYLINE FLUSH ROWS " + flush.table());
        }
        if (statement instanceof KeylineStatement.Tell tell) {
            return action(() -> received(tell.entry())).ofMembers();
        }
        if (statement instanceof KeylineStatement.Reload reload) {
            return LocalStatement.apart(CHANGES, () -> change(() -> config.reload(reload.forced())))
                    .changing(reload.forced() ? "KEYLINE RELOAD FORCE" : "KEYLINE RELOAD");
        }
        if (statement instanceof KeylineStatement.SetKey set) {
            return LocalStatement.apart(CHANGES, () -> change(() -> config.set(set.path(), set.value())))
                    .changing("KEYLINE SET " + String.join(".", set.path()));
        }
        return refused(ErrorCode.ER_PARSE_ERROR, ((KeylineStatement.Invalid) statement).problem());
    }

    private void received(String entry) {
        if (members == null) {
            throw new StoreException(ErrPacket.of(
                    ErrorCode.ER_WRONG_ARGUMENTS, "KEYLINE TELL: tier.members names no other gateways here"));
        }
        members.accept(decoded("KEYLINE TELL", entry));
    }

    private static byte[] decoded(String statement, String base64) {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw new StoreException(ErrPacket.of(
                    ErrorCode.ER_WRONG_ARGUMENTS, statement + ": " + e.getMessage() + " (expected: Base64)"));
        }
    }

    @FunctionalInterface
    private interface ConfigChange {
        List<LiveConfig.Change> run() throws ConfigException;
    }

    private static List<List<@Nullable String>> change(ConfigChange change) {
        try {
            List<List<@Nullable String>> rows = new ArrayList<>();
            for (LiveConfig.Change done : change.run()) {
                rows.add(Arrays.asList(done.path(), done.before(), done.after(), done.effect()));
            }
            return rows;
        } catch (ConfigException e) {
            throw new StoreException(ErrPacket.of(
                    ErrorCode.ER_WRONG_VALUE_FOR_VAR,
                    e.problems().stream().map(Object::toString).collect(joining("; "))));
        }
    }

    private static LocalStatement action(Runnable action) {
        return LocalStatement.of(List.of(), () -> {
            action.run();
            return List.of();
        });
    }

    /** Returns a statement that first checks whether the client may read the table at the store. */
    private static LocalStatement action(@Nullable String schema, String table, Runnable action) {
        String name = (schema == null ? "" : SqlText.name(schema) + ".") + SqlText.name(table);
        byte[] read = ("SELECT 1 FROM " + name).getBytes(StandardCharsets.UTF_8);
        return new LocalStatement(List.of(), () -> read, action(action).run(), LocalStatement.Right.NONE, "", null);
    }

    /** Returns whether the store has recently answered this read for the user, with any values. */
    private boolean consented(String text, SessionState session) {
        PlannedStatement planned = plan(text, session);
        return planned.plan() instanceof PointRead read && inspector.consented(planned, read, session.scope(false));
    }

    // ---------------------------------------------------------------- SHOW STATUS

    private List<List<@Nullable String>> status(LikePattern like) {
        List<List<@Nullable String>> rows = new ArrayList<>();
        for (Map.Entry<String, Long> variable : metrics.status().entrySet()) {
            if (like.matches(variable.getKey())) {
                rows.add(List.of(variable.getKey(), Long.toString(variable.getValue())));
            }
        }
        return rows;
    }

    private static List<List<@Nullable String>> variables(LikePattern like, SessionState session) {
        String shown = session.settings().maxStaleness().text();
        return like.matches(MAX_STALENESS) ? List.of(List.of(MAX_STALENESS, shown)) : List.of();
    }

    private static Staleness staleness(@Nullable String value) {
        try {
            return value == null ? Staleness.DEFAULT : Staleness.parse(value);
        } catch (IllegalArgumentException malformed) {
            throw new StoreException(ErrPacket.of(
                    ErrorCode.ER_WRONG_VALUE_FOR_VAR,
                    "Variable '" + MAX_STALENESS + "' can't be set to the value of '" + value
                            + "' (expected: a duration such as '200ms', 0, or DEFAULT)"));
        }
    }

    // ---------------------------------------------------------------- EXPLAIN and LAST

    private @Nullable LocalStatement storeExplain(byte[] sql, int from, int to, SessionState session) {
        String text = new String(sql, from, to - from, StandardCharsets.UTF_8);
        List<Token> tokens = Lexer.tokens(text, session.settings().variables().sqlMode());
        if (tokens.size() < 2 || !tokens.get(1).is("SELECT")) {
            return null;
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int at = tokens.get(1).start();
        String explained = new String(bytes, at, bytes.length - at, StandardCharsets.UTF_8);
        return plan(explained, session).plan() instanceof PointRead read
                ? LocalStatement.of(StoreExplain.COLUMNS, () -> StoreExplain.of(read, explain(explained, session)))
                : null;
    }

    /** Describes, for people, the lines that a statement drops. Returns null if it drops none. */
    private static @Nullable String closes(StatementKind kind, Effect effect) {
        if (effect instanceof Effect.Rows rows) {
            String table = rows.table().name().toString();
            return rows.onlyAdds()
                    ? "the lines of " + table
                            + " that may have to contain the new row. Lines of a single row (whole key) stay if an"
                            + " INSERT cannot overwrite a row."
                    : "the lines of " + table + " that may have the rows whose keys the statement names";
        }
        if (effect instanceof Effect.Tables tables) {
            return "all lines of "
                    + tables.tables().stream().map(TableName::toString).collect(Collectors.joining(", "))
                    + (tables.ifAbsent() ? ", unless the store's reply has the note that the table exists" : "");
        }
        if (!(effect instanceof Effect.Everything)) {
            return null;
        }
        return switch (kind) {
            case CALL ->
                "the lines of the tables that the procedure's text names; all lines of all tables if Keyline cannot"
                        + " read the text, or if it contains more than reads and writes";
            case INSERT, UPDATE, DELETE, LOAD ->
                "all lines of all tables: a trigger of the table may write anything (the log names it), the statement"
                        + " calls a stored function, or Keyline does not know the table (a view, or one not read yet)";
            default -> "all lines of all tables: only the store knows what the statement writes";
        };
    }

    private List<List<@Nullable String>> explain(String text, SessionState session) {
        PlannedStatement of = plan(text, session);
        SlotValues values = session.parts()
                .literals()
                .of(session.parts().digester(), session.settings().utf8Bytes());
        PlannedStatement planned = values.chosen(of);
        List<List<@Nullable String>> rows = new ArrayList<>();
        if (planned.plan() instanceof Forward forward) {
            rows.add(List.of("answer", "FORWARD"));
            rows.add(List.of("reason", forward.reason().name()));
            rows.add(List.of("because", forward.reason().sentence()));
            rows.add(List.of(TO_DO, Advice.of(forward.reason())));
            String closes = closes(forward.kind(), forward.effect());
            if (closes != null) {
                rows.add(List.of("closes", closes));
            }
            soFar(planned, session.schemaOrNone(), rows);
            return rows;
        }
        String elsewhere = session.settings().missReason() == MissReason.CATALOG
                ? session.settings().whyForwarded()
                : null;
        if (elsewhere != null) {
            rows.add(List.of("answer", "FORWARD"));
            rows.add(List.of("reason", MissReason.CATALOG.name()));
            rows.add(List.of("because", elsewhere));
            rows.add(List.of(TO_DO, Advice.of(MissReason.CATALOG)));
            return rows;
        }
        PointRead read = (PointRead) planned.plan();
        ReadScope shown = session.scope(false).of(read, values);
        ReadInspector.Explanation received =
                inspector.explain(planned, read, values, shown == null ? session.scope(false) : shown);
        MissReason reason = session.settings().missReason();
        String because = session.settings().whyForwarded();
        if (reason == null) {
            reason = session.settings().otherMeaning(read, values);
            reason = reason != null ? reason : received.obstacle();
            because = reason == null ? null : reason.sentence();
        }
        rows.add(List.of("answer", answer(reason)));
        if (reason != null && because != null) {
            rows.add(List.of("reason", reason.name()));
            rows.add(List.of("because", because));
            rows.add(List.of(TO_DO, Advice.of(reason)));
        }
        rows.add(List.of("as prepared", prepared(planned, read, values, session)));
        TransactionState transaction = session.settings().current();
        if (transaction.isWithin() && transaction.hasSnapshot()) {
            rows.add(List.of("transaction", TransactionState.PINNED));
        }
        if (StoreExplain.isShortCircuit(read)) {
            rows.add(List.of(StoreExplain.AT_THE_STORE, "SHORT-CIRCUIT"));
        }
        TableName table = read.table().name();
        rows.add(List.of("table", table.schema() + "." + table.table()));
        if (!read.isFilter()) {
            rows.add(List.of("key", received.key()));
        }
        if (!received.conditions().isEmpty()) {
            rows.add(List.of("conditions", received.conditions() + " (exact)"));
        }
        String opaque = ReadInspector.opaque(read, values);
        if (!opaque.isEmpty()) {
            rows.add(List.of("conditions for the store only", opaque + " (opaque)"));
        }
        if (!read.isFilter()) {
            rows.add(List.of(
                    "load granularity",
                    received.granularity() + " of " + read.table().keyColumns().size() + " key columns"
                            + (received.chosen().isEmpty() ? "" : " (" + received.chosen() + ")")));
        }
        if (received.filter() != null) {
            rows.add(List.of("filter line", received.filter()));
        }
        rows.add(List.of("line", lineState(received)));
        if (!received.admission().isEmpty()) {
            rows.add(List.of("loads", received.admission()));
        }
        soFar(planned, table.schema(), rows);
        lifetime(table, received, rows);
        return rows;
    }

    /** Adds the lifetime of a table's lines, and the settings that make it longer. */
    private void lifetime(TableName table, ReadInspector.Explanation received, List<List<@Nullable String>> rows) {
        Settings settings = config.config().table(table);
        String signal = "tables." + table.schema() + "." + table.table() + ".signal";
        String ttl = "tables." + table.schema() + "." + table.table() + ".ttl";
        String lifetime = metrics.signal().lifetime();
        if (!lifetime.isEmpty() && !settings.get(ConfigKeys.TABLE_SIGNAL)) {
            lifetime = "Lines live " + Units.format(settings.get(ConfigKeys.TABLE_TTL)) + " (" + ttl
                    + "): a write that bypasses Keyline may stay unseen for that long, because " + signal
                    + " is false.";
        }
        if (!lifetime.isEmpty()) {
            rows.add(List.of("lifetime", lifetime));
        }
        if (!received.wasted().isEmpty()) {
            rows.add(List.of(
                    "dropped early",
                    received.wasted() + " If older rows are acceptable, set " + signal + ": false and " + ttl
                            + ": 1m. Lines then live for a minute, and a write that bypasses Keyline may stay unseen"
                            + " for that long; writes through Keyline are visible at once."));
        }
    }

    /** Describes how the statement would be answered if it was executed as a prepared statement. */
    private String prepared(PlannedStatement planned, PointRead read, SlotValues values, SessionState session) {
        ReadScope scope = session.scope(true).of(read, values);
        ReadInspector.Explanation received =
                inspector.explain(planned, read, values, scope == null ? session.scope(true) : scope);
        MissReason reason = session.settings().missReason();
        if (reason == null) {
            reason = session.settings().otherMeaning(read, values);
        }
        reason = reason != null ? reason : received.obstacle();
        // A line has either text rows or binary rows, so a prepared statement needs a different
        // line than the same statement as text.
        return answer(reason) + (reason == null ? "" : ": " + reason) + "; line for prepared statements "
                + lineState(received);
    }

    /** @param reason why the store answers now; null if lines can answer */
    private static String answer(@Nullable MissReason reason) {
        if (reason == MissReason.SESSION) {
            // As long as the session has these settings, the store answers all of its reads.
            return "FORWARD";
        }
        return reason == null ? "SHORT-CIRCUIT" : "SHORT-CIRCUIT after forwarding";
    }

    /** Adds how often lines, loads and the store have answered this statement for all clients. */
    private void soFar(PlannedStatement planned, String schema, List<List<@Nullable String>> rows) {
        StatementFigures figures = metrics.statements().find(schema, planned.text());
        if (figures == null) {
            return;
        }
        String forwards = figures.forwards().entrySet().stream()
                .map(reason -> ", " + reason.getValue() + " to the store: " + reason.getKey())
                .collect(joining());
        rows.add(List.of("so far", figures.hits() + " from lines, " + figures.loads() + " after a load" + forwards));
    }

    private static String lineState(ReadInspector.Explanation received) {
        if (received.linesPresent() == 0) {
            return "not in memory";
        }
        String found = received.lines() == 1
                ? "in memory"
                : received.linesPresent() + " of " + received.lines() + " in memory";
        return found + ", age " + received.ageMillis() + " ms, " + received.rows() + " rows";
    }

    private static PlannedStatement plan(String text, SessionState session) {
        byte[] sql = text.getBytes(StandardCharsets.UTF_8);
        return session.plan(sql, 0, sql.length);
    }

    /** Returns the row of the view {@code keyline.last}, which shows the same as KEYLINE LAST. */
    public List<@Nullable Object> lastRow(SessionState session) {
        LastAnswer last = session.last();
        List<@Nullable Object> row = new ArrayList<>();
        row.add(last.source());
        row.add(last.fromLine() ? (ticker.read() - last.loadBeganNanos()) / NANOS_PER_MILLI : null);
        row.add(last.reason().isEmpty() ? null : last.reason());
        row.add(last.because().isEmpty() ? null : last.because());
        row.add(session.settings().catalog().name());
        return row;
    }

    private List<List<@Nullable String>> last(SessionState session) {
        LastAnswer last = session.last();
        List<List<@Nullable String>> rows = new ArrayList<>();
        rows.add(List.of("source", last.source()));
        if (last.fromLine()) {
            long age = (ticker.read() - last.loadBeganNanos()) / NANOS_PER_MILLI;
            rows.add(List.of("age", age + " ms"));
            if (!last.filter().isEmpty()) {
                rows.add(List.of("filter line", last.filter()));
            }
        } else if (!last.reason().isEmpty()) {
            rows.add(List.of("reason", last.reason()));
            rows.add(List.of("because", last.because()));
        }
        String catalog = session.settings().catalog().name();
        if (catalog != null) {
            rows.add(List.of("catalog", catalog));
        }
        return rows;
    }

    // ---------------------------------------------------------------- FLUSH

    private static TableSchema known(@Nullable String schema, String table, SessionState session) {
        String database = schema != null ? schema : session.settings().schema();
        if (database == null) {
            throw new StoreException(ErrPacket.of(ErrorCode.ER_NO_DB_ERROR));
        }
        TableSchema definition = session.context().catalog().table(database, table);
        if (definition == null) {
            throw new StoreException(
                    ErrPacket.of(ErrorCode.ER_NO_SUCH_TABLE, "Table '" + database + "." + table + "' doesn't exist"));
        }
        return definition;
    }

    private void flushRows(KeylineStatement.FlushRows flush, String text, SessionState session) {
        TableSchema table = known(flush.schema(), flush.table(), session);
        List<KeyPart> prefix = flush.prefix(table);
        if (prefix == null) {
            throw new StoreException(ErrPacket.of(
                    ErrorCode.ER_WRONG_ARGUMENTS,
                    "KEYLINE FLUSH ROWS needs one condition `column = value` for each of the first key columns."));
        }
        plan(text, session);
        SlotValues values = session.parts()
                .literals()
                .of(session.parts().digester(), session.settings().utf8Bytes());
        if (!inspector.flush(table, prefix, values)) {
            throw new StoreException(
                    ErrPacket.of(
                            ErrorCode.ER_WRONG_ARGUMENTS,
                            "A value does not convert exactly to the type of its key column. Write it as the column stores it."));
        }
    }
}
