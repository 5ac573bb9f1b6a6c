package org.keyline.protocol.server;

import io.netty.buffer.ByteBuf;

/** Takes what a client sends while its command is in hand. Called on the connection's event loop. */
public interface ClientPackets {
    /**
     * One wire packet; one of 0xFFFFFF bytes is continued by the next.
     *
     * @param payload borrowed until the method returns, and only its readable bytes; may be empty: the end of a file, or
     *     of a command whose length is a multiple of 0xFFFFFF
     */
    void packet(ByteBuf payload);
}
