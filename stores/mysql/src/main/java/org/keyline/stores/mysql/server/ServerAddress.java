package org.keyline.stores.mysql.server;

import static java.util.Objects.requireNonNull;

import java.net.InetSocketAddress;

/**
 * Where a server of the store listens. Immutable.
 *
 * @param host name or literal address, without brackets
 * @param port 1..65535
 */
public record ServerAddress(String host, int port) {
    public ServerAddress {
        requireNonNull(host, "host is null");
        if (host.isEmpty()) {
            throw new IllegalArgumentException("host is empty");
        }
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("port: " + port + " (expected: 1..65535)");
        }
    }

    /** To connect to. The name is looked up for each connection: it may move. */
    public InetSocketAddress unresolved() {
        return InetSocketAddress.createUnresolved(host, port);
    }

    /** For messages: {@code mysql://host:port}. */
    @Override
    public String toString() {
        return "mysql://" + (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
