package org.keyline.gateway.session;

import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
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
 * Limits the store sessions for the clients of one user. If the store refuses a session, the client
 * waits until another session closes. Clients get sessions in the order in which they came.
 * Meanwhile, sessions of idle clients are released at once. Thread-safe.
 */
final class StoreRoom {
    /*
     * Only the store knows how many sessions it accepts, because other programs use it as well. For
     * a minute after a refusal, the limit is a tenth below the number of sessions at the refusal.
     * The store may still count a session that was closed just before the refusal, so such a
     * refusal does not show the limit. The clients then pause, twice as long after each such
     * refusal until a session opens, so that they do not overload the store.
     */

    /** How long a client waits while no client gets a session. */
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** How long a client waits while other clients get sessions. */
    private static final long MAX_WAIT_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final long LIMITED_NANOS = TimeUnit.MINUTES.toNanos(1);
    /** The maximum time for which the store still counts a closed session. */
    private static final long CLOSING_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long TICK_MILLIS = 10;
    /** The first pause is two ticks, the longest one is 32. */
    private static final int MAX_DOUBLINGS = 5;

    /** After a refusal, one in this many sessions is left free for other programs. */
    private static final int SPARE = 10;
    /** Maximum number of sessions to open at once, so that few of them exceed an unknown limit. */
    private static final int MAX_OPENING = 32;

    private final String user;
    private final Set<StoreLink> holders = new HashSet<>();
    private final Queue<Waiter> waiters = new PriorityQueue<>(Comparator.comparingLong(Waiter::turn));
    private long turns;
    /** Number of sessions that are open or being opened. */
    private int taken;

    private int most = Integer.MAX_VALUE;
    private long limitedSince;
    private long closedSince = System.nanoTime() - CLOSING_NANOS;
    /** When a client last got a session. */
    private long openedSince = System.nanoTime();

    private int refusals;
    private long pausedUntil = openedSince;
    private boolean ticks;

    /** @param turn clients with a lower number get sessions first */
    private record Waiter(
            EventLoop loop,
            Supplier<CompletionStage<StoreLink>> login,
            CompletableFuture<StoreLink> opened,
            long turn,
            long since) {}

    StoreRoom(String user) {
        this.user = user;
    }

    /**
     * Opens a session as soon as the limit allows it.
     *
     * @param awaited whether other clients wait for this login, which therefore precedes others
     * @param login opens the session; called on the loop
     * @return a stage that completes on the loop
     */
    CompletionStage<StoreLink> open(EventLoop loop, boolean awaited, Supplier<CompletionStage<StoreLink>> login) {
        CompletableFuture<StoreLink> opened = new CompletableFuture<>();
        Waiter first;
        synchronized (this) {
            long turn = awaited ? turns++ - Long.MAX_VALUE : turns++;
            waiters.add(new Waiter(loop, login, opened, turn, System.nanoTime()));
            first = next();
            ticks(loop);
        }
        if (first != null && first.opened() == opened) {
            begin(first);
        } else {
            begins(first);
        }
        return opened;
    }

    private boolean hasRoom() {
        long now = System.nanoTime();
        if (most != Integer.MAX_VALUE && now - limitedSince > LIMITED_NANOS) {
            most = Integer.MAX_VALUE;
        }
        return taken < most && taken - holders.size() < MAX_OPENING && now - pausedUntil >= 0;
    }

    private void ticks(EventLoop loop) {
        if (!ticks && !waiters.isEmpty()) {
            ticks = true;
            loop.execute(() -> tick(loop));
        }
    }

    private void begin(Waiter client) {
        client.login().get().whenComplete((link, failure) -> {
            if (failure == null) {
                begins(opened(link));
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

    private synchronized @Nullable Waiter opened(StoreLink link) {
        holders.add(link);
        openedSince = System.nanoTime();
        refusals = 0;
        pausedUntil = openedSince;
        return next();
    }

    private synchronized void refused(Waiter client) {
        taken--;
        long now = System.nanoTime();
        if (now - closedSince > CLOSING_NANOS) {
            most = Math.max(1, holders.size() - holders.size() / SPARE);
            limitedSince = now;
        } else if (now - pausedUntil >= 0) {
            refusals = Math.min(MAX_DOUBLINGS, refusals + 1);
            pausedUntil = now + TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS << refusals);
        }
        waiters.add(client);
        ticks(client.loop());
    }

    /** Called when either side has closed the session. */
    private void closed(StoreLink link) {
        synchronized (this) {
            holders.remove(link);
            closedSince = System.nanoTime();
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
            waiters.removeIf(client -> isLate(client, now) && late.add(client));
            next = next();
            ticks = !waiters.isEmpty();
            if (ticks) {
                asked.addAll(holders);
                var unused = loop.schedule(() -> tick(loop), TICK_MILLIS, TimeUnit.MILLISECONDS);
            }
        }
        begins(next);
        asked.forEach(StoreLink::isWanted);
        late.forEach(client -> client.loop().execute(() -> client.opened().completeExceptionally(full(client))));
    }

    private boolean isLate(Waiter client, long now) {
        long waited = now - client.since();
        return waited > MAX_WAIT_NANOS || (waited > WAIT_NANOS && now - openedSince > WAIT_NANOS);
    }

    private StoreException full(Waiter client) {
        return new StoreException(ErrPacket.of(
                ErrorCode.ER_CON_COUNT_ERROR,
                "Too many connections: the store has no room for another session of '" + user
                        + "', and this client got none within "
                        + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - client.since()) + " s"));
    }
}
