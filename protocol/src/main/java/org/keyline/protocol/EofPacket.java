package org.keyline.protocol;

import io.netty.buffer.ByteBuf;

/**
 * EOF_Packet: ends column definitions or rows for clients without CLIENT_DEPRECATE_EOF.
 *
 * @param status bit set of {@link ServerStatus}
 * @param warnings number of warnings, 0..65535
 * @see
 * <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_eof_packet.html">EOF_Packet</a>
 */
public record EofPacket(int status, int warnings) {
    public static final int HEADER = 0xFE;

    public void encode(ByteBuf out) {
        out.writeByte(HEADER);
        out.writeShortLE(warnings);
        out.writeShortLE(status);
    }
}
