package org.keyline.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Rounds of a loop, run by the test: the share of commands that were sent in advance, and their
 * order.
 */
final class LoopShareTest {
    private final ArrayDeque<Runnable> after = new ArrayDeque<>();
    private final ArrayDeque<Runnable> next = new ArrayDeque<>();
    private final List<String> served = new ArrayList<>();
    private long nanos;
    private final LoopShare share = new LoopShare(after::add, next::add, () -> nanos);

    /**
     * Runs the tasks of a round, then those after the round, including tasks that they add, as
     * Netty does.
     */
    private void round() {
        while (!next.isEmpty()) {
            next.remove().run();
        }
        while (!after.isEmpty()) {
            after.remove().run();
        }
    }

    /**
     * Runs a turn of this many commands, each this long, and requests another turn if it could not
     * run all.
     */
    private void turn(String name, int commands, long each) {
        share.execute(() -> {
            int done = 0;
            do {
                nanos += each;
                done++;
            } while (done < commands && share.take());
            served.add(name + " " + done);
            if (done < commands) {
                turn(name, commands - done, each);
            }
        });
    }

    @Test
    void commandsOfARound_areBounded_andWaitingConnectionsContinueInOrder() {
        turn("a", LoopShare.COMMANDS + 10, 1);
        turn("b", 5, 1);
        turn("c", 5, 1);
        round();
        assertThat(served).containsExactly("a 257");
        round();
        assertThat(served).containsExactly("a 257", "b 5", "c 5", "a 9");
        round();
        assertThat(after).isEmpty();
        assertThat(next).isEmpty();
    }

    @Test
    void longCommands_endARoundSooner() {
        turn("a", 10, LoopShare.NANOS / 2);
        turn("b", 1, 1);
        round();
        assertThat(served).containsExactly("a 2");
        round();
        assertThat(served).containsExactly("a 2", "b 1", "a 2");
    }

    @Test
    void connectionsThatReadInARound_shareItsCommands() {
        int taken = 0;
        while (share.take()) {
            taken++;
        }
        assertThat(taken).isEqualTo(LoopShare.COMMANDS);
        assertThat(share.take()).isFalse();
        round();
        assertThat(share.take()).isTrue();
    }
}
