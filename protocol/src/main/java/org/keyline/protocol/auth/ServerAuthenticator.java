package org.keyline.protocol.auth;

import static java.util.Objects.requireNonNull;

import java.security.SecureRandom;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * The shared state of all logins at one server: the plugin of the greeting, the RSA key, and the
 * cache of recent passwords. Thread-safe; {@link #exchange} returns a state machine for each login.
 */
public final class ServerAuthenticator {
    /**
     * Maximum number of accounts whose digest is cached for the fast path of
     * {@code caching_sha2_password}.
     */
    public static final int MAX_REMEMBERED = 10_000;

    private final AuthPlugin defaultPlugin;
    private final @Nullable RsaKey key;
    private final Random random;
    private final FastPathCache cache = new FastPathCache(MAX_REMEMBERED);
    private final Credential decoy;

    /**
     * @param defaultPlugin the plugin that the greeting names; not
     *     {@link AuthPlugin#CLEAR_PASSWORD}
     * @param key the key for full exchanges of {@code caching_sha2_password} without TLS; if it is
     *     null, such exchanges are denied
     */
    public ServerAuthenticator(AuthPlugin defaultPlugin, @Nullable RsaKey key, SecureRandom random) {
        if (defaultPlugin == AuthPlugin.CLEAR_PASSWORD) {
            throw new IllegalArgumentException("default plugin: " + defaultPlugin.wireName());
        }
        this.defaultPlugin = defaultPlugin;
        this.key = key;
        this.random = requireNonNull(random, "random is null");
        this.decoy = Credential.ofPassword(defaultPlugin, "decoy " + random.nextLong(), random);
    }

    /** Returns the plugin that the greeting names. */
    public AuthPlugin defaultPlugin() {
        return defaultPlugin;
    }

    /** Begins a login. The greeting must contain its scramble. */
    public ServerExchange exchange() {
        return new ServerExchange(this, Scramble.create(random), true);
    }

    /**
     * Begins the exchange of a COM_CHANGE_USER. The client has already answered the last scramble,
     * so it must answer a new one, which an auth switch request sends. Only a client without
     * CLIENT_PLUGIN_AUTH, which supports no auth switch, may answer the old scramble again.
     */
    public ServerExchange exchangeAgain(ServerExchange former) {
        return new ServerExchange(this, former.scramble(), false);
    }

    @Nullable
    RsaKey key() {
        return key;
    }

    FastPathCache cache() {
        return cache;
    }

    byte[] newScramble() {
        return Scramble.create(random);
    }

    /**
     * Returns a credential for unknown users, so that their logins fail after the same exchange as
     * a wrong password.
     */
    Credential decoy() {
        return decoy;
    }
}
