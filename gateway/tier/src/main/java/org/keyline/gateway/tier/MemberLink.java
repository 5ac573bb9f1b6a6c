package org.keyline.gateway.tier;

import io.netty.channel.EventLoop;
import java.io.IOException;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.client.ClientConnection;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.protocol.client.ResultListener;
import org.keyline.protocol.client.ServerErrorException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client connection to another gateway. Logs in with the gateways' own account at the store,
 * sends each entry as a statement, {@code KEYLINE TELL 'entry'}, and connects again after any
 * failure. Confined to its event loop, except {@link #connected}.
 */
final class MemberLink {
    private static final Logger LOG = LoggerFactory.getLogger(MemberLink.class);

    /** Maximum number of entries that wait for a reply. Further entries are not sent. */
    private static final int MAX_IN_FLIGHT = 64;

    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    /** The pause after a refused login. A short pause could make the store lock the account. */
    private static final long AGAIN_IF_REFUSED_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final String name;
    private final ClientOptions options;
    private final EventLoop loop;
    private final ResultListener answers = new ResultListener() {
        @Override
        public void end(ReplySummary summary) {
            waitingSinceNanos = System.nanoTime();
            if (summary.error() != null) {
                lost(new ServerErrorException(summary.error()));
            }
        }

        @Override
        public void failed(Throwable cause) {
            lost(cause);
        }
    };

    private @Nullable ClientConnection connection;
    private boolean connecting;
    private boolean closed;
    private long waitingSinceNanos;
    private long notBeforeNanos = System.nanoTime();
    private @Nullable String received;
    private volatile boolean connected;

    /** @param options the options of the login at the other gateway */
    MemberLink(String name, ClientOptions options, EventLoop loop) {
        this.name = name;
        this.options = options;
        this.loop = loop;
    }

    String name() {
        return name;
    }

    boolean connected() {
        return connected;
    }

    /** Sends an entry without blocking. Returns whether the link accepted the entry. */
    boolean send(byte[] entry) {
        ClientConnection to = connection;
        if (to == null || to.inFlight() >= MAX_IN_FLIGHT) {
            return false;
        }
        if (to.inFlight() == 0) {
            waitingSinceNanos = System.nanoTime();
        }
        to.query("KEYLINE TELL '" + Base64.getEncoder().encodeToString(entry) + "'", answers);
        return true;
    }

    /** Connects if necessary, and closes a silent connection. Call several times a second. */
    void watch() {
        ClientConnection to = connection;
        long now = System.nanoTime();
        if (to != null) {
            if (to.inFlight() > 0 && now - waitingSinceNanos > SILENCE_NANOS) {
                failed(new IOException("no reply within two seconds"));
            }
        } else if (!closed && !connecting && now - notBeforeNanos >= 0) {
            connecting = true;
            var unused = ClientConnection.connect(options, loop).whenComplete((made, failure) -> {
                connecting = false;
                if (made != null) {
                    begin(made);
                } else {
                    failed(failure);
                }
            });
        }
    }

    private void begin(ClientConnection made) {
        if (closed) {
            made.close();
            return;
        }
        connection = made;
        connected = true;
        received = null;
        LOG.info("tier: linked to gateway {} at {}", name, options.address());
        var unused = made.closed().thenAccept(this::lost);
    }

    /** Called for any failure of the connection. Only the first failure has an effect. */
    private void lost(Throwable cause) {
        if (connection != null) {
            failed(cause);
        }
    }

    private void failed(Throwable cause) {
        ClientConnection was = connection;
        boolean refused = cause instanceof ServerErrorException;
        notBeforeNanos = System.nanoTime() + (refused ? AGAIN_IF_REFUSED_NANOS : AGAIN_NANOS);
        if (closed) {
            return;
        }
        disconnect();
        String words = String.valueOf(cause.getMessage());
        if (was != null || !words.equals(received)) {
            received = words;
            LOG.warn(
                    "tier: {} gateway {} at {} ({}). Until all links are open, lines answer only while they are younger than tier.staleness.",
                    was == null ? "no link to" : "the link is lost to",
                    name,
                    options.address(),
                    cause.toString());
        }
    }

    private void disconnect() {
        ClientConnection was = connection;
        connection = null;
        connected = false;
        if (was != null) {
            // Closing notifies all waiting listeners.
            was.close();
        }
    }

    /** Must be called on the event loop. */
    void close() {
        closed = true;
        disconnect();
    }
}
