package org.keyline.gateway.read;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.key.SlotValues;
import org.keyline.gateway.table.MissReason;
import org.keyline.planner.PlannedStatement;
import org.keyline.planner.PointRead;
import org.keyline.protocol.server.Reply;
import org.keyline.rowcache.Line;

/**
 * A session's request for a point read, with the fields that {@link PointReader} sets while it
 * answers. The reader reuses the object for its next read, unless this read waits for a load
 * ({@link PointReader#next}). Confined to one event loop.
 */
@SuppressWarnings("NullAway.Init") // next() sets the fields of the request, read() the others
public final class Read {
    /** Receives the outcome of a read that waited for a load, on the read's event loop. */
    public interface Continuation {
        /** Called when the reply is complete. */
        void answered(Answer answer);

        /** Called when nothing was written. The session must forward the read. */
        void forward(MissReason reason);
    }

    /** The open transaction of a read's session. Confined to one event loop. */
    public interface Transaction {
        /** Returns whether tables whose engine has no snapshots are outside of the transaction. */
        boolean byEngine();

        /** Returns whether a line may answer, given the lines that answered earlier reads. */
        boolean admits(Line line);

        /**
         * Records a reply before it is sent, to compare it with the store's own reply later.
         *
         * @param reply the buffer with the reply; not retained
         * @param from the index at which the reply begins
         * @param columnsEnd the index of the first row
         * @param rowsEnd the index of the packet after the last row
         * @return false if there is no room for the reply; the caller must then remove the reply
         */
        boolean answers(ByteBuf reply, int from, int columnsEnd, int rowsEnd);

        /** Called for each line that contributed to the reply of {@link #answers}. */
        void answeredFrom(Line line);

        /** Returns those status flags of the session that {@link Template#TRANSACTION} contains. */
        int status();
    }

    // Set by the session.
    PlannedStatement statement;
    PointRead plan;
    /** The statement's literals and parameters. Not used after {@link PointReader#read} returns. */
    SlotValues values;

    ReadScope scope;
    long maxAgeNanos;
    long dueNanos;

    @Nullable
    Transaction within;

    Reply reply;
    Continuation later;

    // Set by the reader.
    ReadShape shape;
    Template template;
    long offset;
    long limit;
    /** Time at which the read arrived, by the cache's ticker. */
    long cameNanos;

    Read() {}

    public Read in(ReadScope of) {
        scope = of;
        return this;
    }

    /**
     * Limits the age of the rows in nanoseconds; the table's ttl also applies.
     *
     * @param due the time from which only the store may answer, by the cache's ticker
     */
    public Read notOlderThan(long maxAge, long due) {
        maxAgeNanos = maxAge;
        dueNanos = due;
        return this;
    }

    /** Sets the session's transaction; null outside of one. */
    public Read within(@Nullable Transaction transaction) {
        within = transaction;
        return this;
    }

    public PlannedStatement statement() {
        return statement;
    }

    public PointRead plan() {
        return plan;
    }

    public SlotValues values() {
        return values;
    }

    public ReadScope scope() {
        return scope;
    }

    public Reply reply() {
        return reply;
    }

    /** Returns the number of matching rows after which further rows do not change the reply. */
    long wanted() {
        return shape.wanted(offset, limit);
    }
}
