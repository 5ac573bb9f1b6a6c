package org.keyline.gateway.handover;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.PeerCredentials;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * What the two processes say to each other over the unix socket. The one that serves sends its listening socket at once. The next one
 * says {@link #TAKE} when it could serve, hears {@link #YOURS} when nobody accepts and nothing is answered from memory any more, and says
 * {@link #SERVING} when it accepts. The end of the connection is the end of a process.
 */
final class Handover {
    /*
     * While both run, each has sessions that write, and neither hears of the other's writes. So neither answers from lines: not the one that
     * ends from YOURS on, not the one that begins before the other's end. Until SERVING the one that serves can go on as if nothing had been.
     */

    static final byte TAKE = 'T';
    static final byte YOURS = 'Y';
    static final byte SERVING = 'S';

    /** What the other process may take for an answer. */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final int STOP_SECONDS = 1;

    private Handover() {}

    /** One thread, which serves no client. */
    static EventLoopGroup loop() {
        return new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("keyline-handover", true), EpollIoHandler.newFactory());
    }

    static void stop(EventLoopGroup loop) {
        loop.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    /** Whoever else could reach the file of the socket gets nothing, and gives nothing. */
    static void requireOwn(PeerCredentials peer) throws IOException {
        int own = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        if (peer.uid() != own) {
            throw new IOException("the process there runs as user " + peer.uid() + " (expected: " + own + ")");
        }
    }
}
