package org.keyline.protocol.server;

import io.netty.buffer.ByteBuf;

/** Receives the packets that a client sends within its command. Called on the event loop. */
public interface ClientPackets {
    /**
     * Receives one packet. If the packet has 0xFFFFFF bytes, the next packet continues it.
     *
     * @param payload borrowed until the method returns; do not read beyond its readable bytes. An
     *     empty payload ends a file, or a command whose length is a multiple of 0xFFFFFF
     */
    void packet(ByteBuf payload);
}
