package org.keyline.gateway.read;

import org.jspecify.annotations.Nullable;
import org.keyline.gateway.table.MissReason;

/**
 * What became of a read: where its answer came from, or why the store must answer. A reader reuses
 * one object, which its next read overwrites. Confined to one event loop.
 */
public final class Answer {
    /** How a read ended. */
    public enum Outcome {
        /** The reply is written and ended. */
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
     * Returns the observer that makes the store's reply the load of the line; null if there is
     * none.
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

    /** Returns which conditions the filter line has; empty if another kind of line answered. */
    public String filterLine() {
        return filterLine;
    }

    /** Returns the value of FOUND_ROWS() after this answer; negative if it is not known exactly. */
    public long rows() {
        return rows;
    }

    /** Returns when the load of the oldest line began, by the cache's ticker. */
    public long loadBeganNanos() {
        return loadBeganNanos;
    }

    /** Returns the length of the last reply that waited for a load. */
    public long loadedReplyBytes() {
        return loadedReplyBytes;
    }

    /**
     * Returns rows that the client fetches by a cursor, as whole packets; null if the reply has
     * them.
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

    /** @param out has written the reply */
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
