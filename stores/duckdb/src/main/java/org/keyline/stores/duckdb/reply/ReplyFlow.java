package org.keyline.stores.duckdb.reply;

import org.jspecify.annotations.Nullable;

/**
 * The back-pressure of one session's replies. A worker that may not write parks what is left of its command and goes to other
 * work; whoever opens the flow again lets it proceed. So a slow client holds its cursor in DuckDB and a few chunks, and no thread.
 * Thread-safe.
 */
public final class ReplyFlow {
    /** On their way to the event loop; a chunk may be larger, and goes alone then. */
    private static final int MAX_BYTES = 256 << 10;

    private boolean paused;
    private long bytesUnderWay;

    @Nullable
    private Runnable parked;

    /** A chunk of so many bytes was handed to the event loop. */
    public synchronized void sent(int bytes) {
        bytesUnderWay += bytes;
    }

    /** The event loop has passed a chunk of so many bytes on. */
    public void delivered(int bytes) {
        Runnable rest;
        synchronized (this) {
            bytesUnderWay -= bytes;
            rest = takeIfOpen();
        }
        proceed(rest);
    }

    /** Takes {@code rest} to be run once the flow is open, or answers false if it is open now. */
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

    /** Lets what is parked proceed although the flow is not open: it has to find out that its session is over. */
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
