package org.keyline.protocol;

import io.netty.buffer.ByteBuf;
import java.util.Objects;

/**
 * OK_Packet: ends a reply without rows. With header 0xFE, it ends the rows of a result set
 * (CLIENT_DEPRECATE_EOF).
 *
 * @param affectedRows rows changed, unsigned 64-bit
 * @param lastInsertId the id that the statement generated, unsigned 64-bit; 0 if it generated no id
 * @param status bit set of {@link ServerStatus}
 * @param warnings number of warnings, 0..65535
 * @param info text for people, such as {@code Rows matched: 1 Changed: 1 Warnings: 0}
 * @see
 * <a
 * href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_ok_packet.html">OK_Packet</a>
 */
public record OkPacket(long affectedRows, long lastInsertId, int status, int warnings, String info) {
    public static final int HEADER = 0x00;

    public static final int HEADER_AS_EOF = 0xFE;

    public OkPacket {
        if (warnings < 0 || warnings > 0xFFFF) {
            throw new IllegalArgumentException("warnings: " + warnings + " (expected: 0..65535)");
        }
        Objects.requireNonNull(info, "info is null");
    }

    public OkPacket(long affectedRows, long lastInsertId, int status, int warnings) {
        this(affectedRows, lastInsertId, status, warnings, "");
    }

    public static OkPacket of(int status) {
        return new OkPacket(0, 0, status, 0, "");
    }

    public void encode(ByteBuf out) {
        encode(out, HEADER);
    }

    /** Writes the payload with header {@link #HEADER} or {@link #HEADER_AS_EOF}. */
    public void encode(ByteBuf out, int header) {
        out.writeByte(header);
        Lenenc.writeInt(out, affectedRows);
        Lenenc.writeInt(out, lastInsertId);
        out.writeShortLE(status);
        out.writeShortLE(warnings);
        if (!info.isEmpty()) {
            Lenenc.writeString(out, info);
        }
    }

    /** Reads a payload, header included. Ignores session state changes after the text. */
    public static OkPacket decode(ByteBuf payload) {
        Lenenc.require(payload, 1);
        int header = payload.readUnsignedByte();
        if (header != HEADER && header != HEADER_AS_EOF) {
            throw new ProtocolException("OK packet header: " + header + " (expected: 0 or 254)");
        }
        long affectedRows = Lenenc.readInt(payload);
        long lastInsertId = Lenenc.readInt(payload);
        Lenenc.require(payload, 4);
        int status = payload.readUnsignedShortLE();
        int warnings = payload.readUnsignedShortLE();
        String info = payload.isReadable() ? Lenenc.readString(payload) : "";
        return new OkPacket(affectedRows, lastInsertId, status, warnings, info);
    }
}
