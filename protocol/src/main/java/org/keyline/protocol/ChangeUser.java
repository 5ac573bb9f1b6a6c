package org.keyline.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * COM_CHANGE_USER: logs in again on the same connection.
 *
 * @param authResponse answer to the scramble of the greeting, or empty
 * @param collation the client's collation; 0 if the client names none
 * @param attributes connection attributes, in the client's order
 * @see
 * <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_change_user.html">COM_CHANGE_USER</a>
 */
@SuppressWarnings("ArrayRecordComponent") // the constructor and the accessor copy the array
public record ChangeUser(
        String user,
        byte[] authResponse,
        @Nullable String database,
        int collation,
        @Nullable String authPlugin,
        Map<String, String> attributes) {
    public ChangeUser {
        authResponse = authResponse.clone();
        attributes = ConnectionAttributes.copyOf(attributes);
    }

    @Override
    public byte[] authResponse() {
        return authResponse.clone();
    }

    public void encode(ByteBuf out, int capabilities) {
        out.writeByte(CommandCode.COM_CHANGE_USER);
        Lenenc.writeNulString(out, user);
        out.writeByte(authResponse.length).writeBytes(authResponse);
        Lenenc.writeNulString(out, database == null ? "" : database);
        out.writeShortLE(collation);
        if (Capabilities.has(capabilities, Capabilities.CLIENT_PLUGIN_AUTH)) {
            Lenenc.writeNulString(out, authPlugin == null ? "" : authPlugin);
        }
        if (Capabilities.has(capabilities, Capabilities.CLIENT_CONNECT_ATTRS)) {
            ConnectionAttributes.write(out, attributes);
        }
    }

    /**
     * Reads a payload, command byte included.
     *
     * @param charset the session's current character set
     */
    public static ChangeUser decode(ByteBuf payload, int capabilities, Charset charset) {
        payload.skipBytes(1);
        String user = Lenenc.readNulString(payload, charset);
        byte[] authResponse = readShortBytes(payload);
        String database = HandshakeResponse41.emptyToNull(Lenenc.readNulString(payload, charset));
        int collation = 0;
        String plugin = null;
        Map<String, String> attributes = Map.of();
        if (payload.readableBytes() >= 2) {
            collation = payload.readUnsignedShortLE();
            if (Capabilities.has(capabilities, Capabilities.CLIENT_PLUGIN_AUTH)) {
                plugin = HandshakeResponse41.emptyToNull(Lenenc.readNulString(payload, StandardCharsets.UTF_8));
            }
            if (Capabilities.has(capabilities, Capabilities.CLIENT_CONNECT_ATTRS) && payload.isReadable()) {
                attributes = ConnectionAttributes.read(payload, charset);
            }
        }
        return new ChangeUser(user, authResponse, database, collation, plugin, attributes);
    }

    static byte[] readShortBytes(ByteBuf payload) {
        Lenenc.require(payload, 1);
        int length = payload.readUnsignedByte();
        Lenenc.require(payload, length);
        return ByteBufUtil.getBytes(payload.readSlice(length));
    }

    /** Returns a text without the answer to the scramble. */
    @Override
    public String toString() {
        return "ChangeUser[" + user + ", database " + database + ", " + authPlugin + "]";
    }
}
