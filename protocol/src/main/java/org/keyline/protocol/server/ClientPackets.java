package org.keyline.protocol.server;

import io.netty.buffer.ByteBuf;

/** Receives the packets that a client sends during its command, on the event loop. */
public interface ClientPackets {
    /**
     * Receives one packet; the next one continues a packet of 0xFFFFFF bytes.
     *
     * @param payload borrowed until the method returns, readable bytes only. An empty payload is
     *     the end of a file, or of a command whose length is a multiple of 0xFFFFFF
     */
    void packet(ByteBuf payload);
}
