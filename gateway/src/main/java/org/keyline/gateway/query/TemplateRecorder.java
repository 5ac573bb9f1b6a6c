package org.keyline.gateway.query;

import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.Lenenc;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.codec.Packets;

/**
 * Learns a template from the store's reply to a forwarded point read while it passes. A reply with warnings, with more results
 * behind it or inside a transaction teaches nothing; an error takes back what was learned before. Confined to one event loop.
 */
public final class TemplateRecorder {
    private static final int EOF = 0xFE;
    private static final int ERR = 0xFF;
    private static final int MAX_EOF_LENGTH = 9;
    /** Wider replies than this are not worth a template. */
    private static final int MAX_HEAD_BYTES = 1 << 20;

    private final ReadShape shape;
    private final ReadScope scope;
    private final long validUntilNanos;
    private final boolean deprecateEof;

    private final ByteArrayOutputStream head = new ByteArrayOutputStream(512);
    private final List<ColumnDefinition> columns = new ArrayList<>();
    private int columnCount = -1;
    private boolean rows;
    private int firstRowId;
    private byte @Nullable [] end;
    private boolean refused;
    private boolean unusable;

    TemplateRecorder(ReadShape shape, ReadScope scope, long validUntilNanos) {
        this.shape = shape;
        this.scope = scope;
        this.validUntilNanos = validUntilNanos;
        this.deprecateEof = (scope.capabilities() & Capabilities.CLIENT_DEPRECATE_EOF) != 0;
    }

    /** Sees whole packets of the reply; {@code framed} is borrowed and stays as it is. */
    public void packets(ByteBuf framed) {
        int at = framed.readerIndex();
        while (at < framed.writerIndex() && !unusable && !refused) {
            int length = framed.getUnsignedMediumLE(at);
            packet(framed, at, length);
            at += Packets.HEADER_BYTES + length;
        }
    }

    private void packet(ByteBuf framed, int at, int length) {
        int payload = at + Packets.HEADER_BYTES;
        int first = length == 0 ? -1 : framed.getUnsignedByte(payload);
        if (end != null || length == 0 || length == Packets.MAX_PAYLOAD_BYTES) {
            unusable = true;
        } else if (rows) {
            if (first == ERR) {
                unusable = true;
            } else if (first == EOF && (deprecateEof || length < MAX_EOF_LENGTH)) {
                end = new byte[length];
                framed.getBytes(payload, end);
            }
        } else if (columnCount < 0) {
            if (first == ERR) {
                refused = true;
            } else if (first == 0 || length > MAX_EOF_LENGTH) {
                unusable = true;
            } else {
                columnCount = (int) Lenenc.readInt(framed.slice(payload, length));
                keep(framed, at, length);
            }
        } else if (columns.size() < columnCount) {
            columns.add(ColumnDefinition.decode(framed.slice(payload, length)));
            keep(framed, at, length);
            if (deprecateEof && columns.size() == columnCount) {
                beginRows(framed, at);
            }
        } else if (first == EOF && length < MAX_EOF_LENGTH) {
            keep(framed, at, length);
            beginRows(framed, at);
        } else {
            unusable = true;
        }
    }

    private void keep(ByteBuf framed, int at, int length) {
        if (head.size() + length > MAX_HEAD_BYTES) {
            unusable = true;
            return;
        }
        byte[] bytes = new byte[Packets.HEADER_BYTES + length];
        framed.getBytes(at, bytes);
        head.writeBytes(bytes);
    }

    private void beginRows(ByteBuf framed, int at) {
        rows = true;
        firstRowId = (framed.getUnsignedByte(at + 3) + 1) & 0xFF;
    }

    /** The reply is complete. */
    public void end() {
        byte[] last = end;
        if (refused) {
            shape.forget(scope);
        } else if (!unusable && last != null && isQuiet(last)) {
            shape.learned(scope, new Template(head.toByteArray(), firstRowId, last, columns, validUntilNanos));
        }
    }

    /** EOF: warnings, status. OK: affected rows and last insert id, both 0, then status, warnings, and no news of the session. */
    private boolean isQuiet(byte[] last) {
        int status;
        int warnings;
        if (deprecateEof) {
            if (last.length < 7 || last[1] != 0 || last[2] != 0) {
                return false;
            }
            status = shortAt(last, 3);
            warnings = shortAt(last, 5);
        } else {
            warnings = shortAt(last, 1);
            status = shortAt(last, 3);
        }
        return warnings == 0 && status == ServerStatus.SERVER_STATUS_AUTOCOMMIT;
    }

    private static int shortAt(byte[] bytes, int at) {
        return (bytes[at] & 0xFF) | ((bytes[at + 1] & 0xFF) << 8);
    }
}
