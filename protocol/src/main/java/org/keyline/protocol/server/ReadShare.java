package org.keyline.protocol.server;

import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What one event loop reads in a period of those who send much at once, such as a long statement. Beyond it they rest until the next
 * period, and their bytes wait in the kernel. Confined to the event loop.
 */
final class ReadShare {
    /*
     * A client sends as fast as a loop reads. A loop that is never done is a thread like any other to the scheduler: where processors are
     * busy, it has used up its time slice, and all its clients wait for the next one, 3 to 8 ms (sched_switch on two cores). One that
     * sleeps in between runs as soon as somebody sends.
     */

    /** A shorter read is none of a stream. */
    static final int LONG_READ_BYTES = 8 * 1024;

    /** Long reads of a period: 256 MB a second, for which a loop needs about a third of its time. */
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

    /** So many bytes of a connection were read: it may have to rest. */
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

    @SuppressWarnings("FutureReturnValueIgnored") // nobody ends it
    private void rests(ConnectionInput input) {
        if (resting.isEmpty()) {
            loop.schedule(this::endRest, PERIOD_NANOS, TimeUnit.NANOSECONDS);
        }
        resting.add(input);
    }

    private void endRest() {
        // Who rests again as soon as it reads asks for a rest of its own.
        List<ConnectionInput> rested = List.copyOf(resting);
        resting.clear();
        rested.forEach(ConnectionInput::endRest);
    }
}
