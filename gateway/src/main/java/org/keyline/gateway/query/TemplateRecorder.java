package org.keyline.gateway.query;

import io.netty.buffer.ByteBuf;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.protocol.codec.Packets;

/**
 * Learns a template from the store's reply to a forwarded point read while it passes. A reply with warnings, with more results
 * behind it or inside a transaction teaches nothing; an error takes back what was learned before. Confined to one event loop.
 */
public final class TemplateRecorder {
    /** Wider replies than this are not worth a template. */
    private static final int MAX_HEAD_BYTES = 1 << 20;

    private final ReadShape shape;
    private final ReadScope scope;
    private final long validUntilNanos;
    private final ReplyScanner scanner = new ReplyScanner(MAX_HEAD_BYTES);

    TemplateRecorder(ReadShape shape, ReadScope scope, long validUntilNanos) {
        this.shape = shape;
        this.scope = scope;
        this.validUntilNanos = validUntilNanos;
        scanner.begin(
                scope.binary() ? CommandCode.COM_STMT_EXECUTE : CommandCode.COM_QUERY, (int) scope.capabilities());
    }

    /** Sees whole packets of the reply; {@code framed} is borrowed and stays as it is. */
    public void packets(ByteBuf framed) {
        scanner.scan(framed, framed.readerIndex(), framed.writerIndex());
    }

    /** The reply is complete. */
    public void end() {
        ReplySummary reply = scanner.summary();
        byte[] head = scanner.head();
        byte[] last = scanner.lastPacket();
        if (reply.error() != null) {
            shape.forget(scope);
        } else if (scanner.ended() && head != null && last != null && isQuiet(reply)) {
            shape.learned(scope, new Template(head, rowId(head), last, validUntilNanos));
        }
    }

    /** What a status may say of the session: that autocommit is on, and, by MariaDB, flags of its sql_mode. */
    private static final int QUIET = ServerStatus.SERVER_STATUS_AUTOCOMMIT
            | ServerStatus.SERVER_STATUS_NO_BACKSLASH_ESCAPES
            | ServerStatus.SERVER_STATUS_ANSI_QUOTES;

    /** One result set with nothing else to say. */
    private static boolean isQuiet(ReplySummary reply) {
        return reply.results() == 1
                && reply.columnCount() > 0
                && reply.warnings() == 0
                && reply.affectedRows() == 0
                && reply.lastInsertId() == 0
                && (reply.status() & ~QUIET) == 0;
    }

    /** The sequence id behind the head's last packet. */
    private static int rowId(byte[] head) {
        int id = 1;
        int at = 0;
        while (at < head.length) {
            int length = (head[at] & 0xFF) | ((head[at + 1] & 0xFF) << 8) | ((head[at + 2] & 0xFF) << 16);
            id = Packets.next(head[at + 3] & 0xFF);
            at += Packets.HEADER_BYTES + length;
        }
        return id;
    }
}
