package org.keyline.gateway.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.protocol.fixtures.TcpProxy;

/**
 * Faults of the store and of the network to it, and their times. One thread causes the faults; all
 * other methods are thread-safe.
 */
final class Faults {
    enum Kind {
        /** All bytes to and from the store are delayed, by a different time for each connection. */
        SLOW,
        /** Some connections to the store are closed. */
        CUT,
        /** Requests are delayed for a while. */
        STALL_REQUESTS,
        /**
         * Replies are delayed for a while. Loads time out; writes have taken effect without an
         * acknowledgement.
         */
        STALL_REPLIES,
        /** Replies are delayed, and then their connections are closed. */
        LOSE_REPLIES,
        /** The store's process is stopped for a while. */
        PAUSE,
        /** The store kills sessions. */
        KILL_SESSIONS,
        /**
         * Definitions change, of a table in use or perhaps of every table, through the gateway and
         * past it.
         */
        REDEFINE,
        /**
         * Lines of a table in use become wider and narrower, as {@code prefix: auto} makes them.
         */
        OTHER_PREFIX,
        /** The store's process is killed and started again. */
        CRASH
    }

    private record Window(long beganNanos, long endedNanos) {}

    private static final int SLOW_MICROS = 15_000;
    private static final long CALLS_NANOS = TimeUnit.MILLISECONDS.toNanos(700);

    private final MariaDb store;
    private final String gateway;
    private final TcpProxy proxy;
    private final Map<Kind, Integer> counts = new EnumMap<>(Kind.class);
    private final List<Window> windows = new ArrayList<>();

    /** @param gateway the URL of the gateway */
    Faults(MariaDb store, String gateway, TcpProxy proxy) {
        this.store = store;
        this.gateway = gateway;
        this.proxy = proxy;
    }

    /** Causes one fault for a while; returns when it is over. */
    void inject(Kind kind) throws Exception {
        long pid = kind == Kind.PAUSE || kind == Kind.CRASH ? store.pid() : 0;
        long began = System.nanoTime();
        synchronized (windows) {
            windows.add(new Window(began, Long.MAX_VALUE));
        }
        switch (kind) {
            case SLOW -> {
                proxy.delay(SLOW_MICROS);
                last(600);
                proxy.delay(0);
            }
            case CUT -> proxy.cut(0.5);
            case STALL_REQUESTS -> {
                proxy.stall(true, false);
                last(450);
                proxy.stall(false, false);
            }
            case STALL_REPLIES -> {
                proxy.stall(false, true);
                last(450);
                proxy.stall(false, false);
            }
            case LOSE_REPLIES -> {
                proxy.stall(false, true);
                last(100);
                proxy.cut(0.7);
                proxy.stall(false, false);
            }
            case PAUSE -> {
                signal(pid, "STOP");
                last(500);
                signal(pid, "CONT");
            }
            case KILL_SESSIONS -> killSessions();
            case REDEFINE -> {
                redefine(store.jdbc("history"));
                redefine(gateway);
            }
            case OTHER_PREFIX -> {
                for (String prefix : new String[] {"full", "1", "full", "1"}) {
                    choosePrefix(prefix);
                    last(100);
                }
            }
            case CRASH -> {
                signal(pid, "KILL");
                ProcessHandle.of(pid).ifPresent(process -> process.onExit().join());
                store.startAgain();
            }
        }
        rollBackPrepared();
        long ended = System.nanoTime();
        synchronized (windows) {
            windows.set(windows.size() - 1, new Window(began, ended));
            counts.merge(kind, 1, Integer::sum);
        }
    }

    /** Returns the number of faults per kind. */
    Map<Kind, Integer> counts() {
        synchronized (windows) {
            return new EnumMap<>(counts);
        }
    }

    int count() {
        synchronized (windows) {
            return windows.size();
        }
    }

    /**
     * Returns the earliest time at which a failed write may have lost its store connection.
     * {@code noticedNanos} is the time at which the client saw the failure. The earliest time is
     * the begin of the first fault since the write began. It is the write's own begin if a fault
     * was active then, or if no fault followed.
     */
    long lostFrom(long beganNanos, long noticedNanos) {
        synchronized (windows) {
            for (Window window : windows) {
                if (window.endedNanos >= beganNanos && window.beganNanos <= noticedNanos) {
                    return Math.max(beganNanos, window.beganNanos);
                }
            }
            return beganNanos;
        }
    }

    /** Returns the time between the end of the last fault and this moment; 0 during a fault. */
    long sinceLast(long nanos) {
        synchronized (windows) {
            return windows.isEmpty() ? Long.MAX_VALUE : Math.max(0, nanos - windows.get(windows.size() - 1).endedNanos);
        }
    }

    private void killSessions() throws SQLException {
        try (Connection straight = store.connect("");
                Statement sql = straight.createStatement()) {
            List<Long> ids = new ArrayList<>();
            try (ResultSet rows =
                    sql.executeQuery("SELECT id FROM information_schema.processlist WHERE id <> CONNECTION_ID()")) {
                while (rows.next()) {
                    ids.add(rows.getLong(1));
                }
            }
            for (long id : ids) {
                if (ThreadLocalRandom.current().nextBoolean()) {
                    tryTo(sql, "KILL " + id);
                }
            }
        }
    }

    /** The called procedure does nothing, which the gateway cannot know. */
    private static void redefine(String url) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement sql = connection.createStatement()) {
            tryTo(sql, "CREATE INDEX extra ON singles (v)");
            long until = System.nanoTime() + CALLS_NANOS;
            while (System.nanoTime() < until) {
                sql.execute("CALL nothing()");
            }
            tryTo(sql, "DROP INDEX extra ON singles");
        }
    }

    private void choosePrefix(String prefix) throws SQLException {
        try (Connection connection = DriverManager.getConnection(gateway);
                Statement sql = connection.createStatement()) {
            sql.execute("KEYLINE SET tables.history.couples.prefix = " + prefix);
        }
    }

    /** Transactions prepared by sessions that no longer exist would keep their rows locked. */
    private void rollBackPrepared() throws SQLException {
        try (Connection straight = store.connect("");
                Statement sql = straight.createStatement()) {
            List<String> names = new ArrayList<>();
            try (ResultSet rows = sql.executeQuery("XA RECOVER")) {
                while (rows.next()) {
                    names.add(rows.getString("data"));
                }
            }
            for (String name : names) {
                tryTo(sql, "XA ROLLBACK '" + name + "'");
            }
        }
    }

    /**
     * The session to kill may have ended, or be this one. The definition to change may be locked
     * too long, or have changed already.
     */
    private static void tryTo(Statement sql, String statement) throws SQLException {
        try {
            sql.execute(statement);
        } catch (SQLException refused) {
            assertThat(refused.getErrorCode()).as(statement).isIn(1061, 1091, 1094, 1205, 1397, 1399, 1402);
        }
    }

    private static void last(int millis) {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (System.nanoTime() < until) {
            LockSupport.parkNanos(until - System.nanoTime());
        }
    }

    private static void signal(long pid, String signal) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + signal, Long.toString(pid))
                        .start()
                        .waitFor())
                .isZero();
    }
}
