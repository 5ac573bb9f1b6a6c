package org.keyline.protocol.auth;

import java.nio.charset.StandardCharsets;
import java.security.PublicKey;
import java.util.Arrays;
import java.util.function.Supplier;
import org.keyline.protocol.AuthSwitchRequest;

/**
 * The relay of one login or COM_CHANGE_USER between a client and the server that accepts or denies
 * the client. Used by one thread at a time.
 *
 * Packets pass unchanged, except in a full exchange of {@code caching_sha2_password} with TLS on
 * one side only. The side under TLS sends the password in clear; the other side encrypts it by RSA.
 * This class converts between the two forms.
 */
public final class RelayedExchange {
    private static final byte MORE = 0x01;
    private static final byte PERFORM_FULL = 0x04;
    private static final byte[] REQUEST_PUBLIC_KEY = {0x02};

    private enum State {
        PASSING,
        /** The server requested the password from the client. */
        FULL,
        /** The client requested a public key and received the gateway's. */
        ENCRYPTED,
        /** The gateway has the password and has requested the server's public key. */
        KEY_AWAITED
    }

    public enum To {
        CLIENT,
        SERVER
    }

    /**
     * A packet to send next.
     *
     * @param to the receiver
     * @param payload the packet's payload; the receiver owns it
     */
    @SuppressWarnings("ArrayRecordComponent") // created for one step, and used once
    public record Step(To to, byte[] payload) {}

    private final boolean clientTls;
    private final boolean serverTls;
    private final boolean retrievePublicKey;
    private final Supplier<RsaKey> ownKey;
    private final byte[] greeted;
    private String plugin;
    private byte[] scramble;
    private State state = State.PASSING;
    private byte[] password = REQUEST_PUBLIC_KEY;

    /**
     * Creates an exchange that begins with the client's handshake response.
     *
     * @param scramble the scramble of the server's greeting
     * @param retrievePublicKey whether to request the server's RSA key
     * @param ownKey returns the gateway's key; the first call can take some hundred milliseconds
     */
    public RelayedExchange(
            boolean clientTls,
            boolean serverTls,
            String plugin,
            byte[] scramble,
            boolean retrievePublicKey,
            Supplier<RsaKey> ownKey) {
        this.clientTls = clientTls;
        this.serverTls = serverTls;
        this.plugin = plugin;
        this.greeted = scramble.clone();
        this.scramble = Scramble.of(scramble);
        this.retrievePublicKey = retrievePublicKey;
        this.ownKey = ownKey;
    }

    /**
     * Returns the exchange of a later COM_CHANGE_USER between the same two sides.
     *
     * @param named the plugin that the command names; empty if it names no plugin
     */
    public RelayedExchange again(String named) {
        return new RelayedExchange(clientTls, serverTls, named, greeted, retrievePublicKey, ownKey);
    }

    /**
     * Handles a server's packet that is neither OK nor ERR. Returns the next packet to send.
     *
     * @throws AuthenticationException if the server's key cannot be read
     */
    public Step fromServer(byte[] payload) {
        if (state == State.KEY_AWAITED && payload[0] == MORE) {
            state = State.PASSING;
            byte[] pem = Arrays.copyOfRange(payload, 1, payload.length);
            return new Step(To.SERVER, encrypted(ClientExchange.retrieved(pem)));
        }
        if ((payload[0] & 0xFF) == AuthSwitchRequest.HEADER && payload.length > 1) {
            switchTo(payload);
        } else if (clientTls != serverTls
                && plugin.equals(AuthPlugin.CACHING_SHA2_PASSWORD.wireName())
                && Arrays.equals(payload, new byte[] {MORE, PERFORM_FULL})) {
            state = State.FULL;
        }
        return new Step(To.CLIENT, payload);
    }

    private void switchTo(byte[] payload) {
        int end = 1;
        while (end < payload.length && payload[end] != 0) {
            end++;
        }
        plugin = new String(payload, 1, end - 1, StandardCharsets.US_ASCII);
        scramble = Scramble.of(Arrays.copyOfRange(payload, Math.min(end + 1, payload.length), payload.length));
        state = State.PASSING;
    }

    /** Returns whether the next {@link #fromClient} is slow, and must not run on an event loop. */
    public boolean isHeavy() {
        return state == State.ENCRYPTED || (state == State.FULL && serverTls);
    }

    /**
     * Handles a client's packet after the handshake response. Returns the next packet to send.
     *
     * @throws AuthenticationException if the password cannot be read, or would be sent unprotected
     */
    public Step fromClient(byte[] payload) {
        return switch (state) {
            case PASSING -> new Step(To.SERVER, payload);
            case FULL -> clientTls ? protect(payload) : open(payload);
            case ENCRYPTED -> new Step(To.SERVER, decrypted(payload));
            case KEY_AWAITED -> throw new AuthenticationException("unexpected packet");
        };
    }

    private Step protect(byte[] clear) {
        password = clear;
        if (!retrievePublicKey) {
            throw new AuthenticationException(ClientExchange.NO_KEY);
        }
        state = State.KEY_AWAITED;
        return new Step(To.SERVER, REQUEST_PUBLIC_KEY.clone());
    }

    private byte[] encrypted(PublicKey key) {
        if (scramble.length == 0) {
            throw new AuthenticationException("no scramble to mask the password with");
        }
        byte[] clear = password;
        password = REQUEST_PUBLIC_KEY;
        return RsaKey.encrypt(Scramble.mask(clear, scramble), key);
    }

    private Step open(byte[] payload) {
        if (!Arrays.equals(payload, REQUEST_PUBLIC_KEY)) {
            return new Step(To.SERVER, decrypted(payload));
        }
        state = State.ENCRYPTED;
        byte[] pem = ownKey.get().publicPem();
        byte[] answer = new byte[pem.length + 1];
        answer[0] = MORE;
        System.arraycopy(pem, 0, answer, 1, pem.length);
        return new Step(To.CLIENT, answer);
    }

    private byte[] decrypted(byte[] payload) {
        state = State.PASSING;
        byte[] masked = ownKey.get().decrypt(payload);
        if (masked == null || scramble.length == 0) {
            throw new AuthenticationException("the password is not encrypted with the gateway's public key");
        }
        return Scramble.mask(masked, scramble);
    }
}
