package org.keyline.gateway.read;

import org.jspecify.annotations.Nullable;
import org.keyline.gateway.table.MissReason;

/**
 * The outcome of a read: the origin of its answer, or the reason why the store must answer. A
 * reader reuses one object, which its next read overwrites. Confined to one event loop.
 */
public final class Answer {
    /** The kinds of outcome. */
    public enum Outcome {
        /** The reply is complete. */
        ANSWERED,
        /** Lines are being loaded; the read's continuation is called later. */
        PENDING,
        /** Nothing was written; the caller forwards the read to the store. */
        FORWARD
    }

    private Outcome outcome = Outcome.FORWARD;
    private MissReason miss = MissReason.NO_LINES;
    private @Nullable ReplyObserver load;

    private boolean hit;
    private boolean fromPeer;
    private String filterLine = "";
    private long rows;
    private long loadBeganNanos;
    private long loadedReplyBytes;
    private byte @Nullable [] rowsToFetch;

    Answer() {}

    public Outcome outcome() {
        return outcome;
    }

    /** Returns why the store must answer. */
    public MissReason miss() {
        return miss;
    }

    /**
     * Returns the observer that fills the line with the store's reply; null if the reply is no
     * load.
     */
    public @Nullable ReplyObserver load() {
        return load;
    }

    /** Returns whether the lines were in memory. */
    public boolean hit() {
        return hit;
    }

    /** Returns whether all missing lines came from other gateways. */
    public boolean fromPeer() {
        return fromPeer;
    }

    /**
     * Returns a description of the filter line that answered; empty if another kind of line did.
     */
    public String filterLine() {
        return filterLine;
    }

    /**
     * Returns the value of FOUND_ROWS() after this answer; negative if the exact value is unknown.
     */
    public long rows() {
        return rows;
    }

    /** Returns the time at which the load of the oldest line began, by the cache's ticker. */
    public long loadBeganNanos() {
        return loadBeganNanos;
    }

    /** Returns the length of the last reply that waited for a load. */
    public long loadedReplyBytes() {
        return loadedReplyBytes;
    }

    /**
     * Returns the rows that the client fetches by a cursor, as whole packets; null if the reply
     * contains the rows.
     */
    public byte @Nullable [] rowsToFetch() {
        return rowsToFetch;
    }

    Answer forward(MissReason reason) {
        outcome = Outcome.FORWARD;
        miss = reason;
        load = null;
        return this;
    }

    Answer forward(ReplyLoad byReply) {
        forward(MissReason.REPLY_IS_LOAD);
        load = byReply;
        return this;
    }

    Answer pending() {
        outcome = Outcome.PENDING;
        return this;
    }

    /** @param out the writer of the reply */
    Answer answered(boolean wasHit, long began, String filter, RowsOut out, boolean opensCursor) {
        outcome = Outcome.ANSWERED;
        hit = wasHit;
        fromPeer = false;
        filterLine = filter;
        rows = out.sent();
        loadBeganNanos = began;
        rowsToFetch = opensCursor ? out.fetched() : null;
        return this;
    }

    void cameFromPeer() {
        fromPeer = true;
    }

    void loadedReply(long bytes) {
        loadedReplyBytes = bytes;
    }
}
