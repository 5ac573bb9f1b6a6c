package org.keyline.protocol.server;

import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Limits the bytes that one event loop reads in a period from clients that send much at once, such
 * as a long statement. Above the limit, the loop stops reading from these clients until the next
 * period, and their bytes wait in the kernel. Confined to the event loop.
 */
final class ReadShare {
    /*
     * A client can send as fast as a loop reads, and the loop then never sleeps. On busy
     * processors, the scheduler then preempts the loop at the end of its time slice. All clients of
     * the loop then wait 3 to 8 ms until it runs again. A loop that sleeps between reads runs as
     * soon as a client sends.
     */

    static final int LONG_READ_BYTES = 8 * 1024;

    /** Bytes per period. Reading that much, 256 MB a second, takes a third of a loop's time. */
    static final int PERIOD_BYTES = 256 * 1024;

    static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final EventExecutor loop;
    private final List<ConnectionInput> resting = new ArrayList<>();
    private long began;
    private int left = PERIOD_BYTES;

    ReadShare(EventExecutor loop) {
        this.loop = loop;
        began = loop.ticker().nanoTime();
    }

    void read(ConnectionInput input, int bytes) {
        if (bytes < LONG_READ_BYTES) {
            return;
        }
        long now = loop.ticker().nanoTime();
        if (now - began >= PERIOD_NANOS) {
            began = now;
            left = PERIOD_BYTES;
        }
        left -= bytes;
        if (left <= 0 && input.rest()) {
            rests(input);
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the task is never cancelled
    private void rests(ConnectionInput input) {
        if (resting.isEmpty()) {
            loop.schedule(this::endRest, PERIOD_NANOS, TimeUnit.NANOSECONDS);
        }
        resting.add(input);
    }

    private void endRest() {
        // While it resumes, a connection can exceed the limit and be added again.
        List<ConnectionInput> rested = List.copyOf(resting);
        resting.clear();
        rested.forEach(ConnectionInput::endRest);
    }
}
