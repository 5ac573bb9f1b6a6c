package org.keyline.gateway.session.command;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Predicate;
import org.keyline.gateway.session.relay.Forwarding;
import org.keyline.gateway.session.settings.SqlStatement;
import org.keyline.planner.StatementKind;
import org.keyline.protocol.ChangeUser;
import org.keyline.protocol.Collation;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.server.Login;
import org.keyline.protocol.server.Peer;
import org.keyline.protocol.server.RelayedChangeUser;
import org.keyline.protocol.server.Reply;
import org.keyline.stores.ResetScope;

/** Handles commands of the connection, such as COM_CHANGE_USER. Confined to one event loop. */
public final class ConnectionCommands extends SessionCommands {
    private final StatementForwarder forwards;
    private final Peer peer;
    private final Predicate<String> becomes;

    /** @param becomes changes the user; returns false if the new user has too many sessions */
    public ConnectionCommands(
            SessionCommands shared, StatementForwarder forwards, Peer peer, Predicate<String> becomes) {
        super(shared);
        this.forwards = forwards;
        this.peer = peer;
        this.becomes = becomes;
    }

    public void initDb(ByteBuf payload, Reply reply) {
        copy.keep(payload);
        SqlStatement command = new SqlStatement(StatementKind.USE, copy.bytes(), 0, copy.length());
        if (forwards.answersHere(command, reply)) {
            return;
        }
        byte[] name = Arrays.copyOfRange(copy.bytes(), 1, copy.length());
        String schema = new String(name, StandardCharsets.UTF_8);
        boolean leaves = state.settings().catalog().mayChange(schema);
        relay.forward(Forwarding.statement(reply, copy.sent(), SqlStatement.none(StatementKind.USE), done -> {
                    boolean used = done.summary().error() == null;
                    if (leaves) {
                        state.settings().placeChanged(used ? schema : null);
                    } else if (used) {
                        state.settings().schema(schema);
                    }
                    if (used && state.settings().mayMeanElse(name, 0, name.length)) {
                        state.settings().schemaUnknown();
                    }
                })
                .after(forwards.beforeUse(leaves, reply))
                .seenBy(relay.late().learner(command)));
    }

    public void setOption(ByteBuf payload, Reply reply) {
        ByteBuf sent = Unpooled.copiedBuffer(payload);
        int option = payload.readableBytes() < 3 ? 0 : payload.getUnsignedShortLE(payload.readerIndex() + 1);
        relay.forward(Forwarding.command(reply, () -> sent, done -> {
            if (done.summary().error() == null) {
                borrowed.multiStatements(option);
            }
        }));
    }

    public void resetConnection(ByteBuf payload, Reply reply) {
        copy.keep(payload);
        copy.forgetAnswered();
        relay.diagnostics().forwarded();
        relay.forward(Forwarding.command(reply, copy.sent(), done -> {
            if (done.summary().error() == null) {
                reset();
            }
        }));
    }

    private void reset() {
        ResetScope scope = state.context().store().resetScope();
        state.settings().resetConnection(scope);
        if (scope == ResetScope.SETTINGS_AND_STATEMENTS) {
            statements.clear();
        }
    }

    /** Forwards a COM_CHANGE_USER to a store that authenticates, and relays its requests. */
    public void changeUser(ByteBuf payload, Reply reply) {
        copy.keep(payload);
        copy.forgetAnswered();
        relay.diagnostics().forwarded();
        Login login = state.login();
        ChangeUser change = ChangeUser.decode(payload, login.capabilities(), Collation.charsetOf(login.collation()));
        RelayedChangeUser translation = login.translation();
        long beganNanos = System.nanoTime();
        if (translation != null) {
            translation.begin(change.authPlugin(), reply, relay::answer);
        }
        relay.forward(Forwarding.command(reply, copy.sent(), done -> {
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
                                translation,
                                beganNanos));
                        statements.clear();
                        if (peer.memory().login(change.user()) != null || !becomes.test(change.user())) {
                            peer.closeConnection();
                        }
                    } else {
                        // MariaDB and MySQL reset the session before they check the password.
                        // MariaDB's character sets and schema remain.
                        reset();
                        state.settings().schemaUnknown();
                    }
                })
                .translatedBy(translation));
    }

    /** Forwards a command that does not change the session, such as COM_PING. */
    public void pass(ByteBuf payload, Reply reply) {
        int code = payload.getUnsignedByte(payload.readerIndex());
        boolean ping = code == CommandCode.COM_PING;
        if (ping && relay.late().answersPing(reply)) {
            relay.diagnostics().okay(true);
            return;
        }
        ByteBuf sent = Unpooled.copiedBuffer(payload);
        if (ping || code == CommandCode.COM_PROCESS_KILL) {
            // These commands end with an OK, after which ROW_COUNT() is 0. ROW_COUNT() must stay 0
            // even if the gateway asks the store about a transaction afterwards.
            relay.diagnostics().okay(true);
        }
        relay.forward(Forwarding.command(reply, () -> sent, done -> {})
                .seenBy(ping ? relay.late().pingLearner() : null));
    }

    /**
     * Forwards a command that Keyline does not know to a remote store. Refuses commands whose reply
     * is a stream without end, such as a binary log.
     */
    public void other(int code, ByteBuf payload, Reply reply) {
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
            forwards.sendsAnything();
        }
        copy.keep(payload);
        relay.forward(Forwarding.command(reply, copy.sent(), done -> {
            state.settings().becomeUnknown();
            if (defines) {
                state.context().store().definitionsChanged(null);
                state.context().logins().forget();
            }
        }));
    }
}
