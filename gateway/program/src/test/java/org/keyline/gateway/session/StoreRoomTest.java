package org.keyline.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.IdlePeer;
import org.keyline.gateway.session.relay.StoreLink;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.client.ServerErrorException;

/** Clients that wait for a session at a store with a limit. */
class StoreRoomTest {
    private static final int CLIENTS = 200;
    private static final int AT_ONCE = 32;
    private static final int LATER_MILLIS = 500;

    private final EventLoop loop = new DefaultEventLoop();
    private final StoreRoom room = new StoreRoom("user");
    private final List<Integer> refused = Collections.synchronizedList(new ArrayList<>());
    private final List<Integer> opened = Collections.synchronizedList(new ArrayList<>());
    private int limit;
    /** Number of sessions that the store counts. Only the loop writes it. */
    private int counted;
    /** Number of milliseconds after which the store no longer counts a closed session. */
    private int later;

    @AfterEach
    void stop() {
        loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private CompletableFuture<StoreLink> client(int number) {
        CompletableFuture<StoreLink> got = new CompletableFuture<>();
        loop.execute(() -> room.open(loop, false, () -> login(number)).whenComplete((link, failure) -> {
            if (failure == null) {
                opened.add(number);
                got.complete(link);
            } else {
                got.completeExceptionally(failure);
            }
        }));
        return got;
    }

    /** The store answers a login a moment later. */
    private CompletionStage<StoreLink> login(int number) {
        CompletableFuture<StoreLink> session = new CompletableFuture<>();
        loop.execute(() -> {
            if (counted == limit) {
                refused.add(number);
                session.completeExceptionally(new ServerErrorException(ErrPacket.of(ErrorCode.ER_USER_LIMIT_REACHED)));
                return;
            }
            counted++;
            StoreLink link = new StoreLink(new UnopenedSession(0, 0), new StoreLink.End(new IdlePeer()));
            link.onOver(() -> {
                var unused = loop.schedule(() -> counted--, later, TimeUnit.MILLISECONDS);
            });
            session.complete(link);
        });
        return session;
    }

    private static StoreLink get(CompletableFuture<StoreLink> link) throws Exception {
        return link.get(4, TimeUnit.SECONDS);
    }

    private void close(StoreLink link) {
        loop.execute(() -> link.close(false));
    }

    /** The other client keeps its session, so no close would let the waiting client try again. */
    @Test
    void refusal_becauseTheStoreStillCountsAClosedSession_isNoLimit() throws Exception {
        limit = 2;
        later = LATER_MILLIS;
        StoreLink first = get(client(0));
        get(client(1));
        close(first);
        get(client(2));
        assertThat(refused).contains(2).hasSizeLessThan(10);
    }

    @Test
    void clients_getSessionsInTheirOrder_alsoAfterARefusal() throws Exception {
        limit = 10;
        List<CompletableFuture<StoreLink>> clients =
                IntStream.range(0, CLIENTS).mapToObj(this::client).toList();
        for (CompletableFuture<StoreLink> client : clients) {
            close(get(client));
        }
        // Of the sessions that are opened at once, the store may accept any.
        assertThat(opened)
                .allSatisfy(number ->
                        assertThat(Math.abs(opened.indexOf(number) - number)).isLessThan(AT_ONCE));
        assertThat(refused).hasSizeLessThan(CLIENTS / 2);
    }
}
