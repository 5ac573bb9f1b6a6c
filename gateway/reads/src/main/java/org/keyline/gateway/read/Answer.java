package org.keyline.gateway.read;

import org.jspecify.annotations.Nullable;
import org.keyline.gateway.table.MissReason;

/** How a read was answered. Valid until the reader's next read. Confined to one event loop. */
public final class Answer {
    public enum Outcome {
        ANSWERED,
        /** Lines are being loaded; the read's continuation is called later. */
        PENDING,
        /** Nothing was written; the caller must forward the read. */
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

    public MissReason miss() {
        return miss;
    }

    /**
     * Returns the observer that fills the line from the store's reply to the forwarded read; null
     * if no line is filled from it.
     */
    public @Nullable ReplyObserver load() {
        return load;
    }

    /** Returns whether all lines were in memory when the read arrived. */
    public boolean hit() {
        return hit;
    }

    /** Returns whether all missing lines came from other gateways. */
    public boolean fromPeer() {
        return fromPeer;
    }

    /** Returns a phrase about the filter line that answered; empty if no filter line answered. */
    public String filterLine() {
        return filterLine;
    }

    /** Returns FOUND_ROWS() after this answer; negative if unknown. */
    public long rows() {
        return rows;
    }

    /** Returns the time at which the load of the oldest line began, by the cache's ticker. */
    public long loadBeganNanos() {
        return loadBeganNanos;
    }

    /** Returns the size, in bytes, of the last reply that waited for a load. */
    public long loadedReplyBytes() {
        return loadedReplyBytes;
    }

    /** Returns the packets of the rows that the client's cursor fetches; null without a cursor. */
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
