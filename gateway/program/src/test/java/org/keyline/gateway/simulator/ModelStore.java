package org.keyline.gateway.simulator;

import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.simulator.ModelTable.RowKey;
import org.keyline.planner.Catalog;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.stores.SessionDefaults;
import org.keyline.stores.SessionIdentity;
import org.keyline.stores.Store;
import org.keyline.stores.StoreException;
import org.keyline.stores.StoreSession;
import org.keyline.stores.StoreTrait;
import org.keyline.stores.TransactionRules;

/**
 * A store that records every version of a row, with its writer and time. Statements run one at a
 * time. Other sessions see a transaction's rows after its commit, and the rows are locked until
 * then.
 */
final class ModelStore implements Store, Catalog {
    static final String LOADER = "keyline";

    /**
     * A version of a row.
     *
     * @param value null: the row does not exist
     * @param by null for a write past the gateway
     */
    record Version(
            @Nullable Long value,
            long step,
            long nanos,
            @Nullable Operation by) {}

    /** A right that is granted or revoked. */
    record Grant(
            boolean given, long step, long nanos, @Nullable Operation by) {}

    /** The result of a statement: rows, an error, or OK with the number of rows that it wrote. */
    record Result(List<RowKey> keys, List<Long> values, int error, int affected, int warnings) {
        static final Result OK = written(0, 0);

        static Result error(int code) {
            return new Result(List.of(), List.of(), code, 0, 0);
        }

        static Result written(int affected, int warnings) {
            return new Result(List.of(), List.of(), 0, affected, warnings);
        }
    }

    static final int ER_DUP_ENTRY = 1062;
    static final int ER_TABLEACCESS_DENIED = 1142;
    static final int ER_SIGNAL_EXCEPTION = 1644;
    /** A role that may read everything. */
    static final String READER = "reader";

    /** Not an error of the store: the statement has to wait for another transaction. */
    static final int LOCKED = -1;

    /** In one of this many histories, no reply to a client becomes a line. */
    private static final int ONE_LOADS_ALL_OF = 5;
    /**
     * In one of this many histories, the store changes one of this many values when it stores them,
     * and warns.
     */
    private static final int ONE_WARNS_OF = 2;

    private static final int VALUES = 4;
    /** Of the seeds with a separate store, one in this many has a store with two catalogs. */
    static final int ONE_HAS_CATALOGS_OF = 9;
    /**
     * In one of this many of them, a prepared statement remains in the catalog where it was
     * prepared.
     */
    private static final int ONE_KEEPS_CATALOGS_OF = 2;

    /**
     * In one of this many histories that roll transactions back, the transaction of BEGIN continues
     * afterwards.
     */
    static final int ONE_RESUMES_OF = 2;

    private static final int ER_BAD_DB = 1049;

    private final World world;
    private final Faults faults;
    private final boolean remote;
    private final boolean sole;
    private final boolean prefersManyKeys;
    private final boolean merges;
    private final IntFunction<@Nullable Operation> commandOf;

    private final Map<RowKey, List<Version>> rows = new LinkedHashMap<>();
    private final Map<RowKey, ModelSession> locks = new HashMap<>();
    private final Map<String, List<Grant>> grants = new TreeMap<>();
    private final List<ModelSession> sessions = new ArrayList<>();
    private final Map<Integer, String> roles = new HashMap<>();
    private final Map<Integer, Boolean> elsewhere = new HashMap<>();
    private final Map<Long, Operation> inserting = new HashMap<>();
    private long lastValue;
    private long inserts;
    private boolean down;

    // The catalog: the current definitions, and those that the gateway knows; -1 for none.
    private final int[] definitions = new int[ModelTable.values().length];
    private int[] known = definitions.clone();
    private long version = 1;
    private long changes;

    /**
     * @param sole whether there are no writes past the gateway, and no losses on the network
     * @param merges whether it accepts merged INSERTs of several clients
     * @param commandOf returns the command that the client of a connection is waiting for
     */
    ModelStore(
            World world,
            Faults faults,
            boolean remote,
            boolean sole,
            boolean merges,
            IntFunction<@Nullable Operation> commandOf) {
        this.sole = sole;
        this.merges = merges;
        this.world = world;
        this.faults = faults;
        this.remote = remote;
        this.prefersManyKeys = world.chance(0.5);
        this.commandOf = commandOf;
        Arrays.fill(definitions, numbers() ? ModelTable.NUMBERED : 0);
        known = definitions.clone();
        for (RowKey key : ModelTable.allKeys()) {
            Long value = world.chance(0.7) ? newValue() : null;
            rows.put(
                    key, new ArrayList<>(List.of(new Version(value, -1, world.now() - 3_600_000 * World.MILLI, null))));
        }
    }

    World world() {
        return world;
    }

    /** Returns whether the store generates the last cell of keys. */
    boolean numbers() {
        return !merges && world.isOneOf(History.ONE_NUMBERS_OF);
    }

    Faults faults() {
        return faults;
    }

    @Nullable
    Operation commandOf(int connection) {
        return commandOf.apply(connection);
    }

    /** Returns every version of a row, oldest first. */
    List<Version> versions(RowKey key) {
        return Objects.requireNonNull(rows.get(key));
    }

    /** Returns whether a row exists now, as far as is committed. */
    boolean isThere(RowKey key) {
        List<Version> versions = versions(key);
        return versions.get(versions.size() - 1).value() != null;
    }

    List<Grant> grants(String user, ModelTable table) {
        return grants.computeIfAbsent(
                user + "." + table, name -> new ArrayList<>(List.of(new Grant(true, -1, 0, null))));
    }

    /** Revokes, with effect from long ago, everything that a user may read except by a role. */
    void lacks(String user) {
        for (ModelTable table : ModelTable.values()) {
            grants(user, table).add(new Grant(false, -1, world.now() - 3_600_000 * World.MILLI, null));
        }
    }

    /**
     * Returns whether a connection's session has the role of readers, or had it when the store
     * ended it.
     */
    boolean hasRole(int connection) {
        return READER.equals(roles.get(connection));
    }

    /** Returns whether sessions may be in another catalog. */
    boolean hasCatalogs() {
        return remote && !merges && world.isOneOf(ONE_HAS_CATALOGS_OF);
    }

    /**
     * Returns whether a lock timeout rolls back the transaction, instead of the statement alone.
     */
    boolean undoes() {
        return world.isOneOf(History.ONE_UNDOES_OF) && !merges;
    }

    /** Returns whether the transaction of BEGIN continues after that. */
    boolean resumesUndone() {
        return world.isOneOf(History.ONE_UNDOES_OF * ONE_RESUMES_OF);
    }

    /** Returns whether a prepared statement remains in the catalog where it was prepared. */
    boolean keepsCatalogs() {
        return hasCatalogs() && world.isOneOf(ONE_KEEPS_CATALOGS_OF);
    }

    @Override
    public @Nullable String ownCatalog() {
        return hasCatalogs() ? ModelTable.OWN_CATALOG : null;
    }

    @Override
    public @Nullable String ownName() {
        return ownCatalog();
    }

    /**
     * Returns whether a connection's session is in the other schema or catalog, or was when the
     * store ended it.
     */
    boolean isElsewhere(int connection) {
        return elsewhere.getOrDefault(connection, false);
    }

    /** Returns a value that no row has had before. */
    long newValue() {
        return ++lastValue;
    }

    /** Returns the session of a connection; null if it has none. */
    @Nullable
    ModelSession session(int connection) {
        return sessions.stream()
                .filter(session -> session.connection() == connection)
                .findFirst()
                .orElse(null);
    }

    // ---------------------------------------------------------------- statements

    /** Runs a statement for a session; returns {@link #LOCKED} if it has to wait. */
    Result run(ModelSession session, ModelStatement statement, @Nullable Operation by) {
        ModelStatement.Kind kind = statement.kind();
        if (statement.moves()) {
            session.moves();
            elsewhere.put(session.connection(), session.isElsewhere());
            return statement.values().isEmpty() ? Result.OK : Result.error(ER_SIGNAL_EXCEPTION);
        }
        if (session.isElsewhere() && isOfRows(statement)) {
            return elsewhere(session, kind, by);
        }
        switch (kind) {
            case SELECT -> {
                return select(session, statement);
            }
            case UPDATE -> {
                Map<RowKey, @Nullable Long> changes = changes(session, statement);
                int warnings = 0;
                if (world.isOneOf(ONE_WARNS_OF) && statement.values().get(0) % VALUES == 0) {
                    // The value does not fit, so another one is stored.
                    Long stored = newValue();
                    changes.replaceAll((key, value) -> stored);
                    warnings = 1;
                }
                Result result = write(session, changes, kind, by);
                return result.error() == 0 ? Result.written(changes.size(), warnings) : result;
            }
            case INSERT -> {
                return insert(session, statement, by);
            }
            case REPLACE, DELETE -> {
                return write(session, changes(session, statement), kind, by);
            }
            case CALL -> {
                List<Long> named = statement.values();
                RowKey any = named.isEmpty()
                        ? world.anyOf(ModelTable.allKeys())
                        : new RowKey(statement.ofTable(), named.get(0), named.get(1));
                if (statement.opens() && !isLocked(session, Map.of(any, 0L))) {
                    // It begins a transaction, writes, and fails.
                    session.nextTransaction();
                    commit(session, by);
                    session.begin();
                    var unused = write(session, new LinkedHashMap<>(Map.of(any, newValue())), kind, by);
                    return Result.error(ER_SIGNAL_EXCEPTION);
                }
                Map<RowKey, @Nullable Long> change = new LinkedHashMap<>();
                change.put(any, world.chance(0.7) ? (Long) newValue() : null);
                return write(session, change, kind, by);
            }
            case TRUNCATE, ALTER -> {
                Map<RowKey, @Nullable Long> all = new LinkedHashMap<>();
                statement.ofTable().keys().forEach(key -> all.put(key, null));
                if (isLocked(session, all)) {
                    return Result.error(LOCKED);
                }
                session.nextTransaction();
                commit(session, by);
                definitions[statement.ofTable().number]++;
                return kind == ModelStatement.Kind.ALTER ? Result.OK : write(session, all, kind, by);
            }
            case BEGIN -> {
                session.nextTransaction();
                commit(session, by);
                session.begin();
            }
            case START -> {
                // The gateway's own commit, if a transaction has begun here.
                if (!session.isIdle()) {
                    throw new Violation("a transaction is begun within one");
                }
                session.end();
                session.begin();
            }
            case COMMIT -> {
                session.nextTransaction();
                commit(session, by);
            }
            case ROLLBACK -> {
                session.nextTransaction();
                rollback(session);
            }
            case SET -> {
                if (statement.values().isEmpty()) {
                    if (statement.setsRole()) {
                        session.role(statement.user());
                        roles.put(session.connection(), session.role());
                        return Result.OK;
                    }
                    if (remote) {
                        session.level(Isolation.of(statement.user()));
                    }
                    return Result.OK;
                }
                boolean on = statement.values().get(0) != 0;
                if (!session.isIdle()) {
                    session.nextTransaction();
                }
                if (on) {
                    commit(session, by);
                }
                session.autocommit(on);
            }
            case USE -> {
                List<String> names = statement.columns();
                if (names.size() > 1) {
                    // Even if the schema does not exist.
                    goesTo(session, names.get(0));
                }
                return statement.user().equals(ModelTable.SCHEMA) ? Result.OK : Result.error(ER_BAD_DB);
            }
            case SWITCH -> goesTo(session, statement.user());
            case GRANT, REVOKE ->
                grants(statement.user(), statement.ofTable())
                        .add(new Grant(kind == ModelStatement.Kind.GRANT, world.step(), world.now(), by));
        }
        return Result.OK;
    }

    private void goesTo(ModelSession session, String catalog) {
        session.catalog(catalog);
        elsewhere.put(session.connection(), session.isElsewhere());
    }

    private Result insert(ModelSession session, ModelStatement statement, @Nullable Operation by) {
        Map<RowKey, @Nullable Long> changes = changes(session, statement);
        if (!statement.waits()) {
            inserts++;
            Map<Long, Operation> clients = changes.values().stream()
                    .filter(inserting::containsKey)
                    .collect(Collectors.toMap(value -> value, value -> Objects.requireNonNull(inserting.get(value))));
            session.writesFor(clients);
            if (world.isOneOf(History.ONE_SINGLE_OF) && !clients.isEmpty() && world.chance(0.5)) {
                world.anyOf(List.copyOf(clients.values())).losesClient = true;
            }
        }
        if (statement.repeatsKey() && !isLocked(session, changes)) {
            return Result.error(ER_DUP_ENTRY);
        }
        Result result = write(session, changes, ModelStatement.Kind.INSERT, by);
        if (statement.isNumbered() && result.error() == 0) {
            return new Result(List.copyOf(changes.keySet()), List.of(), 0, 1, 0);
        }
        int warnings = (int) changes.values().stream().filter(this::warnsOf).count();
        return result.error() == 0 ? Result.written(changes.size(), warnings) : result;
    }

    /** Returns whether the store warns about a value that it stores unchanged. */
    boolean warnsOf(@Nullable Long value) {
        return merges && world.isOneOf(ONE_WARNS_OF) && value != null && value % VALUES == 0;
    }

    /** Records that a client sends an INSERT of one row with a value. */
    void inserting(long value, Operation operation) {
        inserting.put(value, operation);
    }

    /** Returns the number of multi-row INSERTs so far. */
    long inserts() {
        return inserts;
    }

    /** Returns whether it names a table without its schema. */
    private static boolean isOfRows(ModelStatement statement) {
        return switch (statement.kind()) {
            case SELECT, INSERT, REPLACE, UPDATE, DELETE, TRUNCATE, ALTER, GRANT, REVOKE -> statement.table() != null;
            default -> false;
        };
    }

    /** Runs a statement on tables outside the history, without rows and without effect. */
    private Result elsewhere(ModelSession session, ModelStatement.Kind kind, @Nullable Operation by) {
        if (kind == ModelStatement.Kind.TRUNCATE || kind == ModelStatement.Kind.ALTER) {
            session.nextTransaction();
            commit(session, by);
        } else if (kind != ModelStatement.Kind.GRANT && kind != ModelStatement.Kind.REVOKE) {
            session.touch();
        }
        var unused = session.snapshot();
        return Result.OK;
    }

    private Result select(ModelSession session, ModelStatement statement) {
        if (statement.table() == null) {
            // The gateway's own statement, whose rows are not read.
            return Result.OK;
        }
        List<Grant> rights = grants(session.user(), statement.ofTable());
        if (!rights.get(rights.size() - 1).given() && !session.role().equals(READER)) {
            return Result.error(ER_TABLEACCESS_DENIED);
        }
        List<RowKey> keys = new ArrayList<>();
        List<Long> values = new ArrayList<>();
        List<RowKey> all = new ArrayList<>(rows.keySet());
        if (statement.descending()) {
            Collections.reverse(all);
        }
        for (RowKey key : all) {
            Long value = key.table() == statement.table() ? seen(session, key, session.snapshot()) : null;
            if (value != null && statement.concerns(key, value) && keys.size() < statement.limit()) {
                keys.add(key);
                values.add(value);
            }
        }
        session.touch();
        return new Result(keys, values, 0, 0, 0);
    }

    /**
     * Returns the row that a session's write sees: its own version, otherwise the committed one.
     */
    private @Nullable Long seen(ModelSession session, RowKey key) {
        return seen(session, key, Operation.NEVER);
    }

    /**
     * Returns the row that a session sees: its own version, or other sessions' if its level shows
     * them, otherwise the one committed at a step.
     */
    private @Nullable Long seen(ModelSession session, RowKey key, long step) {
        if (session.pending().containsKey(key)) {
            return session.pending().get(key);
        }
        ModelSession writer = locks.get(key);
        if (session.seesUncommitted() && writer != null && writer.pending().containsKey(key)) {
            return writer.pending().get(key);
        }
        List<Version> versions = versions(key);
        int last = versions.size() - 1;
        while (versions.get(last).step() > step) {
            last--;
        }
        return versions.get(last).value();
    }

    private Map<RowKey, @Nullable Long> changes(ModelSession session, ModelStatement statement) {
        Map<RowKey, @Nullable Long> changes = new LinkedHashMap<>();
        List<Long> values = statement.values();
        if (statement.isNumbered()) {
            changes.put(newKey(session, statement), values.get(values.size() - 1));
            return changes;
        }
        if (statement.kind() == ModelStatement.Kind.INSERT || statement.kind() == ModelStatement.Kind.REPLACE) {
            changes.putAll(statement.rows());
            return changes;
        }
        for (RowKey key : rows.keySet()) {
            Long value = seen(session, key);
            if (value != null && statement.concerns(key, value)) {
                changes.put(key, statement.kind() == ModelStatement.Kind.UPDATE ? values.get(0) : null);
            }
        }
        return changes;
    }

    /**
     * Returns a key without a row that no other transaction writes; otherwise any key, which is a
     * duplicate.
     */
    private RowKey newKey(ModelSession session, ModelStatement statement) {
        List<RowKey> all = statement.ofTable().keys().stream()
                .filter(key -> statement.ofTable() == ModelTable.SINGLES
                        || key.first() == statement.values().get(0))
                .toList();
        return all.stream()
                .filter(key -> seen(session, key) == null && !isLocked(session, Map.of(key, 0L)))
                .findFirst()
                .orElse(all.get(0));
    }

    private Result write(
            ModelSession session,
            Map<RowKey, @Nullable Long> change,
            ModelStatement.Kind kind,
            @Nullable Operation by) {
        if (isLocked(session, change)) {
            return Result.error(LOCKED);
        }
        if (kind == ModelStatement.Kind.INSERT
                && change.keySet().stream().anyMatch(key -> seen(session, key) != null)) {
            return Result.error(ER_DUP_ENTRY);
        }
        session.pending().putAll(change);
        change.keySet().forEach(key -> locks.put(key, session));
        session.touch();
        if (!session.inTransaction()) {
            commit(session, by);
        }
        return Result.OK;
    }

    private boolean isLocked(ModelSession session, Map<RowKey, @Nullable Long> change) {
        return change.keySet().stream().anyMatch(key -> locks.getOrDefault(key, session) != session);
    }

    private void commit(ModelSession session, @Nullable Operation by) {
        session.pending().forEach((key, value) -> {
            List<Version> versions = versions(key);
            if (value != null || versions.get(versions.size() - 1).value() != null) {
                Operation of = session.writesFor(value, by);
                versions.add(new Version(value, world.step(), world.now(), of));
                world.note("  row " + key + " is " + value, of == null ? 0 : of.connection);
            }
        });
        rollback(session);
    }

    /** Ends a transaction without its uncommitted rows. */
    void rollback(ModelSession session) {
        session.pending().clear();
        session.end();
        locks.values().removeIf(holder -> holder == session);
    }

    // ---------------------------------------------------------------- past the gateway

    /** Runs a statement past the gateway; skips one that would have to wait. */
    void outside(String sql) {
        world.note("outside: " + sql, 0);
        ModelStatement statement = ModelStatement.of(sql, List.of());
        run(ModelSession.outsider(this), statement, null);
        if (statement.kind() == ModelStatement.Kind.TRUNCATE || statement.kind() == ModelStatement.Kind.ALTER) {
            readCatalog(world.micros(1_000, 300_000));
        }
    }

    /** Runs a write past the gateway, and commits it, or rolls it back, after a while. */
    void outside(String sql, long nanos, boolean commits) {
        world.note("outside begins: " + sql, 0);
        ModelSession session = ModelSession.outsider(this);
        session.begin();
        run(session, ModelStatement.of(sql, List.of()), null);
        world.after(nanos, "outside ends", 0, () -> {
            if (commits) {
                commit(session, null);
            } else {
                rollback(session);
            }
        });
    }

    /** Ends all sessions; bytes on the network to the store are lost. */
    void crash(long downNanos) {
        faults.crashes++;
        down = true;
        new ArrayList<>(sessions).forEach(ModelSession::crash);
        world.after(downNanos, "the store is back", 0, () -> down = false);
    }

    void forget(ModelSession session) {
        sessions.remove(session);
    }

    // ---------------------------------------------------------------- store

    @Override
    public Catalog catalog() {
        return this;
    }

    @Override
    public String serverVersion() {
        return "8.0.36-model";
    }

    @Override
    public boolean isRemote() {
        return remote;
    }

    @Override
    public TransactionRules transactions() {
        if (remote) {
            return TransactionRules.byLevel("transaction_isolation", "transaction_read_only", false);
        }
        return sole ? TransactionRules.OWN_SNAPSHOT : TransactionRules.CAREFUL;
    }

    /** Returns whether there are no writes past the gateway. */
    boolean isSole() {
        return sole;
    }

    @Override
    public boolean has(StoreTrait trait) {
        return switch (trait) {
            case REPLIES_ARE_LOADS -> !world.isOneOf(ONE_LOADS_ALL_OF);
            case INSERTS_ONLY_ADD -> true;
            case PREFERS_MANY_KEYS -> prefersManyKeys;
            default -> false;
        };
    }

    @Override
    public @Nullable SessionDefaults sessionDefaults() {
        return remote ? new SessionDefaults(sqlMode(), "SYSTEM", Set.of("SYSTEM"), List.of(), "") : null;
    }

    /** Returns the sql_mode of all sessions. */
    String sqlMode() {
        return merges ? "STRICT_TRANS_TABLES" : "";
    }

    @Override
    public List<String> insertSettings() {
        return merges ? List.of("foreign_key_checks", "max_allowed_packet") : List.of();
    }

    /** Returns whether it accepts merged INSERTs of several clients. */
    boolean merges() {
        return merges;
    }

    @Override
    public CompletionStage<StoreSession> open(SessionIdentity identity, EventLoop loop, Runnable onClosed) {
        CompletableFuture<StoreSession> opening = new CompletableFuture<>();
        SimulatedLoop turns = (SimulatedLoop) loop;
        world.after(world.micros(50, 3_000), "open", identity.connectionId(), () -> {
            if (down || faults.refusesOpen()) {
                world.on(
                        turns,
                        () -> opening.completeExceptionally(
                                new StoreException(ErrPacket.of(ErrorCode.ER_CONNECT_TO_FOREIGN_DATA_SOURCE))));
                return;
            }
            ModelSession session = new ModelSession(this, identity, turns, onClosed);
            if (hasCatalogs() && identity.user().equals(Script.USER_OF_OTHER_CATALOG)) {
                goesTo(session, ModelTable.OTHER_CATALOG);
            }
            sessions.add(session);
            world.after(
                    world.micros(10, 3_000),
                    "opened",
                    identity.connectionId(),
                    () -> world.on(turns, () -> opening.complete(session)));
        });
        return opening;
    }

    @Override
    public void close() {}

    // ---------------------------------------------------------------- catalog

    @Override
    public @Nullable TableSchema table(String schema, String name) {
        for (ModelTable table : ModelTable.values()) {
            if (schema.equals(ModelTable.SCHEMA) && name.equals(table.table) && known[table.number] >= 0) {
                return table.schema(known[table.number]);
            }
        }
        return null;
    }

    /** Returns the known definitions, by which two states of the catalog differ. */
    String knownDefinitions() {
        return known[0] + "," + known[1];
    }

    @Override
    public long version() {
        return version;
    }

    @Override
    public boolean storedFunctions() {
        return false;
    }

    @Override
    public boolean storedCode() {
        return false;
    }

    @Override
    public void definitionsChanged(@Nullable Collection<TableName> tables) {
        changes++;
        int[] next = known.clone();
        for (ModelTable table : ModelTable.values()) {
            if (tables == null || tables.contains(table.tableName())) {
                next[table.number] = -1;
            }
        }
        publish(next);
        readCatalog(world.micros(100, 20_000));
    }

    /** Reads the catalog, which completes the changes that were reported before it began. */
    private void readCatalog(long delayNanos) {
        world.after(delayNanos, "catalog is read", 0, () -> {
            long seen = changes;
            int[] read = definitions.clone();
            world.after(world.micros(100, world.chance(0.1) ? 200_000 : 10_000), "catalog was read", 0, () -> {
                if (seen == changes) {
                    publish(read);
                }
            });
        });
    }

    private void publish(int[] next) {
        version++;
        known = next;
    }
}
