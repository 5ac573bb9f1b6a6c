package org.keyline.gateway.simulator;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.simulator.Faults.Fault;
import org.keyline.gateway.simulator.ModelStore.Result;
import org.keyline.gateway.simulator.ModelTable.RowKey;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.codec.ExecuteParameters;
import org.keyline.protocol.codec.StatementParameters;
import org.keyline.stores.ReplyListener;
import org.keyline.stores.SessionIdentity;
import org.keyline.stores.StoreSession;

/**
 * A connection to the model store: the network in both directions, which delays and loses bytes,
 * and the session at its end.
 */
final class ModelSession implements StoreSession {
    private static final int ER_INTERNAL = 1105;
    private static final int ER_LOCK_WAIT_TIMEOUT = 1205;
    static final int ER_LOCK_DEADLOCK = 1213;
    private static final int ER_UNKNOWN_STATEMENT = 1243;
    private static final int LOCK_TRIES = 8;
    private static final List<String> PLACE = List.of(CATALOG, SCHEMA);
    /** As a command, after its first byte. */
    private static final String COMMIT_TOGETHER = (char) CommandCode.COM_QUERY + "COMMIT AND NO CHAIN";

    /** A command on the network. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Sent(
            byte[] payload,
            ReplyListener listener,
            @Nullable Operation by,
            Fault fault) {}

    private final ModelStore store;
    private final World world;
    private final SessionIdentity identity;
    private final SimulatedLoop loop;
    private final Runnable onClosed;

    // State at the gateway's end.
    private @Nullable ReplyListener running;
    private @Nullable Operation runningFor;
    private @Nullable CompletableFuture<SessionAnswer> asked;
    private boolean gone;
    /** Whether the last command was to commit several clients' rows. */
    private boolean commitsTogether;

    // State at the store's end.
    private final Map<RowKey, @Nullable Long> pending = new LinkedHashMap<>();
    /**
     * The operations whose rows it inserted last, by their values, if they are several clients'.
     */
    private Map<Long, Operation> together = Map.of();

    private final Map<Integer, String> statements = new HashMap<>();
    /** The session's catalog when it prepared each statement. */
    private final Map<Integer, String> preparedIn = new HashMap<>();

    private int lastStatement = 100;
    private boolean begun;
    /**
     * Whether an error has rolled back the transaction of BEGIN, which continues with the next
     * statement.
     */
    private boolean undone;

    private boolean autocommit = true;
    private boolean touched;
    private Isolation level = Isolation.REPEATABLE_READ;
    private long transactions;
    private long snapshotStep = Operation.NEVER;
    private String role = "NONE";
    private boolean elsewhere;
    private String catalog = ModelTable.OWN_CATALOG;
    private boolean dead;
    private int underWay;

    ModelSession(ModelStore store, SessionIdentity identity, SimulatedLoop loop, Runnable onClosed) {
        this.store = store;
        this.world = store.world();
        this.identity = identity;
        this.loop = loop;
        this.onClosed = onClosed;
    }

    /** Returns a session that does not belong to the gateway. */
    static ModelSession outsider(ModelStore store) {
        SessionIdentity nobody = new SessionIdentity(-1, "outside", "localhost", null, 0, 0, Map.of());
        return new ModelSession(store, nobody, new SimulatedLoop(store.world()), () -> {});
    }

    /** Returns the active role; NONE for none. */
    String role() {
        return role;
    }

    void role(String name) {
        role = name;
    }

    /**
     * Returns whether names refer to tables outside the history: in another schema, or in another
     * catalog.
     */
    boolean isElsewhere() {
        return elsewhere || !catalog.equals(ModelTable.OWN_CATALOG);
    }

    /** Changes to a catalog. */
    void catalog(String name) {
        catalog = name;
    }

    /** Changes to the other schema. */
    void moves() {
        elsewhere = !elsewhere;
    }

    int connection() {
        return identity.connectionId();
    }

    String user() {
        return identity.user();
    }

    // ---------------------------------------------------------------- rows of several clients

    /** Sets the clients whose rows it inserts next. */
    void writesFor(Map<Long, Operation> clients) {
        together = clients;
    }

    /** Returns the operation that a committed value belongs to. */
    @Nullable
    Operation writesFor(@Nullable Long value, @Nullable Operation by) {
        return value == null ? by : together.getOrDefault(value, by);
    }

    // ---------------------------------------------------------------- transaction

    /** Returns the uncommitted rows. */
    Map<RowKey, @Nullable Long> pending() {
        return pending;
    }

    void begin() {
        begun = true;
        undone = false;
        together = Map.of();
    }

    void end() {
        begun = false;
        undone = false;
        touched = false;
        snapshotStep = Operation.NEVER;
    }

    /**
     * Rolls the transaction back after a deadlock. In some stores a transaction continues, which
     * the status shows only with the next statement.
     */
    private void undo() {
        boolean goesOn = begun && store.resumesUndone();
        store.rollback(this);
        nextTransaction();
        begun = goesOn;
        undone = goesOn;
    }

    /** Sets the isolation level of later transactions. */
    void level(Isolation next) {
        level = next;
    }

    /**
     * Returns the isolation level of the client's reads.
     *
     * @param set the level that the client has set last; null for none. The gateway sends it with
     *     the next forwarded statement, so it already applies if no transaction is open.
     */
    Isolation readLevel(@Nullable Isolation set) {
        return set == null || !isIdle() ? level : set;
    }

    /** Returns whether reads see uncommitted rows of other sessions. */
    boolean seesUncommitted() {
        return level == Isolation.READ_UNCOMMITTED;
    }

    /** Records that a client's statement begins or ends a transaction. */
    void nextTransaction() {
        transactions++;
    }

    /** Returns the number of the session's transaction. */
    long transaction() {
        return transactions;
    }

    /**
     * Returns the step whose committed rows a read sees; the first read of a transaction makes that
     * the snapshot.
     */
    long snapshot() {
        if (!level.isRepeatable() || !inTransaction()) {
            return Operation.NEVER;
        }
        if (snapshotStep == Operation.NEVER) {
            snapshotStep = world.step();
        }
        return snapshotStep;
    }

    /** Returns whether the store has no state of a transaction. */
    boolean isIdle() {
        return (!begun || undone) && (!inTransaction() || !touched);
    }

    void autocommit(boolean on) {
        autocommit = on;
    }

    /** Records that a row was read or written. */
    void touch() {
        touched = true;
    }

    boolean inTransaction() {
        return begun || !autocommit;
    }

    private int status() {
        return (autocommit ? ServerStatus.SERVER_STATUS_AUTOCOMMIT : 0)
                | ((begun && !undone) || (inTransaction() && touched) ? ServerStatus.SERVER_STATUS_IN_TRANS : 0);
    }

    // ---------------------------------------------------------------- the gateway's end

    @Override
    public int capabilities() {
        return identity.capabilities();
    }

    @Override
    public int initialStatus() {
        return ServerStatus.SERVER_STATUS_AUTOCOMMIT;
    }

    @Override
    public void send(ByteBuf payload, ReplyListener listener) {
        byte[] bytes = ByteBufUtil.getBytes(payload);
        if (bytes[0] == CommandCode.COM_STMT_CLOSE) {
            listener.end();
            return;
        }
        boolean load = identity.connectionId() == 0;
        Operation by = load ? null : store.commandOf(identity.connectionId());
        running = listener;
        runningFor = by;
        commitsTogether = new String(bytes, StandardCharsets.UTF_8).startsWith(COMMIT_TOGETHER);
        if (gone) {
            world.after(0, "nobody there", identity.connectionId(), () -> world.on(loop, this::lose));
            return;
        }
        Fault fault = store.faults().next(load);
        if (fault != Fault.NONE) {
            world.note("fault " + fault, identity.connectionId());
        }
        underWay++;
        Sent sent = new Sent(bytes, listener, by, fault);
        world.after(store.faults().travel(), load ? "load arrives" : "command arrives", identity.connectionId(), () -> {
            underWay--;
            arrive(sent, store.undoes() ? 1 : LOCK_TRIES);
        });
        if (fault == Fault.LOST_BEFORE || fault == Fault.LOST_BEHIND) {
            breakLater(store.faults().travel());
        }
    }

    /** Loses the connection; the gateway is notified after a while. */
    private void breakLater(long nanos) {
        world.after(
                nanos,
                "connection lost",
                identity.connectionId(),
                () -> world.on(loop, () -> {
                    if (!gone) {
                        lose();
                        onClosed.run();
                    }
                }));
        dropLater();
    }

    /** Notifies the gateway that the connection is lost. */
    private void lose() {
        gone = true;
        ReplyListener listener = running;
        running = null;
        if (listener != null) {
            if (runningFor != null) {
                runningFor.lostStep = world.step();
            }
            if (commitsTogether) {
                together.values().forEach(operation -> operation.lostStep = world.step());
            }
            listener.lost(new IllegalStateException("the model store's connection is lost"));
        }
        CompletableFuture<SessionAnswer> question = asked;
        asked = null;
        if (question != null) {
            question.completeExceptionally(new IllegalStateException("the model store's connection is lost"));
        }
    }

    @Override
    public void close() {
        if (!gone) {
            gone = true;
            world.after(
                    world.chance(0.5) ? 0 : world.micros(1, 100),
                    "closed",
                    identity.connectionId(),
                    () -> world.on(loop, this::lose));
            dropLater();
        }
    }

    @Override
    public void pause() {}

    @Override
    public void resume() {}

    @Override
    public CompletionStage<SessionAnswer> ask(List<String> names, List<String> counts) {
        CompletableFuture<SessionAnswer> answer = new CompletableFuture<>();
        asked = answer;
        world.after(
                2 * store.faults().travel(),
                "variables",
                identity.connectionId(),
                () -> world.on(loop, () -> {
                    if (!gone) {
                        asked = null;
                        Map<String, @Nullable String> told = new HashMap<>(Map.of(
                                "CURRENT_USER()", identity.user(),
                                "DATABASE()", elsewhere ? ModelTable.ELSEWHERE : ModelTable.SCHEMA,
                                "sql_mode", store.sqlMode(),
                                "character_set_client", "utf8mb4",
                                "character_set_results", "utf8mb4",
                                "collation_connection", "utf8mb4_general_ci",
                                "time_zone", "SYSTEM",
                                "sql_select_limit", "18446744073709551615"));
                        told.put("transaction_isolation", level.variable());
                        told.put("CURRENT_ROLE()", role);
                        told.put("foreign_key_checks", "1");
                        told.put("max_allowed_packet", "67108864");
                        told.put("transaction_read_only", "0");
                        told.put("session_track_transaction_info", "OFF");
                        told.put("completion_type", "NO_CHAIN");
                        if (PLACE.containsAll(names)) {
                            told.keySet().retainAll(names);
                        }
                        if (names.contains(CATALOG)) {
                            told.put(CATALOG, catalog);
                        }
                        answer.complete(new SessionAnswer(told, status()));
                    }
                }));
        return answer;
    }

    // ---------------------------------------------------------------- the store's end

    /** Makes the store notice the lost connection, after all bytes that were on the network. */
    private void dropLater() {
        world.after(store.faults().travel(), "store drops", identity.connectionId(), () -> {
            if (underWay > 0) {
                dropLater();
            } else {
                drop();
            }
        });
    }

    private void drop() {
        dead = true;
        store.rollback(this);
        store.forget(this);
    }

    /** Ends the session at once, with all uncommitted rows. */
    void crash() {
        drop();
        breakLater(world.micros(10, 50_000));
    }

    private void arrive(Sent sent, int tries) {
        if (dead || sent.fault() == Fault.LOST_BEFORE) {
            return;
        }
        ByteBuf reply = Unpooled.buffer();
        ModelReply to = new ModelReply(reply, identity.capabilities());
        if (sent.fault() == Fault.REFUSED) {
            to.error(ER_INTERNAL);
        } else if (!answer(sent, to, tries)) {
            underWay++;
            world.after(world.micros(5_000, 40_000), "lock is waited for", identity.connectionId(), () -> {
                underWay--;
                arrive(sent, tries - 1);
            });
            return;
        }
        if (sent.fault() == Fault.SILENT || sent.fault() == Fault.LOST_BEHIND) {
            return;
        }
        int cut = to.cut(world.below(to.packets()));
        boolean whole = sent.fault() != Fault.LOST_WITHIN;
        long first = store.faults().travel();
        ByteBuf head = reply.copy(0, cut);
        ByteBuf tail = reply.copy(cut, reply.readableBytes() - cut);
        world.after(first, "reply begins", identity.connectionId(), () -> deliver(sent, head, false));
        if (whole) {
            world.after(
                    first + world.micros(0, 2_000),
                    "reply ends",
                    identity.connectionId(),
                    () -> deliver(sent, tail, true));
        } else {
            breakLater(first + world.micros(0, 2_000));
        }
    }

    /** Runs a command; returns false if it has to wait for a lock. */
    private boolean answer(Sent sent, ModelReply to, int tries) {
        ByteBuf payload = Unpooled.wrappedBuffer(sent.payload());
        String text = new String(sent.payload(), 1, sent.payload().length - 1, StandardCharsets.UTF_8);
        switch (sent.payload()[0]) {
            case CommandCode.COM_QUERY -> {
                return run(sent, ModelStatement.of(text, List.of()), false, to, tries);
            }
            case CommandCode.COM_STMT_PREPARE -> {
                int parameters = (int) text.chars().filter(c -> c == '?').count();
                List<Long> anything = new ArrayList<>();
                for (int i = 0; i < parameters; i++) {
                    anything.add(0L);
                }
                statements.put(++lastStatement, text);
                preparedIn.put(lastStatement, catalog);
                to.prepared(lastStatement, parameters, ModelStatement.of(text, anything), status());
            }
            case CommandCode.COM_STMT_EXECUTE -> {
                String sql = statements.get(payload.getIntLE(1));
                if (sql == null) {
                    to.error(ER_UNKNOWN_STATEMENT);
                    return true;
                }
                int count = (int) sql.chars().filter(c -> c == '?').count();
                ExecuteParameters execute = new ExecuteParameters();
                execute.decode(payload, identity.capabilities(), new StatementParameters(count, 1 << 10));
                List<Long> values = new ArrayList<>();
                for (int i = 0; i < count; i++) {
                    values.add(Long.parseLong(execute.text(i, StandardCharsets.UTF_8)));
                }
                String current = catalog;
                if (store.keepsCatalogs()) {
                    catalog = preparedIn.getOrDefault(payload.getIntLE(1), current);
                }
                boolean done = run(sent, ModelStatement.of(sql, values), true, to, tries);
                catalog = current;
                return done;
            }
            default -> to.ok(status());
        }
        return true;
    }

    private boolean run(Sent sent, ModelStatement statement, boolean binary, ModelReply to, int tries) {
        Result result = store.run(this, statement, sent.by());
        if (result.error() == ModelStore.LOCKED) {
            if (tries > 0 && statement.waits()) {
                return false;
            }
            boolean deadlock = inTransaction() && store.undoes();
            if (deadlock) {
                undo();
            }
            to.error(deadlock ? ER_LOCK_DEADLOCK : ER_LOCK_WAIT_TIMEOUT);
        } else if (result.error() != 0) {
            to.error(result.error());
        } else if (statement.kind() == ModelStatement.Kind.SELECT && statement.table() != null) {
            if (sent.by() != null) {
                Map<RowKey, Long> rows = new LinkedHashMap<>();
                for (int i = 0; i < result.keys().size(); i++) {
                    rows.put(result.keys().get(i), result.values().get(i));
                }
                sent.by().stored = rows;
            }
            to.rows(statement, result, binary, status());
        } else if (statement.returns()) {
            to.returned(statement.ofTable(), result, binary, status());
        } else {
            to.written(result, status());
        }
        return true;
    }

    private void deliver(Sent sent, ByteBuf packets, boolean last) {
        world.on(loop, () -> {
            if (gone || running != sent.listener()) {
                packets.release();
                return;
            }
            if (packets.isReadable()) {
                Objects.requireNonNull(running).packets(packets);
            } else {
                packets.release();
            }
            if (last) {
                running = null;
                sent.listener().end();
            }
        });
    }
}
