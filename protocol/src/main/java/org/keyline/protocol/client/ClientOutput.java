package org.keyline.protocol.client;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.compression.CompressedProtocol;

/** Writes one connection's packets, with one flush per read of the socket. Confined to the loop. */
final class ClientOutput {
    private final Channel channel;
    private final @Nullable CompressedProtocol compression;
    private boolean held;
    private boolean written;
    private @Nullable Runnable whenWritable;

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

    void beginCommand() {
        if (compression != null) {
            compression.beginCommand();
        }
    }

    /** Writes a payload, in several packets from 16 MiB on. Returns the next sequence id. */
    int write(ByteBuf payload, int sequenceId) {
        ByteBuf out = channel.alloc().buffer(Packets.HEADER_BYTES + payload.readableBytes());
        int next = Packets.write(out, payload, sequenceId);
        write(out);
        return next;
    }

    /** Writes one packet. Returns the next sequence id. */
    int writePacket(ByteBuf payload, int sequenceId) {
        int length = payload.readableBytes();
        if (length > Packets.MAX_PAYLOAD_BYTES) {
            throw new IllegalArgumentException("packet: " + length + " bytes (expected: <= 16777215)");
        }
        ByteBuf out = channel.alloc().buffer(Packets.HEADER_BYTES + length);
        write(out.writeIntLE(length | sequenceId << 24).writeBytes(payload, payload.readerIndex(), length));
        return Packets.next(sequenceId);
    }

    private void write(ByteBuf packets) {
        var unused = channel.write(packets, channel.voidPromise());
        if (held) {
            written = true;
        } else {
            channel.flush();
        }
    }

    void onWritable(Runnable task) {
        if (channel.isWritable()) {
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
