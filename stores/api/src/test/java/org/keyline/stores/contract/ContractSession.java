package org.keyline.stores.contract;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.fixtures.Wire;
import org.keyline.stores.SessionIdentity;
import org.keyline.stores.Store;
import org.keyline.stores.StoreSession;
import org.keyline.stores.StoreThread;

/**
 * A store session that a test controls from its own thread. Each wait ends after a minute at most.
 */
final class ContractSession implements AutoCloseable {
    private final EventLoop loop;
    private final SessionIdentity identity;
    private final StoreSession session;
    private final AtomicInteger ends;
    private final Queue<RecordedReply> replies = new ConcurrentLinkedQueue<>();

    private ContractSession(EventLoop loop, SessionIdentity identity, StoreSession session, AtomicInteger ends) {
        this.loop = loop;
        this.identity = identity;
        this.session = session;
        this.ends = ends;
    }

    /** @throws ExecutionException if the store refuses, with its error */
    static ContractSession open(Store store, SessionIdentity identity, EventLoop loop) throws Exception {
        AtomicInteger ends = new AtomicInteger();
        Runnable onClosed = () -> ends.addAndGet(loop.inEventLoop() ? 1 : 1_000);
        CompletableFuture<ContractSession> opened = new CompletableFuture<>();
        loop.execute(() -> store.open(identity, loop, onClosed).whenComplete((session, refused) -> {
            if (session == null) {
                opened.completeExceptionally(refused);
            } else if (loop.inEventLoop()) {
                opened.complete(new ContractSession(loop, identity, session, ends));
            } else {
                opened.completeExceptionally(
                        new AssertionError("opened on " + Thread.currentThread().getName()));
            }
        }));
        return opened.get(1, MINUTES);
    }

    /**
     * Returns how often the session ended by itself; each notification on another thread counts a
     * thousand more.
     */
    int ends() {
        return ends.get();
    }

    /** Returns the id that KILL accepts. */
    int id() throws Exception {
        return onLoop(() -> {
            StoreThread thread = session.thread();
            return thread == null ? identity.connectionId() : thread.id();
        });
    }

    <T> T onLoop(Callable<T> task) throws ExecutionException, InterruptedException, TimeoutException {
        return loop.submit(task).get(1, MINUTES);
    }

    StoreSession session() {
        return session;
    }

    /**
     * Sends a command. The buffer is overwritten as soon as the store has returned, because it was
     * only borrowed.
     */
    RecordedReply send(int command, byte[] rest, Runnable onFirstPackets) throws Exception {
        return onLoop(() -> sendNow(command, rest, onFirstPackets));
    }

    /** Sends a command likewise, on the loop. */
    RecordedReply sendNow(int command, byte[] rest, Runnable onFirstPackets) {
        RecordedReply reply = new RecordedReply(loop, onFirstPackets);
        replies.add(reply);
        ByteBuf payload = Unpooled.buffer(rest.length + 1).writeByte(command).writeBytes(rest);
        session.send(payload, reply);
        payload.setZero(0, rest.length + 1);
        payload.release();
        return reply;
    }

    Answer answer(RecordedReply reply) throws Exception {
        List<Wire.Packet> packets = reply.ended().get(1, MINUTES);
        return new Answer(packets, Capabilities.has(identity.capabilities(), Capabilities.CLIENT_DEPRECATE_EOF));
    }

    Answer command(int command, byte[] rest) throws Exception {
        return answer(send(command, rest, () -> {}));
    }

    Answer query(String sql) throws Exception {
        return command(CommandCode.COM_QUERY, sql.getBytes(StandardCharsets.UTF_8));
    }

    /** Closes the session; fails if one of its replies violated the contract. */
    @Override
    public void close() {
        assertThat(loop.submit(session::close).awaitUninterruptibly(1, MINUTES)).isTrue();
        for (RecordedReply reply : replies) {
            assertThat(reply.faults()).isEmpty();
        }
    }
}
