package org.keyline.protocol.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.channel.Channel;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.compression.CompressedProtocol;

/**
 * Writes one connection's packets, with one flush per read of the socket. Can defer commands until
 * the replies to earlier commands have ended. Confined to the loop.
 */
final class ClientOutput {
    /** While deferred commands have more bytes, the sender of a large command waits. */
    private static final int MAX_DEFERRED_BYTES = 1 << 20;

    private final Channel channel;
    private final @Nullable CompressedProtocol compression;
    private boolean held;
    private boolean written;
    private @Nullable Runnable whenWritable;
    private final ArrayDeque<CompositeByteBuf> deferred = new ArrayDeque<>();
    private int deferredBytes;
    /** The last deferred command; null if the command that is being written is not deferred. */
    private @Nullable CompositeByteBuf command;

    ClientOutput(Channel channel, @Nullable CompressedProtocol compression) {
        this.channel = channel;
        this.compression = compression;
    }

    /** Suspends flushing until {@link #release}. Returns whether flushing was already suspended. */
    boolean hold() {
        boolean before = held;
        held = true;
        return before;
    }

    void release() {
        held = false;
    }

    void flush() {
        if (written) {
            written = false;
            channel.flush();
        }
    }

    /** @param later whether {@link #sendDeferred} sends the command */
    void beginCommand(boolean later) {
        if (later) {
            command = channel.alloc().compositeBuffer();
            deferred.add(command);
        } else {
            command = null;
            restartIds();
        }
    }

    private void restartIds() {
        if (compression != null) {
            compression.beginCommand();
        }
    }

    /** Sends the first deferred command. The rest of an incomplete command is then sent at once. */
    void sendDeferred() {
        CompositeByteBuf next = deferred.remove();
        if (deferred.isEmpty()) {
            command = null;
        }
        deferredBytes -= next.readableBytes();
        restartIds();
        send(next);
        if (isWritable()) {
            becameWritable();
        }
    }

    void discard() {
        deferred.forEach(CompositeByteBuf::release);
        deferred.clear();
        deferredBytes = 0;
        command = null;
    }

    /** Writes a payload, in several packets from 16 MiB on. Returns the next sequence id. */
    int write(ByteBuf payload, int sequenceId) {
        ByteBuf out = channel.alloc().buffer(Packets.HEADER_BYTES + payload.readableBytes());
        int next = Packets.write(out, payload, sequenceId);
        write(out);
        return next;
    }

    /** Writes one packet of a command. Returns the next sequence id. */
    int writePacket(ByteBuf payload, int sequenceId) {
        write(packet(payload, sequenceId));
        return Packets.next(sequenceId);
    }

    /** Writes a packet that the server awaits within a reply. Returns the next sequence id. */
    int writeAnswer(ByteBuf payload, int sequenceId) {
        send(packet(payload, sequenceId));
        return Packets.next(sequenceId);
    }

    private ByteBuf packet(ByteBuf payload, int sequenceId) {
        int length = payload.readableBytes();
        if (length > Packets.MAX_PAYLOAD_BYTES) {
            throw new IllegalArgumentException("packet: " + length + " bytes (expected: <= 16777215)");
        }
        ByteBuf out = channel.alloc().buffer(Packets.HEADER_BYTES + length);
        return out.writeIntLE(length | sequenceId << 24).writeBytes(payload, payload.readerIndex(), length);
    }

    private void write(ByteBuf packets) {
        CompositeByteBuf later = command;
        if (later == null) {
            send(packets);
        } else {
            deferredBytes += packets.readableBytes();
            later.addComponent(true, packets);
            // The command before was possibly buffered to be flushed with this one.
            flushUnlessHeld();
        }
    }

    private void send(ByteBuf packets) {
        var unused = channel.write(packets, channel.voidPromise());
        flushUnlessHeld();
    }

    private void flushUnlessHeld() {
        if (held) {
            written = true;
        } else {
            channel.flush();
        }
    }

    boolean isWritable() {
        return channel.isWritable() && deferredBytes <= MAX_DEFERRED_BYTES;
    }

    void onWritable(Runnable task) {
        if (isWritable()) {
            task.run();
        } else {
            Runnable earlier = whenWritable;
            whenWritable = earlier == null
                    ? task
                    : () -> {
                        earlier.run();
                        task.run();
                    };
        }
    }

    /** Runs the waiting task. Call when the channel is writable again, or is closed. */
    void becameWritable() {
        Runnable task = whenWritable;
        if (task != null) {
            whenWritable = null;
            task.run();
        }
    }
}
