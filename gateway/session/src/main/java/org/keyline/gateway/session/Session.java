package org.keyline.gateway.session;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.Future;
import java.net.SocketAddress;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.change.Fencing;
import org.keyline.gateway.session.command.CommandCopy;
import org.keyline.gateway.session.command.ConnectionCommands;
import org.keyline.gateway.session.command.ExecuteCommands;
import org.keyline.gateway.session.command.LocalAnswers;
import org.keyline.gateway.session.command.PrepareCommand;
import org.keyline.gateway.session.command.PreparedStatements;
import org.keyline.gateway.session.command.QueryCommand;
import org.keyline.gateway.session.command.ReadAnswers;
import org.keyline.gateway.session.command.SessionCommands;
import org.keyline.gateway.session.command.StatementForwarder;
import org.keyline.gateway.session.command.StoreStatements;
import org.keyline.gateway.session.command.TransactionReads;
import org.keyline.gateway.session.command.Verification;
import org.keyline.gateway.session.local.GatewayStatements;
import org.keyline.gateway.session.relay.BorrowedSession;
import org.keyline.gateway.session.relay.Forwarding;
import org.keyline.gateway.session.relay.Relay;
import org.keyline.gateway.session.relay.StoreLink;
import org.keyline.gateway.session.settings.Binding;
import org.keyline.gateway.session.state.LoginAnswers;
import org.keyline.gateway.session.state.LoopParts;
import org.keyline.gateway.session.state.SessionState;
import org.keyline.gateway.share.UserShares;
import org.keyline.gateway.views.Clients;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.server.CommandHandler;
import org.keyline.protocol.server.Login;
import org.keyline.protocol.server.Peer;
import org.keyline.protocol.server.Reply;
import org.keyline.stores.Store;
import org.keyline.stores.StoreException;

/** Passes a client's commands to the classes that handle them. Confined to one event loop. */
final class Session implements CommandHandler {
    /** How long a read may continue after the client has closed its sending direction. */
    private static final long LEFT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    /**
     * The idle time after which a client gives its store session to one that waits. Without it, a
     * client would lose its store session between its login and its first statement.
     */
    private static final long WANTED_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Sessions sessions;
    private final SessionState state;
    private final Relay relay;
    private final BorrowedSession borrowed;
    private final Peer peer;
    private Clients.Client client;
    private UserShares.Share share;
    private final CommandCopy copy;
    private final PreparedStatements statements;
    private final StatementForwarder forwards;
    private final QueryCommand query;
    private final PrepareCommand preparer;
    private final ExecuteCommands executor;
    private final ConnectionCommands connection;
    private final Verification verification;
    private final TransactionReads transactions;
    private final LocalAnswers locals;
    private @Nullable Future<?> leaving;
    /** Whether the reply to the last command is incomplete. */
    private boolean inCommand;

    private @Nullable Future<?> resting;
    /** The address of the store's server when the store session was last released. */
    private @Nullable SocketAddress server;
    /** Whether the client's store session may be released and later replaced by another one. */
    private final boolean releases;
    /**
     * What bound the client to its store session at the last check; null if nothing bound it, or if
     * a command has arrived since the check. Read by any thread.
     */
    private volatile @Nullable Binding bound;

    Session(
            Sessions sessions,
            SessionState state,
            GatewayStatements own,
            Peer peer,
            UserShares.Share share,
            StoreLink link) {
        this.sessions = sessions;
        this.peer = peer;
        this.share = share;
        copy = new CommandCopy(peer.memory());
        this.state = state;
        LoopParts parts = state.parts();
        Store store = state.context().store();
        Login login = state.login();
        client = opened(login);
        Fencing fencing = parts.fencing().session();
        relay = new Relay(link, state.settings(), fencing, parts.reader()::now, login.capabilities(), store);
        borrowed = relay.borrowed();
        statements = new PreparedStatements(state.context().quota(), peer.memory());
        StoreStatements storeStatements = new StoreStatements(store, state.settings(), login.capabilities());
        SessionCommands shared = new SessionCommands(state, copy, statements, storeStatements, relay);
        forwards = new StatementForwarder(shared, fencing);
        transactions = new TransactionReads(shared);
        relay.internal().precededBy(transactions);
        relay.within(share);
        relay.late().learnsWith(parts.replies());
        ReadAnswers reads = new ReadAnswers(shared, forwards, transactions);
        verification = new Verification(shared, this::dispatch);
        locals = new LocalAnswers(shared, own, sessions.insight());
        query = new QueryCommand(shared, sessions.ids(), verification, reads, forwards, locals);
        preparer = new PrepareCommand(shared, verification, locals);
        executor = new ExecuteCommands(shared, verification, reads, forwards, locals);
        connection = new ConnectionCommands(shared, forwards, peer, this::becomes);
        bound = sessions.initialBinding(login);
        releases = bound == null;
        if (releases) {
            borrowed.releaseWhenIdle(this::another, storeStatements::counts, this::released);
            rest(sessions.idleNanos());
        }
        var unused = taken(link);
    }

    private Clients.Client opened(Login login) {
        return sessions.insight()
                .clients()
                .opened(login, peer, state.settings().catalog()::name, state::forwarding, this::storeSession);
    }

    // ---------------------------------------------------- the store session of an idle client

    private Clients.StoreSession storeSession() {
        Binding why = bound;
        return new Clients.StoreSession(!borrowed.isAway(), why == null ? null : why.sentence());
    }

    /** Schedules the next check of whether an idle client's store session can be released. */
    private void rest(long nanos) {
        resting = peer.loop().schedule(() -> peer.run(this::rest), nanos, TimeUnit.NANOSECONDS);
    }

    private void rest() {
        long idle = sessions.idleNanos();
        if (borrowed.isAway()) {
            rest(idle);
            return;
        }
        long left = idle - borrowed.idleNanos();
        if (inCommand || left > 0) {
            rest(Math.max(left, TimeUnit.MILLISECONDS.toNanos(1)));
            return;
        }
        look();
        rest(idle);
    }

    /** Releases the store session if nothing binds the client to it. */
    private void look() {
        Binding why = borrowed.binding();
        bound = why == null && statements.areAtStore(copy) ? Binding.HANDLE : why;
        if (bound == null) {
            borrowed.release(copy.isFound());
        }
    }

    private CompletionStage<StoreLink> another() {
        if (!Objects.equals(server, state.context().store().address())) {
            return CompletableFuture.failedFuture(new StoreException(ErrPacket.of(
                    ErrorCode.ER_CONNECT_TO_FOREIGN_DATA_SOURCE,
                    "The store has moved to another server; connect again")));
        }
        return sessions.link(state.login(), state.settings().schema(), false, peer)
                .thenApply(this::taken);
    }

    private StoreLink taken(StoreLink link) {
        link.onEnd(this::storeEnded);
        if (releases) {
            link.onWanted(() -> peer.loop().execute(() -> peer.run(this::isWanted)));
        }
        return link;
    }

    /** Called when another client of the same user waits for a store session. */
    private void isWanted() {
        if (!inCommand && !borrowed.isAway() && borrowed.idleNanos() >= WANTED_NANOS) {
            look();
        }
    }

    private void released() {
        server = state.context().store().address();
        sessions.ids().away(state.login().connectionId(), this::back);
    }

    /** Opens a store session if the client has none. May be called on any thread. */
    private CompletionStage<?> back() {
        return CompletableFuture.supplyAsync(borrowed::back, peer.loop()).thenCompose(opened -> opened);
    }

    // ---------------------------------------------------------------- commands

    /**
     * Returns a stage that completes with this session when it can accept commands. If the gateway
     * asks the store for settings at this login, the stage waits for the answer or the failure.
     *
     * @param logins the store's answers, shared by logins with the same properties; null if the
     * gateway does not ask the store at logins
     * @param known the store's answer for an equal login; null if there is none that is still valid
     */
    CompletionStage<CommandHandler> begun(LoginAnswers.@Nullable Logins logins, LoginAnswers.@Nullable Known known) {
        verification.begins(logins, known);
        if (known != null) {
            if (releases) {
                borrowed.beginsAway();
            }
            return CompletableFuture.completedFuture(this);
        }
        boolean asks = logins != null && logins.asks(releases);
        if (!asks && !locals.needsAccountAtLogin()) {
            return CompletableFuture.completedFuture(this);
        }
        return verification
                .beforeCommands()
                .handleAsync(
                        (received, failure) -> {
                            if (failure == null) {
                                verification.received(received);
                            }
                            return this;
                        },
                        peer.loop());
    }

    @Override
    public void command(ByteBuf payload, Reply reply) {
        state.context().metrics().command(code(payload));
        client.command();
        inCommand = true;
        if (releases && bound != null) {
            bound = null;
        }
        if (state.isLong(payload)) {
            dispatchLong(payload, reply);
        } else {
            dispatch(payload, reply);
        }
    }

    @Override
    public void ahead(ByteBuf payload) {
        switch (code(payload)) {
            case CommandCode.COM_STMT_EXECUTE -> executor.ahead(payload);
            case CommandCode.COM_QUERY -> query.ahead(payload);
            default -> {}
        }
    }

    @Override
    public void answered() {
        inCommand = false;
        if (!copy.rest()) {
            peer.closeConnection();
        }
    }

    @Override
    public boolean inTransaction() {
        return (relay.status() & ServerStatus.SERVER_STATUS_IN_TRANS) != 0;
    }

    private static int code(ByteBuf payload) {
        return payload.getUnsignedByte(payload.readerIndex());
    }

    private void dispatch(ByteBuf payload, Reply reply) {
        switch (code(payload)) {
            case CommandCode.COM_QUERY -> query.query(payload, reply);
            case CommandCode.COM_STMT_EXECUTE -> executor.execute(payload, reply);
            case CommandCode.COM_STMT_PREPARE -> preparer.prepare(payload, reply);
            case CommandCode.COM_STMT_CLOSE -> executor.close(payload, reply);
            case CommandCode.COM_STMT_RESET -> executor.reset(payload, reply);
            case CommandCode.COM_STMT_FETCH -> executor.fetch(payload, reply);
            case CommandCode.COM_STMT_SEND_LONG_DATA -> executor.sendLongData(payload, reply);
            case CommandCode.COM_STMT_BULK_EXECUTE -> executor.executeBulk(payload, reply);
            case CommandCode.COM_INIT_DB -> connection.initDb(payload, reply);
            case CommandCode.COM_RESET_CONNECTION -> connection.resetConnection(payload, reply);
            case CommandCode.COM_CHANGE_USER -> connection.changeUser(payload, reply);
            case CommandCode.COM_SET_OPTION -> connection.setOption(payload, reply);
            case CommandCode.COM_PING,
                    CommandCode.COM_STATISTICS,
                    CommandCode.COM_FIELD_LIST,
                    CommandCode.COM_PROCESS_INFO,
                    CommandCode.COM_PROCESS_KILL -> connection.pass(payload, reply);
            default -> connection.other(code(payload), payload, reply);
        }
    }

    /** Handles the first packet of a command over 16 MiB. Only statements are that long. */
    private void dispatchLong(ByteBuf payload, Reply reply) {
        copy.keep(payload);
        copy.forgetAnswered();
        switch (code(payload)) {
            case CommandCode.COM_QUERY -> query.queryLong(payload, reply);
            case CommandCode.COM_STMT_PREPARE -> preparer.prepareLong(reply);
            case CommandCode.COM_STMT_EXECUTE -> executor.executeLong(payload, reply);
            case CommandCode.COM_STMT_BULK_EXECUTE -> executor.executeBulk(payload, reply);
            case CommandCode.COM_STMT_SEND_LONG_DATA -> executor.sendLongData(payload, reply);
            default -> Forwarding.refuse(ErrPacket.of(ErrorCode.ER_NET_PACKET_TOO_LARGE), true, reply);
        }
    }

    /** Changes the session's user. Returns false if the new user has too many sessions. */
    private boolean becomes(String user) {
        if (user.equals(share.user())) {
            return true;
        }
        UserShares.Share next = sessions.shares().open(user);
        if (next == null) {
            return false;
        }
        share.close();
        share = next;
        relay.within(next);
        return true;
    }

    @Override
    public void changeUser(Login next, Reply reply) {
        state.context().metrics().command(CommandCode.COM_CHANGE_USER);
        inCommand = true;
        if (!becomes(next.user())) {
            reply.error(sessions.shares().refusal(next.user()));
            reply.end();
            reply.closeConnection();
            return;
        }
        // The reply waits for the end of the old store session, so that its locks and uncommitted
        // rows are gone when the client continues.
        borrowed.endState().whenComplete((ended, failure) -> reply.run(() -> linkAs(next, reply)));
    }

    private void linkAs(Login next, Reply reply) {
        if (borrowed.isClosed()) {
            // The client has disconnected.
            return;
        }
        statements.clear();
        copy.forgetAnswered();
        sessions.link(next, next.database(), false, reply)
                .whenComplete((link, failure) -> reply.run(() -> {
                    if (failure != null) {
                        reply.error(Sessions.errorOf(failure));
                        reply.end();
                        reply.closeConnection();
                        return;
                    }
                    if (borrowed.isClosed()) {
                        link.close(false);
                        return;
                    }
                    state.login(next);
                    client = opened(next);
                    borrowed.replaceLink(taken(link));
                    borrowed.restoreOption(reply, () -> {
                        reply.ok(OkPacket.of(relay.status()));
                        reply.end();
                    });
                }));
    }

    /** Called when the store has closed the session. An idle client may stay connected. */
    private void storeEnded() {
        // The store may reuse the id, and a KILL of this client must not reach the new session.
        sessions.ids().closed(state.login().connectionId());
        if (state.context().store().isRemote() && borrowed.becomesOrphan()) {
            state.context().orphaned().add(peer);
        } else {
            peer.closeConnection();
        }
    }

    /*
     * The client may have disconnected, or it may have closed only its sending direction and still
     * read. So the gateway still sends replies that come soon. It stops a read that takes longer,
     * as MariaDB would.
     */
    @Override
    public void inputEnded() {
        leaving = peer.loop().schedule(() -> peer.run(this::endIfReading), LEFT_NANOS / 2, TimeUnit.NANOSECONDS);
    }

    private void endIfReading() {
        if (relay.isReading(LEFT_NANOS)) {
            peer.closeConnection();
        } else {
            inputEnded();
        }
    }

    @Override
    public void closed() {
        cancel(leaving);
        cancel(resting);
        if (!relay.outlivesClient(this::end)) {
            end();
        }
    }

    private static void cancel(@Nullable Future<?> task) {
        if (task != null) {
            task.cancel(false);
        }
    }

    private void end() {
        state.context().orphaned().remove(peer);
        sessions.insight().clients().closed(state.login().connectionId());
        forwards.codeChanged();
        verification.closed();
        transactions.closed();
        sessions.ids().closed(state.login().connectionId());
        statements.clear();
        locals.closed();
        borrowed.close();
        share.close();
    }
}
