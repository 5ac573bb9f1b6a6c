package org.keyline.protocol.server;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.codec.PacketFramer;
import org.keyline.protocol.codec.Packets;

/**
 * Passes a client's packets within the current command to the handler that requested them. They are
 * the rest of a long command, a file, or an auth response. Confined to the event loop.
 */
final class FollowingPackets {
    private final PacketFramer framer;
    private final ConnectionOutput output;
    private boolean streaming;
    private @Nullable ClientPackets taker;
    private boolean paused;
    private boolean continued;

    /** Whether the last packet had 0xFFFFFF bytes. If so, an empty packet does not end the file. */
    private boolean pieceFull;

    private boolean ended = true;

    FollowingPackets(PacketFramer framer, ConnectionOutput output) {
        this.framer = framer;
        this.output = output;
    }

    void streaming(boolean each) {
        streaming = each;
        framer.wirePackets(each);
    }

    void begin(ByteBuf payload) {
        continued = streaming && payload.readableBytes() == Packets.MAX_PAYLOAD_BYTES;
        ended = false;
    }

    void take(ClientPackets by) {
        taker = by;
        framer.wirePackets(true);
    }

    void pause(boolean wanted) {
        paused = wanted;
    }

    boolean areWanted() {
        return ended ? continued : taker != null && !paused;
    }

    boolean areComplete() {
        return ended && !continued;
    }

    /**
     * Sets the sequence id that the client's next packet must have: the one after the last output
     * packet. Has no effect in the middle of a command or packet.
     */
    void expect() {
        if (!ended && !continued && !framer.isMidPacket()) {
            framer.expectSequenceId(output.nextId());
        }
    }

    void packet(ByteBuf payload) {
        boolean full = payload.readableBytes() == Packets.MAX_PAYLOAD_BYTES;
        boolean last = continued ? !full : !payload.isReadable() && !pieceFull;
        pieceFull = full;
        continued &= full;
        ClientPackets by = taker;
        if (ended) {
            if (!continued) {
                framer.expectSequenceId(0);
            }
        } else if (by != null) {
            if (last) {
                taker = null;
            }
            output.begin(framer.nextSequenceId());
            by.packet(payload);
        }
    }

    /**
     * Call when the reply ends. If more packets of the command arrive, they are dropped.
     *
     * @return false if the client has sent part of a packet for which no handler waits
     */
    boolean end() {
        ended = true;
        taker = null;
        paused = false;
        pieceFull = false;
        framer.wirePackets(streaming);
        if (continued) {
            return true;
        }
        boolean between = !framer.isMidPacket();
        framer.expectSequenceId(0);
        return between;
    }
}
