package org.keyline.protocol.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.EofPacket;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.memory.MemoryAccount;

/** The {@link Reply} of a connection, reused for every command. Confined to the event loop. */
final class CommandReply implements Reply {
    private final ServerConnection connection;
    private final ChannelHandlerContext ctx;
    private final ConnectionOutput output;
    private final FollowingPackets following;
    private int connectionId;
    private int capabilities;
    private boolean pending;
    private boolean dead;
    private @Nullable Runnable whenWritable;

    CommandReply(
            ServerConnection connection,
            ChannelHandlerContext ctx,
            ConnectionOutput output,
            FollowingPackets following,
            int connectionId) {
        this.connection = connection;
        this.ctx = ctx;
        this.output = output;
        this.following = following;
        this.connectionId = connectionId;
    }

    void begin(int sequenceId) {
        output.begin(sequenceId);
        pending = true;
    }

    boolean pending() {
        return pending;
    }

    /** Discards all further output. */
    void die() {
        dead = true;
        pending = false;
        whenWritable = null;
    }

    void connectionId(int id) {
        connectionId = id;
    }

    void negotiated(int flags) {
        capabilities = flags;
    }

    void becameWritable() {
        Runnable task = whenWritable;
        if (task != null) {
            whenWritable = null;
            task.run();
        }
    }

    @Override
    public int connectionId() {
        return connectionId;
    }

    @Override
    public int capabilities() {
        return capabilities;
    }

    @Override
    public EventLoop loop() {
        return ctx.channel().eventLoop();
    }

    @Override
    public ByteBufAllocator alloc() {
        return ctx.alloc();
    }

    @Override
    public MemoryAccount memory() {
        return connection.memory();
    }

    @Override
    public void run(Runnable step) {
        if (loop().inEventLoop()) {
            connection.run(step);
        } else {
            loop().execute(() -> connection.run(step));
        }
    }

    @Override
    public void closeConnection() {
        run(connection::closeAfterFlush);
    }

    @Override
    public ByteBuf out() {
        return open() ? output.buffer() : ConnectionOutput.nowhere();
    }

    @Override
    public void appended(int nextSequenceId) {
        if (open()) {
            output.appended(nextSequenceId);
        }
    }

    @Override
    public int nextSequenceId() {
        return open() ? output.nextId() : 1;
    }

    @Override
    public void ok(OkPacket ok) {
        if (open()) {
            int begin = output.beginPacket();
            ok.encode(output.buffer());
            endPacket(begin);
        }
    }

    @Override
    public void error(ErrPacket error) {
        if (open()) {
            int begin = output.beginPacket();
            error.encode(output.buffer());
            endPacket(begin);
        }
    }

    @Override
    public void endOfColumns(int status, int warnings) {
        if (!Capabilities.has(capabilities, Capabilities.CLIENT_DEPRECATE_EOF)) {
            eof(status, warnings);
        }
    }

    @Override
    public void eof(int status, int warnings) {
        if (open()) {
            int begin = output.beginPacket();
            if (Capabilities.has(capabilities, Capabilities.CLIENT_DEPRECATE_EOF)) {
                new OkPacket(0, 0, status, warnings).encode(output.buffer(), OkPacket.HEADER_AS_EOF);
            } else {
                new EofPacket(status, warnings).encode(output.buffer());
            }
            endPacket(begin);
        }
    }

    @Override
    public void packet(ByteBuf payload) {
        if (open()) {
            output.packet(payload);
            connection.replyWritten();
        }
    }

    @Override
    public void framed(ByteBuf packets) {
        if (open()) {
            output.framed(packets);
            connection.replyWritten();
        } else {
            packets.release();
        }
    }

    private void endPacket(int begin) {
        output.endPacket(begin);
        connection.replyWritten();
    }

    @Override
    public void end() {
        if (open()) {
            pending = false;
            connection.replyEnded();
        }
    }

    @Override
    public void clientPackets(ClientPackets taker) {
        if (open()) {
            following.take(taker);
            connection.readOn();
        }
    }

    @Override
    public void pauseClient() {
        if (open()) {
            following.pause(true);
        }
    }

    @Override
    public void resumeClient() {
        if (open()) {
            following.pause(false);
            connection.readOn();
        }
    }

    @Override
    public boolean writable() {
        return !dead && ctx.channel().isWritable();
    }

    @Override
    public void onWritable(Runnable task) {
        if (dead) {
            return;
        }
        if (ctx.channel().isWritable()) {
            task.run();
        } else if (whenWritable == null) {
            whenWritable = task;
        } else {
            throw new IllegalStateException("another task already waits for the client");
        }
    }

    /** Returns false on a closed connection. Throws if the reply has ended, which is a bug. */
    private boolean open() {
        assert loop().inEventLoop() : "reply outside its event loop";
        if (!pending && !dead) {
            throw new IllegalStateException("the reply has ended");
        }
        return !dead;
    }
}
