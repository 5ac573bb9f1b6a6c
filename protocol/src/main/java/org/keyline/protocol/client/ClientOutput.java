package org.keyline.protocol.client;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.compression.CompressedProtocol;

/** One connection's outgoing packets; what is sent from within a read batch leaves by one flush. Confined to the event loop. */
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

    /** From here on nothing is flushed by itself. */
    void hold() {
        held = true;
    }

    void release() {
        held = false;
    }

    /** Flushes what was written while held. */
    void flush() {
        if (written) {
            written = false;
            channel.flush();
        }
    }

    /** What is written next is a command, not the rest of one, and no answer. */
    void beginCommand() {
        if (compression != null) {
            compression.beginCommand();
        }
    }

    /** Writes a payload as a packet or several; returns the sequence id behind. */
    int write(ByteBuf payload, int sequenceId) {
        ByteBuf out = channel.alloc().buffer(Packets.HEADER_BYTES + payload.readableBytes());
        int next = Packets.write(out, payload, sequenceId);
        write(out);
        return next;
    }

    /** Writes one wire packet, whatever follows it; returns the sequence id behind. */
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

    /** The channel takes more, or is gone. */
    void becameWritable() {
        Runnable task = whenWritable;
        if (task != null) {
            whenWritable = null;
            task.run();
        }
    }
}
