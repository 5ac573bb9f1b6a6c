package org.keyline.protocol.auth;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The server's side of one login. Used by one thread at a time.
 *
 * If {@link #isHeavy} returns true, the next call computes for milliseconds and must not run on an
 * event loop. An unknown user gets the exchange of the default plugin and is denied at its end.
 */
public final class ServerExchange {
    private static final byte REQUEST_PUBLIC_KEY = 0x02;
    private static final byte FAST_SUCCESS = 0x03;
    private static final byte PERFORM_FULL = 0x04;

    private enum State {
        FIRST,
        SWITCHED,
        FULL,
        ENCRYPTED,
        DONE
    }

    private final ServerAuthenticator server;
    private final boolean fresh;
    private byte[] scramble;
    private State state = State.FIRST;
    private Credential credential;
    private boolean known;
    private boolean secure;

    ServerExchange(ServerAuthenticator server, byte[] scramble, boolean fresh) {
        this.server = requireNonNull(server, "server is null");
        this.scramble = scramble;
        this.fresh = fresh;
        this.credential = server.decoy();
    }

    public byte[] scramble() {
        return scramble.clone();
    }

    /**
     * Handles the client's handshake response or COM_CHANGE_USER, and returns the next step.
     *
     * @param pluginAuth whether the client set CLIENT_PLUGIN_AUTH, and so supports an auth switch
     * @param account the account's credential; {@code null} for an unknown account
     */
    public AuthStep begin(
            boolean secure,
            boolean pluginAuth,
            @Nullable String clientPlugin,
            byte[] answer,
            @Nullable Credential account) {
        requireState(state == State.FIRST);
        this.secure = secure;
        this.known = account != null;
        this.credential = account != null ? account : server.decoy();
        if (!pluginAuth) {
            if (credential.plugin() == AuthPlugin.NATIVE_PASSWORD) {
                return answer(answer);
            }
            state = State.DONE;
            return AuthStep.unsupported(
                    "client cannot switch to " + credential.plugin().wireName());
        }
        boolean answered = fresh
                && credential.plugin() == server.defaultPlugin()
                && credential.plugin().wireName().equals(clientPlugin);
        return answered ? answer(answer) : switchPlugin();
    }

    public AuthStep next(byte[] payload) {
        return switch (state) {
            case SWITCHED -> answer(payload);
            case FULL -> full(payload);
            case ENCRYPTED -> encrypted(payload);
            case FIRST, DONE -> throw new IllegalStateException("no packet is awaited: " + state);
        };
    }

    public boolean isHeavy() {
        return state == State.FULL
                || state == State.ENCRYPTED
                || (state == State.SWITCHED && credential.plugin() == AuthPlugin.CLEAR_PASSWORD);
    }

    private AuthStep switchPlugin() {
        if (credential.plugin() == AuthPlugin.CLEAR_PASSWORD && !secure) {
            return denied("mysql_clear_password without TLS");
        }
        scramble = server.newScramble();
        state = State.SWITCHED;
        byte[] data = credential.plugin() == AuthPlugin.CLEAR_PASSWORD ? new byte[0] : scramble;
        return AuthStep.switchTo(credential.plugin(), data);
    }

    private AuthStep answer(byte[] answer) {
        return switch (credential.plugin()) {
            case NATIVE_PASSWORD -> decide(credential.checkNative(answer, scramble));
            case CACHING_SHA2_PASSWORD -> sha2(answer);
            case CLEAR_PASSWORD -> clear(answer);
        };
    }

    private AuthStep sha2(byte[] proof) {
        if (proof.length == 0 || (proof.length == 1 && proof[0] == 0)) {
            return decide(credential.isEmpty());
        }
        if (credential.isEmpty()) {
            return denied("the client sent a password, but the account has none");
        }
        byte[] digest = known ? server.cache().digest(credential) : null;
        if (digest != null && Scramble.checkSha2(proof, scramble, digest)) {
            state = State.DONE;
            return AuthStep.okAfter(FAST_SUCCESS);
        }
        state = State.FULL;
        return AuthStep.more(PERFORM_FULL);
    }

    private AuthStep full(byte[] payload) {
        if (secure) {
            return clear(payload);
        }
        RsaKey key = server.key();
        if (key == null) {
            return denied("full exchange needs TLS or an RSA key");
        }
        if (payload.length == 1 && payload[0] == REQUEST_PUBLIC_KEY) {
            state = State.ENCRYPTED;
            return AuthStep.more(key.publicPem());
        }
        return encrypted(payload);
    }

    private AuthStep encrypted(byte[] payload) {
        byte[] masked = requireNonNull(server.key(), "key is null").decrypt(payload);
        return masked == null
                ? denied(
                        "the client did not encrypt the password with this server's key; without TLS, the client mariadb needs"
                                + " --skip-ssl")
                : clear(Scramble.mask(masked, scramble));
    }

    private AuthStep clear(byte[] payload) {
        int length = payload.length - 1;
        if (length < 0 || payload[length] != 0 || length > Credential.MAX_PASSWORD_BYTES) {
            return denied("malformed password packet");
        }
        byte[] password = Arrays.copyOf(payload, length);
        boolean matches = credential.checkPassword(password);
        if (matches && known && credential.plugin() == AuthPlugin.CACHING_SHA2_PASSWORD) {
            var sha256 = Scramble.sha256();
            server.cache().put(credential, sha256.digest(sha256.digest(password)));
        }
        return decide(matches);
    }

    private AuthStep decide(boolean matches) {
        state = State.DONE;
        return matches && known ? AuthStep.ok() : AuthStep.denied(known ? "wrong password" : "no such user");
    }

    private AuthStep denied(String reason) {
        state = State.DONE;
        return AuthStep.denied(reason);
    }

    private void requireState(boolean expected) {
        if (!expected) {
            throw new IllegalStateException("unexpected packet: the exchange is in state " + state);
        }
    }
}
