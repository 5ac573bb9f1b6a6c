package org.keyline.protocol;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * Handshake packet, version 10: the server's greeting.
 *
 * @param serverVersion text such as {@code 8.0.36-keyline}
 * @param connectionId the id that KILL accepts, unsigned 32-bit
 * @param scramble 20 random bytes without NUL
 * @param capabilities bit set of {@link Capabilities} that the server offers
 * @param collation the server's default collation; the packet contains only the low byte of its id
 * @param status bit set of {@link ServerStatus}
 * @param authPlugin the authentication plugin that {@code scramble} is for
 * @see
 * <a
 * href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase_packets_protocol_handshake_v10.html">HandshakeV10</a>
 */
@SuppressWarnings("ArrayRecordComponent") // the constructor and the accessor copy the array
public record HandshakeV10(
        String serverVersion,
        int connectionId,
        byte[] scramble,
        int capabilities,
        int collation,
        int status,
        String authPlugin) {
    public static final int PROTOCOL_VERSION = 10;

    public static final int SCRAMBLE_BYTES = 20;

    private static final int FIRST_PART_BYTES = 8;
    private static final int RESERVED_BYTES = 10;

    // Offsets of the flags from the NUL after the version text.
    private static final int LOW_FLAGS_AT = 1 + 4 + FIRST_PART_BYTES + 1;
    private static final int HIGH_FLAGS_AT = LOW_FLAGS_AT + 5;
    private static final int EXTENDED_AT = HIGH_FLAGS_AT + 3 + RESERVED_BYTES - 4;

    public HandshakeV10 {
        if (scramble.length != SCRAMBLE_BYTES) {
            throw new IllegalArgumentException("scramble: " + scramble.length + " bytes (expected: 20)");
        }
        scramble = scramble.clone();
    }

    @Override
    public byte[] scramble() {
        return scramble.clone();
    }

    public void encode(ByteBuf out) {
        out.writeByte(PROTOCOL_VERSION);
        Lenenc.writeNulString(out, serverVersion);
        out.writeIntLE(connectionId);
        out.writeBytes(scramble, 0, FIRST_PART_BYTES);
        out.writeByte(0);
        out.writeShortLE(capabilities);
        out.writeByte(collation);
        out.writeShortLE(status);
        out.writeShortLE(capabilities >>> 16);
        out.writeByte(SCRAMBLE_BYTES + 1);
        out.writeZero(RESERVED_BYTES);
        out.writeBytes(scramble, FIRST_PART_BYTES, SCRAMBLE_BYTES - FIRST_PART_BYTES);
        out.writeByte(0);
        Lenenc.writeNulString(out, authPlugin);
    }

    /** Reads a payload. Assumes mysql_native_password if the server lacks CLIENT_PLUGIN_AUTH. */
    public static HandshakeV10 decode(ByteBuf payload) {
        Lenenc.require(payload, 1);
        int version = payload.readUnsignedByte();
        if (version != PROTOCOL_VERSION) {
            throw new ProtocolException("protocol version: " + version + " (expected: 10)");
        }
        String serverVersion = Lenenc.readNulString(payload, StandardCharsets.UTF_8);
        Lenenc.require(payload, 4 + FIRST_PART_BYTES + 1 + 2);
        int connectionId = payload.readIntLE();
        byte[] scramble = new byte[SCRAMBLE_BYTES];
        payload.readBytes(scramble, 0, FIRST_PART_BYTES);
        payload.skipBytes(1);
        int capabilities = payload.readUnsignedShortLE();
        Lenenc.require(payload, 1 + 2 + 2 + 1 + RESERVED_BYTES + SCRAMBLE_BYTES - FIRST_PART_BYTES);
        int collation = payload.readUnsignedByte();
        int status = payload.readUnsignedShortLE();
        capabilities |= payload.readUnsignedShortLE() << 16;
        payload.skipBytes(1 + RESERVED_BYTES);
        payload.readBytes(scramble, FIRST_PART_BYTES, SCRAMBLE_BYTES - FIRST_PART_BYTES);
        if (payload.isReadable()) {
            payload.skipBytes(1);
        }
        String plugin = Capabilities.has(capabilities, Capabilities.CLIENT_PLUGIN_AUTH)
                ? Lenenc.readNulString(payload, StandardCharsets.UTF_8)
                : "mysql_native_password";
        return new HandshakeV10(serverVersion, connectionId, scramble, capabilities, collation, status, plugin);
    }

    /** Returns the {@link ExtendedCapabilities} in an undecoded payload; 0 if it has none. */
    public static int extendedCapabilities(ByteBuf payload) {
        int version = versionEnd(payload);
        boolean known = (payload.getUnsignedShortLE(version + LOW_FLAGS_AT) & Capabilities.CLIENT_LONG_PASSWORD) == 0;
        return known ? payload.getIntLE(version + EXTENDED_AT) : 0;
    }

    /**
     * Replaces the flags in an undecoded payload. Ignores {@code extended}, MariaDB's flags, if
     * {@code capabilities} has CLIENT_LONG_PASSWORD.
     */
    public static void setCapabilities(ByteBuf payload, int capabilities, int extended) {
        int version = versionEnd(payload);
        payload.setShortLE(version + LOW_FLAGS_AT, capabilities);
        payload.setShortLE(version + HIGH_FLAGS_AT, capabilities >>> 16);
        if (!Capabilities.has(capabilities, Capabilities.CLIENT_LONG_PASSWORD)) {
            payload.setIntLE(version + EXTENDED_AT, extended);
        }
    }

    private static int versionEnd(ByteBuf payload) {
        int end = payload.indexOf(payload.readerIndex() + 1, payload.writerIndex(), (byte) 0);
        if (end < 0 || end + EXTENDED_AT + 4 > payload.writerIndex()) {
            throw new ProtocolException("greeting ends early");
        }
        return end;
    }

    /** Returns a text without the scramble. */
    @Override
    public String toString() {
        return "HandshakeV10[" + serverVersion + ", connection " + connectionId + ", " + authPlugin + "]";
    }
}
