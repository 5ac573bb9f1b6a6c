package org.keyline.protocol.server;

import io.netty.channel.SingleThreadEventLoop;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * What one round of an event loop spends on commands that clients have sent in advance. Connections with more of them wait in one
 * line, and the sockets are looked at after each round: so a command of a client that sends one at a time waits for one round,
 * however much others have sent. Confined to the event loop.
 */
final class LoopShare implements Executor {
    /*
     * Tasks of Netty's are no means for this. A loop goes on with its tasks, also with those that tasks add, for up to a second
     * before it looks at a socket; and every connection in the queue would have its turn in between. What is run behind a round
     * (executeAfterEventLoopIteration) runs once, if it is not added from there: so a task of the next round adds it.
     */

    /** Commands of a round beyond the first ones of those who have just sent. */
    static final int COMMANDS = 256;

    /** No round begins another of them after this time: commands differ in what they cost. */
    static final long NANOS = 500_000;

    private final Executor afterRound;
    private final Executor nextRound;
    private final LongSupplier clock;
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private final Runnable end = this::endRound;
    private final Runnable again = this::endNextRound;
    private boolean begun;
    private int left;
    private long began;

    /** The share of this loop's rounds. */
    static LoopShare of(EventExecutor loop) {
        if (loop instanceof SingleThreadEventLoop rounds) {
            return new LoopShare(rounds::executeAfterEventLoopIteration, rounds, System::nanoTime);
        }
        // Loops that are run by hand have no rounds, and no time either: what they do is the same each time.
        return new LoopShare(loop, Runnable::run, () -> 0);
    }

    /**
     * A share.
     *
     * @param afterRound runs a task when the round in hand ends
     * @param nextRound runs a task in the next round
     * @param clock nanoseconds
     */
    LoopShare(Executor afterRound, Executor nextRound, LongSupplier clock) {
        this.afterRound = afterRound;
        this.nextRound = nextRound;
        this.clock = clock;
    }

    /** Whether this round has room for one more command that was sent in advance; if so it is counted. */
    boolean take() {
        beginRound();
        return left-- > 0 && clock.getAsLong() - began < NANOS;
    }

    /** Runs a connection's turn when all who wait already have had theirs. */
    @Override
    public void execute(Runnable turn) {
        waiting.add(turn);
        beginRound();
    }

    private void beginRound() {
        if (!begun) {
            renew();
            endNextRound();
        }
    }

    private void endNextRound() {
        afterRound.execute(end);
    }

    private void renew() {
        begun = true;
        left = COMMANDS;
        began = clock.getAsLong();
    }

    /** Serves those who wait, as far as one round goes. */
    private void endRound() {
        renew();
        try {
            for (Runnable turn = waiting.poll(); turn != null; turn = take() ? waiting.poll() : null) {
                turn.run();
            }
        } finally {
            begun = !waiting.isEmpty();
            if (begun) {
                // What this round has left is for those who send in the next one.
                nextRound.execute(again);
            }
        }
    }
}
