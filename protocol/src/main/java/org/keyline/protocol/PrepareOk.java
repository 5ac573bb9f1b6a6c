package org.keyline.protocol;

import io.netty.buffer.ByteBuf;

/**
 * COM_STMT_PREPARE_OK: the server prepared a statement. Definitions of its parameters and columns
 * follow.
 *
 * @param statementId unsigned 32-bit, chosen by the server
 * @param columns number of result columns, 0..65535
 * @param parameters number of placeholders, 0..65535
 * @param warnings number of warnings, 0..65535
 * @see
 * <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_stmt_prepare.html">COM_STMT_PREPARE</a>
 */
public record PrepareOk(int statementId, int columns, int parameters, int warnings) {
    /** The length of the payload. Servers older than 5.0 omit the number of warnings. */
    public static final int PAYLOAD_BYTES = 12;

    private static final int PAYLOAD_BYTES_WITHOUT_WARNINGS = 9;

    public void encode(ByteBuf out) {
        out.writeByte(OkPacket.HEADER);
        out.writeIntLE(statementId);
        out.writeShortLE(columns);
        out.writeShortLE(parameters);
        out.writeByte(0);
        out.writeShortLE(warnings);
    }

    /** Reads a payload, header included. Old releases of Doris omit the number of warnings. */
    public static PrepareOk decode(ByteBuf payload) {
        Lenenc.require(payload, PAYLOAD_BYTES_WITHOUT_WARNINGS);
        int header = payload.readUnsignedByte();
        if (header != OkPacket.HEADER) {
            throw new ProtocolException("prepare OK header: " + header + " (expected: 0)");
        }
        int statementId = payload.readIntLE();
        int columns = payload.readUnsignedShortLE();
        int parameters = payload.readUnsignedShortLE();
        int warnings = 0;
        if (payload.readableBytes() >= 3) {
            payload.skipBytes(1);
            warnings = payload.readUnsignedShortLE();
        }
        return new PrepareOk(statementId, columns, parameters, warnings);
    }
}
