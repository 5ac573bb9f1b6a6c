package org.keyline.gateway.simulator;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import org.keyline.protocol.memory.MemoryAccount;
import org.keyline.protocol.server.Peer;

/** A client's peer whose loop belongs to the world, not to its embedded channel. */
record PeerOnLoop(Peer peer, SimulatedLoop turns) implements Peer {
    @Override
    public int connectionId() {
        return peer.connectionId();
    }

    @Override
    public int capabilities() {
        return peer.capabilities();
    }

    @Override
    public EventLoop loop() {
        return turns;
    }

    @Override
    public ByteBufAllocator alloc() {
        return peer.alloc();
    }

    @Override
    public void run(Runnable step) {
        peer.run(step);
    }

    @Override
    public MemoryAccount memory() {
        return peer.memory();
    }

    @Override
    public void closeConnection() {
        peer.closeConnection();
    }
}
