package org.keyline.gateway.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.keyline.gateway.query.SlotValues;
import org.keyline.planner.Effect;
import org.keyline.planner.Forward;
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
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.ProtocolException;
import org.keyline.protocol.codec.ExecuteParameters;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.server.CommandHandler;
import org.keyline.protocol.server.Login;
import org.keyline.protocol.server.Peer;
import org.keyline.protocol.server.RelayedChangeUser;
import org.keyline.protocol.server.Reply;
import org.keyline.rowcache.Fence;
import org.keyline.stores.ResetScope;

/**
 * One client's session: takes its commands one by one, has point reads answered from lines, and sends everything else to the session's
 * own store session. Confined to one event loop.
 */
final class Session implements CommandHandler {
    private final Sessions sessions;
    private final SessionState state;
    private final Forwarder forwarder;
    private final Peer peer;
    private final KeptCommand kept;
    private final PreparedStatements statements;
    private final StatementForwarder forwards;
    private final ReadAnswers reads;
    private final Verification verification;
    private final StatementPreparer preparer;
    private final StatementExecutor executor;
    private final LocalAnswers locals;

    Session(Sessions sessions, SessionContext context, LoopParts parts, Login login, Peer peer, StoreLink link) {
        this.sessions = sessions;
        this.peer = peer;
        kept = new KeptCommand(peer.memory());
        state = new SessionState(context, parts, login);
        Fence fence = parts.fences().fence();
        forwarder = new Forwarder(link, state.settings(), fence, parts.reader()::now, login.capabilities());
        statements =
                new PreparedStatements(context.quota(), context.limits().preparedStatementsPerSession(), peer.memory());
        StoreStatements there = new StoreStatements(context.store(), state.settings(), login.capabilities());
        forwards = new StatementForwarder(state, kept, statements, there, fence, forwarder);
        TransactionReads transactions = new TransactionReads(state, kept, statements, there, forwarder::storeStatus);
        forwarder.precededBy(transactions);
        link.onEnd(this::storeEnded);
        reads = new ReadAnswers(state, kept, forwards, transactions, forwarder);
        verification = new Verification(state, forwarder, kept, this::dispatch);
        preparer = new StatementPreparer(state, kept, statements, verification, forwarder);
        locals = new LocalAnswers(state, there, forwarder);
        executor =
                new StatementExecutor(state, kept, statements, there, verification, reads, forwards, forwarder, locals);
    }

    @Override
    public void command(ByteBuf payload, Reply reply) {
        state.context().metrics().command(code(payload));
        if (state.isLong(payload)) {
            dispatchLong(payload, reply);
        } else {
            dispatch(payload, reply);
        }
    }

    @Override
    public void answered() {
        if (!kept.rest()) {
            peer.closeConnection();
        }
    }

    private static int code(ByteBuf payload) {
        return payload.getUnsignedByte(payload.readerIndex());
    }

    private void dispatch(ByteBuf payload, Reply reply) {
        switch (code(payload)) {
            case CommandCode.COM_QUERY -> query(payload, reply);
            case CommandCode.COM_STMT_EXECUTE -> executor.execute(payload, reply);
            case CommandCode.COM_STMT_PREPARE -> preparer.prepare(payload, reply);
            case CommandCode.COM_STMT_CLOSE -> executor.close(payload, reply);
            case CommandCode.COM_STMT_RESET -> executor.reset(payload, reply);
            case CommandCode.COM_STMT_FETCH -> executor.fetch(payload, reply);
            case CommandCode.COM_STMT_SEND_LONG_DATA -> executor.sendLongData(payload, reply);
            case CommandCode.COM_STMT_BULK_EXECUTE -> executor.executeBulk(payload, reply);
            case CommandCode.COM_INIT_DB -> initDb(payload, reply);
            case CommandCode.COM_RESET_CONNECTION -> resetConnection(payload, reply);
            case CommandCode.COM_CHANGE_USER -> relayChangeUser(payload, reply);
            case CommandCode.COM_SET_OPTION -> setOption(payload, reply);
            case CommandCode.COM_PING,
                    CommandCode.COM_STATISTICS,
                    CommandCode.COM_FIELD_LIST,
                    CommandCode.COM_PROCESS_INFO,
                    CommandCode.COM_PROCESS_KILL -> {
                ByteBuf sent = payload.copy();
                forwarder.forward(Forwarding.command(reply, () -> sent, done -> {}));
            }
            default -> otherCommand(payload, reply);
        }
    }

    /** A command of 16 MiB or more, of which only the first packet is here. One without a statement is never that long, and refused. */
    private void dispatchLong(ByteBuf payload, Reply reply) {
        kept.keep(payload);
        kept.forgetAnswered();
        switch (code(payload)) {
            case CommandCode.COM_QUERY -> forwards.longQuery(keepQuery(payload), reply);
            case CommandCode.COM_STMT_PREPARE -> preparer.prepareLong(reply);
            case CommandCode.COM_STMT_EXECUTE -> executor.executeLong(payload, reply);
            case CommandCode.COM_STMT_BULK_EXECUTE -> executor.executeBulk(payload, reply);
            case CommandCode.COM_STMT_SEND_LONG_DATA -> executor.sendLongData(payload, reply);
            default -> refuse(ErrPacket.of(ErrorCode.ER_NET_PACKET_TOO_LARGE), true, reply);
        }
    }

    /**
     * Answers a command with an error.
     *
     * @param unfinished whether only its first packet is here: the error follows its last
     */
    static void refuse(ErrPacket error, boolean unfinished, Reply reply) {
        if (unfinished) {
            reply.clientPackets(rest -> refuse(error, rest.readableBytes() == Packets.MAX_PAYLOAD_BYTES, reply));
        } else {
            reply.error(error);
            reply.end();
        }
    }

    // ---------------------------------------------------------------- statements

    private void query(ByteBuf payload, Reply reply) {
        if (!keepQuery(payload)) {
            forwards.unreadQuery(reply);
            return;
        }
        PlannedStatement planned = state.plan(kept.bytes(), kept.textAt(), kept.length());
        boolean doubtful = verification.isDoubtful(planned.plan(), kept.bytes(), kept.textAt(), kept.length());
        if (verification.isNeeded(planned.plan(), true, doubtful)) {
            verification.run(reply);
            return;
        }
        Digester digester = state.parts().digester();
        SlotValues values =
                state.parts().literals().of(digester, state.settings().utf8Bytes());
        if (planned.plan() instanceof PointRead read) {
            reads.query(planned, read, values, Staleness.of(digester), reply);
            return;
        }
        Forward forward = (Forward) planned.plan();
        LocalStatement local =
                state.context().statements().find(forward, kept.bytes(), kept.textAt(), kept.length(), state);
        if (local == null && doubtful) {
            forward = verification.doubtful(forward, kept.bytes(), kept.textAt(), kept.length());
        }
        if (local != null) {
            locals.answer(local, false, reply);
            return;
        }
        if (forward.kind() == StatementKind.KILL) {
            byte[] translated = sessions.ids().translate(kept.bytes(), kept.textAt(), kept.length());
            if (translated != null) {
                byte[] head = Arrays.copyOf(kept.bytes(), kept.textAt());
                kept.keep(Unpooled.wrappedBuffer(head, translated), head.length, kept.hasAttributes());
            }
        }
        forwards.query(forward, values, reply);
    }

    /** Keeps a COM_QUERY; false if its text was not found behind its attributes. */
    private boolean keepQuery(ByteBuf payload) {
        if (!Capabilities.has(state.capabilities(), Capabilities.CLIENT_QUERY_ATTRIBUTES)) {
            kept.keep(payload);
            return true;
        }
        ExecuteParameters attributes = state.parts().parameters();
        try {
            int textAt = attributes.decodeQuery(payload, state.capabilities());
            kept.keep(payload, textAt, attributes.attributeCount() > 0);
            return true;
        } catch (ProtocolException malformed) {
            kept.keep(payload);
            return false;
        }
    }

    // ---------------------------------------------------------------- commands that are about no statement

    private void initDb(ByteBuf payload, Reply reply) {
        kept.keep(payload);
        String schema = new String(kept.bytes(), 1, kept.length() - 1, StandardCharsets.UTF_8);
        forwarder.forward(Forwarding.command(reply, kept.sent(), done -> {
                    if (done.summary().error() == null) {
                        state.settings().schema(schema);
                    }
                })
                .after(forwards.ahead(reply)));
    }

    private void setOption(ByteBuf payload, Reply reply) {
        ByteBuf sent = payload.copy();
        int option = payload.readableBytes() < 3 ? 0 : payload.getUnsignedShortLE(payload.readerIndex() + 1);
        forwarder.forward(Forwarding.command(reply, () -> sent, done -> {
            if (done.summary().error() == null) {
                forwarder.multiStatements(option);
            }
        }));
    }

    private void resetConnection(ByteBuf payload, Reply reply) {
        kept.keep(payload);
        kept.forgetAnswered();
        forwarder.forward(Forwarding.command(reply, kept.sent(), done -> {
            if (done.summary().error() == null) {
                ResetScope scope = state.context().store().resetScope();
                state.settings().resetConnection(scope);
                if (scope == ResetScope.SETTINGS_AND_STATEMENTS) {
                    statements.clear();
                }
            }
        }));
    }

    /** A command that a remote store may know. A stream of its log has no end to wait for. */
    private void otherCommand(ByteBuf payload, Reply reply) {
        int code = code(payload);
        boolean stream = code == CommandCode.COM_BINLOG_DUMP
                || code == CommandCode.COM_BINLOG_DUMP_GTID
                || code == CommandCode.COM_TABLE_DUMP
                || code == CommandCode.COM_CLONE;
        if (stream || !state.context().store().isRemote()) {
            reply.error(ErrPacket.of(ErrorCode.ER_UNKNOWN_COM_ERROR));
            reply.end();
            return;
        }
        boolean defines = code == CommandCode.COM_CREATE_DB || code == CommandCode.COM_DROP_DB;
        if (defines) {
            forwards.close(Effect.EVERYTHING, SlotValues.UNKNOWN);
        }
        kept.keep(payload);
        forwarder.forward(Forwarding.command(reply, kept.sent(), done -> {
            state.settings().becomeUnknown();
            if (defines) {
                state.context().store().definitionsChanged(null);
            }
        }));
    }

    // ---------------------------------------------------------------- users

    /** COM_CHANGE_USER where the store decides who logs in; what it asks the client for passes as in the login. */
    private void relayChangeUser(ByteBuf payload, Reply reply) {
        kept.keep(payload);
        kept.forgetAnswered();
        Login login = state.login();
        ChangeUser change = ChangeUser.decode(payload, login.capabilities(), Collation.charsetOf(login.collation()));
        RelayedChangeUser translation = login.translation();
        if (translation != null) {
            translation.begin(change.authPlugin(), reply, forwarder::answer);
        }
        forwarder.forward(Forwarding.command(reply, kept.sent(), done -> {
                    if (done.summary().error() == null) {
                        state.changeUser(new Login(
                                login.connectionId(),
                                change.user(),
                                change.user(),
                                change.database(),
                                login.capabilities(),
                                change.collation() == 0 ? login.collation() : change.collation(),
                                change.attributes(),
                                login.remote(),
                                login.tls(),
                                login.upstream(),
                                translation));
                        statements.clear();
                        if (peer.memory().login(change.user()) != null) {
                            peer.closeConnection();
                        }
                    }
                })
                .translatedBy(translation));
    }

    @Override
    public void changeUser(Login next, Reply reply) {
        state.context().metrics().command(CommandCode.COM_CHANGE_USER);
        forwarder.endLink();
        statements.clear();
        kept.forgetAnswered();
        sessions.link(next, reply)
                .whenComplete((link, failure) -> reply.run(() -> {
                    if (failure != null) {
                        reply.error(Sessions.errorOf(failure));
                        reply.end();
                        reply.closeConnection();
                        return;
                    }
                    state.login(next);
                    forwarder.replaceLink(link);
                    link.onEnd(this::storeEnded);
                    reply.ok(OkPacket.of(forwarder.status()));
                    reply.end();
                }));
    }

    /** The store has ended the session by itself, or is gone. Who waits for nothing of it can still ask the gateway, while nobody else could be asked. */
    private void storeEnded() {
        // The store may give its id to another session.
        sessions.ids().closed(state.login().connectionId());
        if (state.context().store().isRemote() && forwarder.strands()) {
            state.context().stranded().add(peer);
        } else {
            peer.closeConnection();
        }
    }

    @Override
    public void closed() {
        state.context().stranded().remove(peer);
        forwards.codeChanged();
        sessions.ids().closed(state.login().connectionId());
        statements.clear();
        forwarder.close();
    }
}
