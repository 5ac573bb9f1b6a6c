package org.keyline.gateway.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.util.Base64;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Who may see figures over HTTP: whoever has the token, as a bearer token or, for browsers, as the password of basic authentication with any
 * name. Thread-safe.
 */
public final class HttpAccess {
    /** What one who has not shown the token is told. */
    static final String CHALLENGE = "Basic realm=\"Keyline\"";

    private static final String BEARER = "Bearer ";
    private static final String BASIC = "Basic ";

    private final Supplier<String> token;

    /** @param token what is asked for at the moment; empty: nothing is */
    public HttpAccess(Supplier<String> token) {
        this.token = token;
    }

    /** Whether there is a token at all. */
    boolean isGuarded() {
        return !token.get().isEmpty();
    }

    /** Whether a request with this header is answered. */
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
