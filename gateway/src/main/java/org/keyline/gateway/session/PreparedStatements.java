package org.keyline.gateway.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.util.collection.IntObjectHashMap;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.query.LiteralValues;
import org.keyline.gateway.query.ParameterValues;
import org.keyline.gateway.query.SlotValues;
import org.keyline.planner.Forward;
import org.keyline.planner.PlannedStatement;
import org.keyline.planner.PointRead;
import org.keyline.planner.StatementKind;
import org.keyline.planner.digest.Digester;
import org.keyline.planner.digest.SlotKind;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.ProtocolException;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.protocol.codec.ExecuteParameters;
import org.keyline.protocol.codec.StatementParameters;
import org.keyline.protocol.server.Reply;

/**
 * The prepared statements of one session: ids of the client on this side, ids of the store on the other. Confined to one
 * event loop.
 */
final class PreparedStatements {
    /*
     * PREPARE of a point read that the store has answered before, for this user and these settings, is answered here; the
     * store hears of the statement when it is first executed there. It must then be read as it was meant when the client
     * prepared it: a current schema that has changed since is switched back for the moment of the PREPARE; where the
     * sql_mode has changed, the client is asked to prepare anew (error 1615).
     *
     * The store's own handle dies with any change of the catalog, and is prepared again when it is executed next: what
     * the embedded store compiled, and what Doris planned, may belong to the old definition.
     */

    private static final int EXECUTE_FIXED_BYTES = 10;
    private static final int BULK_SENDS_TYPES = 128;
    /** What MariaDB's clients send in place of an id that they have not heard of yet. */
    private static final int LAST_PREPARED = -1;

    private final Session session;
    private final SessionContext context;
    private final LoopParts parts;
    private final SessionSettings settings;
    private final IntObjectHashMap<PreparedStatement> statements = new IntObjectHashMap<>();
    private int lastId;
    private @Nullable PreparedStatement lastPrepared;

    PreparedStatements(Session session, SessionContext context, LoopParts parts, SessionSettings settings) {
        this.session = session;
        this.context = context;
        this.parts = parts;
        this.settings = settings;
    }

    /** Forgets all: the store session is new, or was reset. */
    void clear() {
        context.quota().give(statements.size());
        statements.clear();
        lastPrepared = null;
    }

    // ---------------------------------------------------------------- PREPARE

    /** {@code payload} holds the whole command. */
    void prepare(ByteBuf payload, Reply reply) {
        int perSession = context.limits().preparedStatementsPerSession();
        if (statements.size() >= perSession || !context.quota().take()) {
            reply.error(ErrPacket.of(
                    ErrorCode.ER_MAX_PREPARED_STMT_COUNT_REACHED,
                    "Can't create more than max_prepared_stmt_count statements (current value: "
                            + (statements.size() >= perSession
                                    ? perSession
                                    : context.limits().preparedStatements())
                            + ")"));
            reply.end();
            return;
        }
        lastPrepared = null;
        byte[] sql = new byte[payload.readableBytes() - 1];
        payload.getBytes(payload.readerIndex() + 1, sql);
        Digester digester = parts.digester();
        digester.digest(sql, 0, sql.length, settings.sqlMode());
        PlannedStatement planned = parts.plans().plan(digester, session.schemaOrNone());
        if (session.mustVerify(planned.plan(), false)) {
            context.quota().give(1);
            session.keep(payload);
            session.verify(reply);
            return;
        }
        int id = nextId();
        long version = context.catalog().version();
        Prepared prepared = new Prepared(
                id,
                sql,
                planned,
                parts.literals().of(digester, settings.utf8Bytes()).copy(),
                slots(digester),
                Staleness.of(digester),
                version);
        LocalStatement local = session.localStatement(planned, sql, 0, sql.length);
        if (local != null) {
            keep(prepared, 0, local);
            new LocalResult(local.columns(), List.of())
                    .answerPrepare(reply, id, session.extendedMetadata(), session.status());
            return;
        }
        KnownShapes.Key key =
                planned.plan() instanceof PointRead && settings.hitsAllowed() ? shapeKey(sql, version) : null;
        KnownShapes.Shape known = key == null ? null : context.shapes().find(key);
        if (known != null) {
            keep(prepared, known.parameters(), null);
            ByteBuf packets = reply.alloc().buffer(known.packets().length).writeBytes(known.packets());
            packets.setIntLE(packets.readerIndex() + StoreLink.STATEMENT_ID_AT, id);
            reply.framed(packets);
            reply.end();
            return;
        }
        ByteBuf sent = payload.copy();
        session.forward(new Forwarding(
                reply,
                List.of(),
                () -> sent,
                false,
                StatementKind.OTHER,
                sql,
                0,
                0,
                null,
                id,
                done -> prepared(prepared, key, done)));
    }

    /** A statement that the store has not consented to yet. */
    @SuppressWarnings("ArrayRecordComponent") // handed over once; nobody compares two
    private record Prepared(
            int id,
            byte[] sql,
            PlannedStatement planned,
            LiteralValues literals,
            int[] slots,
            @Nullable Staleness staleness,
            long version) {}

    private void prepared(Prepared prepared, KnownShapes.@Nullable Key key, ReplyScanner done) {
        if (done.summary().error() != null) {
            context.quota().give(1);
            return;
        }
        PreparedStatement statement = keep(prepared, done.summary().parameterCount(), null);
        statement.storeId = done.summary().statementId();
        statement.storeVersion = prepared.version();
        byte[] packets = done.head();
        if (key != null && packets != null) {
            context.shapes()
                    .learn(key, new KnownShapes.Shape(packets, done.summary().parameterCount()));
        }
    }

    private PreparedStatement keep(Prepared prepared, int parameters, @Nullable LocalStatement local) {
        PreparedStatement statement = new PreparedStatement(
                prepared.id(),
                prepared.sql(),
                settings.schema(),
                settings.sqlMode(),
                settings.sqlModeText(),
                new StatementParameters(parameters, 0),
                local,
                prepared.staleness(),
                prepared.literals(),
                prepared.slots(),
                prepared.planned(),
                prepared.version());
        statements.put(prepared.id(), statement);
        lastPrepared = statement;
        return statement;
    }

    private KnownShapes.Key shapeKey(byte[] sql, long version) {
        return new KnownShapes.Key(
                session.user(),
                session.schemaOrNone(),
                session.replyFormat(),
                settings.characterSets(),
                settings.sqlMode(),
                version,
                new String(sql, StandardCharsets.UTF_8));
    }

    /** Which parameter is bound to which slot: placeholders are numbered in text order. */
    private static int[] slots(Digester digester) {
        int[] slots = new int[digester.slots()];
        int parameters = 0;
        for (int slot = 0; slot < slots.length; slot++) {
            slots[slot] = digester.slotKind(slot) == SlotKind.PLACEHOLDER ? parameters++ : ParameterValues.LITERAL;
        }
        return slots;
    }

    private int nextId() {
        do {
            lastId = lastId == Integer.MAX_VALUE ? 1 : lastId + 1;
        } while (statements.containsKey(lastId));
        return lastId;
    }

    // ---------------------------------------------------------------- EXECUTE

    void execute(ByteBuf payload, Reply reply) {
        PreparedStatement statement = find(payload, reply, "mysqld_stmt_execute");
        if (statement == null) {
            return;
        }
        if (statement.local != null) {
            session.answerLocally(statement.local, reply, true);
            return;
        }
        replan(statement);
        if (session.mustVerify(statement.planned.plan(), true)) {
            session.keep(payload);
            session.verify(reply);
            return;
        }
        ExecuteParameters parameters = parts.parameters();
        if (statement.longData) {
            // A value that came ahead has none in the command: only that must be known here, not the value.
            for (int i = 0; i < statement.parameters.count(); i++) {
                statement.parameters.appendLongData(i, Unpooled.EMPTY_BUFFER);
            }
        }
        try {
            parameters.decode(payload, session.capabilities(), statement.parameters);
        } catch (ProtocolException malformed) {
            if (!context.store().isRemote()) {
                throw malformed;
            }
            // What is wrong with it, if anything, is for the store to say.
            executeUnseen(statement, true, payload, reply);
            return;
        }
        rememberTypes(statement, payload);
        SlotValues values = parts.bound().of(statement.literals, statement.slots, parameters, settings.utf8Bytes());
        boolean cursor = (parameters.flags() & ExecuteParameters.CURSOR_TYPE_READ_ONLY) != 0;
        if (statement.planned.plan() instanceof PointRead read) {
            session.read(statement, read, values, payload, !cursor && !statement.longData, reply);
        } else {
            session.forwardExecute(statement, (Forward) statement.planned.plan(), values, payload, reply);
        }
    }

    /** An EXECUTE of 16 MiB or more, of which only the first packet is here. */
    void executeLong(ByteBuf payload, Reply reply) {
        PreparedStatement statement = find(payload, reply, "mysqld_stmt_execute");
        if (statement != null) {
            int count = statement.parameters.count();
            int boundAt = payload.readerIndex() + EXECUTE_FIXED_BYTES + (count + 7) / 8;
            boolean typed = count == 0 || payload.getByte(boundAt) == 1;
            if (typed) {
                rememberTypes(statement, payload);
            }
            executeUnseen(statement, typed, payload, reply);
        }
    }

    /** MariaDB's COM_STMT_BULK_EXECUTE: many sets of parameters. */
    void executeBulk(ByteBuf payload, Reply reply) {
        PreparedStatement statement = find(payload, reply, "mysqld_stmt_bulk_execute");
        if (statement != null) {
            int flags = payload.readableBytes() < 7 ? 0 : payload.getUnsignedShortLE(payload.readerIndex() + 5);
            executeUnseen(statement, (flags & BULK_SENDS_TYPES) != 0, payload, reply);
        }
    }

    /** Executes a statement at the store without a look at its values. */
    private void executeUnseen(PreparedStatement statement, boolean typed, ByteBuf payload, Reply reply) {
        replan(statement);
        List<Errand> errands = prepareThere(statement);
        if (!typed && !errands.isEmpty()) {
            // A new statement at the store would not know the types, which cannot be put into this command.
            reply.error(ErrPacket.of(ErrorCode.ER_NEED_REPREPARE));
            reply.end();
            return;
        }
        session.forwardUnseen(statement, errands, payload, reply);
    }

    private static void rememberTypes(PreparedStatement statement, ByteBuf payload) {
        int count = statement.parameters.count();
        int boundAt = EXECUTE_FIXED_BYTES + (count + 7) / 8;
        if (count > 0 && payload.getByte(payload.readerIndex() + boundAt) == 1) {
            if (statement.types.length == 0) {
                statement.types = new byte[2 * count];
            }
            payload.getBytes(payload.readerIndex() + boundAt + 1, statement.types);
        }
    }

    private void replan(PreparedStatement statement) {
        long version = context.catalog().version();
        if (statement.plannedVersion != version) {
            Digester digester = parts.digester();
            digester.digest(statement.sql, 0, statement.sql.length, statement.mode);
            statement.planned = parts.plans().plan(digester, Objects.requireNonNullElse(statement.schema, ""));
            statement.plannedVersion = version;
        }
    }

    /** What must run on the store session before a statement can be executed there. */
    List<Errand> prepareThere(PreparedStatement statement) {
        boolean there = statement.storeId != PreparedStatement.NOT_THERE;
        boolean current = statement.storeVersion == context.catalog().version()
                || (context.store().preparesAnew() && statement.storeVersion != PreparedStatement.OUTDATED);
        if (there && (statement.longData || current)) {
            return List.of();
        }
        List<Errand> errands = new ArrayList<>();
        if (there) {
            int old = statement.storeId;
            errands.add(new Errand(() -> statementCommand(CommandCode.COM_STMT_CLOSE, old), done -> null));
            statement.storeId = PreparedStatement.NOT_THERE;
        }
        List<Errand> back = new ArrayList<>();
        if (!asItWas(statement, errands, back)) {
            errands.add(new Errand(PreparedStatements::ping, done -> ErrPacket.of(ErrorCode.ER_NEED_REPREPARE)));
            return errands;
        }
        long version = context.catalog().version();
        ErrPacket[] refused = new ErrPacket[1];
        errands.add(new Errand(() -> text(CommandCode.COM_STMT_PREPARE, statement.sql), done -> {
            statement.storeId = done.summary().statementId();
            statement.storeVersion = version;
            refused[0] = done.summary().error();
            return back.isEmpty() ? refused[0] : null;
        }));
        for (int i = 0; i < back.size(); i++) {
            Errand errand = back.get(i);
            boolean last = i == back.size() - 1;
            errands.add(new Errand(errand.payload(), done -> {
                ErrPacket failed = errand.done().apply(done);
                return last && refused[0] != null ? refused[0] : failed;
            }));
        }
        return errands;
    }

    /**
     * Puts the store session into the schema and the sql_mode that a statement was prepared in, and back.
     *
     * @return false if that can't be done; the client has to prepare anew
     */
    private boolean asItWas(PreparedStatement statement, List<Errand> before, List<Errand> after) {
        String schema = settings.schema();
        if (statement.schema != null && !statement.schema.equals(schema)) {
            if (schema == null) {
                return false;
            }
            before.add(useSchema(statement.schema));
            after.add(useSchema(schema));
        }
        String mode = settings.sqlModeText();
        if (!Objects.equals(statement.modeText, mode) || mode == null) {
            if (mode == null || statement.modeText == null) {
                return statement.mode.equals(settings.sqlMode());
            }
            before.add(setMode(statement.modeText));
            after.add(setMode(mode));
        }
        return true;
    }

    private static Errand setMode(String mode) {
        byte[] set = ("SET sql_mode = '" + mode.replace("'", "") + "'").getBytes(StandardCharsets.UTF_8);
        return new Errand(
                () -> text(CommandCode.COM_QUERY, set), done -> done.summary().error());
    }

    private static Errand useSchema(String schema) {
        byte[] name = schema.getBytes(StandardCharsets.UTF_8);
        return new Errand(
                () -> text(CommandCode.COM_INIT_DB, name),
                done -> done.summary().error());
    }

    /** The client's EXECUTE as the store needs it: with the store's id, and with types where the client left them out. */
    Supplier<ByteBuf> executeThere(PreparedStatement statement, byte[] command, int length, ByteBufAllocator alloc) {
        int count = statement.parameters.count();
        int boundAt = EXECUTE_FIXED_BYTES + (count + 7) / 8;
        boolean complete = count == 0 || command[boundAt] == 1;
        return () -> {
            byte[] types = statement.types;
            ByteBuf payload = alloc.buffer(length + (complete ? 0 : types.length));
            if (complete) {
                payload.writeBytes(command, 0, length);
            } else {
                payload.writeBytes(command, 0, boundAt).writeByte(1).writeBytes(types);
                payload.writeBytes(command, boundAt + 1, length - boundAt - 1);
            }
            return payload.setIntLE(payload.readerIndex() + 1, statement.storeId);
        };
    }

    /** A store that cannot execute what it prepared, since a definition changed, gets it anew with the next execution. */
    static void executed(PreparedStatement statement, ReplyScanner done) {
        ErrPacket error = done.summary().error();
        if (error != null && error.code() == ErrorCode.ER_NEED_REPREPARE.number()) {
            statement.storeVersion = PreparedStatement.OUTDATED;
        }
    }

    /** Ends a statement at the store that the client has closed already. */
    Errand closeThere(PreparedStatement statement) {
        return new Errand(
                () -> {
                    int storeId = statement.storeId;
                    statement.storeId = PreparedStatement.NOT_THERE;
                    return statementCommand(CommandCode.COM_STMT_CLOSE, storeId);
                },
                done -> null);
    }

    // ---------------------------------------------------------------- the others

    /** Values go to the store at once; a statement that the store has not seen is prepared there first. */
    void sendLongData(ByteBuf payload, Reply reply) {
        int id = ExecuteParameters.statementId(payload);
        PreparedStatement statement = id == LAST_PREPARED ? lastPrepared : statements.get(id);
        if (statement == null || statement.local != null) {
            reply.end();
            return;
        }
        List<Errand> errands = statement.longData ? List.of() : prepareThere(statement);
        statement.longData = true;
        ByteBuf sent = payload.copy();
        Forwarding forwarding = Forwarding.command(reply, () -> sent.setIntLE(1, statement.storeId), done -> {})
                .after(errands);
        session.forward(session.isLong(payload) ? forwarding.unfinished() : forwarding);
    }

    void fetch(ByteBuf payload, Reply reply) {
        PreparedStatement statement = find(payload, reply, "mysqld_stmt_fetch");
        if (statement == null) {
            return;
        }
        if (statement.storeId == PreparedStatement.NOT_THERE) {
            reply.error(ErrPacket.of(
                    ErrorCode.ER_STMT_HAS_NO_OPEN_CURSOR, "The statement (" + statement.id + ") has no open cursor."));
            reply.end();
            return;
        }
        forwardWithId(statement, payload, reply);
    }

    void reset(ByteBuf payload, Reply reply) {
        PreparedStatement statement = find(payload, reply, "mysqld_stmt_reset");
        if (statement == null) {
            return;
        }
        statement.longData = false;
        statement.parameters.reset();
        if (statement.storeId == PreparedStatement.NOT_THERE) {
            reply.ok(OkPacket.of(session.status()));
            reply.end();
            return;
        }
        forwardWithId(statement, payload, reply);
    }

    void close(ByteBuf payload, Reply reply) {
        int id = ExecuteParameters.statementId(payload);
        PreparedStatement last = lastPrepared;
        PreparedStatement statement = statements.remove(id == LAST_PREPARED && last != null ? last.id : id);
        if (statement != null && statement.equals(last)) {
            lastPrepared = null;
        }
        if (statement == null) {
            reply.end();
            return;
        }
        context.quota().give(1);
        int storeId = statement.storeId;
        statement.storeId = PreparedStatement.NOT_THERE;
        if (storeId == PreparedStatement.NOT_THERE) {
            reply.end();
            return;
        }
        session.forward(
                Forwarding.command(reply, () -> statementCommand(CommandCode.COM_STMT_CLOSE, storeId), done -> {}));
    }

    /** Whether the client still holds the statement. */
    boolean holds(PreparedStatement statement) {
        return statements.get(statement.id) == statement;
    }

    private void forwardWithId(PreparedStatement statement, ByteBuf payload, Reply reply) {
        ByteBuf sent = payload.copy();
        session.forward(Forwarding.command(reply, () -> sent.setIntLE(1, statement.storeId), done -> {}));
    }

    private @Nullable PreparedStatement find(ByteBuf payload, Reply reply, String where) {
        int id = ExecuteParameters.statementId(payload);
        PreparedStatement statement = id == LAST_PREPARED ? lastPrepared : statements.get(id);
        if (statement == null) {
            reply.error(ErrPacket.of(
                    ErrorCode.ER_UNKNOWN_STMT_HANDLER,
                    "Unknown prepared statement handler (" + Integer.toUnsignedString(id) + ") given to " + where));
            reply.end();
        }
        return statement;
    }

    private static ByteBuf statementCommand(int code, int storeId) {
        return Unpooled.buffer(5).writeByte(code).writeIntLE(storeId);
    }

    private static ByteBuf text(int code, byte[] text) {
        return Unpooled.buffer(1 + text.length).writeByte(code).writeBytes(text);
    }

    private static ByteBuf ping() {
        return Unpooled.buffer(1).writeByte(CommandCode.COM_PING);
    }
}
