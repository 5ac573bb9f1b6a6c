package org.keyline.stores.duckdb.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.codec.Packets;
import org.keyline.stores.ReplyListener;
import org.keyline.stores.SessionIdentity;
import org.keyline.stores.StoreSession;
import org.keyline.stores.duckdb.engine.Errors;
import org.keyline.stores.duckdb.engine.Workers;
import org.keyline.stores.duckdb.load.FileInbox;
import org.keyline.stores.duckdb.reply.ReplyFlow;
import org.keyline.stores.duckdb.reply.ReplyMemory;
import org.keyline.stores.duckdb.reply.ReplyWriter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A session of the embedded store. Confined to its event loop, except for KILL from other sessions
 * and for the running command, which a worker executes. Until the command ends, the loop uses
 * {@link DuckDbState} only for interrupts.
 */
public final class DuckDbSession implements StoreSession {
    private static final Logger LOG = LoggerFactory.getLogger(DuckDbSession.class);
    private static final long INTERRUPT_MILLIS = 100;

    private final DuckDbState state;
    private final SessionStatements statements;
    private final EventLoop loop;
    private final Runnable onClosed;
    private final ReplyFlow flow = new ReplyFlow();
    private final ReplyMemory memory;
    private final AtomicReference<@Nullable StatementRefusedException> interrupt = new AtomicReference<>();

    @Nullable
    private ReplyListener listener;

    @Nullable
    private ScheduledFuture<?> deadline;

    /** The task that interrupts the running command repeatedly until it ends. */
    @Nullable
    private ScheduledFuture<?> ending;

    @Nullable
    private volatile String shown;

    private volatile long since;
    private volatile @Nullable FileInbox inbox;
    private boolean pieceContinued;
    private volatile boolean closed;
    private volatile @Nullable String shownDatabase;

    /** @throws StatementRefusedException 1049 if the identity's database does not exist */
    public DuckDbSession(StoreServices services, SessionIdentity identity, EventLoop loop, Runnable onClosed) {
        this.state = new DuckDbState(services, identity);
        this.statements = new SessionStatements(state);
        this.memory = new ReplyMemory(identity.memory());
        this.loop = loop;
        this.onClosed = onClosed;
        this.since = services.clock().millis();
        this.shownDatabase = state.database();
        services.sessions().add(identity.connectionId(), this);
    }

    @Override
    public void send(ByteBuf payload, ReplyListener receiver) {
        if (listener != null) {
            throw new IllegalStateException("a command is in progress");
        }
        if (closed) {
            receiver.lost(new IllegalStateException("the session is closed"));
            return;
        }
        listener = receiver;
        ReplyWriter out = new ReplyWriter(payload.alloc(), capabilities(), memory, this::deliver);
        CommandRun run = new CommandRun(ByteBufUtil.getBytes(payload), state, statements, out, this);
        if (SimpleCommands.isQuick(payload.getByte(payload.readerIndex()))) {
            run.run();
        } else {
            proceed(run);
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

    /** Answers only DATABASE() and CURRENT_USER(). The gateway asks only MySQL servers for more. */
    @Override
    public CompletionStage<SessionAnswer> ask(List<String> asked, List<String> counts) {
        Map<String, @Nullable String> values = new HashMap<>();
        values.put("DATABASE()", shownDatabase);
        values.put("CURRENT_USER()", state.identity().user());
        return CompletableFuture.completedFuture(new SessionAnswer(Collections.unmodifiableMap(values), -1));
    }

    private StoreServices services() {
        return state.services();
    }

    /**
     * Passes a chunk of the reply to the loop. Called on a worker. The loop passes the chunk to the
     * client's connection, which accounts for the chunk's memory from then on.
     */
    private void deliver(ByteBuf chunk, long taken) {
        int bytes = chunk.readableBytes();
        flow.sent(bytes);
        boolean accepted = onLoop(() -> {
            ReplyListener receiver = listener;
            try {
                if (closed || receiver == null) {
                    chunk.release();
                } else {
                    receiver.packets(chunk);
                }
            } finally {
                memory.give(taken);
                flow.delivered(bytes);
            }
        });
        if (!accepted) {
            chunk.release();
            memory.give(taken);
            flow.delivered(bytes);
        }
    }

    /**
     * Runs a task on the loop. If the task throws, the session closes. Returns false if the gateway
     * has stopped.
     */
    private boolean onLoop(Runnable task) {
        try {
            loop.execute(() -> guarded(task));
            return true;
        } catch (RejectedExecutionException stopped) {
            return false;
        }
    }

    private void guarded(Runnable task) {
        try {
            task.run();
        } catch (Throwable bug) {
            LOG.error(
                    "Connection {}: its session in the embedded store failed because of an error in Keyline. The"
                            + " connection is closed and its transaction rolled back. Please report it.",
                    state.identity().connectionId(),
                    bug);
            // A running command notices at its end that the session is closed.
            close();
            onClosed.run();
        }
    }

    /** Sends the written packets. If the client reads slowly, waits for it. */
    void flush(CommandRun run) {
        run.out().flush();
        if (!flow.isOpen()) {
            Workers.waiting(flow::await);
        }
    }

    /** Sends the request for the client's file; returns the inbox that will receive it. */
    FileInbox asks(CommandRun run) {
        FileInbox file = new FileInbox(state.identity().memory());
        inbox = file;
        run.out().flush();
        boolean unused = onLoop(() -> {
            ReplyListener receiver = listener;
            pieceContinued = false;
            if (closed || receiver == null || !receiver.awaited()) {
                file.end();
            }
        });
        return file;
    }

    /**
     * Receives a packet of the requested file. A packet of 0xFFFFFF bytes continues in the next
     * packet. An empty packet that continues none ends the file.
     */
    @Override
    public void answer(ByteBuf packet) {
        FileInbox file = inbox;
        if (file == null) {
            return;
        }
        int bytes = packet.readableBytes();
        if (bytes == 0 && !pieceContinued) {
            file.end();
        } else {
            file.offer(ByteBufUtil.getBytes(packet));
        }
        pieceContinued = bytes == Packets.MAX_PAYLOAD_BYTES;
    }

    @Override
    public boolean writable() {
        FileInbox file = inbox;
        return file == null || !file.isFull();
    }

    @Override
    public void onWritable(Runnable task) {
        FileInbox file = inbox;
        if (file == null) {
            task.run();
        } else {
            file.onRoom(() -> {
                boolean unused = onLoop(task);
            });
        }
    }

    /** Continues the run on a worker. */
    void proceed(CommandRun run) {
        services().workers().run(run);
    }

    /** Sends the end of the reply. */
    void ended(CommandRun run) {
        ByteBuf last = run.out().take();
        run.out().close();
        shownDatabase = state.database();
        since = services().clock().millis();
        if (loop.inEventLoop()) {
            tell(last);
        } else if (!onLoop(() -> tell(last)) && last != null) {
            last.release();
        }
    }

    private void tell(@Nullable ByteBuf last) {
        ReplyListener receiver = listener;
        listener = null;
        inbox = null;
        cancel(ending);
        ending = null;
        interrupt.set(null);
        if (closed || receiver == null) {
            if (last != null) {
                last.release();
            }
            if (receiver != null) {
                receiver.lost(new IllegalStateException("the session was closed"));
            }
            services().workers().run(this::free);
            return;
        }
        if (last != null) {
            receiver.packets(last);
        }
        receiver.end();
    }

    boolean isClosed() {
        return closed;
    }

    /** Returns and clears the reason of the interrupt; null if the statement is not interrupted. */
    @Nullable
    StatementRefusedException takeInterrupt() {
        return interrupt.getAndSet(null);
    }

    /** Sets the time limit in milliseconds of the statement that now begins; 0 for no limit. */
    void limit(long milliseconds) {
        boolean unused = onLoop(() -> {
            cancel(deadline);
            deadline =
                    milliseconds > 0 && listener != null && !closed ? interrupts(Errors.timeout(), milliseconds) : null;
        });
    }

    /**
     * Schedules repeated interrupts of the running command. A single interrupt would have no effect
     * before or between statements of DuckDB, or while the command waits for other writes.
     */
    private ScheduledFuture<?> interrupts(StatementRefusedException reason, long afterMilliseconds) {
        return loop.scheduleAtFixedRate(
                () -> guarded(() -> interrupt(reason)), afterMilliseconds, INTERRUPT_MILLIS, TimeUnit.MILLISECONDS);
    }

    private static void cancel(@Nullable ScheduledFuture<?> task) {
        if (task != null) {
            task.cancel(false);
        }
    }

    /** Interrupts the running command, if any, until it ends. Called on the loop. */
    private void endCommand() {
        if (listener != null && ending == null) {
            ending = interrupts(Errors.interrupted(), 0);
        }
    }

    private void interrupt(StatementRefusedException reason) {
        interrupt.compareAndSet(null, reason);
        state.interrupt();
        flow.release();
        FileInbox file = inbox;
        if (file != null) {
            file.wake();
        }
    }

    void shows(@Nullable String statement) {
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
            services().workers().run(this::free);
        } else {
            endCommand();
        }
    }

    /** Releases the session, on a worker. No command may be running. */
    private void free() {
        statements.closeAll();
        state.close();
    }

    /** Returns this session's row of PROCESSLIST. */
    List<@Nullable Object> process() {
        SessionIdentity identity = state.identity();
        String statement = shown;
        return Arrays.<@Nullable Object>asList(
                Integer.toUnsignedLong(identity.connectionId()),
                identity.user(),
                identity.host(),
                shownDatabase,
                statement == null ? "Sleep" : "Query",
                (int) Math.max(0, (services().clock().millis() - since) / 1000),
                "",
                statement);
    }

    void killQuery() {
        if (shown != null) {
            // Set on the killing session's thread, so that it takes effect before the reply to
            // KILL.
            interrupt.compareAndSet(null, Errors.interrupted());
        }
        boolean unused = onLoop(() -> {
            if (shown != null) {
                endCommand();
            }
        });
    }

    void killConnection() {
        boolean unused = onLoop(() -> {
            if (!closed) {
                close();
                onClosed.run();
            }
        });
    }
}
