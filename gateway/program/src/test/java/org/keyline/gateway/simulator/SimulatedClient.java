package org.keyline.gateway.simulator;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.simulator.Operation.End;
import org.keyline.gateway.simulator.Operation.Reading;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.Collation;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.HandshakeResponse41;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.auth.AuthPlugin;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.server.ServerConnection;

/**
 * A client that sends one command after the other on a connection to the gateway's server, and
 * records the answers. It reconnects after it has lost its connection.
 */
final class SimulatedClient {
    /**
     * A step of a script.
     *
     * @param sql a statement; empty to disconnect and reconnect
     * @param reading the rows that the statement reads; null for other statements
     * @param prepared whether the reading is executed as a prepared statement
     */
    record Step(String sql, @Nullable Reading reading, boolean prepared) {}

    private static final int FLAGS = Capabilities.CLIENT_PROTOCOL_41
            | Capabilities.CLIENT_SECURE_CONNECTION
            | Capabilities.CLIENT_PLUGIN_AUTH
            | Capabilities.CLIENT_CONNECT_WITH_DB;

    private static final Pattern FRAMES = Pattern.compile("(?:BEGIN|COMMIT|ROLLBACK|SET autocommit)\\b");

    private static final Pattern ENDS = Pattern.compile("(?:BEGIN|COMMIT|ROLLBACK)\\b");

    private enum State {
        GREETED,
        LOGGING_IN,
        READY,
        GONE
    }

    private final World world;
    private final int gateway;
    final SimulatedLoop loop;
    final String user;
    private final int flags;
    private final IntFunction<ServerConnection> server;
    private final Script script;

    private EmbeddedChannel channel = new EmbeddedChannel();
    private State state = State.GONE;
    private int connection;
    private final ByteBuf input = Unpooled.buffer();
    private final ReplyScanner scanner = new ReplyScanner(1 << 16);
    private int scanned;
    private final Map<String, Integer> statements = new HashMap<>();
    private @Nullable Operation current;
    private @Nullable Step executing;
    private int status;
    /**
     * Whether the last complete reply had status flags: an error has none, and may have ended a
     * transaction.
     */
    private boolean told;
    /**
     * Whether an error has rolled back the transaction; then flags need not show the one that
     * continues with the next statement.
     */
    private boolean undone;

    private @Nullable Isolation level;
    /**
     * The number of the connection's commands that have begun or ended a transaction, as far as the
     * client knows.
     */
    private long frames;

    /**
     * @param gateway the index of its gateway
     * @param server returns the server's end of a connection, by number
     * @param number of the first connection; further ones are numbered from it
     */
    SimulatedClient(
            World world,
            int gateway,
            SimulatedLoop loop,
            String user,
            boolean deprecateEof,
            int number,
            IntFunction<ServerConnection> server,
            Script script) {
        this.world = world;
        this.gateway = gateway;
        this.loop = loop;
        this.user = user;
        this.flags = FLAGS | (deprecateEof ? Capabilities.CLIENT_DEPRECATE_EOF : 0);
        this.connection = number - 1;
        this.server = server;
        this.script = script;
        world.afterEach(this::look);
    }

    int connection() {
        return connection;
    }

    /** Returns the operation that it waits for. */
    @Nullable
    Operation current() {
        return current;
    }

    /** Returns the status flags of the last reply that had some. */
    int status() {
        return status;
    }

    /**
     * Returns whether the client knows of a transaction, or has autocommit off; null if only the
     * store knows.
     */
    @Nullable
    Boolean isInTransaction() {
        boolean commits = (status & ServerStatus.SERVER_STATUS_AUTOCOMMIT) != 0;
        boolean open = (status & ServerStatus.SERVER_STATUS_IN_TRANS) != 0;
        return (told && !undone) ? Boolean.valueOf(open || !commits) : null;
    }

    /** Returns the isolation level that the client has set last; null for none. */
    @Nullable
    Isolation level() {
        return level;
    }

    /**
     * Returns the number of the connection's commands that have begun or ended a transaction, as
     * far as the client knows.
     */
    long frames() {
        return frames;
    }

    void connectLater(long nanos) {
        world.after(nanos, "connect", connection + 1, this::connect);
    }

    private void connect() {
        connection++;
        input.clear();
        scanned = 0;
        statements.clear();
        status = 0;
        told = false;
        undone = false;
        level = null;
        frames = 0;
        state = State.GREETED;
        world.on(loop, () -> {
            channel = EmbeddedChannel.builder().ticker(world.ticker()).build();
            channel.pipeline().addLast(server.apply(connection));
        });
    }

    /** Closes the remaining state when no event is left in the world. */
    void finish() {
        var unused = channel.close();
        channel.finishAndReleaseAll();
        input.release();
    }

    // ---------------------------------------------------------------- bytes of the gateway

    private void look() {
        if (state == State.GONE) {
            return;
        }
        world.on(loop, () -> {
            channel.runPendingTasks();
            channel.checkException();
        });
        for (ByteBuf bytes = channel.readOutbound(); bytes != null; bytes = channel.readOutbound()) {
            input.writeBytes(bytes);
            bytes.release();
        }
        if (state == State.READY) {
            reply();
        } else {
            login();
        }
        if (current != null && current.losesClient) {
            current.losesClient = false;
            leaveAmid(current);
        }
        if (!channel.isActive() && state != State.GONE) {
            gone();
        }
    }

    private void gone() {
        state = State.GONE;
        world.note("client sees the end", connection);
        if (current != null) {
            end(End.CLOSED);
        }
        connectLater(world.micros(100, 50_000));
    }

    private void login() {
        if (input.readableBytes() < Packets.HEADER_BYTES
                || input.readableBytes() < Packets.HEADER_BYTES + input.getUnsignedMediumLE(0)) {
            return;
        }
        int first = input.getUnsignedByte(Packets.HEADER_BYTES);
        input.clear();
        if (state == State.GREETED) {
            state = State.LOGGING_IN;
            ByteBuf response = packet();
            new HandshakeResponse41(
                            flags,
                            0,
                            Collation.UTF8MB4_GENERAL_CI,
                            user,
                            new byte[0],
                            ModelTable.SCHEMA,
                            AuthPlugin.NATIVE_PASSWORD.wireName(),
                            Map.of())
                    .encode(response);
            send(response, 1);
            look();
        } else if (first == 0) {
            state = State.READY;
            nextLater();
        } else {
            gone();
        }
    }

    private void reply() {
        if (!input.isReadable()) {
            return;
        }
        Operation operation = current;
        if (operation == null) {
            throw new Violation("connection " + connection + " was sent something that it had not asked for");
        }
        scanned = scanner.scan(input, scanned, input.writerIndex());
        if (!scanner.ended()) {
            return;
        }
        if (scanned != input.writerIndex()) {
            throw new Violation("connection " + connection + " was sent more than one reply to " + operation.sql);
        }
        ReplySummary summary = scanner.summary();
        status = summary.hasStatus() ? summary.status() : status;
        if (!told && summary.hasStatus()) {
            // After a refused BEGIN, the client does not know the state, and the store need not
            // know of the transaction before it.
            operation.inTransaction |= (status & ServerStatus.SERVER_STATUS_IN_TRANS) != 0;
        }
        told = summary.hasStatus() || (told && summary.error() == null);
        if (summary.error() != null) {
            undone |= summary.error().code() == ModelSession.ER_LOCK_DEADLOCK;
        } else if (ENDS.matcher(operation.sql).lookingAt()) {
            undone = false;
        }
        if (summary.error() == null && Isolation.isSetBy(operation.sql)) {
            level = Isolation.of(operation.sql);
        }
        frames += summary.error() == null && FRAMES.matcher(operation.sql).lookingAt() ? 1 : 0;
        ErrPacket error = summary.error();
        Step step = executing;
        if (error != null) {
            operation.errorCode = error.code();
            end(End.ERROR);
        } else if (summary.statementId() != 0 && step != null && step.reading() != null) {
            statements.put(step.reading().shape(), summary.statementId());
            end(End.OK);
        } else if (summary.columnCount() > 0 && operation.sql.startsWith("INSERT")) {
            operation.affected = summary.rows();
            end(End.OK);
        } else if (summary.columnCount() > 0) {
            operation.rows = new ClientRows(input, flags, isPrepared(step)).read(step);
            end(End.ROWS);
        } else {
            operation.affected = summary.affectedRows();
            operation.warnings = summary.warnings();
            end(End.OK);
        }
        input.clear();
        scanned = 0;
    }

    private static boolean isPrepared(@Nullable Step step) {
        return step != null && step.prepared();
    }

    private void end(End how) {
        Operation operation = current;
        if (operation != null) {
            current = null;
            operation.end = how;
            operation.endedStep = world.step();
            operation.endedNanos = world.now();
            world.note(
                    "ends " + how + " " + operation.rows + (operation.stored == null ? "" : " by the store"),
                    connection);
            if (how != End.CLOSED) {
                nextLater();
            }
        }
    }

    // ---------------------------------------------------------------- commands of the client

    private void nextLater() {
        int longest = script.hurries() ? 500 : world.chance(0.05) ? 800_000 : world.chance(0.6) ? 1_000 : 30_000;
        int number = connection;
        world.after(world.micros(10, longest), "client goes on", connection, () -> {
            if (state == State.READY && current == null && number == connection) {
                next();
            }
        });
    }

    private void next() {
        Step step = script.next(this);
        if (step == null) {
            return;
        }
        if (step.sql().isEmpty()) {
            world.note("client leaves", connection);
            world.on(loop, () -> {
                var unused = channel.close();
            });
            return;
        }
        executing = step;
        Reading reading = step.prepared() ? step.reading() : null;
        if (reading == null) {
            command(step.sql(), step.reading(), CommandCode.COM_QUERY, text(CommandCode.COM_QUERY, step.sql()));
            return;
        }
        Integer id = statements.get(reading.shape());
        if (id == null) {
            command(
                    "PREPARE " + reading.shape(),
                    null,
                    CommandCode.COM_STMT_PREPARE,
                    text(CommandCode.COM_STMT_PREPARE, reading.shape()));
        } else {
            command("EXECUTE " + reading.text(), reading, CommandCode.COM_STMT_EXECUTE, execute(id, reading.values()));
        }
    }

    private void command(String sql, @Nullable Reading reading, int code, ByteBuf packet) {
        world.note(sql, connection);
        current = new Operation(world, gateway, connection, user, sql, reading);
        script.begun(current, this);
        scanner.begin(code, flags, 1);
        send(packet, 0);
        if (script.leavesAmid(sql)) {
            leaveAmid(current);
        }
    }

    private void leaveAmid(@Nullable Operation operation) {
        world.after(world.micros(50, 5_000), "client leaves amid", connection, () -> {
            if (operation != null && operation == current) {
                script.leftAmid(operation);
                world.on(loop, () -> {
                    var unused = channel.close();
                });
            }
        });
    }

    private static ByteBuf packet() {
        ByteBuf packet = Unpooled.buffer();
        Packets.begin(packet);
        return packet;
    }

    private static ByteBuf text(int code, String sql) {
        ByteBuf packet = packet().writeByte(code);
        packet.writeCharSequence(sql, StandardCharsets.UTF_8);
        return packet;
    }

    private static ByteBuf execute(int id, List<Long> values) {
        ByteBuf packet = packet().writeByte(CommandCode.COM_STMT_EXECUTE)
                .writeIntLE(id)
                .writeByte(0)
                .writeIntLE(1)
                .writeZero((values.size() + 7) / 8)
                .writeByte(1);
        values.forEach(value -> packet.writeShortLE(ColumnType.LONGLONG));
        values.forEach(packet::writeLongLE);
        return packet;
    }

    private void send(ByteBuf packet, int sequenceId) {
        Packets.end(packet, 0, sequenceId);
        world.on(loop, () -> {
            channel.pipeline().fireChannelRead(packet);
            channel.pipeline().fireChannelReadComplete();
        });
    }
}
