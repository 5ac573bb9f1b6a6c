package org.keyline.protocol.auth;

import static java.util.Objects.requireNonNull;

import java.nio.charset.StandardCharsets;
import java.security.PublicKey;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The client's side of one login. Used by one thread at a time.
 *
 * <p>If the greeting names an unknown plugin, the handshake response uses
 * {@code mysql_native_password}, as MySQL's own client does. The server then requests the plugin
 * that the account needs.
 */
public final class ClientExchange {
    /** The error if a login must not request the server's key. */
    static final String NO_KEY = "the server requires the password, but neither TLS nor its public key is available,"
            + " and requesting the key is disabled";

    private static final byte[] NONE = {};
    private static final byte[] REQUEST_PUBLIC_KEY = {0x02};
    private static final byte FAST_SUCCESS = 0x03;
    private static final byte PERFORM_FULL = 0x04;

    private final byte[] password;
    private final boolean secure;
    private final boolean retrievePublicKey;
    private AuthPlugin plugin = AuthPlugin.NATIVE_PASSWORD;
    private byte[] scramble = NONE;
    private boolean keyRequested;

    /**
     * @param secure whether the connection is under TLS
     * @param retrievePublicKey whether to request the server's RSA key; a man in the middle can
     *     then read the password
     */
    public ClientExchange(String password, boolean secure, boolean retrievePublicKey) {
        this.password = password.getBytes(StandardCharsets.UTF_8);
        this.secure = secure;
        this.retrievePublicKey = retrievePublicKey;
    }

    /** Returns the plugin of the last answer. The handshake response must name this plugin. */
    public AuthPlugin plugin() {
        return plugin;
    }

    /** Returns the answer to a greeting, given its plugin and its auth data. */
    public byte[] begin(String pluginName, byte[] data) {
        AuthPlugin named = AuthPlugin.of(pluginName);
        plugin = named == null || named == AuthPlugin.CLEAR_PASSWORD ? AuthPlugin.NATIVE_PASSWORD : named;
        scramble = Scramble.of(data);
        return proof();
    }

    /**
     * Returns the answer to an auth switch request.
     *
     * @throws AuthenticationException if the plugin is unknown, or would send the password in clear
     *     without TLS
     */
    public byte[] switchTo(String pluginName, byte[] data) {
        AuthPlugin named = AuthPlugin.of(pluginName);
        if (named == null) {
            throw new AuthenticationException("authentication plugin '" + pluginName + "' is not supported");
        }
        plugin = named;
        scramble = Scramble.of(data);
        keyRequested = false;
        return proof();
    }

    /**
     * Returns the answer to AuthMoreData; {@code null} if the server expects no answer.
     *
     * @param data the bytes after the 0x01
     * @throws AuthenticationException if the data are invalid, or the password would be sent
     *     unprotected
     */
    public byte @Nullable [] more(byte[] data) {
        if (plugin != AuthPlugin.CACHING_SHA2_PASSWORD) {
            throw new AuthenticationException("unexpected AuthMoreData in an exchange of " + plugin.wireName());
        }
        if (keyRequested) {
            keyRequested = false;
            return encrypted(retrieved(data));
        }
        if (data.length == 1 && data[0] == FAST_SUCCESS) {
            return null;
        }
        if (data.length != 1 || data[0] != PERFORM_FULL) {
            throw new AuthenticationException("unexpected data in an exchange of " + plugin.wireName());
        }
        if (secure) {
            return terminated();
        }
        if (!retrievePublicKey) {
            throw new AuthenticationException(NO_KEY);
        }
        keyRequested = true;
        return REQUEST_PUBLIC_KEY.clone();
    }

    private byte[] proof() {
        if (plugin == AuthPlugin.CLEAR_PASSWORD) {
            if (!secure) {
                throw new AuthenticationException("mysql_clear_password without TLS");
            }
            return terminated();
        }
        if (password.length == 0) {
            return NONE;
        }
        return plugin == AuthPlugin.NATIVE_PASSWORD
                ? Scramble.nativeProof(password, scramble)
                : Scramble.sha2Proof(password, scramble);
    }

    private byte[] encrypted(PublicKey key) {
        if (scramble.length == 0) {
            throw new AuthenticationException("no scramble to mask the password with");
        }
        return RsaKey.encrypt(Scramble.mask(terminated(), scramble), requireNonNull(key, "key is null"));
    }

    static PublicKey retrieved(byte[] pem) {
        try {
            return RsaKey.publicKey(new String(pem, StandardCharsets.ISO_8859_1));
        } catch (IllegalArgumentException e) {
            throw new AuthenticationException("the server's public key cannot be read", e);
        }
    }

    private byte[] terminated() {
        return Arrays.copyOf(password, password.length + 1);
    }
}
