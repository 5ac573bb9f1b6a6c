package org.keyline.gateway.read;

import io.netty.buffer.ByteBuf;
import org.keyline.rowcache.Line;

/** The transaction of a read, as far as the reply depends on it. Confined to one event loop. */
public interface ReadTransaction {
    /**
     * Returns whether only reads of tables with snapshots belong to it; the store answers others.
     */
    boolean byEngine();

    /** Returns whether a line may answer a read of it, given its earlier replies. */
    boolean admits(Line line);

    /**
     * Records a reply that is written but not sent.
     *
     * @param reply borrowed
     * @param from where the reply begins
     * @param columnsEnd where its first row begins
     * @param rowsEnd where the packet after its last row begins
     * @return false if there is no room: the reply must be removed
     */
    boolean answers(ByteBuf reply, int from, int columnsEnd, int rowsEnd);

    /** Records a line of the reply, after {@link #answers}. */
    void answeredFrom(Line line);

    /** Returns the status flags of its replies: those of {@link Template#TRANSACTION}. */
    int status();
}
