package org.keyline.gateway.session.local;

import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.Collation;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.Lenenc;
import org.keyline.protocol.PrepareOk;
import org.keyline.protocol.server.Reply;

/**
 * A result set that the gateway creates. Immutable.
 *
 * @param columns the names of the columns
 * @param rows each with one cell per column; a null cell is SQL NULL
 */
public record LocalResult(List<String> columns, List<List<@Nullable String>> rows) {
    private static final int MAX_CELL_BYTES = 4096;

    void answer(Reply reply, boolean binary, boolean extendedMetadata, int status) {
        ByteBuf payload = reply.alloc().buffer(64);
        try {
            Lenenc.writeInt(payload, columns.size());
            reply.packet(payload);
            writeDefinitions(reply, extendedMetadata, payload);
            reply.endOfColumns(status, 0);
            for (List<@Nullable String> row : rows) {
                payload.clear();
                if (binary) {
                    writeBinaryRow(payload, row);
                } else {
                    writeTextRow(payload, row);
                }
                reply.packet(payload);
            }
            reply.eof(status, 0);
        } finally {
            payload.release();
        }
        reply.end();
    }

    /** Answers the PREPARE of a statement that has this result and takes no parameters. */
    public void answerPrepare(Reply reply, int statementId, boolean extendedMetadata, int status) {
        ByteBuf payload = reply.alloc().buffer(64);
        try {
            new PrepareOk(statementId, columns.size(), 0, 0).encode(payload);
            reply.packet(payload);
            writeDefinitions(reply, extendedMetadata, payload);
            reply.endOfColumns(status, 0);
        } finally {
            payload.release();
        }
        reply.end();
    }

    private void writeDefinitions(Reply reply, boolean extendedMetadata, ByteBuf payload) {
        for (String column : columns) {
            payload.clear();
            ColumnDefinition.of(column, Collation.UTF8MB4_GENERAL_CI, MAX_CELL_BYTES, ColumnType.VAR_STRING, 0, 0)
                    .encode(payload, extendedMetadata);
            reply.packet(payload);
        }
    }

    private static void writeTextRow(ByteBuf payload, List<@Nullable String> row) {
        for (String cell : row) {
            if (cell == null) {
                payload.writeByte(Lenenc.NULL);
            } else {
                Lenenc.writeString(payload, cell);
            }
        }
    }

    private static void writeBinaryRow(ByteBuf payload, List<@Nullable String> row) {
        payload.writeByte(0);
        int bitmap = payload.writerIndex();
        payload.writeZero((row.size() + 7 + 2) / 8);
        for (int i = 0; i < row.size(); i++) {
            String cell = row.get(i);
            if (cell == null) {
                int at = bitmap + (i + 2) / 8;
                payload.setByte(at, payload.getByte(at) | 1 << (i + 2) % 8);
            } else {
                Lenenc.writeString(payload, cell);
            }
        }
    }
}
