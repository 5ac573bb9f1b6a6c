package org.keyline.protocol.server;

import io.netty.channel.SingleThreadEventLoop;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * Limits how many pipelined commands one round of an event loop executes. Connections with more
 * such commands wait in one queue, and the loop polls its sockets after each round. So a client
 * that sends single commands waits for one round at most, whatever other clients send. Confined to
 * the event loop.
 */
final class LoopShare implements Executor {
    /*
     * A loop runs its plain tasks, and the tasks that these add, for up to a second before it polls
     * its sockets. If the queued turns were plain tasks, the loop would run all of them first. So a
     * task for the end of a round (executeAfterEventLoopIteration) runs them. Such a task must not
     * add another such task, so a plain task of the next round adds it.
     */

    /**
     * Maximum number of commands per round. The first command in a connection's new input does not
     * count.
     */
    static final int COMMANDS = 256;

    /** Maximum time of a round. It limits a round of expensive commands. */
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

    static LoopShare of(EventExecutor loop) {
        if (loop instanceof SingleThreadEventLoop rounds) {
            return new LoopShare(rounds::executeAfterEventLoopIteration, rounds, System::nanoTime);
        }
        // A loop that a test runs manually has no rounds. The clock stands still here, so that each
        // run of the test is the same.
        return new LoopShare(loop, Runnable::run, () -> 0);
    }

    /**
     * @param afterRound runs a task when the current round ends
     * @param nextRound runs a task in the next round
     * @param clock returns the time in nanoseconds
     */
    LoopShare(Executor afterRound, Executor nextRound, LongSupplier clock) {
        this.afterRound = afterRound;
        this.nextRound = nextRound;
        this.clock = clock;
    }

    boolean take() {
        beginRound();
        return left-- > 0 && clock.getAsLong() - began < NANOS;
    }

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

    private void endRound() {
        renew();
        try {
            for (Runnable turn = waiting.poll(); turn != null; turn = take() ? waiting.poll() : null) {
                turn.run();
            }
        } finally {
            begun = !waiting.isEmpty();
            if (begun) {
                // The rest of the renewed share is for clients that send during the next round.
                nextRound.execute(again);
            }
        }
    }
}
