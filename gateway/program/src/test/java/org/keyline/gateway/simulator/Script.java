package org.keyline.gateway.simulator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.simulator.ModelTable.RowKey;
import org.keyline.gateway.simulator.Operation.Reading;
import org.keyline.gateway.simulator.SimulatedClient.Step;
import org.keyline.protocol.ServerStatus;

/**
 * The commands of a history's clients, and the actions past the gateway. Most are reads of few
 * shapes, so lines answer many.
 */
final class Script {
    /** The user whose sessions begin in the other catalog, if the store has two. */
    static final String USER_OF_OTHER_CATALOG = "bob";

    private static final List<String> USERS = List.of("ann", USER_OF_OTHER_CATALOG);
    /** Statements that change a session's catalog; the last two fail. */
    private static final List<String> GOES = List.of(
            "USE j.shop",
            "SWITCH j",
            "USE internal.shop",
            "USE internal.shop",
            "SWITCH internal",
            "USE j.nosuch",
            "USE nosuch");

    private static final List<Isolation> LEVELS = List.of(
            Isolation.READ_COMMITTED, Isolation.REPEATABLE_READ, Isolation.REPEATABLE_READ, Isolation.SERIALIZABLE);

    private static final int ONE_MOVES_OF = 10;
    private static final int ONE_SHOWS_UNCOMMITTED_OF = 2;
    private static final int OUTSIDE_TRANSACTIONS = 20;
    private static final int FEWEST_KEYS = 2;
    /** For this time, other clients read a row whose INSERT has lost its client. */
    private static final long ORPHAN_NANOS = 20 * World.MILLI;

    private static final double FLUSHES_FILTERS = 0.1;
    /**
     * With merged INSERTs, clients write for this time, then read for this time; otherwise no line
     * would live.
     */
    private static final long PHASE_NANOS = 20 * World.MILLI;

    private final World world;
    private final ModelStore store;
    private final List<Operation> operations = new ArrayList<>();
    /** The rows of this history: few, so that many events affect each. */
    private final List<RowKey> keys;

    private final double writes;
    private final double writesWithin;
    private final double transactions;
    private final double others;
    private final double prepared;
    /** The share of reads by conditions alone. */
    private final double filters;
    /** Whether the lines of single rows are ranges of keys instead, which scans read. */
    private final boolean ranged;

    /** Whether most writes add or remove a row. */
    private final boolean adds;

    /** Whether many writes add a row with a generated key, or remove one. */
    private final boolean numbers;

    /** Whether one of the users may read by a role only. */
    private final boolean roles;
    /** Whether procedures change the schema and change it back. */
    private final boolean moves;
    /** Whether sessions of one user see uncommitted rows of others. */
    private final boolean uncommitted;

    /** Whether INSERTs of several clients are merged; then there are many. */
    private final boolean merges;
    /** Whether the granularity alternates between one line per prefix and one line per row. */
    private final boolean switches;

    /** Whether a line is a row, in a history with merged INSERTs. */
    private final boolean rowLines;

    /** Whether clients write all the time; otherwise they sometimes read their writes. */
    private final boolean restless;

    /**
     * Whether a statement was prepared for tables outside the history, by its connection and text.
     */
    private final Map<String, Boolean> preparedElsewhere = new HashMap<>();

    private int left;

    /** The last row whose INSERT has lost its client, and the time. */
    private @Nullable RowKey orphan;

    private long orphanNanos;

    /**
     * @param byConditions whether some reads are by conditions alone
     * @param ranged whether the lines of the table of single rows are ranges of keys
     * @param adds whether most writes add or remove a row
     * @param shared whether several gateways share a tier; then there are more reads, so that
     *     gateways use each other's lines
     */
    Script(World world, ModelStore store, boolean byConditions, boolean ranged, boolean adds, boolean shared) {
        this.ranged = ranged;
        this.adds = adds;
        this.world = world;
        this.store = store;
        merges = store.merges();
        numbers = store.numbers();
        switches = !shared && world.isOneOf(History.ONE_SWITCHES_OF);
        keys = merges ? ModelTable.PAIRS.keys() : someKeys(world);
        writes = merges ? 0.85 : world.anyOf(shared ? List.of(0.03, 0.1, 0.2) : List.of(0.1, 0.2, 0.4));
        rowLines = merges && world.isOneOf(History.ONE_SINGLE_OF);
        restless = !merges || world.chance(0.5);
        writesWithin = world.anyOf(store.undoes() ? List.of(0.5) : List.of(0.0, 0.1, 0.5));
        transactions =
                world.anyOf(merges ? List.of(0.0, 0.0, 0.05) : store.undoes() ? List.of(0.3) : List.of(0.0, 0.05, 0.3));
        others = world.anyOf(
                merges ? List.of(0.0, 0.0, 0.01) : shared ? List.of(0.0, 0.0, 0.05) : List.of(0.0, 0.05, 0.1));
        moves = store.isRemote() && world.isOneOf(ONE_MOVES_OF);
        uncommitted = store.isRemote() && world.isOneOf(ONE_SHOWS_UNCOMMITTED_OF);
        double executions = world.anyOf(List.of(0.0, 0.0, 0.3, 1.0));
        // Statements remain in the schema where they were prepared, which the model does not
        // support.
        prepared = moves ? 0.0 : executions;
        filters = byConditions ? world.anyOf(List.of(0.2, 0.9)) : 0.0;
        left = (merges ? 250 : shared ? 60 : 20) + world.below(41);
        roles = world.chance(0.1);
        if (roles) {
            store.lacks(USERS.get(1));
        }
        int outside = store.isSole() ? 0 : world.anyOf(List.of(0, 0, 4, 20));
        for (int i = 0; i < outside; i++) {
            world.after(world.micros(0, 400_000), "outside", 0, this::outside);
        }
        for (int i = 0; uncommitted && i < OUTSIDE_TRANSACTIONS; i++) {
            world.after(world.micros(0, 100_000), "outside", 0, this::outsideTransaction);
        }
        if (world.chance(0.3)) {
            world.after(world.micros(0, 200_000), "revoke", 0, this::revoke);
        }
        if (!store.isSole() && world.chance(0.1)) {
            world.after(world.micros(0, 2_000_000), "crash", 0, () -> store.crash(world.micros(1_000, 500_000)));
        }
    }

    private static List<RowKey> someKeys(World world) {
        List<RowKey> some = new ArrayList<>(
                switch (world.below(3)) {
                    case 0 -> ModelTable.SINGLES.keys();
                    case 1 -> ModelTable.PAIRS.keys();
                    default -> ModelTable.allKeys();
                });
        int count = FEWEST_KEYS + world.below(3);
        while (some.size() > count) {
            some.remove(world.below(some.size()));
        }
        return some;
    }

    List<Operation> operations() {
        return operations;
    }

    boolean isOver() {
        return left <= 0;
    }

    /** Records that a client sends a command. */
    void begun(Operation operation, SimulatedClient client) {
        ModelSession session = store.session(operation.connection);
        // The store knows of a transaction, or of its end, only once a statement in it is
        // forwarded.
        Boolean within = client.isInTransaction();
        if (session != null && (within == null ? session.inTransaction() : within)) {
            operation.inTransaction = true;
            operation.transaction = session.transaction() + client.frames();
            Isolation level = session.readLevel(store.isRemote() ? client.level() : null);
            operation.repeatable = level.isRepeatable();
            operation.locking = level == Isolation.SERIALIZABLE;
            operation.written = Set.copyOf(session.pending().keySet());
        }
        operation.uncommitted = session != null && session.seesUncommitted();
        operation.withRole = store.hasRole(operation.connection);
        operation.elsewhere = isElsewhere(operation);
        operations.add(operation);
        if (operation.sql.startsWith("INSERT")) {
            ModelStatement insert = ModelStatement.of(operation.sql, List.of());
            store.inserting(insert.values().get(insert.values().size() - 1), operation);
        }
    }

    /** Returns whether a command is about tables outside the history. */
    private boolean isElsewhere(Operation operation) {
        boolean now = store.isElsewhere(operation.connection);
        Reading reading = operation.reading;
        if (!store.keepsCatalogs()) {
            return now;
        }
        if (operation.sql.startsWith("PREPARE ")) {
            preparedElsewhere.put(operation.connection + operation.sql, now);
        }
        return (reading != null && operation.sql.startsWith("EXECUTE "))
                ? preparedElsewhere.getOrDefault(operation.connection + "PREPARE " + reading.shape(), now)
                : now;
    }

    /** Records that a client has disconnected during this operation. */
    void leftAmid(Operation operation) {
        if (rowLines) {
            orphan = ModelStatement.of(operation.sql, List.of())
                    .rows()
                    .keySet()
                    .iterator()
                    .next();
            orphanNanos = world.now();
        }
    }

    /** Returns the next command of a client; null at the end of the script. */
    @Nullable
    Step next(SimulatedClient client) {
        if (left-- <= 0) {
            return null;
        }
        boolean autocommit = (client.status() & ServerStatus.SERVER_STATUS_AUTOCOMMIT) != 0 || client.status() == 0;
        boolean open = (client.status() & ServerStatus.SERVER_STATUS_IN_TRANS) != 0;
        if (uncommitted && client.user.equals(USERS.get(1)) && world.chance(0.3)) {
            return statement(Isolation.READ_UNCOMMITTED.statement());
        }
        if (client.status() == 0 && world.chance(0.5)) {
            return statement(world.anyOf(LEVELS).statement());
        }
        if (!autocommit && world.chance(0.1)) {
            return statement("SET autocommit = 1");
        }
        if (open && world.chance(0.3)) {
            return statement(world.chance(0.7) ? "COMMIT" : "ROLLBACK");
        }
        if (store.undoes() && world.chance(0.1)) {
            // Pools send it whether or not a transaction is open.
            return statement("ROLLBACK");
        }
        if (roles && client.user.equals(USERS.get(1)) && world.chance(0.1)) {
            return statement(world.chance(0.7) ? "SET ROLE " + ModelStore.READER : "SET ROLE NONE");
        }
        if (store.hasCatalogs() && world.chance(0.15)) {
            return statement(world.anyOf(GOES));
        }
        if (moves && world.chance(0.15)) {
            return statement(world.chance(0.5) ? "CALL moves()" : "CALL moves(1)");
        }
        if (!open && world.chance(transactions)) {
            return statement(world.chance(0.8) ? "BEGIN" : opens());
        }
        RowKey orphaned = orphan;
        if (orphaned != null && world.now() - orphanNanos < ORPHAN_NANOS && world.chance(0.4)) {
            Reading reading = point(orphaned);
            return new Step(reading.text(), reading, world.chance(prepared));
        }
        boolean rests = !restless && world.now() / PHASE_NANOS % 2 == 1;
        if (!rests && world.chance(open ? writesWithin : writes)) {
            return statement(write());
        }
        if (world.chance(others)) {
            return statement(other());
        }
        return read();
    }

    private static Step statement(String sql) {
        return new Step(sql, null, false);
    }

    // ---------------------------------------------------------------- reads

    private Step read() {
        RowKey key = world.anyOf(keys);
        if (filters > 0 && world.chance(filters)) {
            Reading reading = byConditions(key.table());
            return new Step(reading.text(), reading, world.chance(prepared));
        }
        Reading reading = switch (world.below(10)) {
            case 0, 1 -> several(key);
            case 2 -> key.table() == ModelTable.PAIRS ? prefix(key.first()) : point(key);
            case 3 -> key.table() == ModelTable.PAIRS ? range(key.first()) : ranged ? scan(key) : point(key);
            default -> ranged && key.table() == ModelTable.SINGLES && world.chance(0.5) ? scan(key) : point(key);
        };
        return new Step(reading.text(), reading, world.chance(prepared));
    }

    private static Reading point(RowKey key) {
        boolean pair = key.table() == ModelTable.PAIRS;
        String sql =
                pair ? "SELECT a, b, v FROM pairs WHERE a = ? AND b = ?" : "SELECT id, v FROM singles WHERE id = ?";
        List<Long> values = pair ? List.of(key.first(), key.second()) : List.of(key.first());
        return reading(List.of(key), sql, values, 1);
    }

    private static Reading prefix(long first) {
        List<RowKey> wanted = ModelTable.PAIRS.keys().stream()
                .filter(key -> key.first() == first)
                .toList();
        return reading(wanted, "SELECT a, b, v FROM pairs WHERE a = ?", List.of(first), 1);
    }

    /** Reads some rows of a prefix, all of which are in one line. */
    private Reading range(long first) {
        long above = world.below(3);
        long below = above + 2 + world.below(2);
        List<RowKey> wanted = ModelTable.PAIRS.keys().stream()
                .filter(key -> key.first() == first && key.second() > above && key.second() < below)
                .toList();
        String sql = "SELECT a, b, v FROM pairs WHERE a = ? AND b > ? AND b < ? ORDER BY b";
        return reading(wanted, sql, List.of(first, above, below), 1);
    }

    /** Reads neighbouring rows, from a key up or down, of several lines or of one. */
    private Reading scan(RowKey from) {
        boolean down = world.chance(0.4);
        if (world.chance(0.2)) {
            String all = "SELECT id, v FROM singles ORDER BY id" + (down ? " DESC" : "") + " LIMIT 99";
            return reading(ModelTable.SINGLES.keys(), all, List.of(), 2);
        }
        long first = from.first();
        List<RowKey> wanted = ModelTable.SINGLES.keys().stream()
                .filter(key -> down ? key.first() <= first : key.first() >= first)
                .toList();
        String where = down ? "id <= ? ORDER BY id DESC" : "id >= ? ORDER BY id";
        return reading(wanted, "SELECT id, v FROM singles WHERE " + where, List.of(first), 2);
    }

    /** Reads rows of several lines, or of one. */
    private Reading several(RowKey key) {
        long first = key.first();
        if (key.table() == ModelTable.SINGLES) {
            long second = first % 3 + 1;
            List<RowKey> wanted = List.of(key, new RowKey(ModelTable.SINGLES, second, 0));
            return reading(wanted, "SELECT id, v FROM singles WHERE id IN (?, ?)", List.of(first, second), 2);
        }
        List<RowKey> wanted = List.of(new RowKey(ModelTable.PAIRS, first, 1), new RowKey(ModelTable.PAIRS, first, 3));
        String sql = "SELECT a, b, v FROM pairs WHERE a = ? AND b IN (?, ?)";
        return reading(wanted, sql, List.of(first, 1L, 3L), switches || rowLines ? 2 : 1);
    }

    /**
     * Reads rows by conditions alone, of which some imply others. New values are above all bounds,
     * so a write adds and removes rows.
     */
    private Reading byConditions(ModelTable table) {
        String last = table.columns.get(table.keyColumns() - 1);
        long least = 2;
        long above = world.anyOf(List.of(0L, 4L));
        long below = 12;
        List<RowKey> all = table.keys();
        List<RowKey> from = all.stream().filter(key -> key.cell(last) >= least).toList();
        return switch (world.below(4)) {
            case 0 -> byConditions(all, "v > ?", List.of(above), above, Long.MAX_VALUE);
            case 1 -> byConditions(all, "v > ? AND v < ?", List.of(above, below), above, below);
            case 2 -> byConditions(from, last + " >= ?", List.of(least), Long.MIN_VALUE, Long.MAX_VALUE);
            default -> byConditions(from, "v > ? AND " + last + " >= ?", List.of(above, least), above, Long.MAX_VALUE);
        };
    }

    private static Reading byConditions(List<RowKey> wanted, String where, List<Long> values, long above, long below) {
        ModelTable table = wanted.get(0).table();
        String shape = "SELECT " + String.join(", ", table.columns) + " FROM " + table.table + " WHERE " + where
                + " ORDER BY " + String.join(", ", table.columns.subList(0, table.keyColumns()));
        return new Reading(wanted, withLiterals(shape, values), shape, values, 1, true, above, below);
    }

    private static Reading reading(List<RowKey> wanted, String shape, List<Long> values, int lines) {
        String text = withLiterals(shape, values);
        return new Reading(wanted, text, shape, values, lines, false, Long.MIN_VALUE, Long.MAX_VALUE);
    }

    private static String withLiterals(String shape, List<Long> values) {
        String text = shape;
        for (Long value : values) {
            text = text.replaceFirst("\\?", Long.toString(value));
        }
        return text;
    }

    // ---------------------------------------------------------------- writes

    private String write() {
        RowKey key = world.anyOf(keys);
        String table = key.table().table;
        String where = key.table() == ModelTable.PAIRS
                ? " WHERE a = " + key.first() + " AND b = " + key.second()
                : " WHERE id = " + key.first();
        String row = key.table() == ModelTable.PAIRS ? key.first() + ", " + key.second() : Long.toString(key.first());
        if (merges && world.chance(0.9)) {
            // Mostly statements that succeed; otherwise a batch with them would rarely succeed.
            return world.chance(store.isThere(key) ? 0.8 : 0.1)
                    ? "DELETE FROM " + table + where
                    : "INSERT INTO " + table + " VALUES (" + row + ", " + store.newValue() + ")";
        }
        if (numbers && world.chance(0.7)) {
            String named = key.table() == ModelTable.PAIRS ? " (a, v) VALUES (" + key.first() + ", " : " (v) VALUES (";
            return world.chance(0.4)
                    ? "DELETE FROM " + table + where
                    : "INSERT INTO " + table + named + store.newValue() + ")"
                            + (world.isOneOf(History.ONE_RETURNS_OF) && world.chance(0.5)
                                    ? " RETURNING " + (key.table() == ModelTable.PAIRS ? "b" : "id")
                                    : "");
        }
        if (adds && world.chance(0.8)) {
            return world.chance(0.4)
                    ? "DELETE FROM " + table + where
                    : "INSERT INTO " + table + " VALUES (" + row + ", " + store.newValue() + ")";
        }
        return switch (world.below(14)) {
            case 0, 1 -> "INSERT INTO " + table + " VALUES (" + row + ", " + store.newValue() + ")";
            case 2, 3, 4, 5 -> "REPLACE INTO " + table + " VALUES (" + row + ", " + store.newValue() + ")";
            case 6, 7, 8 -> "UPDATE " + table + " SET v = " + store.newValue() + where;
            case 9, 10 -> "DELETE FROM " + table + where;
            case 11 -> "UPDATE pairs SET v = " + store.newValue() + " WHERE a = " + key.first();
            default -> "UPDATE " + table + " SET v = " + store.newValue();
        };
    }

    /** Calls a procedure that begins a transaction, writes a row, and fails. */
    private String opens() {
        RowKey key = world.anyOf(keys);
        return "CALL opens(" + key.first() + ", " + key.second() + ", '" + key.table().table + "')";
    }

    private String other() {
        String table = world.anyOf(keys).table().table;
        if (filters > 0 && world.chance(FLUSHES_FILTERS)) {
            return "KEYLINE FLUSH FILTERS " + table;
        }
        return switch (world.below(12)) {
            case 11 -> opens();
            case 0 -> "BEGIN";
            case 1 -> "SET autocommit = 0";
            case 2 -> "ALTER TABLE " + table + " COMMENT = 'again'";
            case 3 -> "TRUNCATE TABLE " + table;
            case 4 -> "CALL anything()";
            case 5 -> "REVOKE SELECT ON " + table + " FROM " + world.anyOf(USERS);
            case 6, 7, 10 -> "GRANT SELECT ON " + table + " TO " + world.anyOf(USERS);
            case 8 -> "KEYLINE FLUSH ALL";
            default -> "";
        };
    }

    private void outside() {
        if (isOver()) {
            return;
        }
        boolean defines = world.chance(0.05);
        store.outside(defines ? "ALTER TABLE " + world.anyOf(keys).table().table + " COMMENT = 'again'" : write());
    }

    private void outsideTransaction() {
        if (!isOver()) {
            store.outside(write(), world.micros(1_000, 60_000), world.chance(0.5));
        }
    }

    /** Revokes a right past the gateway, and grants it again after a while. */
    private void revoke() {
        String table = world.anyOf(keys).table().table;
        String user = world.anyOf(USERS);
        store.outside("REVOKE SELECT ON " + table + " FROM " + user);
        world.after(
                world.micros(1_000, 300_000),
                "granted again",
                0,
                () -> store.outside("GRANT SELECT ON " + table + " TO " + user));
    }

    /** Returns whether a client continues at once, so that its INSERT can be merged with others. */
    boolean hurries() {
        return merges && world.chance(0.95);
    }

    /** Returns whether a client disconnects while a statement is running. */
    boolean leavesAmid(String sql) {
        return merges && sql.startsWith("INSERT") && world.chance(0.05);
    }

    /** Returns the user of a client. */
    String anyUser() {
        return merges && world.chance(0.8) ? USERS.get(0) : world.anyOf(USERS);
    }
}
