package org.keyline.gateway.pipeline;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.keyline.protocol.CommandCode;

/**
 * One command, the same for both ends except for names of schemas and ids of statements.
 *
 * @param code COM_*
 * @param text of a statement, or a schema
 * @param statement the index of a prepared statement, in the order of the session's PREPAREs;
 *     {@link #LAST} for the last one, {@link #NONE}
 * @param rest the bytes after the statement's id
 * @param gatewayOnly whether only the gateway receives it
 */
@SuppressWarnings("ArrayRecordComponent") // nobody compares two
record Command(int code, String text, int statement, byte[] rest, boolean gatewayOnly) {
    static final int NONE = -2;
    static final int LAST = -1;

    static Command query(String sql) {
        return new Command(CommandCode.COM_QUERY, sql, NONE, new byte[0], false);
    }

    static Command toGateway(String sql) {
        return new Command(CommandCode.COM_QUERY, sql, NONE, new byte[0], true);
    }

    static Command of(int code, String text) {
        return new Command(code, text, NONE, new byte[0], false);
    }

    static Command on(int code, int statement, byte[] rest) {
        return new Command(code, "", statement, rest, false);
    }

    /**
     * Returns the command's packet.
     *
     * @param schema instead of {@code pipe_a}, of the same length
     * @param id of the statement
     */
    byte[] packet(String schema, int id) {
        byte[] sent = text.replace(PipelineIT.SCHEMA, schema).getBytes(StandardCharsets.UTF_8);
        int length = 1 + sent.length + (statement == NONE ? 0 : 4) + rest.length;
        ByteBuffer packet = ByteBuffer.allocate(4 + length).order(ByteOrder.LITTLE_ENDIAN);
        packet.putInt(length).put((byte) code).put(sent);
        if (statement != NONE) {
            packet.putInt(id);
        }
        return packet.put(rest).array();
    }

    @Override
    public String toString() {
        String name = switch (code) {
            case CommandCode.COM_QUERY -> "";
            case CommandCode.COM_STMT_PREPARE -> "PREPARE ";
            case CommandCode.COM_STMT_EXECUTE -> "EXECUTE ";
            case CommandCode.COM_STMT_CLOSE -> "CLOSE ";
            case CommandCode.COM_STMT_RESET -> "RESET ";
            case CommandCode.COM_STMT_SEND_LONG_DATA -> "LONG_DATA ";
            case CommandCode.COM_INIT_DB -> "INIT_DB ";
            case CommandCode.COM_RESET_CONNECTION -> "RESET_CONNECTION";
            default -> "COM " + code + " ";
        };
        return name
                + text
                + (statement == NONE
                        ? ""
                        : "#" + statement + " " + HexFormat.of().formatHex(rest));
    }
}
