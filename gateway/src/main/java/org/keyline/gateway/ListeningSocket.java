package org.keyline.gateway;

import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.gateway.handover.Predecessor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The socket where clients connect, if it is there already.
 *
 * @param descriptor of the file; {@link PassedSocket#NONE}: it is to be opened
 */
record ListeningSocket(int descriptor) {
    private static final Logger LOG = LoggerFactory.getLogger(ListeningSocket.class);

    /** That of the service manager, or of the process that has served until now. */
    static ListeningSocket of(GatewayConfig config, @Nullable Predecessor before) throws StartException, IOException {
        int passed =
                PassedSocket.descriptor(System.getenv(), ProcessHandle.current().pid(), config.transport());
        if (passed != PassedSocket.NONE) {
            if (config.handover() != null) {
                throw new StartException("the service manager passes a socket, and handover is " + config.handover()
                        + " (expected: one of the two)");
            }
            LOG.info("clients connect to a socket of the service manager; listen: {} is not used", config.listen());
        }
        if (before == null) {
            return new ListeningSocket(passed);
        }
        if (same(config.listen().resolve(), before.address())) {
            return new ListeningSocket(before.descriptor());
        }
        LOG.warn("clients of {} are refused from now on: listen is {}", before.address(), config.listen());
        before.leaveSocket();
        return new ListeningSocket(PassedSocket.NONE);
    }

    /** A system may have one socket for both kinds of addresses. */
    private static boolean same(InetSocketAddress wanted, InetSocketAddress there) {
        return (wanted.getPort() == 0 || wanted.getPort() == there.getPort())
                && (wanted.getAddress().equals(there.getAddress())
                        || (wanted.getAddress().isAnyLocalAddress()
                                && there.getAddress().isAnyLocalAddress()));
    }

    boolean isGiven() {
        return descriptor != PassedSocket.NONE;
    }
}
