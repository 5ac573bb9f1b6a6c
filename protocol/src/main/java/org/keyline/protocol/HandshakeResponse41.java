package org.keyline.protocol;

import io.netty.buffer.ByteBuf;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Handshake response of protocol 4.1: the client's login and the capabilities that it requests.
 *
 * @param capabilities bit set of {@link Capabilities} that the client requests
 * @param maxPacketBytes longest packet that the client accepts, unsigned 32-bit; informational
 * @param collation the client's collation, one byte in the packet; 0 if the client names none
 * @param database initial schema, or null
 * @param attributes connection attributes, in the client's order
 * @see
 * <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase_packets_protocol_handshake_response.html">HandshakeResponse41</a>
 */
@SuppressWarnings("ArrayRecordComponent") // the constructor and the accessor copy the array
public record HandshakeResponse41(
        int capabilities,
        int maxPacketBytes,
        int collation,
        String user,
        byte[] authResponse,
        @Nullable String database,
        @Nullable String authPlugin,
        Map<String, String> attributes) {
    /** Number of bytes before the user name. An SSLRequest has exactly this length. */
    public static final int FIXED_BYTES = 32;

    private static final int FILLER_BYTES = 23;
    private static final int EXTENDED_AT = FIXED_BYTES - 4;

    public HandshakeResponse41 {
        authResponse = authResponse.clone();
        attributes = ConnectionAttributes.copyOf(attributes);
    }

    @Override
    public byte[] authResponse() {
        return authResponse.clone();
    }

    public static boolean isSslRequest(ByteBuf payload) {
        return payload.readableBytes() == FIXED_BYTES
                && Capabilities.has(payload.getIntLE(payload.readerIndex()), Capabilities.CLIENT_SSL);
    }

    /** Returns the {@link ExtendedCapabilities} in an undecoded payload; 0 if it has none. */
    public static int extendedCapabilities(ByteBuf payload) {
        int from = payload.readerIndex();
        boolean known = payload.readableBytes() >= FIXED_BYTES
                && !Capabilities.has(payload.getIntLE(from), Capabilities.CLIENT_LONG_PASSWORD);
        return known ? payload.getIntLE(from + EXTENDED_AT) : 0;
    }

    /**
     * Replaces the flags in an undecoded payload. The flags determine which fields follow, so a
     * caller must not add a flag whose field the payload lacks.
     *
     * @param extended MariaDB's flags; ignored if {@code capabilities} has CLIENT_LONG_PASSWORD
     */
    public static void setCapabilities(ByteBuf payload, int capabilities, int extended) {
        int from = payload.readerIndex();
        payload.setIntLE(from, capabilities);
        if (!Capabilities.has(capabilities, Capabilities.CLIENT_LONG_PASSWORD)) {
            payload.setIntLE(from + EXTENDED_AT, extended);
        }
    }

    public static void encodeSslRequest(ByteBuf out, int capabilities, int maxPacketBytes, int collation) {
        out.writeIntLE(capabilities | Capabilities.CLIENT_SSL);
        out.writeIntLE(maxPacketBytes);
        out.writeByte(collation);
        out.writeZero(FILLER_BYTES);
    }

    public void encode(ByteBuf out) {
        out.writeIntLE(capabilities);
        out.writeIntLE(maxPacketBytes);
        out.writeByte(collation);
        out.writeZero(FILLER_BYTES);
        Lenenc.writeNulString(out, user);
        if (Capabilities.has(capabilities, Capabilities.CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA)) {
            Lenenc.writeBytes(out, authResponse);
        } else if (Capabilities.has(capabilities, Capabilities.CLIENT_SECURE_CONNECTION)) {
            if (authResponse.length > 0xFF) {
                throw new IllegalStateException("authResponse: " + authResponse.length + " bytes (expected: <= 255)");
            }
            out.writeByte(authResponse.length).writeBytes(authResponse);
        } else {
            out.writeBytes(authResponse).writeByte(0);
        }
        if (Capabilities.has(capabilities, Capabilities.CLIENT_CONNECT_WITH_DB)) {
            Lenenc.writeNulString(out, database == null ? "" : database);
        }
        if (Capabilities.has(capabilities, Capabilities.CLIENT_PLUGIN_AUTH)) {
            Lenenc.writeNulString(out, authPlugin == null ? "" : authPlugin);
        }
        if (Capabilities.has(capabilities, Capabilities.CLIENT_CONNECT_ATTRS)) {
            ConnectionAttributes.write(out, attributes);
        }
    }

    /**
     * Reads a payload, with strings in the client's character set. Some drivers set the flag of an
     * optional last field but omit the field. The field is then empty or null.
     *
     * @throws ProtocolException for a client older than 4.1, or a packet that ends inside a field
     */
    public static HandshakeResponse41 decode(ByteBuf payload) {
        Lenenc.require(payload, 4);
        int capabilities = payload.readIntLE();
        if (!Capabilities.has(capabilities, Capabilities.CLIENT_PROTOCOL_41)) {
            throw new ProtocolException(ErrorCode.ER_NOT_SUPPORTED_AUTH_MODE, "Client does not speak protocol 4.1");
        }
        Lenenc.require(payload, FIXED_BYTES - 4);
        int maxPacketBytes = payload.readIntLE();
        int collation = payload.readUnsignedByte();
        payload.skipBytes(FILLER_BYTES);
        Charset charset = Collation.charsetOf(collation);
        String user = Lenenc.readNulString(payload, charset);
        byte[] authResponse = readAuthResponse(payload, capabilities);
        String database = null;
        if (Capabilities.has(capabilities, Capabilities.CLIENT_CONNECT_WITH_DB)) {
            database = emptyToNull(Lenenc.readNulString(payload, charset));
        }
        String plugin = null;
        if (Capabilities.has(capabilities, Capabilities.CLIENT_PLUGIN_AUTH)) {
            plugin = emptyToNull(Lenenc.readNulString(payload, StandardCharsets.UTF_8));
        }
        Map<String, String> attributes = Map.of();
        if (Capabilities.has(capabilities, Capabilities.CLIENT_CONNECT_ATTRS) && payload.isReadable()) {
            attributes = ConnectionAttributes.read(payload, charset);
        }
        return new HandshakeResponse41(
                capabilities, maxPacketBytes, collation, user, authResponse, database, plugin, attributes);
    }

    private static byte[] readAuthResponse(ByteBuf payload, int capabilities) {
        if (!payload.isReadable()) {
            return new byte[0];
        }
        if (Capabilities.has(capabilities, Capabilities.CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA)) {
            return Lenenc.readBytes(payload);
        }
        if (Capabilities.has(capabilities, Capabilities.CLIENT_SECURE_CONNECTION)) {
            return ChangeUser.readShortBytes(payload);
        }
        return Lenenc.readNulString(payload, StandardCharsets.ISO_8859_1).getBytes(StandardCharsets.ISO_8859_1);
    }

    static @Nullable String emptyToNull(String text) {
        return text.isEmpty() ? null : text;
    }

    /** Returns a text without the answer to the scramble. */
    @Override
    public String toString() {
        return "HandshakeResponse41[" + user + ", database " + database + ", " + authPlugin + "]";
    }
}
