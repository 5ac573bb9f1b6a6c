package org.keyline.stores.duckdb.reply;

/**
 * Applies back-pressure to a session's replies. While the flow is closed, the worker waits. So a
 * slow client occupies a result in DuckDB and a few chunks. Thread-safe.
 */
public final class ReplyFlow {
    /** The flow is closed while at least this many bytes wait for the event loop. */
    private static final int MAX_BYTES = 256 << 10;

    private boolean paused;
    private boolean released;
    private long bytesUnderWay;

    /** Records a chunk that was passed to the event loop. */
    public synchronized void sent(int bytes) {
        bytesUnderWay += bytes;
    }

    /** Records a chunk that the event loop has sent. */
    public synchronized void delivered(int bytes) {
        bytesUnderWay -= bytes;
        notifyAll();
    }

    public synchronized void pause() {
        paused = true;
    }

    public synchronized void resume() {
        paused = false;
        notifyAll();
    }

    /**
     * Ends the current or the next wait even if the flow is closed, so that the command notices an
     * interrupt or the end of its session.
     */
    public synchronized void release() {
        released = true;
        notifyAll();
    }

    public synchronized boolean isOpen() {
        return !paused && bytesUnderWay < MAX_BYTES;
    }

    /** Waits until the flow is open. Returns whether it is. */
    public synchronized boolean await() throws InterruptedException {
        while (!isOpen() && !released) {
            wait();
        }
        released = false;
        return isOpen();
    }
}
