package org.keyline.protocol.client;

import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ProtocolException;

/** The position of the next packet in a reply, which determines the possible kinds of packet. */
enum ReplyPhase {
    RESULT,
    COLUMNS,
    COLUMNS_END,
    ROWS,
    PREPARED,
    PARAMETERS,
    PARAMETERS_END,
    PREPARED_COLUMNS,
    PREPARED_COLUMNS_END,
    /** Column definitions of COM_FIELD_LIST. The server does not announce their number. */
    FIELDS,
    SINGLE,
    AUTHENTICATION,
    // In the following phases the server sends nothing.
    AWAITS_FILE,
    AWAITS_AUTHENTICATION,
    ENDED;

    /*
     * The phase and the first byte of a packet (not of its continuations) determine its kind:
     *
     * - 0xFF is ERR in every phase. No definition and no length-encoded integer starts with it. An
     * ERR with number 0xFFFF is a progress report of MariaDB, which does not affect the reply.
     * - 0xFE ends rows. A text row whose first cell has 16 MiB or more also starts with 0xFE. The
     * packet's length distinguishes the two. Without CLIENT_DEPRECATE_EOF, rows end with an EOF
     * packet, which is shorter than the 9 bytes of such a cell's length. With that flag, they end
     * with an OK packet, which is shorter than the first fragment of such a row.
     * - 0x00 is OK as the first packet of a result. Among rows it is the header of a binary row, or
     * an empty first cell of a text row.
     * - 0xFB as the first packet of a result requests a file. Among rows it is a NULL first cell.
     *
     * CLIENT_OPTIONAL_RESULTSET_METADATA and MARIADB_CLIENT_CACHE_METADATA must not be negotiated.
     * They change the column count packet.
     */

    static ReplyPhase first(int command) {
        return switch (command) {
            case CommandCode.COM_QUIT, CommandCode.COM_STMT_CLOSE, CommandCode.COM_STMT_SEND_LONG_DATA -> ENDED;
            case CommandCode.COM_QUERY,
                    CommandCode.COM_STMT_EXECUTE,
                    CommandCode.COM_STMT_BULK_EXECUTE,
                    CommandCode.COM_PROCESS_INFO -> RESULT;
            case CommandCode.COM_STMT_PREPARE -> PREPARED;
            // The scanner treats events of the binary log as rows. The events begin with 0; an EOF
            // packet can follow the last event.
            case CommandCode.COM_STMT_FETCH, CommandCode.COM_BINLOG_DUMP, CommandCode.COM_BINLOG_DUMP_GTID -> ROWS;
            case CommandCode.COM_FIELD_LIST -> FIELDS;
            case CommandCode.COM_CHANGE_USER -> AUTHENTICATION;
            default -> SINGLE;
        };
    }

    boolean isServersTurn() {
        return compareTo(AWAITS_FILE) < 0;
    }

    /** @param end whether the packet starts with 0xFE and is as short as an EOF or OK packet */
    ReplyPacket classify(int first, boolean end, int command) {
        if (first == 0xFF) {
            return ReplyPacket.ERR;
        }
        return switch (this) {
            case RESULT -> classifyResult(first);
            case COLUMNS, PREPARED_COLUMNS -> ReplyPacket.COLUMN;
            case PARAMETERS -> ReplyPacket.PARAMETER;
            case COLUMNS_END, PARAMETERS_END, PREPARED_COLUMNS_END -> {
                if (!end) {
                    throw new ProtocolException("first byte: " + first + " (expected: EOF packet after definitions)");
                }
                yield ReplyPacket.DEFINITIONS_END;
            }
            case ROWS -> end ? ReplyPacket.ROWS_END : ReplyPacket.ROW;
            case FIELDS -> end ? ReplyPacket.ROWS_END : ReplyPacket.COLUMN;
            case PREPARED -> {
                if (first != 0) {
                    throw new ProtocolException("first byte: " + first + " (expected: OK of a prepare)");
                }
                yield ReplyPacket.PREPARE_OK;
            }
            case SINGLE -> classifySingle(first, end, command);
            case AUTHENTICATION -> first == 0 ? ReplyPacket.OK : ReplyPacket.AUTHENTICATION;
            case AWAITS_FILE, AWAITS_AUTHENTICATION, ENDED ->
                throw new IllegalStateException("no packet is awaited: " + this);
        };
    }

    private static ReplyPacket classifyResult(int first) {
        return switch (first) {
            case 0x00 -> ReplyPacket.OK;
            case 0xFB -> ReplyPacket.LOCAL_INFILE;
            case 0xFE -> throw new ProtocolException("first byte: 254 (expected: OK, ERR or column count)");
            default -> ReplyPacket.COLUMN_COUNT;
        };
    }

    private static ReplyPacket classifySingle(int first, boolean end, int command) {
        if (first == 0x00 || end) {
            return ReplyPacket.OK;
        }
        if (command == CommandCode.COM_STATISTICS) {
            return ReplyPacket.TEXT;
        }
        throw new ProtocolException("first byte: " + first + " (expected: OK, EOF or ERR)");
    }
}
