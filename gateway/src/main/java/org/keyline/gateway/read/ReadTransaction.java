package org.keyline.gateway.read;

import io.netty.buffer.ByteBuf;
import org.keyline.rowcache.Line;

/** The transaction that a read belongs to, as far as its answer depends on it. Confined to one event loop. */
public interface ReadTransaction {
    /** Whether only reads of tables with snapshots belong to it; others are the store's. */
    boolean byEngine();

    /** Returns whether a line may answer a read of it, beside what it was answered from before. */
    boolean admits(Line line);

    /**
     * A reply is written, though not sent: it is remembered.
     *
     * @param reply borrowed
     * @param from where the reply begins
     * @param columnsEnd where its first row begins
     * @param rowsEnd where the packet behind its last row begins
     * @return false if there is no room: the reply is to be taken back
     */
    boolean answers(ByteBuf reply, int from, int columnsEnd, int rowsEnd);

    /** A line that the reply was made from, after {@link #answers}. */
    void answeredFrom(Line line);

    /** Status flags of its replies: those of {@link Template#TRANSACTION}. */
    int status();
}
