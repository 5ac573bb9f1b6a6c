package org.keyline.protocol.client;

import org.jspecify.annotations.Nullable;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;

/** The outcome of a reply, as a {@link ReplyScanner} reads it. Confined to the scanner's thread. */
public final class ReplySummary {
    private static final int STATUS_UNKNOWN = -1;
    /** The error number of ERR packets that report progress (MARIADB_CLIENT_PROGRESS). */
    private static final int PROGRESS = 0xFFFF;

    private int status = STATUS_UNKNOWN;
    private long affectedRows;
    private long lastInsertId;
    private int statementId;
    private @Nullable ErrPacket error;
    private boolean prepared;
    int warnings;
    int columnCount;
    int parameterCount;
    int results;
    long rows;

    ReplySummary() {}

    void clear() {
        status = STATUS_UNKNOWN;
        warnings = 0;
        affectedRows = 0;
        lastInsertId = 0;
        statementId = 0;
        error = null;
        prepared = false;
        columnCount = 0;
        parameterCount = 0;
        results = 0;
        rows = 0;
    }

    /** Reads an ERR packet. Returns false for a progress report. */
    boolean readError(ControlPacket packet) {
        packet.seek(1);
        int code = packet.uint16();
        if (code == PROGRESS) {
            return false;
        }
        String sqlState = ErrorCode.ER_UNKNOWN_ERROR.sqlState();
        if (packet.remaining() >= 6 && packet.byteAt(3) == '#') {
            packet.seek(4);
            sqlState = packet.ascii(5);
        }
        error = new ErrPacket(Math.max(code, 1), sqlState, packet.text(packet.remaining()));
        return true;
    }

    void readOkOrEof(ControlPacket packet) {
        packet.seek(1);
        if (packet.byteAt(0) == 0xFE && packet.size() < 7) {
            if (packet.remaining() >= 4) {
                warnings = packet.uint16();
                status = packet.uint16();
            }
            return;
        }
        affectedRows = packet.lenenc();
        lastInsertId = packet.lenenc();
        status = packet.uint16();
        warnings = packet.uint16();
    }

    void readPrepareOk(ControlPacket packet) {
        prepared = true;
        packet.seek(1);
        statementId = packet.int32();
        columnCount = packet.uint16();
        parameterCount = packet.uint16();
        if (packet.remaining() >= 3) {
            packet.uint8();
            warnings = packet.uint16();
        }
    }

    /** Returns the error of the reply; null if it has none. A long text is truncated. */
    public @Nullable ErrPacket error() {
        return error;
    }

    /** Returns whether the reply has status flags, which only OK and EOF packets contain. */
    public boolean hasStatus() {
        return status != STATUS_UNKNOWN;
    }

    /** Returns the flags of the last OK or EOF; 0 if the reply has no such packet. */
    public int status() {
        return Math.max(status, 0);
    }

    public int warnings() {
        return warnings;
    }

    /** Returns the value of the last OK; unsigned. */
    public long affectedRows() {
        return affectedRows;
    }

    /** Returns the value of the last OK; unsigned. */
    public long lastInsertId() {
        return lastInsertId;
    }

    /** Returns the column count of the first result, PREPARE or COM_FIELD_LIST; initially 0. */
    public int columnCount() {
        return columnCount;
    }

    /** Returns the number of complete results so far, OK packets included. */
    public int results() {
        return results;
    }

    /** Returns the number of rows that have arrived so far, of all results together. */
    public long rows() {
        return rows;
    }

    /**
     * Returns whether a statement was prepared. Returns false after a PREPARE of an empty text, to
     * which Doris replies with a plain OK.
     */
    public boolean isPrepared() {
        return prepared;
    }

    /** Returns the unsigned id of the prepared statement; 0 for other commands. */
    public int statementId() {
        return statementId;
    }

    public int parameterCount() {
        return parameterCount;
    }
}
