package org.keyline.protocol.server;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.codec.PacketFramer;
import org.keyline.protocol.codec.Packets;

/**
 * The packets of a client that belong to the command in hand: the rest of a long command, a file, an auth response. They
 * go to whoever asked for them; the rest of a command for which nobody asked is dropped. Confined to the event loop.
 */
final class FollowingPackets {
    private final PacketFramer framer;
    private final ConnectionOutput output;
    private boolean streaming;
    private @Nullable ClientPackets taker;
    private boolean paused;
    /** Whether the last wire packet of the command had 0xFFFFFF bytes, so that another one belongs to it. */
    private boolean continued;

    /** Whether the last packet that was taken had 0xFFFFFF bytes: an empty one behind it ends the packet, not the file. */
    private boolean pieceFull;

    private boolean ended = true;

    FollowingPackets(PacketFramer framer, ConnectionOutput output) {
        this.framer = framer;
        this.output = output;
    }

    /** Whether commands come in their wire packets, not joined. */
    void streaming(boolean each) {
        streaming = each;
        framer.wirePackets(each);
    }

    /** A command is about to be dispatched. */
    void begin(ByteBuf payload) {
        continued = streaming && payload.readableBytes() == Packets.MAX_PAYLOAD_BYTES;
        ended = false;
    }

    /** From the next packet on. */
    void take(ClientPackets by) {
        taker = by;
        framer.wirePackets(true);
    }

    void pause(boolean wanted) {
        paused = wanted;
    }

    /** Whether the client's next packet is looked at though a command is in hand, or its rest has not come. */
    boolean areWanted() {
        return ended ? continued : taker != null && !paused;
    }

    /** Whether the client's next packet is none of these but a command. */
    boolean areComplete() {
        return ended && !continued;
    }

    /** Before a packet is looked for: the client counts on from what it has sent and, between commands, received. */
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
     * The reply has ended; what the command still lacks is read and dropped.
     *
     * @return false if the client is in the middle of a packet that nobody awaits
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
