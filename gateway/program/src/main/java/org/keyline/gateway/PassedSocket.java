package org.keyline.gateway;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import org.keyline.protocol.transport.Transport;

/** The listening socket that a service manager keeps open across restarts (sd_listen_fds(3)). */
final class PassedSocket {
    static final int NONE = -1;

    /** The descriptor of the first passed socket, SD_LISTEN_FDS_START. */
    private static final int FIRST = 3;

    /** The value of Linux's O_NONBLOCK on every processor that the native library supports. */
    private static final int NONBLOCK = 0b100_000_000_000;

    private PassedSocket() {}

    /**
     * Returns the descriptor of the passed socket; {@link #NONE} if none is passed.
     *
     * @param environment the environment variables of this process
     * @param pid the id of this process; variables for another process are ignored
     * @throws StartException if the passed socket cannot be used
     */
    static int descriptor(Map<String, String> environment, long pid, Transport transport) throws StartException {
        if (!Long.toString(pid).equals(environment.get("LISTEN_PID"))) {
            return NONE;
        }
        String count = environment.getOrDefault("LISTEN_FDS", "");
        if (!count.equals("1")) {
            throw new StartException("the service manager passes LISTEN_FDS=" + count
                    + " (expected: 1, the socket where clients connect)");
        }
        if (transport.resolved(true) != Transport.EPOLL) {
            throw new StartException("the service manager passes a socket, and transport is "
                    + transport.resolved(true).name().toLowerCase(Locale.ROOT)
                    + " (expected: epoll, the only transport that can use it)");
        }
        if ((flags() & NONBLOCK) == 0) {
            throw new StartException("the socket that the service manager passes is in blocking mode"
                    + " (expected: NonBlocking=yes in the service's unit)");
        }
        return FIRST;
    }

    private static int flags() throws StartException {
        Path info = Path.of("/proc/self/fdinfo", String.valueOf(FIRST));
        try {
            for (String line : Files.readAllLines(info)) {
                if (line.startsWith("flags:")) {
                    return Integer.parseUnsignedInt(
                            line.substring("flags:".length()).strip(), 8);
                }
            }
        } catch (IOException e) {
            throw new StartException("the socket that the service manager passes does not exist: " + e.getMessage(), e);
        }
        throw new StartException(info + " has no flags");
    }
}
