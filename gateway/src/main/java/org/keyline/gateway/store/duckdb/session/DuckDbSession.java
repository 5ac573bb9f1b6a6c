package org.keyline.gateway.store.duckdb.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.store.ReplyListener;
import org.keyline.gateway.store.SessionIdentity;
import org.keyline.gateway.store.StoreSession;
import org.keyline.gateway.store.duckdb.engine.Errors;
import org.keyline.gateway.store.duckdb.reply.ReplyFlow;
import org.keyline.gateway.store.duckdb.reply.ReplyWriter;
import org.keyline.planner.StatementRefusedException;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ServerStatus;

/**
 * One session of the embedded store. Confined to its event loop, except for what other sessions may do to it (KILL) and what its
 * running command does on a worker; a command is handed over whole, so the two never touch the same state at the same time.
 */
public final class DuckDbSession implements StoreSession, Sessions.Member, CommandRun.Host {
    private final SessionState state;
    private final PreparedStatements statements;
    private final EventLoop loop;
    private final Runnable onClosed;
    private final ReplyFlow flow = new ReplyFlow();
    private final AtomicReference<@Nullable StatementRefusedException> interrupt = new AtomicReference<>();

    @Nullable
    private ReplyListener listener;

    @Nullable
    private ScheduledFuture<?> deadline;

    @Nullable
    private volatile String shown;

    private volatile long since;
    private volatile boolean closed;
    private volatile @Nullable String shownDatabase;

    /** @throws StatementRefusedException 1049 where the identity's database does not exist */
    public DuckDbSession(StoreServices services, SessionIdentity identity, EventLoop loop, Runnable onClosed) {
        this.state = new SessionState(services, identity);
        this.statements = new PreparedStatements(state);
        this.loop = loop;
        this.onClosed = onClosed;
        this.since = services.clock().millis();
        this.shownDatabase = state.database();
        services.sessions().add(identity.connectionId(), this);
    }

    @Override
    public void send(ByteBuf payload, ReplyListener hearer) {
        if (listener != null) {
            throw new IllegalStateException("a command is under way");
        }
        if (closed) {
            hearer.lost(new IllegalStateException("the session is closed"));
            return;
        }
        listener = hearer;
        ReplyWriter out = new ReplyWriter(payload.alloc(), capabilities(), this::deliver);
        CommandRun run = new CommandRun(ByteBufUtil.getBytes(payload), state, statements, out, this);
        if (SimpleCommands.isQuick(payload.getByte(payload.readerIndex()))) {
            run.run();
        } else if (!services().workers().begin(run)) {
            out.error(new ErrPacket(1040, "08004", "Too many statements wait for the embedded store"));
            ended(run);
        }
    }

    @Override
    public int capabilities() {
        return state.identity().capabilities();
    }

    @Override
    public int initialStatus() {
        return ServerStatus.SERVER_STATUS_AUTOCOMMIT;
    }

    private StoreServices services() {
        return state.services();
    }

    /** On a worker: a chunk of the reply is full. */
    private void deliver(ByteBuf chunk) {
        flow.sent();
        loop.execute(() -> {
            ReplyListener hearer = listener;
            if (closed || hearer == null) {
                chunk.release();
            } else {
                hearer.packets(chunk);
            }
            flow.delivered();
        });
    }

    @Override
    public boolean parks(CommandRun run) {
        run.out().flush();
        return flow.park(() -> proceed(run));
    }

    @Override
    public void proceed(CommandRun run) {
        services().workers().proceed(run);
    }

    @Override
    public void ended(CommandRun run) {
        ByteBuf last = run.out().take();
        shownDatabase = state.database();
        since = services().clock().millis();
        if (loop.inEventLoop()) {
            tell(last);
        } else {
            loop.execute(() -> tell(last));
        }
    }

    private void tell(@Nullable ByteBuf last) {
        ReplyListener hearer = listener;
        listener = null;
        if (closed || hearer == null) {
            if (last != null) {
                last.release();
            }
            if (hearer != null) {
                hearer.lost(new IllegalStateException("the session was closed"));
            }
            services().workers().proceed(this::free);
            return;
        }
        if (last != null) {
            hearer.packets(last);
        }
        hearer.end();
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    @Nullable
    public StatementRefusedException takeInterrupt() {
        return interrupt.getAndSet(null);
    }

    @Override
    public void limit(long milliseconds) {
        loop.execute(() -> {
            ScheduledFuture<?> running = deadline;
            if (running != null) {
                running.cancel(false);
                deadline = null;
            }
            if (milliseconds > 0 && listener != null && !closed) {
                deadline = loop.schedule(() -> interrupt(Errors.timeout()), milliseconds, TimeUnit.MILLISECONDS);
            }
        });
    }

    private void interrupt(StatementRefusedException reason) {
        interrupt.compareAndSet(null, reason);
        state.interrupt();
        flow.release();
    }

    @Override
    public void shows(@Nullable String statement) {
        shown = statement;
    }

    @Override
    public void pause() {
        flow.pause();
    }

    @Override
    public void resume() {
        flow.resume();
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        services().sessions().remove(state.identity().connectionId(), this);
        if (listener == null) {
            services().workers().proceed(this::free);
        } else {
            state.interrupt();
            flow.release();
        }
    }

    /** On a worker: nothing runs any more. */
    private void free() {
        statements.closeAll();
        state.close();
    }

    @Override
    public Sessions.ProcessRow process() {
        SessionIdentity identity = state.identity();
        String statement = shown;
        return new Sessions.ProcessRow(
                identity.connectionId(),
                identity.user(),
                identity.host(),
                shownDatabase,
                statement == null ? "Sleep" : "Query",
                Math.max(0, (services().clock().millis() - since) / 1000),
                statement);
    }

    @Override
    public void killQuery() {
        if (shown != null) {
            interrupt(Errors.interrupted());
        }
    }

    @Override
    public void killConnection() {
        loop.execute(() -> {
            if (!closed) {
                close();
                onClosed.run();
            }
        });
    }
}
