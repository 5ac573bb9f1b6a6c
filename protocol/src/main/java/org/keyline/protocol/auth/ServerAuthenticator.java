package org.keyline.protocol.auth;

import static java.util.Objects.requireNonNull;

import java.security.SecureRandom;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** The shared state of all logins at one server. Thread-safe. */
public final class ServerAuthenticator {
    public static final int MAX_REMEMBERED = 10_000;

    private final AuthPlugin defaultPlugin;
    private final @Nullable RsaKey key;
    private final Random random;
    private final FastPathCache cache = new FastPathCache(MAX_REMEMBERED);
    private final Credential decoy;

    /**
     * @param key the key for full exchanges of {@code caching_sha2_password} without TLS; if it is
     * null, such exchanges are denied
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

    public AuthPlugin defaultPlugin() {
        return defaultPlugin;
    }

    /** Begins the exchange of a login. The greeting must contain the exchange's scramble. */
    public ServerExchange exchange() {
        return new ServerExchange(this, Scramble.create(random), true);
    }

    /**
     * Begins the exchange of a COM_CHANGE_USER. An auth switch request sends a new scramble. A
     * client without CLIENT_PLUGIN_AUTH answers the old scramble again.
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
     * Returns a credential that takes the place of an unknown user's. The login then fails after
     * the same exchange as with a wrong password.
     */
    Credential decoy() {
        return decoy;
    }
}
