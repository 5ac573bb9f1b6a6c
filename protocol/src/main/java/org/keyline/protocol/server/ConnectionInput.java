package org.keyline.protocol.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelPipeline;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.transport.PausedInput;

/**
 * The unprocessed bytes of one connection, in the buffers in which they arrived. Above a limit, the
 * channel stops reading, so that the client's next bytes wait in the kernel. Only a client that
 * pipelines commands can exceed the limit. Confined to the event loop.
 */
final class ConnectionInput {
    static final int MAX_WAITING_BYTES = 64 * 1024;

    private final Channel channel;
    private final ArrayDeque<ByteBuf> waiting = new ArrayDeque<>(4);
    private @Nullable ByteBuf current;
    private long waitingBytes;
    private final ReadShare share;
    private final Executor guarded;
    private boolean paused;
    private boolean resting;

    ConnectionInput(Channel channel, ReadShare share, Executor guarded) {
        this.channel = channel;
        this.share = share;
        this.guarded = guarded;
    }

    void arrived(int bytes) {
        share.read(this, bytes);
    }

    /** Takes the ownership of {@code bytes}. */
    void add(ByteBuf bytes) {
        if (current == null) {
            current = bytes;
        } else {
            waiting.add(bytes);
            waitingBytes += bytes.capacity();
        }
    }

    long heldBytes() {
        return current == null ? 0 : waitingBytes + current.capacity();
    }

    /** Releases buffers that were read completely, even if their last command is still pending. */
    void dropRead() {
        while (current != null && !current.isReadable()) {
            advance();
        }
    }

    @Nullable
    ByteBuf current() {
        return current;
    }

    void advance() {
        ByteBuf used = take();
        if (used != null) {
            used.release();
        }
    }

    /** Returns the current buffer, which the caller then owns; null if no input waits. */
    @Nullable
    ByteBuf take() {
        ByteBuf taken = current;
        current = waiting.poll();
        if (current != null) {
            waitingBytes -= current.capacity();
        }
        return taken;
    }

    /** Inserts {@code first} at the head of the pipeline, and passes the buffered input to it. */
    void insert(ChannelPipeline pipeline, ChannelHandler first) {
        pipeline.addFirst(first);
        boolean any = current != null;
        for (ByteBuf rest = take(); rest != null; rest = take()) {
            pipeline.fireChannelRead(rest);
        }
        if (any) {
            // The loop's own read-complete event has possibly passed already, so this event flushes
            // the handler's output.
            pipeline.fireChannelReadComplete();
        }
    }

    void regulate() {
        if (!paused && waitingBytes > MAX_WAITING_BYTES) {
            paused = true;
            steer();
        } else if (paused && waitingBytes <= MAX_WAITING_BYTES / 2) {
            paused = false;
            steer();
        }
    }

    /** Stops reading until {@link #endRest}. Returns false if an earlier call has done so. */
    boolean rest() {
        if (resting) {
            return false;
        }
        resting = true;
        steer();
        return true;
    }

    void endRest() {
        resting = false;
        guarded.execute(this::steer);
    }

    private void steer() {
        // The file descriptor of a closed channel can already belong to another connection, which
        // must not be affected.
        if (channel.isOpen()) {
            if (paused || resting) {
                channel.config().setAutoRead(false);
            } else {
                PausedInput.resume(channel);
            }
        }
    }

    void release() {
        while (current != null) {
            advance();
        }
    }
}
