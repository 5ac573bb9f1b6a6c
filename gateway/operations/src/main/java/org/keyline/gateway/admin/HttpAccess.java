package org.keyline.gateway.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Access control for figures over HTTP. A reader sends the token as a bearer token or, in browsers,
 * as the password of basic authentication with any user name. The Host header must name the
 * gateway, because another site could point its own host name at loopback to read the figures (DNS
 * rebinding). Thread-safe.
 */
public final class HttpAccess {
    static final String CHALLENGE = "Basic realm=\"Keyline\"";

    private static final String BEARER = "Bearer ";
    private static final String BASIC = "Basic ";

    private static final String ANY = "*";

    private final Supplier<String> token;
    private final Supplier<Set<String>> hosts;
    private final boolean onLoopback;

    /**
     * @param token returns the required token; empty if none is required
     * @param hosts returns the allowed names besides those of loopback; {@code *} allows any name
     * @param onLoopback whether an empty {@code hosts} allows only names of loopback
     */
    public HttpAccess(Supplier<String> token, Supplier<Set<String>> hosts, boolean onLoopback) {
        this.token = token;
        this.hosts = hosts;
        this.onLoopback = onLoopback;
    }

    /** Returns whether the Host header is allowed. Browsers never omit it, so null is allowed. */
    boolean isFor(@Nullable String header) {
        Set<String> named = hosts.get();
        boolean any = named.isEmpty() ? !onLoopback : named.contains(ANY);
        if (any || header == null) {
            return true;
        }
        String host = host(header.strip());
        InetAddress address = NetUtil.createInetAddressFromIpAddressString(host);
        return host.equalsIgnoreCase("localhost")
                || (address != null && address.isLoopbackAddress())
                || named.stream().anyMatch(host::equalsIgnoreCase);
    }

    /** Returns the host without its port and without the dot at the end of a name. */
    private static String host(String header) {
        int end = header.startsWith("[") ? header.indexOf(']') : header.indexOf(':');
        String host = end < 0 ? header : header.substring(0, end);
        String name = host.startsWith("[") ? host.substring(1) : host;
        return name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
    }

    boolean isGuarded() {
        return !token.get().isEmpty();
    }

    boolean admits(@Nullable String authorization) {
        String asked = token.get();
        return asked.isEmpty()
                || (authorization != null && MessageDigest.isEqual(asked.getBytes(UTF_8), shown(authorization)));
    }

    private static byte[] shown(String authorization) {
        if (authorization.startsWith(BEARER)) {
            return authorization.substring(BEARER.length()).strip().getBytes(UTF_8);
        }
        if (!authorization.startsWith(BASIC)) {
            return new byte[0];
        }
        try {
            String pair = new String(
                    Base64.getDecoder()
                            .decode(authorization.substring(BASIC.length()).strip()),
                    UTF_8);
            return pair.substring(pair.indexOf(':') + 1).getBytes(UTF_8);
        } catch (IllegalArgumentException noBase64) {
            return new byte[0];
        }
    }
}
