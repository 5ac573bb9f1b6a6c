package org.keyline.protocol.client;

import static java.util.Objects.requireNonNull;
import static org.keyline.protocol.Capabilities.CLIENT_COMPRESS;
import static org.keyline.protocol.Capabilities.CLIENT_DEPRECATE_EOF;
import static org.keyline.protocol.ServerStatus.SERVER_MORE_RESULTS_EXISTS;
import static org.keyline.protocol.ServerStatus.SERVER_STATUS_CURSOR_EXISTS;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.ProtocolException;

/**
 * Finds the end of a command's reply in the bytes of a server, and records the outcome. The bytes
 * may arrive in pieces of any size. The scanner stores no rows and allocates nothing per row.
 * Confined to one thread; reused for each reply.
 *
 * <p>Use: {@link #begin}, then {@link #scan} until {@link #ended}. If {@link #awaitsClient} returns
 * true, the reply continues after {@link #resume}.
 *
 * @see
 * <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_query_response.html">COM_QUERY
 * response</a>
 * @see
 * <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_stmt_prepare.html">COM_STMT_PREPARE
 * response</a>
 */
public final class ReplyScanner {
    private static final int MAX_FRAGMENT = 0xFFFFFF;
    /** The minimum length of the OK for a PREPARE; a shorter packet is a plain OK. */
    private static final int MIN_PREPARE_OK = 10;
    /** Passed in place of a sequence id, so that the next packet may have any id. */
    public static final int ANY_SEQUENCE_ID = -1;

    private final ControlPacket control = new ControlPacket();
    private final ReplySummary summary = new ReplySummary();
    private final HeadCapture head;

    private ReplyPhase phase = ReplyPhase.ENDED;
    private int command;
    private boolean deprecateEof;
    private boolean numbered;
    private int definitionsLeft;

    // The current fragment: the header bytes so far, then the remaining payload bytes.
    private int headerBytes;
    private int header;
    private int fragmentLength;
    private int fragmentLeft;
    private boolean continued;
    private int sequenceId;
    private long packetBytes;
    private @Nullable ReplyPacket packet;
    private boolean packetEnded;

    public ReplyScanner() {
        this(0);
    }

    /** @param maxHeadBytes maximum length of {@link #head()}; a longer head is not stored */
    public ReplyScanner(int maxHeadBytes) {
        if (maxHeadBytes < 0) {
            throw new IllegalArgumentException("maxHeadBytes: " + maxHeadBytes + " (expected: >= 0)");
        }
        this.head = new HeadCapture(maxHeadBytes);
    }

    /**
     * Begins the reply to a command whose payload fitted into one packet.
     *
     * @param command a {@link CommandCode}; a command that has no reply is complete at once
     * @param capabilities the negotiated flags of this connection to the server
     */
    public void begin(int command, int capabilities) {
        begin(command, capabilities, 1);
    }

    /**
     * Begins a reply.
     *
     * @param firstSequenceId the sequence id after the command's last packet; negative until that
     *     packet is sent, because an error can arrive earlier
     */
    public void begin(int command, int capabilities, int firstSequenceId) {
        this.command = command;
        deprecateEof = Capabilities.has(capabilities, CLIENT_DEPRECATE_EOF);
        // Under compression, a server can number packets arbitrarily.
        numbered = !Capabilities.has(capabilities, CLIENT_COMPRESS);
        phase = ReplyPhase.first(command);
        sequenceId = firstSequenceId < 0 ? ANY_SEQUENCE_ID : firstSequenceId & 0xFF;
        definitionsLeft = 0;
        headerBytes = 0;
        header = 0;
        fragmentLeft = 0;
        continued = false;
        packetBytes = 0;
        packet = null;
        packetEnded = false;
        control.clear();
        head.begin();
        summary.clear();
        if (phase == ReplyPhase.ROWS) {
            head.close();
        }
    }

    /** Sets the first sequence id of the reply, once the command's last packet has been sent. */
    void expectFirst(int firstSequenceId) {
        if (sequenceId == ANY_SEQUENCE_ID) {
            sequenceId = firstSequenceId & 0xFF;
        }
    }

    /**
     * Scans the bytes from index {@code from} to {@code to}. Stops at the end of the reply, or
     * where the server awaits packets of the client. Does not use or move the buffer's own indices.
     *
     * @return the index after the last scanned byte
     * @throws ProtocolException if these bytes cannot be a reply to this command; the connection is
     *     then unusable
     */
    public int scan(ByteBuf in, int from, int to) {
        int at = from;
        while (at < to && phase.isServersTurn()) {
            at = scanPacket(in, at, to);
        }
        return at;
    }

    int scanPacket(ByteBuf in, int from, int to) {
        if (packetEnded) {
            packetEnded = false;
            packet = null;
            packetBytes = 0;
        }
        int at = from;
        while (at < to && !packetEnded) {
            if (headerBytes < 4) {
                at = scanHeader(in, at, to);
            } else {
                at = scanPayload(in, at, to);
            }
        }
        return at;
    }

    private int scanHeader(ByteBuf in, int from, int to) {
        int at = from;
        if (headerBytes == 0 && to - from >= 4) {
            header = in.getIntLE(from);
            headerBytes = 4;
            at += 4;
        } else {
            while (headerBytes < 4 && at < to) {
                header |= in.getUnsignedByte(at++) << (8 * headerBytes++);
            }
        }
        head.add(in, from, at);
        if (headerBytes == 4) {
            beginFragment();
        }
        return at;
    }

    private void beginFragment() {
        if (sequenceId == ANY_SEQUENCE_ID) {
            sequenceId = header >>> 24;
        }
        if (numbered && header >>> 24 != sequenceId) {
            throw new ProtocolException(
                    ErrorCode.ER_NET_PACKETS_OUT_OF_ORDER,
                    "sequence id: " + (header >>> 24) + " (expected: " + sequenceId + ")");
        }
        sequenceId = sequenceId + 1 & 0xFF;
        fragmentLength = header & MAX_FRAGMENT;
        fragmentLeft = fragmentLength;
        packetBytes += fragmentLength;
        if (fragmentLength == 0) {
            if (!continued) {
                throw new ProtocolException("empty packet in a reply");
            }
            endFragment();
        }
    }

    private int scanPayload(ByteBuf in, int from, int to) {
        ReplyPacket kind = packet;
        if (kind == null) {
            int first = in.getUnsignedByte(from);
            kind = phase.classify(first, isEnd(first), command);
            if (kind == ReplyPacket.PREPARE_OK && fragmentLength < MIN_PREPARE_OK) {
                kind = ReplyPacket.OK;
            }
            packet = kind;
            control.clear();
        }
        int length = Math.min(fragmentLeft, to - from);
        if (kind != ReplyPacket.ROW && kind != ReplyPacket.COLUMN && kind != ReplyPacket.PARAMETER) {
            control.append(in, from, length);
        }
        head.add(in, from, from + length);
        fragmentLeft -= length;
        if (fragmentLeft == 0) {
            endFragment();
        }
        return from + length;
    }

    private void endFragment() {
        headerBytes = 0;
        header = 0;
        continued = fragmentLength == MAX_FRAGMENT;
        if (!continued) {
            packetEnded = true;
            endPacket();
        }
    }

    private boolean isEnd(int first) {
        return first == 0xFE && fragmentLength < (deprecateEof ? MAX_FRAGMENT : 9);
    }

    private void endPacket() {
        switch (requireNonNull(packet, "packet is null")) {
            case ERR -> {
                if (summary.readError(control)) {
                    phase = ReplyPhase.ENDED;
                }
            }
            case OK, ROWS_END -> {
                summary.readOkOrEof(control);
                endResult();
            }
            case LOCAL_INFILE -> phase = ReplyPhase.AWAITS_FILE;
            case COLUMN_COUNT -> readColumnCount();
            case PARAMETER, COLUMN -> endDefinition();
            case DEFINITIONS_END -> {
                int warnings = summary.warnings();
                summary.readOkOrEof(control);
                if (command == CommandCode.COM_STMT_PREPARE) {
                    summary.warnings = warnings;
                }
                endDefinitions();
            }
            case ROW -> summary.rows++;
            case PREPARE_OK -> readPrepareOk();
            case AUTHENTICATION -> {
                boolean answered = control.size() != 2 || control.byteAt(0) != 0x01 || control.byteAt(1) != 0x03;
                phase = answered ? ReplyPhase.AWAITS_AUTHENTICATION : ReplyPhase.AUTHENTICATION;
            }
            case TEXT -> phase = ReplyPhase.ENDED;
        }
        if (phase == ReplyPhase.ROWS) {
            head.close();
        }
    }

    private void readColumnCount() {
        control.seek(0);
        // The count is at most 0xFFFFFF, because no reply begins with 0xFE. It can be large,
        // because MariaDB executes a SELECT of 100,000 values.
        long count = control.lenenc();
        if (count < 1 || control.remaining() > 0) {
            throw new ProtocolException("column count: " + count + " in " + control.size() + " bytes");
        }
        if (summary.results == 0) {
            summary.columnCount = (int) count;
        }
        definitionsLeft = (int) count;
        phase = ReplyPhase.COLUMNS;
    }

    private void readPrepareOk() {
        summary.readPrepareOk(control);
        if (summary.parameterCount > 0) {
            definitionsLeft = summary.parameterCount;
            phase = ReplyPhase.PARAMETERS;
        } else {
            beginPreparedColumns();
        }
    }

    private void beginPreparedColumns() {
        definitionsLeft = summary.columnCount;
        phase = summary.columnCount > 0 ? ReplyPhase.PREPARED_COLUMNS : ReplyPhase.ENDED;
    }

    private void endDefinition() {
        if (phase == ReplyPhase.FIELDS) {
            summary.columnCount++;
            return;
        }
        if (--definitionsLeft > 0) {
            return;
        }
        if (deprecateEof) {
            endDefinitions();
            return;
        }
        phase = switch (phase) {
            case PARAMETERS -> ReplyPhase.PARAMETERS_END;
            case PREPARED_COLUMNS -> ReplyPhase.PREPARED_COLUMNS_END;
            default -> ReplyPhase.COLUMNS_END;
        };
    }

    private void endDefinitions() {
        switch (phase) {
            case PARAMETERS, PARAMETERS_END -> beginPreparedColumns();
            case PREPARED_COLUMNS, PREPARED_COLUMNS_END -> phase = ReplyPhase.ENDED;
            default -> {
                // With a cursor, no rows follow, and this EOF packet ends the reply. The results of
                // a CALL have rows even with the flag, which then refers to a cursor within the
                // procedure. Such a result is never the last.
                boolean cursor = phase == ReplyPhase.COLUMNS_END
                        && command == CommandCode.COM_STMT_EXECUTE
                        && (summary.status() & (SERVER_STATUS_CURSOR_EXISTS | SERVER_MORE_RESULTS_EXISTS))
                                == SERVER_STATUS_CURSOR_EXISTS;
                if (cursor) {
                    summary.results++;
                }
                phase = cursor ? ReplyPhase.ENDED : ReplyPhase.ROWS;
            }
        }
    }

    private void endResult() {
        summary.results++;
        boolean several =
                phase == ReplyPhase.RESULT || (phase == ReplyPhase.ROWS && command != CommandCode.COM_STMT_FETCH);
        phase = several && (summary.status() & SERVER_MORE_RESULTS_EXISTS) != 0 ? ReplyPhase.RESULT : ReplyPhase.ENDED;
    }

    /** Returns whether the reply is complete; also true before the first {@link #begin}. */
    public boolean ended() {
        return phase == ReplyPhase.ENDED;
    }

    /** Returns whether the client must send the file of LOAD DATA LOCAL, or an auth response. */
    public boolean awaitsClient() {
        return phase == ReplyPhase.AWAITS_FILE || phase == ReplyPhase.AWAITS_AUTHENTICATION;
    }

    public boolean awaitsFile() {
        return phase == ReplyPhase.AWAITS_FILE;
    }

    public int nextSequenceId() {
        return sequenceId;
    }

    /**
     * Call after the client has sent the awaited packets. For a file, these include the empty
     * packet at its end.
     *
     * @param nextSequenceId the sequence id after the client's last packet; negative if unknown
     */
    public void resume(int nextSequenceId) {
        if (!awaitsClient()) {
            throw new IllegalStateException("the client is not awaited: " + phase);
        }
        phase = phase == ReplyPhase.AWAITS_FILE ? ReplyPhase.RESULT : ReplyPhase.AUTHENTICATION;
        sequenceId = nextSequenceId < 0 ? ANY_SEQUENCE_ID : nextSequenceId & 0xFF;
    }

    /** Returns the outcome so far, a live object that the next {@link #begin} clears. */
    public ReplySummary summary() {
        return summary;
    }

    /**
     * Returns a copy of the bytes before the first row, headers included: column count,
     * definitions, and the EOF packet after them. If no rows have begun, returns all bytes so far.
     * Returns {@code null} if the head exceeds the limit.
     */
    public byte @Nullable [] head() {
        return head.copy();
    }

    /** Releases the stored head. */
    public void forgetHead() {
        head.forget();
    }

    /** Returns the last packet that is neither a definition nor a row; null if over 16 KiB. */
    public byte @Nullable [] lastPacket() {
        return control.isCut() ? null : control.copy();
    }

    /** Returns the kind of the current packet; null between packets. */
    @Nullable
    ReplyPacket packet() {
        return packet;
    }

    boolean packetEnded() {
        return packetEnded;
    }

    long packetBytes() {
        return packetBytes;
    }
}
