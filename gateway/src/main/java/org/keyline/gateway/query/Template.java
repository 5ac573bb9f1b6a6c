package org.keyline.gateway.query;

import io.netty.buffer.ByteBuf;

/**
 * Everything of a reply to one statement shape that does not depend on the key, as the store itself sent it to one user in one
 * session scope: column count, column definitions, end packet. That the store answered is also the user's authority for hits, until
 * {@link #validUntilNanos}. Immutable; thread-safe.
 */
final class Template {
    private final byte[] head;
    private final int firstRowId;
    private final byte[] end;
    private final long validUntilNanos;

    /**
     * @param head whole packets before the first row, sequence ids from 1
     * @param firstRowId sequence id behind them
     * @param end payload of the packet behind the last row
     */
    Template(byte[] head, int firstRowId, byte[] end, long validUntilNanos) {
        this.head = head;
        this.firstRowId = firstRowId;
        this.end = end;
        this.validUntilNanos = validUntilNanos;
    }

    boolean validAt(long nanos) {
        return nanos - validUntilNanos < 0;
    }

    /** Begins a reply; answers the sequence id of the first row. */
    int begin(ByteBuf out) {
        out.writeBytes(head);
        return firstRowId;
    }

    /** Ends a reply whose next sequence id is given. */
    void end(ByteBuf out, int sequenceId) {
        out.writeIntLE(end.length | (sequenceId << 24));
        out.writeBytes(end);
    }
}
