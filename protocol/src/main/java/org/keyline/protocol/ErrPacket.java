package org.keyline.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * ERR_Packet: the command failed.
 *
 * @param code error number, 1..65535
 * @param sqlState five ASCII characters
 * @param message text for people, sent in UTF-8
 * @see
 * <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_err_packet.html">ERR_Packet</a>
 */
public record ErrPacket(int code, String sqlState, String message) {
    public static final int HEADER = 0xFF;

    private static final int STATE_LENGTH = 5;

    public ErrPacket {
        if (code < 1 || code > 0xFFFF) {
            throw new IllegalArgumentException("code: " + code + " (expected: 1..65535)");
        }
        if (sqlState.length() != STATE_LENGTH) {
            throw new IllegalArgumentException("sqlState: " + sqlState + " (expected: five characters)");
        }
        Objects.requireNonNull(message, "message is null");
    }

    /** Returns an error with the server's usual text. */
    public static ErrPacket of(ErrorCode code) {
        return of(code, code.text());
    }

    public static ErrPacket of(ErrorCode code, String message) {
        return new ErrPacket(code.number(), code.sqlState(), message);
    }

    public void encode(ByteBuf out) {
        out.writeByte(HEADER);
        out.writeShortLE(code);
        out.writeByte('#');
        out.writeCharSequence(sqlState, StandardCharsets.US_ASCII);
        ByteBufUtil.writeUtf8(out, message);
    }

    /** Writes the payload without SQLSTATE, for a peer that has not yet sent its capabilities. */
    public void encodeBeforeHandshake(ByteBuf out) {
        out.writeByte(HEADER);
        out.writeShortLE(code);
        ByteBufUtil.writeUtf8(out, message);
    }

    /** Reads a payload, header included, with or without SQLSTATE. */
    public static ErrPacket decode(ByteBuf payload) {
        Lenenc.require(payload, 3);
        int header = payload.readUnsignedByte();
        if (header != HEADER) {
            throw new ProtocolException("ERR packet header: " + header + " (expected: 255)");
        }
        int code = payload.readUnsignedShortLE();
        if (code == 0) {
            throw new ProtocolException("ERR packet without a number");
        }
        String sqlState = ErrorCode.GENERAL_STATE;
        if (payload.readableBytes() > STATE_LENGTH && payload.getByte(payload.readerIndex()) == '#') {
            payload.skipBytes(1);
            sqlState = payload.toString(payload.readerIndex(), STATE_LENGTH, StandardCharsets.US_ASCII);
            payload.skipBytes(STATE_LENGTH);
        }
        String message = payload.toString(StandardCharsets.UTF_8);
        payload.skipBytes(payload.readableBytes());
        return new ErrPacket(code, sqlState, message);
    }
}
