package org.keyline.protocol.auth;

import static java.util.Objects.requireNonNull;

import java.nio.charset.StandardCharsets;

/**
 * The server's next action in an exchange. Immutable.
 *
 * {@link Kind#SEND}: send {@link #payload}, then pass the client's next packet to the exchange.
 * {@link Kind#OK}: send {@link #payload} unless it is empty, then an OK packet.
 * {@link Kind#DENIED}: send error 1045; {@link #reason} is for the log, not for the client.
 * {@link Kind#UNSUPPORTED}: send error 1251.
 */
public final class AuthStep {
    public enum Kind {
        SEND,
        OK,
        DENIED,
        UNSUPPORTED
    }

    private static final byte[] NONE = {};
    private static final AuthStep OK = new AuthStep(Kind.OK, NONE, "");

    private final Kind kind;
    private final byte[] payload;
    private final String reason;

    private AuthStep(Kind kind, byte[] payload, String reason) {
        this.kind = kind;
        this.payload = payload;
        this.reason = reason;
    }

    /** Returns a step that sends AuthMoreData: 0x01 and the data. */
    static AuthStep more(byte... data) {
        return new AuthStep(Kind.SEND, moreData(data), "");
    }

    /** Returns a step that sends an auth switch request, with the plugin's name and its data. */
    static AuthStep switchTo(AuthPlugin plugin, byte[] data) {
        byte[] name = plugin.wireName().getBytes(StandardCharsets.US_ASCII);
        byte[] payload = new byte[name.length + data.length + 3];
        payload[0] = (byte) 0xFE;
        System.arraycopy(name, 0, payload, 1, name.length);
        System.arraycopy(data, 0, payload, name.length + 2, data.length);
        return new AuthStep(Kind.SEND, payload, "");
    }

    static AuthStep ok() {
        return OK;
    }

    /** Returns a step that sends AuthMoreData, which the client does not answer, and then OK. */
    static AuthStep okAfter(byte... data) {
        return new AuthStep(Kind.OK, moreData(data), "");
    }

    static AuthStep denied(String reason) {
        return new AuthStep(Kind.DENIED, NONE, requireNonNull(reason, "reason is null"));
    }

    static AuthStep unsupported(String reason) {
        return new AuthStep(Kind.UNSUPPORTED, NONE, requireNonNull(reason, "reason is null"));
    }

    public Kind kind() {
        return kind;
    }

    /** Returns a copy of the payload to send; empty if this step sends no payload. */
    public byte[] payload() {
        return payload.clone();
    }

    public String reason() {
        return reason;
    }

    @Override
    public String toString() {
        return !reason.isEmpty() ? kind + ": " + reason : kind + " (" + payload.length + " bytes)";
    }

    private static byte[] moreData(byte[] data) {
        byte[] payload = new byte[data.length + 1];
        payload[0] = 0x01;
        System.arraycopy(data, 0, payload, 1, data.length);
        return payload;
    }
}
