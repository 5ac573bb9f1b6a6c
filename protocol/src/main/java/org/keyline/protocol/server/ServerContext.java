package org.keyline.protocol.server;

import static java.util.Objects.requireNonNull;

import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.keyline.protocol.auth.ServerAuthenticator;

/** The shared state of all connections of one server. Thread-safe. */
public final class ServerContext {
    private volatile ServerOptions options;
    private final Logins logins;
    private final SessionFactory sessions;
    private final ServerListener listener;
    private final Executor passwordWork;
    private final AtomicInteger leaving = new AtomicInteger();
    private final Newcomers newcomers = new Newcomers(System::nanoTime);
    private final ConcurrentHashMap<EventExecutor, LoopShare> shares = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<EventExecutor, Round> rounds = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<EventExecutor, ReadShare> reads = new ConcurrentHashMap<>();

    public ServerContext(
            ServerOptions options,
            ServerAuthenticator authenticator,
            Accounts accounts,
            SessionFactory sessions,
            ServerListener listener,
            Executor passwordWork) {
        this(options, new Logins.Local(authenticator, accounts), sessions, listener, passwordWork);
    }

    ServerContext(
            ServerOptions options,
            Logins logins,
            SessionFactory sessions,
            ServerListener listener,
            Executor passwordWork) {
        this.options = requireNonNull(options, "options is null");
        this.logins = requireNonNull(logins, "logins is null");
        this.sessions = requireNonNull(sessions, "sessions is null");
        this.listener = requireNonNull(listener, "listener is null");
        this.passwordWork = requireNonNull(passwordWork, "passwordWork is null");
    }

    ServerOptions options() {
        return options;
    }

    void options(ServerOptions next) {
        options = next;
    }

    Logins logins() {
        return logins;
    }

    SessionFactory sessions() {
        return sessions;
    }

    ServerListener listener() {
        return listener;
    }

    Newcomers newcomers() {
        return newcomers;
    }

    LoopShare share(EventExecutor loop) {
        return shares.computeIfAbsent(loop, LoopShare::of);
    }

    Round round(EventExecutor loop) {
        return rounds.computeIfAbsent(loop, Round::new);
    }

    ReadShare reads(EventExecutor loop) {
        return reads.computeIfAbsent(loop, ReadShare::new);
    }

    Executor passwordWork() {
        return passwordWork;
    }

    /** Returns the number of abandoned logins that are being completed at the upstream server. */
    AtomicInteger leaving() {
        return leaving;
    }
}
