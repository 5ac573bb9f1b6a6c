package org.keyline.stores.mysql.signal;

import com.github.shyiko.mysql.binlog.BinaryLogClient;
import com.github.shyiko.mysql.binlog.event.EventType;
import com.github.shyiko.mysql.binlog.event.deserialization.EventDataDeserializationException;
import com.github.shyiko.mysql.binlog.network.AuthenticationException;
import com.github.shyiko.mysql.binlog.network.ServerException;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.Catalog;
import org.keyline.stores.ChangeListener;
import org.keyline.stores.ChangeSignal;
import org.keyline.stores.mysql.catalog.CatalogOptions;
import org.keyline.stores.mysql.catalog.Dialect;
import org.keyline.stores.mysql.catalog.ReadFailure;
import org.keyline.stores.mysql.catalog.StoreConnection;
import org.keyline.stores.mysql.server.ServerAddress;
import org.slf4j.LoggerFactory;

/**
 * A change signal that follows the row binary log of MySQL and MariaDB like a replica. Thread-safe.
 *
 * <p>After an interruption, the signal resumes by global transaction ids. If this fails, the signal
 * reports that everything changed, and begins again. To measure its lag, the signal asks the store
 * for its log position. Once all changes up to that position are reported, lines are fresh as of
 * the moment when it asked.
 */
public final class BinlogSignal implements ChangeSignal {
    private static final org.slf4j.Logger LOG = LoggerFactory.getLogger(BinlogSignal.class);

    /** The library's logger. Switched off, because this class reports the same errors. */
    private static final Logger LIBRARY = Logger.getLogger(BinaryLogClient.class.getName());

    private static final int ER_ACCESS_DENIED = 1045;
    private static final int ER_SPECIFIC_ACCESS_DENIED = 1227;
    /** The error if the log no longer has the position, or another replica has this server id. */
    private static final int ER_FATAL_READING_BINLOG = 1236;

    private static final long FIRST_PAUSE_MS = 50;
    private static final long LONGEST_PAUSE_MS = 10_000;
    private static final long REFUSED_PAUSE_MS = 30_000;
    private static final Duration SILENCE = Duration.ofSeconds(5);
    private static final int SILENT_PERIODS = 10;
    /** While no table has lines, changes cause at most one question in this many periods. */
    private static final int UNCACHED_PERIODS = 4;

    private static final Duration UNREAD_PERIOD = Duration.ofMinutes(1);

    private final CatalogOptions options;
    private final Dialect dialect;
    private final Catalog catalog;
    private final Duration period;
    private final long serverId;
    private final ScheduledThreadPoolExecutor asking = new ScheduledThreadPoolExecutor(1, thread("keyline-binlog-ask"));
    private final LongAdder events = new LongAdder();
    private volatile boolean closed;

    private volatile State state = State.STARTING;
    private volatile long receivedNanos = System.nanoTime();
    private volatile @Nullable BinaryLogClient client;
    private volatile @Nullable BinlogEvents following;
    private volatile @Nullable StoreConnection control;
    private volatile ServerAddress followed;

    /** Confined to the asking thread. */
    private int uncached;

    /** A permit ends the current or the next pause of the thread that follows the log. */
    private final Semaphore hurry = new Semaphore(0);

    // Confined to the thread that follows the log.
    private @Nullable String reported;
    private String account = "";
    private final Map<EventType, Long> unreadNanos = new EnumMap<>(EventType.class);
    private @Nullable Exception ending;
    /** Whether the connection begins again; its first event then reports everything as changed. */
    private boolean beginsAgain;

    /**
     * Creates a signal that is not started.
     *
     * @param options address and account, which needs REPLICATION SLAVE
     * @param dialect MYSQL or MARIADB
     * @param period the time between heartbeats of the log, and between questions for its position
     * @param serverId 1..2^32 - 1, unique among the replicas of the store
     */
    public BinlogSignal(CatalogOptions options, Dialect dialect, Catalog catalog, Duration period, long serverId) {
        this.options = options;
        this.followed = options.server();
        this.dialect = dialect;
        this.catalog = catalog;
        this.period = period;
        this.serverId = serverId;
        asking.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        asking.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
        LIBRARY.setLevel(Level.OFF);
    }

    private static ThreadFactory thread(String name) {
        return task -> {
            Thread made = new Thread(task, name);
            made.setDaemon(true);
            return made;
        };
    }

    @Override
    public void start(ChangeListener listener) {
        thread("keyline-binlog").newThread(() -> run(listener)).start();
        ScheduledFuture<?> unused =
                asking.scheduleWithFixedDelay(() -> ask(listener), 0, period.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public boolean isEarly() {
        return true;
    }

    @Override
    public long events() {
        return events.sum();
    }

    /** Follows the log. Each iteration is one connection. */
    private void run(ChangeListener listener) {
        Gtids reported = null;
        long pauseMs = FIRST_PAUSE_MS;
        while (!closed) {
            long before = events.sum();
            try {
                reported = follow(listener, reported);
                pauseMs = events.sum() > before ? FIRST_PAUSE_MS : Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
            } catch (SignalRefused e) {
                reported = null;
                report(listener, State.REFUSED, String.valueOf(e.getMessage()));
                pauseMs = REFUSED_PAUSE_MS;
            } catch (IOException | ReadFailure | RuntimeException e) {
                report(listener, State.LOST, "the binary log cannot be followed: " + e.getMessage());
                pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
            }
            pause(pauseMs);
        }
    }

    private void pause(long ms) {
        try {
            boolean unused = hurry.tryAcquire(ms, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            closed = true;
        }
    }

    /**
     * Follows one connection to its end.
     *
     * @param reported the position to resume from; null to report that everything changed and begin
     * again
     * @return the next position to resume from; null to begin again
     */
    private @Nullable Gtids follow(ChangeListener listener, @Nullable Gtids reported)
            throws IOException, ReadFailure, SignalRefused {
        ServerAddress server = options.server();
        Gtids from = server.equals(followed) ? reported : null;
        followed = server;
        // The server may have been restarted with other settings of its log.
        Gtids logged = begin();
        beginsAgain = from == null;
        if (from == null) {
            from = logged;
        }
        BinlogEvents reporter = new BinlogEvents(catalog, listener, from);
        BinaryLogClient connection = connection(server, from, reporter, listener);
        ending = null;
        client = connection;
        following = reporter;
        try {
            if (!closed) {
                connection.connect();
            }
        } catch (ServerException e) {
            ending = e;
        } finally {
            following = null;
            client = null;
        }
        return ended(reporter, listener);
    }

    private @Nullable Gtids ended(BinlogEvents reporter, ChangeListener listener) throws IOException, SignalRefused {
        Exception end = ending;
        if (end instanceof ServerException refused) {
            if (isRefusal(refused)) {
                throw refused(refused);
            }
            if (refused.getErrorCode() == ER_FATAL_READING_BINLOG) {
                report(
                        listener,
                        State.LOST,
                        "the binary log cannot be resumed where it ended: " + refused.getMessage());
                return null;
            }
        }
        report(
                listener,
                State.LOST,
                "the connection to the binary log is lost" + (end == null ? "" : ": " + end.getMessage()));
        return beginsAgain || reporter.isBroken() ? null : reporter.reported();
    }

    /** Returns the store's log position. Fails if the log settings are insufficient. */
    private Gtids begin() throws ReadFailure, SignalRefused {
        try (StoreConnection opened = StoreConnection.open(options)) {
            if (!opened.server().equals(followed)) {
                throw new ReadFailure("another server of the store is in use now");
            }
            opened.rows().query("SELECT CURRENT_USER()", row -> account = quoted(row.required(1)));
            return BinlogSettings.read(dialect, opened.rows()).begin();
        }
    }

    /** Returns the account in the notation of GRANT. */
    private static String quoted(String account) {
        int at = account.lastIndexOf('@');
        return "'" + account.substring(0, at) + "'@'" + account.substring(at + 1) + "'";
    }

    private BinaryLogClient connection(
            ServerAddress server, Gtids from, BinlogEvents reporter, ChangeListener listener) {
        BinaryLogClient connection = BinlogClients.of(options, server, from, serverId, period);
        connection.registerEventListener(event -> {
            receivedNanos = System.nanoTime();
            if (beginsAgain) {
                // This report comes after the position was read, so that all later changes are
                // reported row by row. It comes after the store has admitted the account, so that
                // the endless attempts of a refused signal do not repeat it.
                beginsAgain = false;
                listener.everything();
            }
            if (state != State.FOLLOWING) {
                report(listener, State.FOLLOWING, "");
            }
            events.increment();
            try {
                reporter.event(event);
            } catch (RuntimeException e) {
                LOG.error(
                        "{}: an event of the binary log could not be applied, because of an error in Keyline. Cached"
                                + " rows that may have changed are dropped. Please report it.",
                        options.address(),
                        e);
                reporter.unread(null);
            }
            if (reporter.isBroken()) {
                end(connection);
            }
        });
        connection.registerLifecycleListener(new BinaryLogClient.AbstractLifecycleListener() {
            @Override
            public void onConnect(BinaryLogClient at) {
                receivedNanos = System.nanoTime();
            }

            @Override
            public void onCommunicationFailure(BinaryLogClient at, Exception e) {
                ending = e;
            }

            @Override
            public void onEventDeserializationFailure(BinaryLogClient at, Exception e) {
                EventType type = e instanceof EventDataDeserializationException unread
                        ? unread.getEventHeader().getEventType()
                        : null;
                reportUnread(type, e);
                reporter.unread(type);
                if (reporter.isBroken()) {
                    end(connection);
                }
            }
        });
        return connection;
    }

    /**
     * Asks the store for its log position, if tables have lines. Also asks after changes, so that
     * the first lines need not be dropped because of earlier changes. Closes the connection to the
     * log if the log is silent for too long.
     */
    private void ask(ChangeListener listener) {
        BinlogEvents reporter = following;
        BinaryLogClient open = client;
        if (reporter == null || open == null || state != State.FOLLOWING) {
            return;
        }
        long now = System.nanoTime();
        long silence = Math.max(SILENCE.toNanos(), SILENT_PERIODS * period.toNanos());
        if (now - receivedNanos > silence) {
            end(open);
            return;
        }
        if (listener.tables().isEmpty() && !(listener.awaitsComplete() && uncached++ % UNCACHED_PERIODS == 0)) {
            return;
        }
        try {
            StoreConnection asked = control;
            if (asked != null && !asked.isCurrent()) {
                disconnect();
                asked = null;
            }
            if (asked == null) {
                asked = StoreConnection.open(options);
                control = asked;
            }
            Gtids reported = reporter.reported();
            long asOf = System.nanoTime();
            Gtids logged = Gtids.read(dialect, asked.rows());
            if (!asked.isCurrent() || !asked.server().equals(followed)) {
                // The log of one server says nothing about the rows of another server.
                end(open);
                return;
            }
            reporter.logged(asOf, reported, logged);
            if (reporter.isBroken()) {
                end(open);
            }
        } catch (ReadFailure | RuntimeException e) {
            LOG.debug("{}: the position of the binary log cannot be read: {}", options.address(), e.toString());
            disconnect();
        }
    }

    @Override
    public void serverChanged() {
        StoreConnection asked = control;
        if (asked != null) {
            asked.abort();
        }
        hurry.release();
        BinaryLogClient connection = client;
        if (connection != null) {
            end(connection);
        }
    }

    private void disconnect() {
        StoreConnection open = control;
        control = null;
        if (open != null) {
            open.close();
        }
    }

    private static void end(BinaryLogClient connection) {
        try {
            connection.disconnect();
        } catch (IOException alreadyGone) {
            LOG.debug("the connection to the binary log was already closed", alreadyGone);
        }
    }

    private static boolean isRefusal(ServerException e) {
        return e instanceof AuthenticationException
                || e.getErrorCode() == ER_ACCESS_DENIED
                || e.getErrorCode() == ER_SPECIFIC_ACCESS_DENIED;
    }

    private SignalRefused refused(ServerException e) {
        return new SignalRefused("the store refuses its binary log: " + e.getMessage()
                + ". For Keyline to follow the log, run GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO "
                + account);
    }

    /** Reports the state if its reason has changed. Called on the thread that follows the log. */
    private void report(ChangeListener listener, State now, String because) {
        state = !closed ? now : State.LOST;
        if (!because.equals(reported) && !closed) {
            reported = because;
            listener.state(now, because);
        }
    }

    /** Logs an unreadable event, at most once a minute for each type of event. */
    private void reportUnread(@Nullable EventType type, Exception failure) {
        EventType of = type == null ? EventType.UNKNOWN : type;
        long now = System.nanoTime();
        Long last = unreadNanos.get(of);
        if (last == null || now - last >= UNREAD_PERIOD.toNanos()) {
            unreadNanos.put(of, now);
            LOG.warn(
                    "{}: a binary log event of type {} cannot be read, so cached rows that may have changed are"
                            + " dropped. The cause: {}",
                    options.address(),
                    of,
                    failure.toString());
        }
    }

    @Override
    public void close() {
        closed = true;
        hurry.release();
        asking.shutdownNow();
        StoreConnection open = control;
        if (open != null) {
            open.abort();
        }
        BinaryLogClient connection = client;
        if (connection != null) {
            end(connection);
        }
    }
}
