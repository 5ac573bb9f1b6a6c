package org.keyline.gateway.share;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.config.ConfigKeys;
import org.keyline.gateway.config.ConfigValues;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;

/** Counts and limits the sessions and statements of each user, by the login name. Thread-safe. */
public final class UserShares {
    private final ConfigValues config;
    /** Users with a session. Guarded by this. */
    private final Map<String, InUse> users = new HashMap<>();

    private static final class InUse {
        /** Guarded by the enclosing object. */
        int sessions;

        final AtomicInteger statements = new AtomicInteger();
    }

    /** The sessions and the running statements of one user. */
    public record Figures(String user, int sessions, int statements) {}

    /** {@code config} has the limits. Sessions and statements above a lowered limit continue. */
    public UserShares(ConfigValues config) {
        this.config = config;
    }

    /** Opens a session. Returns null if the user already has the maximum number of sessions. */
    public synchronized @Nullable Share open(String user) {
        int most = config.get(ConfigKeys.LIMITS_CONNECTIONS_PER_USER);
        InUse known = users.get(user);
        if (most > 0 && known != null && known.sessions >= most) {
            return null;
        }
        InUse inUse = known == null ? new InUse() : known;
        inUse.sessions++;
        users.put(user, inUse);
        return new Share(user, inUse);
    }

    /** Returns the error for a user who already has the maximum number of sessions. */
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

    /** Returns the figures of all users with sessions, unordered. */
    public synchronized List<Figures> figures() {
        List<Figures> figures = new ArrayList<>();
        users.forEach((user, inUse) -> figures.add(new Figures(user, inUse.sessions, inUse.statements.get())));
        return figures;
    }

    /** A session that counts towards its user's limits. Once open, confined to its event loop. */
    public final class Share {
        private final String user;
        private final InUse inUse;
        private boolean running;
        private boolean closed;

        private Share(String user, InUse inUse) {
            this.user = user;
            this.inUse = inUse;
        }

        public String user() {
            return user;
        }

        /** Counts a statement until {@link #ends}. Returns an error if the user is at the limit. */
        public @Nullable ErrPacket begins() {
            int now = inUse.statements.incrementAndGet();
            int most = config.get(ConfigKeys.LIMITS_FORWARDS_PER_USER);
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

        public void ends() {
            if (running) {
                running = false;
                inUse.statements.decrementAndGet();
            }
        }

        /** Removes the session from its user's share when it is closed or changes its user. */
        public void close() {
            ends();
            if (!closed) {
                closed = true;
                UserShares.this.closed(user, inUse);
            }
        }
    }
}
