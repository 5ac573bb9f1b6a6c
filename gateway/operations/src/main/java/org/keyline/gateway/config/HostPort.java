package org.keyline.gateway.config;

import static java.util.Objects.requireNonNull;

import java.net.InetSocketAddress;

/**
 * An unresolved address to listen on or to connect to.
 *
 * @param host a name or a literal address without brackets
 * @param port 0..65535; 0 means any free port when listening
 */
public record HostPort(String host, int port) {
    public HostPort {
        requireNonNull(host, "host is null");
        if (host.isEmpty()) {
            throw new IllegalArgumentException("host is empty");
        }
        if (port < 0 || port > 65535) {
            throw new IllegalArgumentException("port: " + port + " (expected: 0..65535)");
        }
    }

    /** Reads {@code host[:port]} or {@code [v6][:port]}. */
    static HostPort parse(String text, int usualPort) {
        boolean without = text.indexOf(':') < 0 || text.endsWith("]");
        return without && !text.isEmpty() ? parse(text + ":" + usualPort) : parse(text);
    }

    /** Reads {@code host:port} or {@code [v6]:port}. */
    static HostPort parse(String text) {
        int colon = text.lastIndexOf(':');
        if (colon <= 0) {
            throw new IllegalArgumentException("no port: " + text);
        }
        String host = text.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        } else if (host.indexOf(':') >= 0) {
            throw new IllegalArgumentException("an IPv6 address needs brackets: " + text);
        }
        return new HostPort(host, Integer.parseInt(text.substring(colon + 1)));
    }

    public InetSocketAddress resolve() {
        return new InetSocketAddress(host, port);
    }

    @Override
    public String toString() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
