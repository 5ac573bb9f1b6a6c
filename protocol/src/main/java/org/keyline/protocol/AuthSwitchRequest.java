package org.keyline.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;

/**
 * AuthSwitchRequest: the server asks the client to continue with another authentication plugin, or
 * to answer a new scramble with the same plugin.
 *
 * @param scramble the plugin's data; 20 bytes for the plugins of this library
 * @see
 * <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase_packets_protocol_auth_switch_request.html">AuthSwitchRequest</a>
 */
@SuppressWarnings("ArrayRecordComponent") // the constructor and the accessor copy the array
public record AuthSwitchRequest(String plugin, byte[] scramble) {
    public static final int HEADER = 0xFE;

    public AuthSwitchRequest {
        scramble = scramble.clone();
    }

    @Override
    public byte[] scramble() {
        return scramble.clone();
    }

    /** Writes the payload. As in the greeting, a NUL follows the scramble. */
    public void encode(ByteBuf out) {
        out.writeByte(HEADER);
        Lenenc.writeNulString(out, plugin);
        out.writeBytes(scramble).writeByte(0);
    }

    public static AuthSwitchRequest decode(ByteBuf payload) {
        Lenenc.require(payload, 1);
        int header = payload.readUnsignedByte();
        if (header != HEADER) {
            throw new ProtocolException("auth switch header: " + header + " (expected: 254)");
        }
        String plugin = Lenenc.readNulString(payload, StandardCharsets.UTF_8);
        int length = payload.readableBytes();
        if (length > 0 && payload.getByte(payload.writerIndex() - 1) == 0) {
            length--;
        }
        byte[] scramble = ByteBufUtil.getBytes(payload, payload.readerIndex(), length);
        payload.skipBytes(payload.readableBytes());
        return new AuthSwitchRequest(plugin, scramble);
    }

    /** Returns a text without the scramble. */
    @Override
    public String toString() {
        return "AuthSwitchRequest[" + plugin + "]";
    }
}
