package org.keyline.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When a client leaves a server that stops, with a clock of the test's own. */
final class ConnectionTimersTest {
    private final MockTicker ticker = Ticker.newMockTicker();
    private final EmbeddedChannel channel = EmbeddedChannel.builder()
            .ticker(ticker)
            .handlers(new ChannelInboundHandlerAdapter())
            .build();
    private final ConnectionTimers timers =
            new ConnectionTimers(channel.pipeline().firstContext());
    private final AtomicBoolean busy = new AtomicBoolean(true);
    private final AtomicInteger left = new AtomicInteger();

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    private void pass(int millis) {
        for (int i = 0; i < millis; i++) {
            ticker.advance(1, TimeUnit.MILLISECONDS);
            channel.runScheduledPendingTasks();
        }
    }

    /** The client would otherwise be cut off at the drain timeout, although its command is over. */
    @Test
    void startLeaving_whileBusy_endsWithinAShortDrainTimeout() {
        timers.loggedIn();
        timers.startLeaving(Duration.ofMillis(600), busy::get, left::incrementAndGet);
        pass(250);
        assertThat(left).hasValue(0);
        busy.set(false);
        pass(340);
        assertThat(left).hasValue(1);
    }

    @Test
    void startLeaving_whileBusyWithoutADrainTimeout_waitsForTheCommand() {
        timers.loggedIn();
        timers.startLeaving(Duration.ZERO, busy::get, left::incrementAndGet);
        pass(10);
        assertThat(left).hasValue(0);
        busy.set(false);
        pass(10);
        assertThat(left).hasValue(1);
    }
}
