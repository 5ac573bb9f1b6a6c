package org.keyline.protocol.codec;

import io.netty.buffer.ByteBuf;
import java.util.List;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.EofPacket;
import org.keyline.protocol.Lenenc;
import org.keyline.protocol.OkPacket;

/**
 * Writes the packets around the rows of a result set, headers included.
 *
 * @see
 * <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_query_response_text_resultset.html">Text
 * result set</a>
 */
public final class ColumnDefinitions {
    private ColumnDefinitions() {}

    /**
     * Writes column count, definitions, and the EOF packet unless CLIENT_DEPRECATE_EOF is set.
     *
     * @return the sequence id of the first row
     */
    public static int writeHead(
            ByteBuf out, List<ColumnDefinition> columns, int capabilities, int sequenceId, int status, int warnings) {
        int begin = Packets.begin(out);
        Lenenc.writeInt(out, columns.size());
        int id = Packets.end(out, begin, sequenceId);
        return writeAll(out, columns, capabilities, id, status, warnings);
    }

    /** Writes definitions, if any, and their EOF packet unless CLIENT_DEPRECATE_EOF is set. */
    public static int writeAll(
            ByteBuf out, List<ColumnDefinition> columns, int capabilities, int sequenceId, int status, int warnings) {
        int id = sequenceId;
        for (int i = 0; i < columns.size(); i++) {
            int begin = Packets.begin(out);
            columns.get(i).encode(out);
            id = Packets.end(out, begin, id);
        }
        if (!columns.isEmpty() && !Capabilities.has(capabilities, Capabilities.CLIENT_DEPRECATE_EOF)) {
            id = writeEof(out, id, status, warnings);
        }
        return id;
    }

    public static int writeEnd(ByteBuf out, int capabilities, int sequenceId, int status, int warnings) {
        if (!Capabilities.has(capabilities, Capabilities.CLIENT_DEPRECATE_EOF)) {
            return writeEof(out, sequenceId, status, warnings);
        }
        int begin = Packets.begin(out);
        out.writeByte(OkPacket.HEADER_AS_EOF).writeByte(0).writeByte(0);
        out.writeShortLE(status).writeShortLE(warnings);
        return Packets.end(out, begin, sequenceId);
    }

    private static int writeEof(ByteBuf out, int sequenceId, int status, int warnings) {
        int begin = Packets.begin(out);
        out.writeByte(EofPacket.HEADER).writeShortLE(warnings).writeShortLE(status);
        return Packets.end(out, begin, sequenceId);
    }
}
