package org.keyline.gateway.session.state;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.session.settings.SessionSettings;
import org.keyline.protocol.server.Login;
import org.keyline.stores.StoreSession;

/** The store's answers about the settings of new sessions, reused for equal logins. Thread-safe. */
public final class LoginAnswers {
    /*
     * A program that opens a connection for each request reads once per connection. Its sessions
     * would otherwise ask the store for their settings before each read.
     *
     * A new session begins with the store's global variables and the default roles of its account.
     * Both can change unnoticed, so an answer is valid only for a short time. Its validity also
     * ends at a change of rights, and at a statement through the gateway that may change the
     * variables. This applies even to an answer that has not arrived yet.
     *
     * The gateway asks the store at a login. At the first read, the client may have run statements,
     * and the answer would then not apply to all equal logins. The gateway asks only if an equal
     * login came shortly before, and if the session of an equal login needed the answer, or if
     * equal logins then need no store session.
     */

    private static final int MAX_LOGINS = 4_096;
    private static final int MAX_NEEDED = 8;
    /** The first credit, enough for the first hits of several statements. */
    private static final int FIRST_CREDIT = 12;

    private static final int MAX_CREDIT = 64;
    /** Without credit, one in this many queries is sent, because reads may hit by now. */
    private static final int TRIAL = 16;

    private final Cache<Key, Logins> logins = Caffeine.newBuilder()
            .maximumSize(MAX_LOGINS)
            .executor(Runnable::run)
            .build();
    private final LongSupplier validNanos;
    private final LongSupplier rights;
    private final Ticker ticker;
    private final AtomicLong changes = new AtomicLong();

    /**
     * The properties of a login that determine the settings of its session.
     *
     * @param host the client's address, by which the store may choose the account
     * @param server the address of the store's server
     */
    private record Key(
            String user,
            boolean relayed,
            InetAddress host,
            @Nullable String database,
            int capabilities,
            int collation,
            @Nullable SocketAddress server) {}

    /** The time of a query to the store, with the change counts of rights and settings. */
    private record Moment(long nanos, long rights, long changes) {}

    /**
     * An answer about a new session.
     *
     * @param capabilities the flags that affect the replies of the store session
     * @param status the initial status flags of the store session
     * @param valid returns whether the answer is still valid
     */
    public record Known(StoreSession.SessionAnswer answer, int capabilities, int status, BooleanSupplier valid) {
        /** Returns whether the store may run statements of its own at the login (init_connect). */
        public boolean runsInit() {
            String init = answer.values().get(SessionSettings.INIT_CONNECT);
            return init == null || !init.isEmpty();
        }
    }

    /**
     * @param validNanos returns how long an answer is valid, in nanoseconds
     * @param rights returns a number that changes when rights of accounts may have changed
     */
    public LoginAnswers(LongSupplier validNanos, LongSupplier rights, Ticker ticker) {
        this.validNanos = validNanos;
        this.rights = rights;
        this.ticker = ticker;
    }

    /** Returns the answers for logins that are equal to this one. */
    public Logins of(Login login, @Nullable SocketAddress server) {
        return logins.get(
                new Key(
                        login.user(),
                        login.upstream() != null,
                        login.remote(),
                        login.database(),
                        login.capabilities(),
                        login.collation(),
                        server),
                added -> new Logins());
    }

    /** Called when a global variable or a schema may have changed. */
    public void forget() {
        changes.incrementAndGet();
    }

    /**
     * Returns a condition that is true until rights, global variables or schemas may have changed,
     * and for at most the time that an answer is valid.
     */
    public BooleanSupplier moment() {
        Moment moment = now();
        return () -> holds(moment);
    }

    private Moment now() {
        return new Moment(ticker.read(), rights.getAsLong(), changes.get());
    }

    private boolean holds(Moment asked) {
        Moment now = now();
        return now.rights == asked.rights && now.changes == asked.changes && isRecent(asked.nanos, now.nanos);
    }

    private boolean isRecent(long then, long now) {
        return now - then < validNanos.getAsLong();
    }

    /** The last answer for equal logins, and whether the next login asks again. Thread-safe. */
    public final class Logins {
        private @Nullable Known last;
        private boolean seen;
        /** Whether the last login came shortly after another one. */
        private boolean follows;

        private long loginNanos;
        /** Number of logins that ask because sessions needed the answer. */
        private int needed;
        /** Number of statements that queries at logins and before reads may cost. */
        private int credit = FIRST_CREDIT;

        private int refused;
        /** Whether a session asked the store again although its login had asked. */
        private boolean wasted;
        /** The end of the login that the store is checking; null if it is checking none. */
        private @Nullable CompletableFuture<Void> checked;
        /** Whether equal logins wait for that end. */
        private boolean awaited;

        /** Records a login. Returns the store's last answer if it is still valid; null if not. */
        public synchronized @Nullable Known login() {
            long now = ticker.read();
            follows = seen && isRecent(loginNanos, now);
            seen = true;
            loginNanos = now;
            Known answer = last;
            return answer != null && answer.valid().getAsBoolean() ? answer : null;
        }

        /**
         * Begins a login that the store must check.
         *
         * @return null; if an equal login is being checked, a stage that completes with that login,
         * and fails if the store refuses it
         */
        public synchronized @Nullable CompletionStage<Void> checks() {
            if (checked == null) {
                checked = new CompletableFuture<>();
                return null;
            }
            awaited = true;
            return checked;
        }

        /** Ends a login that the store had to check. */
        public void checked(@Nullable Throwable refused) {
            CompletableFuture<Void> over;
            synchronized (this) {
                over = checked;
                checked = null;
                awaited = false;
            }
            if (over != null && refused == null) {
                over.complete(null);
            } else if (over != null) {
                over.completeExceptionally(refused);
            }
        }

        /**
         * Returns whether a login without a valid answer must ask the store at once.
         *
         * @param spares whether equal logins that have the answer open no store session
         */
        public synchronized boolean asks(boolean spares) {
            if (awaited || (spares && follows)) {
                return true;
            }
            if (!follows || wasted || needed == 0 || !pays(1)) {
                return false;
            }
            needed--;
            return true;
        }

        /** Records that a session needed the answer, whether or not its login asked for it. */
        public synchronized void needed() {
            needed = Math.min(MAX_NEEDED, needed + 1);
        }

        /** Records how many reads of a session lines have answered. */
        public synchronized void earned(int answers) {
            credit = Math.min(MAX_CREDIT, credit + answers);
        }

        /** Returns whether a session may ask the store with so many statements. */
        public synchronized boolean pays(int statements) {
            if (credit < statements && ++refused % TRIAL != 0) {
                return false;
            }
            credit = Math.max(0, credit - statements);
            return true;
        }

        /** Records that a client's first statements made the answer at its login useless. */
        public synchronized void wasted() {
            wasted = true;
        }

        public synchronized void answered(Known known) {
            if (!known.answer().values().isEmpty() && !known.runsInit()) {
                last = known;
            }
        }
    }
}
