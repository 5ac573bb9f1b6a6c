package org.keyline.gateway.session;

import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.session.relay.IdleStoreSession;
import org.keyline.gateway.session.relay.StoreLink;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.stores.StoreException;

/**
 * Limits the store sessions for the clients of one user. If the store refuses a session, the new
 * client waits until another session closes. Meanwhile, sessions of idle clients are released at
 * once. Thread-safe.
 */
final class StoreRoom {
    /*
     * Only the store knows how many sessions it accepts, because other programs use it as well. For
     * a minute after a refusal, the limit is a tenth below the number of sessions at the refusal.
     */

    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long LIMITED_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long TICK_MILLIS = 25;
    /** After a refusal, one in this many sessions is left free for other programs. */
    private static final int SPARE = 10;

    private final String user;
    private final Set<StoreLink> holders = new HashSet<>();
    private final Deque<Waiter> waiters = new ArrayDeque<>();
    /** Number of sessions that are open or being opened. */
    private int taken;

    private int most = Integer.MAX_VALUE;
    private long limitedSince;
    private boolean ticks;

    private record Waiter(
            EventLoop loop,
            Supplier<CompletionStage<StoreLink>> login,
            CompletableFuture<StoreLink> opened,
            long until) {}

    StoreRoom(String user) {
        this.user = user;
    }

    /**
     * Opens a session as soon as the limit allows it.
     *
     * @param login opens the session; called on the loop
     * @return a stage that completes on the loop
     */
    CompletionStage<StoreLink> open(EventLoop loop, Supplier<CompletionStage<StoreLink>> login) {
        Waiter client = new Waiter(loop, login, new CompletableFuture<>(), System.nanoTime() + WAIT_NANOS);
        if (isFirst(client)) {
            begin(client);
        }
        return client.opened();
    }

    private synchronized boolean isFirst(Waiter client) {
        boolean first = waiters.isEmpty() && hasRoom();
        if (first) {
            taken++;
        } else {
            await(client);
        }
        return first;
    }

    private boolean hasRoom() {
        if (most != Integer.MAX_VALUE && System.nanoTime() - limitedSince > LIMITED_NANOS) {
            most = Integer.MAX_VALUE;
        }
        return taken < most;
    }

    private void await(Waiter client) {
        waiters.add(client);
        if (!ticks) {
            ticks = true;
            client.loop().execute(() -> tick(client.loop()));
        }
    }

    private void begin(Waiter client) {
        client.login().get().whenComplete((link, failure) -> {
            if (failure == null) {
                synchronized (this) {
                    holders.add(link);
                }
                link.onOver(() -> closed(link));
                client.opened().complete(link);
            } else if (IdleStoreSession.full(failure) == null) {
                left();
                client.opened().completeExceptionally(failure);
            } else {
                refused(client);
            }
        });
    }

    private synchronized void refused(Waiter client) {
        taken--;
        most = Math.max(1, taken - taken / SPARE);
        limitedSince = System.nanoTime();
        await(client);
    }

    /** Called when either side has closed the session. */
    private void closed(StoreLink link) {
        synchronized (this) {
            holders.remove(link);
        }
        left();
    }

    private void left() {
        Waiter next;
        synchronized (this) {
            taken--;
            next = next();
        }
        begins(next);
    }

    private @Nullable Waiter next() {
        Waiter next = hasRoom() ? waiters.poll() : null;
        taken += next == null ? 0 : 1;
        return next;
    }

    private void begins(@Nullable Waiter client) {
        if (client != null) {
            client.loop().execute(() -> begin(client));
        }
    }

    /** Rejects clients that have waited too long, and requests the release of idle sessions. */
    private void tick(EventLoop loop) {
        List<Waiter> late = new ArrayList<>();
        List<StoreLink> asked = new ArrayList<>();
        Waiter next;
        synchronized (this) {
            long now = System.nanoTime();
            waiters.removeIf(client -> now - client.until() > 0 && late.add(client));
            next = next();
            ticks = !waiters.isEmpty();
            if (ticks) {
                asked.addAll(holders);
                var unused = loop.schedule(() -> tick(loop), TICK_MILLIS, TimeUnit.MILLISECONDS);
            }
        }
        begins(next);
        asked.forEach(StoreLink::isWanted);
        late.forEach(client -> client.loop().execute(() -> client.opened().completeExceptionally(full())));
    }

    private StoreException full() {
        return new StoreException(ErrPacket.of(
                ErrorCode.ER_CON_COUNT_ERROR,
                "Too many connections: the store has no room for another session of '" + user
                        + "', and no session of another client of that user was released within "
                        + TimeUnit.NANOSECONDS.toSeconds(WAIT_NANOS) + " s"));
    }
}
