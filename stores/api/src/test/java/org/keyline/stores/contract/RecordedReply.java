package org.keyline.stores.contract;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.keyline.protocol.fixtures.Wire;
import org.keyline.stores.ReplyListener;

/**
 * Receives one reply, and records violations of the contract of {@link ReplyListener}. Confined to
 * the loop, except where a method is thread-safe.
 */
final class RecordedReply implements ReplyListener {
    private final EventLoop loop;
    private final Runnable onFirstPackets;
    private final List<Wire.Packet> packets = new ArrayList<>();
    private final Queue<String> faults = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<List<Wire.Packet>> ended = new CompletableFuture<>();
    private volatile long bytes;

    RecordedReply(EventLoop loop, Runnable onFirstPackets) {
        this.loop = loop;
        this.onFirstPackets = onFirstPackets;
    }

    /** Returns the packets when the reply has ended; fails if the session was lost. Thread-safe. */
    CompletableFuture<List<Wire.Packet>> ended() {
        return ended;
    }

    /** Returns the bytes received until now. Thread-safe. */
    long bytes() {
        return bytes;
    }

    /** Returns the violations of the contract by the session. Thread-safe. */
    List<String> faults() {
        return List.copyOf(faults);
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // the loop alone writes
    public void packets(ByteBuf framed) {
        byte[] chunk = ByteBufUtil.getBytes(framed);
        framed.release();
        expectRunning("packets");
        boolean first = packets.isEmpty();
        bytes += chunk.length;
        try {
            for (Wire.Packet packet : Wire.packets(Unpooled.wrappedBuffer(chunk))) {
                int expected = packets.size() + 1 & 0xFF;
                if (packet.sequenceId() != expected) {
                    faults.add("sequence id " + packet.sequenceId() + " (expected: " + expected + ")");
                }
                packets.add(packet);
            }
        } catch (IndexOutOfBoundsException e) {
            faults.add("a packet was cut: " + e.getMessage());
        }
        if (first) {
            onFirstPackets.run();
        }
    }

    @Override
    public void end() {
        expectRunning("end");
        ended.complete(packets);
    }

    @Override
    public void lost(Throwable cause) {
        expectRunning("lost");
        ended.completeExceptionally(cause);
    }

    private void expectRunning(String call) {
        if (!loop.inEventLoop()) {
            faults.add(call + " on " + Thread.currentThread().getName());
        }
        if (ended.isDone()) {
            faults.add(call + " behind the end of the reply");
        }
    }
}
