package org.keyline.stores.duckdb.reply;

import org.jspecify.annotations.Nullable;

/**
 * Applies back-pressure to a session's replies. While the flow is closed, a worker parks the rest
 * of its command and does other work; the thread that opens the flow continues the command. So a
 * slow client occupies a result in DuckDB and a few chunks, but no thread. Thread-safe.
 */
public final class ReplyFlow {
    /** The flow is closed while at least this many bytes wait for the event loop. */
    private static final int MAX_BYTES = 256 << 10;

    private boolean paused;
    private long bytesUnderWay;

    @Nullable
    private Runnable parked;

    /** Records a chunk that was passed to the event loop. */
    public synchronized void sent(int bytes) {
        bytesUnderWay += bytes;
    }

    /** Records a chunk that the event loop has sent. */
    public void delivered(int bytes) {
        Runnable rest;
        synchronized (this) {
            bytesUnderWay -= bytes;
            rest = takeIfOpen();
        }
        proceed(rest);
    }

    /** Parks a task until the flow is open. Returns false if the flow is already open. */
    public synchronized boolean park(Runnable rest) {
        if (isOpen()) {
            return false;
        }
        parked = rest;
        return true;
    }

    public synchronized void pause() {
        paused = true;
    }

    public void resume() {
        Runnable rest;
        synchronized (this) {
            paused = false;
            rest = takeIfOpen();
        }
        proceed(rest);
    }

    /**
     * Continues the parked task even if the flow is closed, so that the task notices an interrupt
     * or the end of its session.
     */
    public void release() {
        Runnable rest;
        synchronized (this) {
            rest = parked;
            parked = null;
        }
        proceed(rest);
    }

    private boolean isOpen() {
        return !paused && bytesUnderWay < MAX_BYTES;
    }

    @Nullable
    private Runnable takeIfOpen() {
        if (!isOpen()) {
            return null;
        }
        Runnable rest = parked;
        parked = null;
        return rest;
    }

    private static void proceed(@Nullable Runnable rest) {
        if (rest != null) {
            rest.run();
        }
    }
}
