package org.keyline.gateway.session.command;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.key.SlotValues;
import org.keyline.gateway.session.local.LocalStatement;
import org.keyline.gateway.session.relay.Forwarding;
import org.keyline.gateway.session.relay.Preamble;
import org.keyline.gateway.views.ViewRead;
import org.keyline.planner.Forward;
import org.keyline.planner.PlannedStatement;
import org.keyline.planner.PointRead;
import org.keyline.planner.digest.Digester;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.ProtocolException;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.protocol.codec.ExecuteParameters;
import org.keyline.protocol.server.Reply;
import org.keyline.stores.StoreTrait;

/** Handles all COM_STMT commands except PREPARE. Confined to one event loop. */
public final class ExecuteCommands extends SessionCommands {
    /** An id that no statement has, because stores number statements upward from 1. */
    private static final int NO_STATEMENT = -1;

    private static final int SHORTEST_EXECUTE = 10;
    /** Maximum size of a command whose line is prefetched. Commands that read by key are short. */
    private static final int LONGEST_AHEAD = 1024;

    private static final int LONG_DATA_PARAMETER_AT = 5;
    /** Maximum length of the text of SIGNAL, in characters. */
    private static final int MAX_SIGNALLED = 128;

    private static final int FETCHED_ROWS_AT = 5;
    private static final int FETCH_BYTES = 9;
    private static final int BULK_FLAGS_AT = 5;
    private static final int BULK_SENDS_TYPES = 128;

    private final Verification verification;
    private final ReadAnswers reads;
    private final StatementForwarder forwards;
    private final LocalAnswers locals;

    public ExecuteCommands(
            SessionCommands shared,
            Verification verification,
            ReadAnswers reads,
            StatementForwarder forwards,
            LocalAnswers locals) {
        super(shared);
        this.verification = verification;
        this.reads = reads;
        this.forwards = forwards;
        this.locals = locals;
    }

    public void execute(ByteBuf payload, Reply reply) {
        PreparedStatement statement = find(payload, reply, "mysqld_stmt_execute");
        if (statement == null) {
            return;
        }
        if (ExecuteParameters.statementId(payload) == PreparedStatements.LAST_PREPARED
                && !ExecuteLayout.isNamed(state.capabilities())
                && !statement.typesIn(payload)) {
            // MariaDB rejects a command that is too short for its types only if the id is
            // LAST_PREPARED. With any other id, MariaDB reads beyond the end of the command.
            refuse(ErrPacket.of(ErrorCode.ER_MALFORMED_PACKET), payload, reply);
            return;
        }
        if (statement.local != null) {
            executeHere(statement, statement.local, payload, reply);
            return;
        }
        if (lacksValues(statement, payload, reply)) {
            return;
        }
        replan(statement);
        copy.keep(payload);
        if (isUnverified(statement) || verification.isNeeded(statement.planned.plan(), true, false)) {
            verification.run(reply);
            return;
        }
        if (verification.awaitsDefinition(statement.planned.plan(), reply)) {
            return;
        }
        ExecuteParameters parameters = state.parts().parameters();
        if (statement.longData) {
            // The command omits parameters whose values were sent earlier. Empty values take their
            // place, because the gateway does not read these values.
            for (int i = 0; i < statement.parameters.count(); i++) {
                statement.parameters.appendLongData(i, Unpooled.EMPTY_BUFFER);
            }
        }
        try {
            parameters.decode(payload, state.capabilities(), statement.parameters);
        } catch (ProtocolException malformed) {
            if (!state.context().store().isRemote()) {
                throw malformed;
            }
            // The gateway cannot decode the command, so the store decides whether it is an error.
            executeUnseen(statement, true, payload, reply);
            return;
        }
        boolean typed = rememberTypes(statement, payload);
        if (!typed
                && state.context().store().isRemote()
                && !statement.isTypedIn(state.settings().variables().characterSets())) {
            // The command has no types, so the store uses those of an earlier command. The gateway
            // does not know them if they are of a bulk execution. If they are not, the store reads
            // texts in the character sets of that command, which have changed. So only the store
            // reads the values.
            executeUnseen(statement, false, payload, reply);
            return;
        }
        SlotValues values = values(statement, parameters);
        boolean cursor = (parameters.flags() & ExecuteParameters.CURSOR_TYPE_READ_ONLY) != 0;
        statements.endCursor(statement);
        PlannedStatement planned = values.chosen(statement.planned);
        if (planned.plan() instanceof PointRead) {
            boolean plain = !statement.longData
                    && parameters.attributeCount() == 0
                    && !mayReportSchema(statement)
                    && (!cursor || statements.takeCursor(statement));
            reads.execute(statement, planned, values, cursor, plain, reply);
        } else {
            Forward forward = (Forward) planned.plan();
            reads.beside(forward, planned.text());
            forwards.execute(statement, forward, values, reply);
        }
    }

    /** Prefetches the line of a COM_STMT_EXECUTE that will be dispatched soon. */
    public void ahead(ByteBuf payload) {
        if (payload.readableBytes() < SHORTEST_EXECUTE || payload.readableBytes() > LONGEST_AHEAD) {
            return;
        }
        PreparedStatement statement = statements.find(ExecuteParameters.statementId(payload));
        if (statement == null || statement.longData || !(statement.planned.plan() instanceof PointRead read)) {
            return;
        }
        ExecuteParameters parameters = state.parts().parameters();
        try {
            parameters.peek(payload, state.capabilities(), statement.parameters);
        } catch (ProtocolException malformed) {
            // An earlier command that is not dispatched yet might have the types. If no earlier
            // command has them, the execution reports the error.
            return;
        }
        state.parts().reader().ahead(statement.planned, read, values(statement, parameters), state.scope(true), state);
    }

    /** Returns the values of an execution, valid until the next call on the same event loop. */
    private SlotValues values(PreparedStatement statement, ExecuteParameters parameters) {
        return state.parts()
                .bound()
                .of(
                        statement.literals,
                        statement.slots,
                        parameters,
                        statement.retyped,
                        state.settings().utf8Bytes());
    }

    private void executeHere(PreparedStatement statement, LocalStatement local, ByteBuf payload, Reply reply) {
        if (locals.needsAccount(local) || verification.isNeeded(local)) {
            copy.keep(payload);
            verification.run(reply);
            return;
        }
        ViewRead view = local.view();
        if (view == null) {
            locals.answer(local, true, reply);
        } else if (statement.longData) {
            refuse(
                    ErrPacket.of(
                            ErrorCode.ER_UNSUPPORTED_PS,
                            "A parameter of a statement on Keyline's views was sent by COM_STMT_SEND_LONG_DATA. Send its value in COM_STMT_EXECUTE."),
                    payload,
                    reply);
        } else {
            ExecuteParameters parameters = state.parts().parameters();
            parameters.decode(payload, state.capabilities(), statement.parameters);
            locals.answer(view, local.right(), parameters, reply);
        }
    }

    /** Returns whether the store might switch schemas for the execution, and report the switch. */
    private boolean mayReportSchema(PreparedStatement statement) {
        return Capabilities.has(state.capabilities(), Capabilities.CLIENT_SESSION_TRACK)
                && !Objects.equals(statement.schema, state.settings().schema());
    }

    /** Handles the first packet of an execution over 16 MiB. */
    public void executeLong(ByteBuf payload, Reply reply) {
        PreparedStatement statement = find(payload, reply, "mysqld_stmt_execute");
        if (statement != null && !lacksValues(statement, payload, reply)) {
            copy.keep(payload);
            boolean typed = rememberTypes(statement, payload);
            executeUnseen(statement, typed, payload, reply);
        }
    }

    /** Handles MariaDB's COM_STMT_BULK_EXECUTE, which has many sets of parameters. */
    public void executeBulk(ByteBuf payload, Reply reply) {
        PreparedStatement statement = find(payload, reply, "mysqld_stmt_bulk_execute");
        if (statement != null && !lacksValues(statement, payload, reply)) {
            copy.keep(payload);
            replan(statement);
            if (!state.isLong(payload) && verification.awaitsDefinition(statement.planned.plan(), reply)) {
                return;
            }
            int flags = payload.readableBytes() < BULK_FLAGS_AT + 2
                    ? 0
                    : payload.getUnsignedShortLE(payload.readerIndex() + BULK_FLAGS_AT);
            boolean typed = (flags & BULK_SENDS_TYPES) != 0;
            statement.typesUnseen |= typed;
            executeUnseen(statement, typed, payload, reply);
        }
    }

    /**
     * Returns whether the store might prepare the statement under other settings than those of the
     * client's PREPARE.
     */
    private boolean isUnverified(PreparedStatement statement) {
        return statement.storeId == PreparedStatement.NOT_AT_STORE && verification.isNeededToPrepare();
    }

    /** Returns whether sending long data to the store failed. If so, the client gets the error. */
    private boolean lacksValues(PreparedStatement statement, ByteBuf payload, Reply reply) {
        ErrPacket refused = statement.longDataRefused;
        if (refused != null) {
            statement.longDataRefused = null;
            statement.longData = false;
            refuse(refused, payload, reply);
        }
        return refused != null;
    }

    /** Records the command's parameter types, if any. Returns false if types are missing. */
    private boolean rememberTypes(PreparedStatement statement, ByteBuf payload) {
        return statement.rememberTypes(
                payload,
                ExecuteLayout.isNamed(state.capabilities()),
                state.settings().variables().characterSets());
    }

    /** Forwards an execution without reading its values. */
    private void executeUnseen(PreparedStatement statement, boolean typed, ByteBuf payload, Reply reply) {
        replan(statement);
        statements.endCursor(statement);
        List<Preamble> preambles = forwards.prepared(statement);
        if (!typed && (!preambles.isEmpty() || !statement.typesAtStore)) {
            // The store does not know the types, and the gateway cannot add them to this command.
            Forwarding.refuse(ErrPacket.of(ErrorCode.ER_NEED_REPREPARE), state.isLong(payload), reply);
            return;
        }
        forwards.executeUnseen(statement, preambles, state.isLong(payload), reply);
    }

    private void replan(PreparedStatement statement) {
        long version = state.context().catalog().version();
        if (statement.plannedVersion != version && !statement.planStays()) {
            Digester digester = state.parts().digester();
            digester.digest(statement.sql, 0, statement.sql.length, statement.meaning.mode());
            statement.planned = state.parts().plans().plan(digester, Objects.requireNonNullElse(statement.schema, ""));
            statement.plannedVersion = version;
        }
    }

    /** Sends COM_STMT_SEND_LONG_DATA at once, after a PREPARE if necessary. */
    public void sendLongData(ByteBuf payload, Reply reply) {
        PreparedStatement statement = statements.find(ExecuteParameters.statementId(payload));
        if (statement == null) {
            reply.end();
            return;
        }
        if (borrowed.isOrphaned() || statement.local != null) {
            // This command has no reply, so the next execution reports the error.
            statement.longData = true;
            reply.end();
            return;
        }
        if (isUnverified(statement) && statement.longDataRefused == null && !state.isLong(payload)) {
            copy.keep(payload);
            verification.run(reply);
            return;
        }
        List<Preamble> preambles = statement.longData ? List.of() : prepareWithoutReply(statement);
        if (!statement.longData) {
            reads.valuesGoAhead(statement);
        }
        statement.longData = true;
        statement.longDataAtStore = true;
        if (payload.readableBytes() >= LONG_DATA_PARAMETER_AT + 2) {
            // The store treats the value as text, whatever type the execution declares.
            statement.retyped(payload.getUnsignedShortLE(payload.readerIndex() + LONG_DATA_PARAMETER_AT));
        }
        Forwarding forwarding = withStoreId(statement, payload, reply, done -> {})
                .after(preambles)
                .unanswered();
        relay.forward(state.isLong(payload) ? forwarding.unfinished() : forwarding);
    }

    /** Returns commands that prepare the statement. The next execution reports their error. */
    private List<Preamble> prepareWithoutReply(PreparedStatement statement) {
        return forwards.prepared(statement).stream()
                .map(preamble -> new Preamble(preamble.payload(), done -> {
                    ErrPacket refused = preamble.done().apply(done);
                    statement.longDataRefused = refused;
                    return refused;
                }))
                .toList();
    }

    /** Returns the end of an error message: a full stop for MySQL, nothing for MariaDB. */
    private String fullStop() {
        return state.context().store().serverVersion().contains("MariaDB") ? "" : ".";
    }

    public void fetch(ByteBuf payload, Reply reply) {
        PreparedStatement statement = find(payload, reply, "mysqld_stmt_fetch");
        if (statement == null) {
            return;
        }
        FetchedRows cursor = statement.cursor;
        if (cursor != null && cursor.isOpen() && payload.readableBytes() >= FETCH_BYTES) {
            int rows = payload.getIntLE(payload.readerIndex() + FETCHED_ROWS_AT);
            cursor.fetch(rows, relay.late().statusWithModes(), reply);
            return;
        }
        if (cursor != null
                || (statement.storeId == PreparedStatement.NOT_AT_STORE
                        && !state.context().store().has(StoreTrait.OWN_SESSION_RULES))) {
            refuse(
                    ErrPacket.of(
                            ErrorCode.ER_STMT_HAS_NO_OPEN_CURSOR,
                            "The statement (" + statement.id + ") has no open cursor" + fullStop()),
                    payload,
                    reply);
            return;
        }
        relay.forward(withStoreId(
                statement,
                payload,
                reply,
                done -> statement.cursorAtStore &=
                        (done.summary().status() & ServerStatus.SERVER_STATUS_LAST_ROW_SENT) == 0));
    }

    public void reset(ByteBuf payload, Reply reply) {
        PreparedStatement statement = find(payload, reply, "mysqld_stmt_reset");
        if (statement == null) {
            return;
        }
        statement.longData = false;
        statement.longDataRefused = null;
        statement.parameters.reset();
        statements.endCursor(statement);
        relay.diagnostics().okay(statement.storeId == PreparedStatement.NOT_AT_STORE);
        if (statement.storeId == PreparedStatement.NOT_AT_STORE) {
            reply.ok(OkPacket.of(relay.late().statusWithModes()));
            reply.end();
            return;
        }
        relay.forward(withStoreId(statement, payload, reply, done -> {
            statement.cursorAtStore = false;
            statement.longDataAtStore = false;
        }));
    }

    /** Handles COM_STMT_CLOSE, which has no reply. */
    public void close(ByteBuf payload, Reply reply) {
        PreparedStatement statement = statements.remove(ExecuteParameters.statementId(payload));
        if (statement == null || statement.storeId == PreparedStatement.NOT_AT_STORE || borrowed.isOrphaned()) {
            reply.end();
            return;
        }
        int storeId = statement.storeId;
        statement.storeId = PreparedStatement.NOT_AT_STORE;
        relay.forward(Forwarding.command(reply, () -> Preamble.close(storeId), done -> {})
                .unanswered());
    }

    private static Forwarding withStoreId(
            PreparedStatement statement, ByteBuf payload, Reply reply, Consumer<ReplyScanner> then) {
        ByteBuf sent = Unpooled.copiedBuffer(payload);
        return Forwarding.command(reply, () -> sent.setIntLE(1, statement.storeId), then);
    }

    private @Nullable PreparedStatement find(ByteBuf payload, Reply reply, String where) {
        int id = ExecuteParameters.statementId(payload);
        PreparedStatement statement = statements.find(id);
        if (statement == null && state.context().store().has(StoreTrait.OWN_SESSION_RULES)) {
            ByteBuf sent = Unpooled.copiedBuffer(payload).setIntLE(1, NO_STATEMENT);
            Forwarding asked = Forwarding.command(reply, () -> sent, done -> {});
            relay.forward(state.isLong(payload) ? asked.unfinished() : asked);
        } else if (statement == null) {
            String named = Objects.requireNonNullElse(state.context().store().statementCheck(), where);
            ErrPacket unknown = ErrPacket.of(
                    ErrorCode.ER_UNKNOWN_STMT_HANDLER,
                    "Unknown prepared statement handler (" + Integer.toUnsignedString(id) + ") given to " + named);
            refuse(unknown, payload, reply);
        }
        return statement;
    }

    /** Makes the store raise the error, because the session's next SHOW WARNINGS must show it. */
    private void refuse(ErrPacket error, ByteBuf payload, Reply reply) {
        if (state.isLong(payload)
                || borrowed.isOrphaned()
                || error.message().length() > MAX_SIGNALLED
                || state.context().store().has(StoreTrait.OWN_SESSION_RULES)) {
            Forwarding.refuse(error, state.isLong(payload), reply);
        } else {
            relay.diagnostics().forwarded();
            relay.forward(Forwarding.command(reply, storeStatements.signal(error), done -> {}));
        }
    }
}
