package org.keyline.stores.mysql.server;

import static java.util.Objects.requireNonNull;

import java.net.InetSocketAddress;

/**
 * The address of a store's server.
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

    /**
     * Returns an unresolved address. Each connection resolves the name again, because its address
     * can change.
     */
    public InetSocketAddress unresolved() {
        return InetSocketAddress.createUnresolved(host, port);
    }

    /** Returns {@code mysql://host:port}, for messages. */
    @Override
    public String toString() {
        return "mysql://" + (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
