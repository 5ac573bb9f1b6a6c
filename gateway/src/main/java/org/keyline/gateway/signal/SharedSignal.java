package org.keyline.gateway.signal;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.ServerErrorException;
import org.keyline.stores.ChangeListener;
import org.keyline.stores.ChangeSignal;
import org.keyline.stores.ResumableSignal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The change signal of a store as one gateway reads it for all: those whose names come later ask those whose names come before. Who finds none
 * to ask reads the store's signal itself, and tells the others. The rules are those of {@code docs/tier.md}. Thread-safe.
 *
 * <p>Nobody elects a reader, and two of them are as right as one. This gateway stops to read when it has read all that was there as
 * the other one began to keep what it tells, and goes on where that had told when it is gone; so nothing is missed, and nothing has to be
 * dropped.
 */
public final class SharedSignal implements ChangeSignal {
    /**
     * Another gateway that may read for this one.
     *
     * @param options to log in there
     */
    public record Reader(String name, ClientOptions options) {}

    private static final Logger LOG = LoggerFactory.getLogger(SharedSignal.class);

    private static final long WATCH_MS = 250;
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** Each login is one at the store, which may count those that fail. */
    private static final long AGAIN_IF_REFUSED_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final ResumableSignal own;
    private final List<Reader> readers;
    private final String store;
    private final Function<TableName, @Nullable TableSchema> schemas;
    private final EventLoop loop;
    private final SecureRandom random;
    private volatile @Nullable SignalFeed feed;
    private volatile @Nullable SignalFollower follower;
    private volatile @Nullable String followed;
    private volatile boolean leaving;
    private volatile boolean closed;

    // Confined to the loop.
    private @Nullable SignalLink link;
    private int asked;
    private long notBeforeNanos = System.nanoTime();
    /** Why each of the others does not read for this one, as it was logged last. */
    private final Map<String, String> reported = new HashMap<>();

    /**
     * A signal that is not started.
     *
     * @param own the store's; paused while another gateway reads
     * @param readers who is asked, in this order; for all gateways in one and the same
     * @param store as {@code store.url} has it
     * @param schemas the definitions of tables that may have rows in memory; null for others
     * @param loop serves no client
     */
    public SharedSignal(
            ResumableSignal own,
            List<Reader> readers,
            String store,
            Function<TableName, @Nullable TableSchema> schemas,
            EventLoop loop,
            SecureRandom random) {
        this.own = own;
        this.readers = List.copyOf(readers);
        this.store = store;
        this.schemas = schemas;
        this.loop = loop;
        this.random = random;
    }

    @Override
    public void start(ChangeListener listener) {
        SignalFeed telling = new SignalFeed(listener, own, store, System::nanoTime, loop);
        SignalFollower hearing = new SignalFollower(own, listener, schemas);
        feed = telling;
        follower = hearing;
        own.start(telling);
        if (!readers.isEmpty()) {
            Future<?> unused = loop.scheduleWithFixedDelay(
                    () -> watch(listener, hearing, telling), 0, WATCH_MS, TimeUnit.MILLISECONDS);
        }
    }

    /** Takes the question of another gateway. From any thread. */
    public CompletionStage<byte[]> ask(byte[] question) {
        SignalFeed telling = feed;
        return telling == null
                ? CompletableFuture.failedFuture(new NotHeardException("it has just started"))
                : telling.ask(question);
    }

    /** Leaves the gateways that follow this one, which is to end soon. From any thread. */
    public void leaveFollowers() {
        leaving = true;
        SignalFeed telling = feed;
        if (telling != null) {
            telling.refuse("it ends");
        }
    }

    /** The gateway that reads for this one; null: it reads itself. */
    public @Nullable String followed() {
        return followed;
    }

    /** How many gateways this one reads for. */
    public int followers() {
        SignalFeed telling = feed;
        return telling == null ? 0 : telling.followers();
    }

    private void watch(ChangeListener listener, SignalFollower hearing, SignalFeed telling) {
        try {
            SignalLink open = link;
            if (open != null) {
                open.watch();
                join(hearing, telling);
            } else if (!closed && System.nanoTime() - notBeforeNanos >= 0) {
                SignalLink made = link(listener, hearing, telling);
                // Before it connects, which may fail at once.
                link = made;
                made.connect(readers.get(asked).options());
            }
        } catch (RuntimeException e) {
            LOG.error("The change signal cannot be heard, by an error of Keyline's own. Please report it.", e);
            left(e, hearing, telling);
        }
    }

    private SignalLink link(ChangeListener listener, SignalFollower hearing, SignalFeed telling) {
        return new SignalLink(
                loop, random.nextLong(), store, listener::tables, System::nanoTime, new SignalLink.Listener() {
                    @Override
                    public void heard(List<SignalMessage> messages) {
                        SignalLink from = link;
                        if (from != null) {
                            hearing.take(messages, System.nanoTime(), from::askedNanos);
                            join(hearing, telling);
                        }
                    }

                    @Override
                    public void ended(Throwable cause) {
                        left(cause, hearing, telling);
                    }
                });
    }

    private void join(SignalFollower hearing, SignalFeed telling) {
        if (!closed && hearing.join()) {
            String reader = readers.get(asked).name();
            followed = reader;
            // Who followed this gateway reads by itself until it has found the other one, too.
            telling.refuse("it follows gateway " + reader);
            reported.clear();
            LOG.info("The change signal of the store is read by gateway {} for this one.", reader);
        }
    }

    private void left(Throwable cause, SignalFollower hearing, SignalFeed telling) {
        SignalLink open = link;
        link = null;
        if (open != null) {
            open.close();
        }
        String reader = readers.get(asked).name();
        followed = null;
        if (closed) {
            return;
        }
        boolean refused = cause instanceof ServerErrorException;
        String words = refused ? String.valueOf(cause.getMessage()) : cause.toString();
        if (hearing.leave()) {
            if (!leaving) {
                telling.refuse(null);
            }
            asked = 0;
            LOG.warn(
                    "Gateway {} does not read the change signal for this one any more, which does so itself: {}",
                    reader,
                    words);
            return;
        }
        asked = (asked + 1) % readers.size();
        if (asked == 0) {
            notBeforeNanos = System.nanoTime() + (refused ? AGAIN_IF_REFUSED_NANOS : AGAIN_NANOS);
        }
        if (!words.equals(reported.put(reader, words))) {
            LOG.info("Gateway {} does not read the change signal for this one: {}", reader, words);
        }
    }

    @Override
    public boolean isEarly() {
        return own.isEarly();
    }

    @Override
    public void serverChanged() {
        own.serverChanged();
    }

    @Override
    public State state() {
        return followed != null ? State.FOLLOWING : own.state();
    }

    @Override
    public long events() {
        SignalFollower hearing = follower;
        return own.events() + (hearing == null ? 0 : hearing.events());
    }

    @Override
    public void close() {
        closed = true;
        own.close();
        if (!loop.isShuttingDown()) {
            loop.execute(() -> {
                SignalLink open = link;
                if (open != null) {
                    open.close();
                }
            });
        }
    }
}
