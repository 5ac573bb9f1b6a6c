package org.keyline.gateway.share;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;

/** What each user has in use of what all share, by the name that clients log in with. Thread-safe. */
public final class UserShares {
    private final Supplier<GatewayConfig.PerUser> limits;
    /** Guarded by this: those who have a session. */
    private final Map<String, InUse> users = new HashMap<>();

    /** One user's. */
    private static final class InUse {
        /** Guarded by the shares. */
        int sessions;

        final AtomicInteger statements = new AtomicInteger();
    }

    /**
     * What one user has in use.
     *
     * @param statements that run at the store and count
     */
    public record Figures(String user, int sessions, int statements) {}

    /** @param limits in force; what is in use already is left to end by itself */
    public UserShares(Supplier<GatewayConfig.PerUser> limits) {
        this.limits = limits;
    }

    /** A session's part of its user's share; null if the user has as many sessions as it may. */
    public synchronized @Nullable Share open(String user) {
        int most = limits.get().connections();
        InUse known = users.get(user);
        if (most > 0 && known != null && known.sessions >= most) {
            return null;
        }
        InUse inUse = known == null ? new InUse() : known;
        inUse.sessions++;
        users.put(user, inUse);
        return new Share(user, inUse);
    }

    /** What a client is told that may not have another session. */
    public ErrPacket refusal(String user) {
        return ErrPacket.of(
                ErrorCode.ER_TOO_MANY_USER_CONNECTIONS,
                "User '" + user + "' already has more than 'max_user_connections' active connections"
                        + " (limits.connectionsPerUser of Keyline)");
    }

    private synchronized void closed(String user, InUse inUse) {
        inUse.sessions--;
        if (inUse.sessions == 0) {
            users.remove(user);
        }
    }

    /** What all who are there have in use, in no order. */
    public synchronized List<Figures> figures() {
        List<Figures> figures = new ArrayList<>();
        users.forEach((user, inUse) -> figures.add(new Figures(user, inUse.sessions, inUse.statements.get())));
        return figures;
    }

    /** One session's. Confined to its event loop, but for its opening. */
    public final class Share {
        private final String user;
        private final InUse inUse;
        private boolean running;
        private boolean closed;

        private Share(String user, InUse inUse) {
            this.user = user;
            this.inUse = inUse;
        }

        /** Whose it is. */
        public String user() {
            return user;
        }

        /** A statement is to be sent to the store: null if it may, until {@link #ends}, else what its client is told. */
        public @Nullable ErrPacket begins() {
            int now = inUse.statements.incrementAndGet();
            int most = limits.get().forwards();
            if (most > 0 && now > most) {
                inUse.statements.decrementAndGet();
                return ErrPacket.of(
                        ErrorCode.ER_USER_LIMIT_REACHED,
                        "User '" + user + "' has exceeded the 'limits.forwardsPerUser' resource (current value: " + most
                                + ")");
            }
            running = true;
            return null;
        }

        /** The statement that began, if one did, has ended. */
        public void ends() {
            if (running) {
                running = false;
                inUse.statements.decrementAndGet();
            }
        }

        /** The session has ended, or is another user's from now on. */
        public void close() {
            ends();
            if (!closed) {
                closed = true;
                UserShares.this.closed(user, inUse);
            }
        }
    }
}
