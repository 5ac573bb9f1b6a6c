package org.keyline.protocol.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.uring.IoUringSocketChannel;

/** Resumes reading from a paused channel. */
public final class PausedInput {
    /** Linux's {@code TCP_ESTABLISHED}, the state of a connection that neither side has ended. */
    private static final int ESTABLISHED = 1;

    private PausedInput() {}

    /**
     * Resumes reading. Call on the channel's event loop.
     *
     * <p>If the peer ends or resets the connection while reading is paused, Netty's io_uring
     * transport (4.2.18) reads once and then gets no further event. So this method shuts the socket
     * down, which makes Linux report an event; bytes that have arrived remain readable. With half
     * closure, the output may still be needed, so only the input is shut down. The handlers then
     * receive {@link io.netty.channel.socket.ChannelInputShutdownReadComplete}.
     */
    @SuppressWarnings("FutureReturnValueIgnored") // the shutdown of a reset connection fails
    public static void resume(Channel channel) {
        channel.config().setAutoRead(true);
        if (channel.isOpen()
                && channel instanceof IoUringSocketChannel ring
                && ring.tcpInfo().state() != ESTABLISHED) {
            if (channel.config().getOption(ChannelOption.ALLOW_HALF_CLOSURE)) {
                ring.shutdownInput();
            } else {
                ring.shutdownOutput();
            }
        }
    }
}
