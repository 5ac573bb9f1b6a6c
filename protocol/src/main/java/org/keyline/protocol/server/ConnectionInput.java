package org.keyline.protocol.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelPipeline;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One connection's bytes that were read and not yet looked at, in the buffers they came in. Past a bound the channel
 * reads no more until half of it is used up, so the client's next bytes wait in the kernel; a client that waits for its
 * answers never comes near it. One that sends much more than that is made to rest, too ({@link ReadShare}). Confined to the event loop.
 */
final class ConnectionInput {
    /** Capacity of waiting buffers, beyond the one in hand, at which reading stops. */
    static final int MAX_WAITING_BYTES = 64 * 1024;

    private final Channel channel;
    private final ArrayDeque<ByteBuf> waiting = new ArrayDeque<>(4);
    private @Nullable ByteBuf current;
    private long waitingBytes;
    private final ReadShare share;
    private final Executor guarded;
    private boolean paused;
    private boolean resting;

    /** @param guarded runs a step of the connection's; whatever it throws ends the connection */
    ConnectionInput(Channel channel, ReadShare share, Executor guarded) {
        this.channel = channel;
        this.share = share;
        this.guarded = guarded;
    }

    /** Bytes came in, whatever becomes of them. */
    void arrived(int bytes) {
        share.read(this, bytes);
    }

    /** Takes a buffer over. */
    void add(ByteBuf bytes) {
        if (current == null) {
            current = bytes;
        } else {
            waiting.add(bytes);
            waitingBytes += bytes.capacity();
        }
    }

    /** Memory taken by all that waits. */
    long heldBytes() {
        return current == null ? 0 : waitingBytes + current.capacity();
    }

    /** Lets go of buffers that were looked at to their end, though a command that they ended in is still in hand. */
    void dropRead() {
        while (current != null && !current.isReadable()) {
            advance();
        }
    }

    /** The buffer in hand, or null. */
    @Nullable
    ByteBuf current() {
        return current;
    }

    /** Ends the use of the buffer in hand. */
    void advance() {
        ByteBuf used = take();
        if (used != null) {
            used.release();
        }
    }

    /** Gives the buffer in hand away. */
    @Nullable
    ByteBuf take() {
        ByteBuf taken = current;
        current = waiting.poll();
        if (current != null) {
            waitingBytes -= current.capacity();
        }
        return taken;
    }

    /** Puts a handler under the connection. What has come in is for it: back to the head, never to the framer. */
    void insert(ChannelPipeline pipeline, ChannelHandler first) {
        pipeline.addFirst(first);
        boolean any = current != null;
        for (ByteBuf rest = take(); rest != null; rest = take()) {
            pipeline.fireChannelRead(rest);
        }
        if (any) {
            // The loop's own end of the read may have been before: what the handler answers leaves with this one.
            pipeline.fireChannelReadComplete();
        }
    }

    /** Stops or resumes reading as the bound says. */
    void regulate() {
        if (!paused && waitingBytes > MAX_WAITING_BYTES) {
            paused = true;
            steer();
        } else if (paused && waitingBytes <= MAX_WAITING_BYTES / 2) {
            paused = false;
            steer();
        }
    }

    /** Reads no more until {@link #endRest}; false if it does not anyway. */
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
        // One that is closed is about to be told so. Its file descriptor may be another connection's by now, which must
        // not be touched.
        if (channel.isOpen()) {
            channel.config().setAutoRead(!paused && !resting);
        }
    }

    /** Drops everything. */
    void release() {
        while (current != null) {
            advance();
        }
    }
}
