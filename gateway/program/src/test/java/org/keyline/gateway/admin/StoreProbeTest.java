package org.keyline.gateway.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.keyline.planner.Catalog;
import org.keyline.protocol.Collation;
import org.keyline.stores.ReplyListener;
import org.keyline.stores.SessionIdentity;
import org.keyline.stores.Store;
import org.keyline.stores.StoreSession;

/** Pings of a store that answers late or not at all, with a clock of the test's own. */
final class StoreProbeTest {
    private static final int TIMEOUT_SECONDS = 2;

    /** A session whose replies, also the loss of a command after its close, are the test's. */
    private static final class Silent implements StoreSession {
        final List<ReplyListener> pings = new ArrayList<>();
        boolean closed;

        @Override
        public int capabilities() {
            return 0;
        }

        @Override
        public int initialStatus() {
            return 0;
        }

        @Override
        public void send(ByteBuf payload, ReplyListener listener) {
            pings.add(listener);
        }

        @Override
        public void pause() {}

        @Override
        public void resume() {}

        @Override
        public void close() {
            closed = true;
        }
    }

    private final List<Silent> sessions = new ArrayList<>();
    private boolean broken;

    private final Store store = new Store() {
        @Override
        public Catalog catalog() {
            throw new UnsupportedOperationException();
        }

        @Override
        public String serverVersion() {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<StoreSession> open(SessionIdentity identity, EventLoop loop, Runnable onClosed) {
            if (broken) {
                throw new IllegalStateException("of this test");
            }
            Silent opened = new Silent();
            sessions.add(opened);
            return CompletableFuture.completedFuture(opened);
        }

        @Override
        public void close() {}
    };

    private final MockTicker ticker = Ticker.newMockTicker();
    private final EmbeddedChannel channel =
            EmbeddedChannel.builder().ticker(ticker).build();
    private final StoreProbe probe = new StoreProbe(
            store,
            new SessionIdentity(0, "keyline", "localhost", null, 0, Collation.UTF8MB4_GENERAL_CI, Map.of()),
            channel.eventLoop(),
            Duration.ofSeconds(TIMEOUT_SECONDS));

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    private CompletableFuture<Boolean> asked() {
        CompletableFuture<Boolean> answer = probe.reachable().toCompletableFuture();
        channel.runPendingTasks();
        return answer;
    }

    @Test
    void reachable_afterTheLateLossOfAnEarlierSession_usesTheSameSession() {
        CompletableFuture<Boolean> late = asked();
        ticker.advance(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        channel.runScheduledPendingTasks();
        assertThat(late).isCompletedWithValue(false);
        Silent first = sessions.get(0);
        assertThat(first.closed).isTrue();

        CompletableFuture<Boolean> answered = asked();
        Silent second = sessions.get(1);
        second.pings.get(0).end();
        assertThat(answered).isCompletedWithValue(true);

        first.pings.get(0).lost(new IOException("of this test"));
        CompletableFuture<Boolean> next = asked();
        assertThat(sessions).containsExactly(first, second);
        second.pings.get(1).end();
        assertThat(next).isCompletedWithValue(true);
    }

    /** Clients without a store session wait for the answer. */
    @Test
    void accepts_ofAStoreThatCannotBeAsked_isFalse() {
        broken = true;
        CompletableFuture<Boolean> answer = probe.accepts().toCompletableFuture();
        channel.runPendingTasks();
        assertThat(answer).isCompletedWithValue(false);
        broken = false;
        CompletableFuture<Boolean> next = probe.accepts().toCompletableFuture();
        channel.runPendingTasks();
        assertThat(next).isCompletedWithValue(true);
        assertThat(sessions).singleElement().matches(session -> session.closed);
    }
}
