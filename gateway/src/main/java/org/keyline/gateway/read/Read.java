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
 * A read on its way from a session to lines: what the session asks for, and what
 * {@link PointReader} finds out about it. A reader reuses one object for all reads
 * ({@link PointReader#next}); a read that waits for a load keeps its object. Confined to one event
 * loop.
 */
@SuppressWarnings("NullAway.Init") // next() sets what a session asks for, read() the rest
public final class Read {
    /** Continues a read that waited for a load, on the same event loop. */
    public interface Continuation {
        /** Called when the reply is written and ended. */
        void answered(Answer answer);

        /** Called when no line answers: nothing was written, and the caller forwards the read. */
        void forward(MissReason reason);
    }

    /**
     * The transaction of a read, as far as its answer depends on it. Confined to one event loop.
     */
    public interface Transaction {
        /** Returns whether only tables with snapshots belong to it; the store reads all others. */
        boolean byEngine();

        /** Returns whether a line may answer, given the lines that answered earlier reads. */
        boolean admits(Line line);

        /**
         * Remembers a reply that is written but not yet sent.
         *
         * @param reply borrowed
         * @param from index where the reply begins
         * @param columnsEnd index of the first row
         * @param rowsEnd index of the packet after the last row
         * @return false if its memory is full: the caller takes the reply back
         */
        boolean answers(ByteBuf reply, int from, int columnsEnd, int rowsEnd);

        /** Adds a line of the reply that {@link #answers} remembered. */
        void answeredFrom(Line line);

        /** Returns the status flags of its replies: those of {@link Template#TRANSACTION}. */
        int status();
    }

    // What the session asks for.
    PlannedStatement statement;
    PointRead plan;
    /** Not used after {@link PointReader#read} returns. */
    SlotValues values;

    ReadScope scope;
    long maxAgeNanos;
    long dueNanos;

    @Nullable
    Transaction within;

    Reply reply;
    Continuation later;

    // What the reader finds out.
    ReadShape shape;
    Template template;
    long offset;
    long limit;
    /** When the read came, by the cache's ticker. */
    long cameNanos;

    Read() {}

    /** Sets whose read it is, and what shapes its reply. */
    public Read in(ReadScope of) {
        scope = of;
        return this;
    }

    /**
     * Sets how old rows may be.
     *
     * @param maxAge nanoseconds, in addition to the table's ttl
     * @param due the time from which the store must answer, by the cache's ticker
     */
    public Read notOlderThan(long maxAge, long due) {
        maxAgeNanos = maxAge;
        dueNanos = due;
        return this;
    }

    /** Sets the transaction; null if there is none. */
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

    /** Returns how many of the first rows are enough to answer it. */
    long wanted() {
        return shape.wanted(offset, limit);
    }
}
