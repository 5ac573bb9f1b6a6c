package org.keyline.gateway.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.metrics.GatewayMetrics.PointForward;
import org.keyline.gateway.query.PointReader;
import org.keyline.gateway.query.ReadScope;
import org.keyline.gateway.query.SlotValues;
import org.keyline.gateway.query.TemplateRecorder;
import org.keyline.planner.Catalog;
import org.keyline.planner.Effect;
import org.keyline.planner.Forward;
import org.keyline.planner.Plan;
import org.keyline.planner.PlannedStatement;
import org.keyline.planner.PointRead;
import org.keyline.planner.StatementKind;
import org.keyline.planner.digest.Digester;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ChangeUser;
import org.keyline.protocol.Collation;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.ExtendedCapabilities;
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.client.ClientConnection;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.server.CommandHandler;
import org.keyline.protocol.server.Login;
import org.keyline.protocol.server.Reply;
import org.keyline.rowcache.Fence;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's session: answers point reads from lines and sends everything else to the session's own store session.
 * Confined to one event loop.
 */
final class Session implements CommandHandler, PointReader.Continuation {
    /*
     * The command at hand is copied into an array, because a read that has to wait, and a statement that goes to the
     * store after errands, outlive the network's buffer. A hit leaves its array behind as the last answer, so that a
     * statement that asks about its predecessor (SHOW WARNINGS, FOUND_ROWS()) finds the store in the state it would have:
     * the hit is then run on the store, its reply dropped, and the question forwarded. FOUND_ROWS() tells of the last
     * result, so it may be asked for later, after statements that had none.
     */

    private static final Logger LOG = LoggerFactory.getLogger(Session.class);
    private static final int MAX_KEPT_BYTES = 64 << 10;
    private static final String FOUND_ROWS = "FOUND_ROWS";
    /** What a statement begins with that defines and sets nothing. */
    private static final Set<String> ROW_WRITES = Set.of("INSERT", "REPLACE", "UPDATE", "DELETE");

    /** Capabilities that change the bytes of a reply. */
    private static final int REPLY_CAPABILITIES =
            Capabilities.CLIENT_DEPRECATE_EOF | Capabilities.CLIENT_FOUND_ROWS | Capabilities.CLIENT_PS_MULTI_RESULTS;

    private final SessionContext context;
    private final Sessions sessions;
    private final LoopParts parts;
    private final SessionSettings settings;
    private final Fence fence;
    private final Forwarder forwarder;
    private final PreparedStatements prepared;
    private final LastAnswer last = new LastAnswer();

    private Login login;
    private byte[] command = new byte[256];
    private int length;
    private byte[] answered = new byte[256];
    private int answeredLength;
    /** Whether nothing was forwarded since. */
    private boolean answeredLast;

    private @Nullable PreparedStatement answeredStatement;

    private int scopeChanges = -1;
    private @Nullable ReadScope textScope;
    private @Nullable ReadScope binaryScope;

    // The read that waits for a load.
    private @Nullable Reply waitingReply;
    private @Nullable PreparedStatement waitingStatement;

    Session(Sessions sessions, SessionContext context, LoopParts parts, Login login, StoreLink link) {
        this.sessions = sessions;
        this.context = context;
        this.parts = parts;
        this.login = login;
        settings = new SessionSettings(
                login.collation(), login.database(), context.store().sessionDefaults());
        fence = parts.fences().fence();
        forwarder = new Forwarder(link, settings, fence);
        prepared = new PreparedStatements(this, context, parts, settings);
    }

    @Override
    public void command(ByteBuf payload, Reply reply) {
        int code = payload.getUnsignedByte(payload.readerIndex());
        context.metrics().command(code);
        if (isLong(payload)) {
            longCommand(code, payload, reply);
        } else {
            dispatch(code, payload, reply);
        }
    }

    private void dispatch(int code, ByteBuf payload, Reply reply) {
        switch (code) {
            case CommandCode.COM_QUERY -> query(payload, reply);
            case CommandCode.COM_STMT_EXECUTE -> prepared.execute(payload, reply);
            case CommandCode.COM_STMT_PREPARE -> prepared.prepare(payload, reply);
            case CommandCode.COM_STMT_CLOSE -> prepared.close(payload, reply);
            case CommandCode.COM_STMT_RESET -> prepared.reset(payload, reply);
            case CommandCode.COM_STMT_FETCH -> prepared.fetch(payload, reply);
            case CommandCode.COM_STMT_SEND_LONG_DATA -> prepared.sendLongData(payload, reply);
            case CommandCode.COM_INIT_DB -> initDb(payload, reply);
            case CommandCode.COM_RESET_CONNECTION -> resetConnection(payload, reply);
            case CommandCode.COM_PING,
                    CommandCode.COM_STATISTICS,
                    CommandCode.COM_FIELD_LIST,
                    CommandCode.COM_SET_OPTION,
                    CommandCode.COM_PROCESS_INFO,
                    CommandCode.COM_PROCESS_KILL -> {
                ByteBuf sent = payload.copy();
                forward(Forwarding.command(reply, () -> sent, done -> {}));
            }
            case CommandCode.COM_CHANGE_USER -> relayChangeUser(payload, reply);
            case CommandCode.COM_STMT_BULK_EXECUTE -> prepared.executeBulk(payload, reply);
            default -> otherCommand(code, payload, reply);
        }
    }

    // ---------------------------------------------------------------- COM_QUERY

    private void query(ByteBuf payload, Reply reply) {
        keep(payload);
        Digester digester = parts.digester();
        digester.digest(command, 1, length, settings.sqlMode());
        PlannedStatement planned = parts.plans().plan(digester, schemaOrNone());
        if (mustVerify(planned.plan(), true)) {
            verify(reply);
            return;
        }
        SlotValues values = parts.literals().of(digester, settings.utf8Bytes());
        if (planned.plan() instanceof PointRead read) {
            read(planned, read, values, scope(false), Staleness.of(digester), null, true, reply);
            return;
        }
        LocalStatement local = localStatement(planned, command, 1, length);
        if (local != null) {
            answerLocally(local, reply, false);
            return;
        }
        Forward forward = (Forward) planned.plan();
        if (forward.kind() == StatementKind.KILL) {
            byte[] translated = sessions.ids().translate(command, 1, length);
            if (translated != null) {
                keep(Unpooled.wrappedBuffer(new byte[] {CommandCode.COM_QUERY}, translated));
            }
        }
        forward(forward, values, sent(), command, 1, length, List.of(), reply, done -> {});
    }

    /**
     * Whether the store has to be asked for the session's settings before a statement goes on, which reads or writes by them. The
     * question counts one row, which the next FOUND_ROWS() must not tell: a read that follows hides it; otherwise it is asked only
     * where that answer would be 0 or 1 anyway, and values of unknown meaning close whole tables.
     */
    boolean mustVerify(Plan plan, boolean executed) {
        if (settings.verified()) {
            return false;
        }
        if (plan instanceof PointRead) {
            return executed || forwarder.foundRows() >= 0;
        }
        return ((Forward) plan).effect() instanceof Effect.Rows && forwarder.foundRows() >= 0;
    }

    /** Has the store tell the session's settings, then runs the kept command again. */
    void verify(Reply reply) {
        byte[] kept = Arrays.copyOf(command, length);
        boolean nothingFound = forwarder.foundRows() == 0;
        forwarder
                .variables(SessionVariables.ASKED, nothingFound)
                .whenComplete((values, failure) -> Forwarder.guarded(reply, () -> {
                    if (failure == null) {
                        settings.told(values);
                        dispatch(kept[0] & 0xFF, Unpooled.wrappedBuffer(kept), reply);
                    } else {
                        LOG.info(
                                "connection {}: the store session is lost: {}",
                                reply.connectionId(),
                                failure.toString());
                        reply.error(Forwarder.LOST);
                        reply.end();
                        reply.closeConnection();
                    }
                }));
    }

    /** Answers a point read, now or after a load, or forwards it. */
    private void read(
            PlannedStatement planned,
            PointRead read,
            SlotValues values,
            ReadScope scope,
            @Nullable Staleness own,
            @Nullable PreparedStatement statement,
            boolean eligible,
            Reply reply) {
        if (!eligible || !settings.hitsAllowed()) {
            context.metrics().forwarded(PointForward.SESSION);
            String why = settings.whyForwarded();
            last.forwarded(why != null ? why : "It asks for a cursor, or a value came ahead of it.");
            forwardRead(statement, null, reply);
            return;
        }
        Staleness asked = own != null ? own : settings.maxStaleness();
        if (asked.nanos() == 0) {
            context.metrics().forwarded(PointForward.SESSION);
            last.forwarded("It asks for rows from the store: keyline_max_staleness is 0.");
            forwardRead(statement, parts.reader().recorder(planned, read, scope), reply);
            return;
        }
        switch (parts.reader().read(planned, read, values, scope, asked.nanos(), reply, this)) {
            case ANSWERED -> answered(statement);
            case PENDING -> {
                waitingReply = reply;
                waitingStatement = statement;
            }
            case FORWARD -> {
                context.metrics().forwarded(PointForward.UNANSWERED);
                last.forwarded(
                        "Its shape is new to this user, or its rows are being written, or a value is not exact.");
                forwardRead(statement, parts.reader().recorder(planned, read, scope), reply);
            }
        }
    }

    @Override
    public void answered() {
        PreparedStatement statement = waitingStatement;
        waitingReply = null;
        waitingStatement = null;
        answered(statement);
    }

    @Override
    public void forward() {
        Reply reply = Objects.requireNonNull(waitingReply, "no read waits");
        PreparedStatement statement = waitingStatement;
        waitingReply = null;
        waitingStatement = null;
        context.metrics().forwarded(PointForward.UNANSWERED);
        last.forwarded("Its lines could not be loaded, or were overtaken by a write.");
        forwardRead(statement, null, reply);
    }

    private void answered(@Nullable PreparedStatement statement) {
        last.answered(parts.reader().lastWasHit(), parts.reader().loadBeganNanos());
        byte[] spare = answered;
        answered = command;
        answeredLength = length;
        answeredLast = true;
        answeredStatement = statement;
        command = spare;
    }

    private void forwardRead(@Nullable PreparedStatement statement, @Nullable TemplateRecorder recorder, Reply reply) {
        answeredLength = 0;
        if (statement == null) {
            forward(new Forwarding(
                    reply,
                    List.of(),
                    sent(),
                    false,
                    StatementKind.SELECT,
                    command,
                    1,
                    length,
                    recorder,
                    0,
                    done -> {}));
        } else {
            statement.longData = false;
            Supplier<ByteBuf> execute = prepared.executeThere(statement, command, length, reply.alloc());
            forward(new Forwarding(
                    reply,
                    prepared.prepareThere(statement),
                    execute,
                    false,
                    StatementKind.SELECT,
                    statement.sql,
                    0,
                    statement.sql.length,
                    recorder,
                    0,
                    done -> PreparedStatements.executed(statement, done)));
        }
    }

    // ---------------------------------------------------------------- what prepared statements need

    /** Executes a point read. */
    void read(
            PreparedStatement statement,
            PointRead read,
            SlotValues values,
            ByteBuf payload,
            boolean eligible,
            Reply reply) {
        keep(payload);
        read(statement.planned, read, values, scope(true), statement.staleness, statement, eligible, reply);
    }

    /** Executes a statement that is no point read. */
    void forwardExecute(PreparedStatement statement, Forward forward, SlotValues values, ByteBuf payload, Reply reply) {
        keep(payload);
        Supplier<ByteBuf> execute = prepared.executeThere(statement, command, length, reply.alloc());
        List<Errand> errands = prepared.prepareThere(statement);
        statement.longData = false;
        forward(
                forward,
                values,
                execute,
                statement.sql,
                0,
                statement.sql.length,
                errands,
                reply,
                done -> PreparedStatements.executed(statement, done));
    }

    /** Executes a statement whose values are not known here: as many fences are closed as it can need. */
    void forwardUnseen(PreparedStatement statement, List<Errand> errands, ByteBuf payload, Reply reply) {
        keep(payload);
        answeredLength = 0;
        statement.longData = false;
        Supplier<ByteBuf> whole = sent();
        StatementKind kind = StatementKind.SELECT;
        if (statement.planned.plan() instanceof Forward forward) {
            kind = forward.kind();
            parts.fences().close(fence, forward.effect(), SlotValues.UNKNOWN);
        }
        forward(new Forwarding(
                reply,
                errands,
                () -> whole.get().setIntLE(1, statement.storeId),
                isLong(payload),
                kind,
                statement.sql,
                0,
                statement.sql.length,
                null,
                0,
                done -> PreparedStatements.executed(statement, done)));
    }

    /** Sends a command to the store; its fences are closed. */
    void forward(Forwarding forwarding) {
        forwarder.forward(forwarding);
    }

    /** What answers a statement of the gateway's own; null where the store answers it. */
    @Nullable
    LocalStatement localStatement(PlannedStatement planned, byte[] sql, int from, int to) {
        return planned.plan() instanceof Forward forward
                ? context.statements().find(forward, sql, from, to, this)
                : null;
    }

    void answerLocally(LocalStatement local, Reply reply, boolean binary) {
        LocalResult result;
        try {
            result = local.run().get();
        } catch (StatementRefused refused) {
            reply.error(refused.error());
            reply.end();
            return;
        }
        if (local.columns().isEmpty()) {
            reply.ok(OkPacket.of(status()));
            reply.end();
        } else {
            result.answer(reply, binary, extendedMetadata(), status());
        }
    }

    // ---------------------------------------------------------------- forwarding

    private void forward(
            Forward forward,
            SlotValues values,
            Supplier<ByteBuf> payload,
            byte[] sql,
            int from,
            int to,
            List<Errand> errands,
            Reply reply,
            Consumer<ReplyScanner> then) {
        context.metrics().forwarded(forward.reason());
        last.forwarded(forward.reason().sentence());
        List<Errand> before = errands;
        if ((forward.readsDiagnostics() || forward.kind() == StatementKind.SET)
                && (answeredLast || Forwarding.mentions(FOUND_ROWS, sql, from, to))) {
            before = new ArrayList<>(replay(reply.alloc()));
            before.addAll(errands);
        }
        answeredLast = false;
        parts.fences().close(fence, forward.effect(), values);
        Consumer<ReplyScanner> settled = settled(forward, then);
        forward(new Forwarding(reply, before, payload, false, forward.kind(), sql, from, to, null, 0, done -> {
            if (done.summary().columnCount() > 0) {
                // FOUND_ROWS() tells of this result now.
                answeredLength = 0;
            }
            settled.accept(done);
        }));
    }

    private Consumer<ReplyScanner> settled(Forward forward, Consumer<ReplyScanner> then) {
        return switch (forward.kind()) {
            case PRIVILEGE ->
                done -> {
                    context.revoke().run();
                    then.accept(done);
                };
            case DDL, MULTI, CALL, EXECUTE, UNKNOWN ->
                done -> {
                    context.store()
                            .definitionsChanged(
                                    forward.effect() instanceof Effect.Tables written ? written.tables() : null);
                    then.accept(done);
                };
            default -> then;
        };
    }

    /** Runs the last answered read on the store as well, so that it knows what the next statement asks about. */
    private List<Errand> replay(ByteBufAllocator alloc) {
        if (answeredLength == 0) {
            return List.of();
        }
        PreparedStatement statement = answeredStatement;
        byte[] payload = answered;
        int bytes = answeredLength;
        if (statement == null) {
            return List.of(new Errand(() -> Unpooled.copiedBuffer(payload, 0, bytes), done -> null));
        }
        List<Errand> errands = new ArrayList<>(prepared.prepareThere(statement));
        Supplier<ByteBuf> execute = prepared.executeThere(statement, payload, bytes, alloc);
        errands.add(new Errand(execute, done -> null));
        if (!prepared.holds(statement)) {
            errands.add(prepared.closeThere(statement));
        }
        return errands;
    }

    /**
     * A command of 16 MiB or more, of which only the first packet is here. What it writes is not known; what it sets or defines is not
     * either, unless it begins as a write of rows and is alone. Commands that the gateway must understand whole are refused.
     */
    private void longCommand(int code, ByteBuf payload, Reply reply) {
        keep(payload);
        answeredLength = 0;
        switch (code) {
            case CommandCode.COM_QUERY -> {
                parts.fences().close(fence, Effect.EVERYTHING, SlotValues.UNKNOWN);
                boolean rows = !Capabilities.has(capabilities(), Capabilities.CLIENT_MULTI_STATEMENTS)
                        && ROW_WRITES.contains(firstWord());
                StatementKind kind = rows ? StatementKind.INSERT : StatementKind.UNKNOWN;
                forward(new Forwarding(reply, List.of(), sent(), true, kind, command, 1, length, null, 0, done -> {
                    if (!rows) {
                        context.store().definitionsChanged(null);
                    }
                }));
            }
            case CommandCode.COM_STMT_EXECUTE -> prepared.executeLong(payload, reply);
            case CommandCode.COM_STMT_BULK_EXECUTE -> prepared.executeBulk(payload, reply);
            case CommandCode.COM_STMT_SEND_LONG_DATA -> prepared.sendLongData(payload, reply);
            default -> {
                reply.error(ErrPacket.of(ErrorCode.ER_NET_PACKET_TOO_LARGE));
                reply.end();
            }
        }
    }

    /** The word that the kept statement begins with, in upper case. */
    private String firstWord() {
        String head = new String(command, 1, Math.min(length - 1, 32), StandardCharsets.ISO_8859_1);
        return head.strip().split("\\W", 2)[0].toUpperCase(Locale.ROOT);
    }

    /** A command that is about no statement: a remote store may know it. A stream of its log has no end to wait for. */
    private void otherCommand(int code, ByteBuf payload, Reply reply) {
        boolean stream = code == CommandCode.COM_BINLOG_DUMP
                || code == CommandCode.COM_BINLOG_DUMP_GTID
                || code == CommandCode.COM_TABLE_DUMP
                || code == CommandCode.COM_CLONE;
        if (stream || !context.store().isRemote()) {
            reply.error(ErrPacket.of(ErrorCode.ER_UNKNOWN_COM_ERROR));
            reply.end();
            return;
        }
        boolean defines = code == CommandCode.COM_CREATE_DB || code == CommandCode.COM_DROP_DB;
        if (defines) {
            parts.fences().close(fence, Effect.EVERYTHING, SlotValues.UNKNOWN);
        }
        keep(payload);
        forward(Forwarding.command(reply, sent(), done -> {
            if (defines) {
                context.store().definitionsChanged(null);
            }
        }));
    }

    /** COM_CHANGE_USER where the store decides who logs in; what it asks the client for passes like any reply. */
    private void relayChangeUser(ByteBuf payload, Reply reply) {
        keep(payload);
        answeredLength = 0;
        ClientConnection upstream = Objects.requireNonNull(login.upstream(), "the login was not relayed");
        if (login.tls() && !upstream.isEncrypted()) {
            // The client may answer with its password as it is, since it sees TLS.
            reply.error(ErrPacket.of(
                    ErrorCode.ER_NOT_SUPPORTED_YET,
                    "COM_CHANGE_USER is not relayed from a connection with TLS to a store without"));
            reply.end();
            return;
        }
        ChangeUser change = ChangeUser.decode(payload, capabilities(), Collation.charsetOf(login.collation()));
        forward(Forwarding.command(reply, sent(), done -> {
            if (done.summary().error() == null) {
                login = new Login(
                        login.connectionId(),
                        change.user(),
                        change.user(),
                        change.database(),
                        login.capabilities(),
                        change.collation() == 0 ? login.collation() : change.collation(),
                        change.attributes(),
                        login.remote(),
                        login.tls(),
                        login.upstream());
                settings.reset(login.collation(), login.database());
                prepared.clear();
            }
        }));
    }

    private void initDb(ByteBuf payload, Reply reply) {
        keep(payload);
        String schema = new String(command, 1, length - 1, StandardCharsets.UTF_8);
        forward(Forwarding.command(reply, sent(), done -> {
            if (done.summary().error() == null) {
                settings.schema(schema);
            }
        }));
    }

    private void resetConnection(ByteBuf payload, Reply reply) {
        keep(payload);
        answeredLength = 0;
        forward(Forwarding.command(reply, sent(), done -> {
            if (done.summary().error() == null) {
                settings.resetConnection();
                prepared.clear();
            }
        }));
    }

    @Override
    public void changeUser(Login next, Reply reply) {
        context.metrics().command(CommandCode.COM_CHANGE_USER);
        forwarder.endLink();
        prepared.clear();
        answeredLength = 0;
        sessions.link(next, reply).whenComplete((link, failure) -> {
            if (failure != null) {
                reply.error(Sessions.errorOf(failure));
                reply.end();
                reply.closeConnection();
                return;
            }
            login = next;
            settings.reset(next.collation(), next.database());
            forwarder.replaceLink(link);
            reply.ok(OkPacket.of(status()));
            reply.end();
        });
    }

    @Override
    public void closed() {
        sessions.ids().closed(login.connectionId());
        prepared.clear();
        forwarder.close();
    }

    // ---------------------------------------------------------------- state

    /** Status flags for replies that the gateway makes itself. */
    int status() {
        return forwarder.status();
    }

    /** Whose rights these are: the account, or, where the store knows it alone, what it was found by. */
    String user() {
        return login.upstream() == null
                ? login.authenticatedAs()
                : login.user() + "@" + login.remote().getHostAddress();
    }

    /** Whether commands over 16 MiB come packet by packet. */
    boolean isLong(ByteBuf payload) {
        return login.upstream() != null && payload.readableBytes() == Packets.MAX_PAYLOAD_BYTES;
    }

    int capabilities() {
        return login.capabilities();
    }

    /** Whether column definitions have MariaDB's extended type information. */
    boolean extendedMetadata() {
        ClientConnection upstream = login.upstream();
        return upstream != null
                && (upstream.extendedCapabilities() & ExtendedCapabilities.MARIADB_CLIENT_EXTENDED_METADATA) != 0;
    }

    /** Flags that shape replies; MariaDB's extended ones in the upper half. */
    long replyFormat() {
        long extended = extendedMetadata() ? ExtendedCapabilities.MARIADB_CLIENT_EXTENDED_METADATA : 0;
        return (capabilities() & REPLY_CAPABILITIES) | (extended << Integer.SIZE);
    }

    /** The current schema; empty if none is selected. */
    String schemaOrNone() {
        return Objects.requireNonNullElse(settings.schema(), "");
    }

    SessionSettings settings() {
        return settings;
    }

    LoopParts parts() {
        return parts;
    }

    Catalog catalog() {
        return context.catalog();
    }

    LastAnswer last() {
        return last;
    }

    /** Whose reads these are, for templates. */
    ReadScope scope(boolean binary) {
        ReadScope text = textScope;
        ReadScope executed = binaryScope;
        if (scopeChanges != settings.changes() || text == null || executed == null) {
            scopeChanges = settings.changes();
            text = newScope(false);
            executed = newScope(true);
            textScope = text;
            binaryScope = executed;
        }
        return binary ? executed : text;
    }

    private ReadScope newScope(boolean binary) {
        return context.scopes()
                .intern(new ReadScope(
                        user(),
                        binary,
                        replyFormat(),
                        schemaOrNone(),
                        settings.characterSets().names(),
                        settings.sqlMode(),
                        settings.characterSets().resultsAsStored(),
                        settings.characterSets().basicResults()));
    }

    void keep(ByteBuf payload) {
        length = payload.readableBytes();
        if (command.length < length || (command.length > MAX_KEPT_BYTES && length <= MAX_KEPT_BYTES)) {
            command = new byte[Math.max(length, 256)];
        }
        payload.getBytes(payload.readerIndex(), command, 0, length);
    }

    private Supplier<ByteBuf> sent() {
        byte[] kept = command;
        int bytes = length;
        return () -> Unpooled.wrappedBuffer(kept, 0, bytes);
    }
}
