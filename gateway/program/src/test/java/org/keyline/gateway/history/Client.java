package org.keyline.gateway.history;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.history.Pair.Change;
import org.keyline.gateway.history.Pair.Insert;
import org.keyline.gateway.history.Pair.InsertRefused;
import org.keyline.gateway.history.Pair.Put;
import org.keyline.gateway.history.Pair.ReadBoth;
import org.keyline.gateway.history.Pair.ReadOne;

/**
 * A client that reads and writes through the gateway, and records the replies. The driver's URL
 * decides whether its statements are text or prepared. Confined to one thread.
 */
final class Client implements Runnable {
    /** ER_DUP_ENTRY. */
    private static final int DUPLICATE = 1062;

    /**
     * ER_LOCK_WAIT_TIMEOUT and ER_LOCK_DEADLOCK: the statement had no effect, and its transaction
     * must be rolled back.
     */
    private static final Set<Integer> NO_EFFECT = Set.of(1205, 1213);

    /** A failure later than this after the last fault has another cause. */
    private static final long AFTERMATH_NANOS = TimeUnit.SECONDS.toNanos(15);

    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final String url;
    private final int number;
    private final Traffic traffic;
    private final Faults faults;
    private final BooleanSupplier ended;
    private final SplittableRandom random;
    private int transactions;

    Client(String url, int number, Traffic traffic, Faults faults, BooleanSupplier ended) {
        this.url = url;
        this.number = number;
        this.traffic = traffic;
        this.faults = faults;
        this.ended = ended;
        this.random = new SplittableRandom(number);
    }

    @Override
    public void run() {
        while (!ended.getAsBoolean()) {
            try (Connection connection = DriverManager.getConnection(url)) {
                boolean fit = true;
                while (fit && !ended.getAsBoolean()) {
                    fit = operate(connection, traffic.pick(random));
                }
            } catch (SQLException e) {
                failed(e);
                LockSupport.parkNanos(RETRY_NANOS);
            }
        }
    }

    private void failed(SQLException e) {
        traffic.failed(e.getErrorCode() + " " + e.getSQLState());
        if (faults.sinceLast(System.nanoTime()) > AFTERMATH_NANOS) {
            traffic.wrong("failed without a fault: " + e);
        }
    }

    /** Runs one operation; returns whether the session is still usable. */
    private boolean operate(Connection connection, Watched rows) throws SQLException {
        int dice = random.nextInt(2_000);
        int row = random.nextInt(2);
        if (dice < 1_160) {
            readOne(connection, rows, row);
        } else if (dice < 1_800) {
            readBoth(connection, rows);
        } else if (dice < 1_820) {
            connection.setAutoCommit(false);
            readBoth(connection, rows);
            connection.commit();
            connection.setAutoCommit(true);
        } else if (dice < 1_850) {
            readTransaction(connection, rows);
        } else if (dice < 1_880) {
            put(connection, rows, row, dice % 2 == 0 ? Sql.UPSERT : Sql.REPLACE);
        } else if (dice < 1_910) {
            change(connection, rows, row == 0, row == 1, rows.newValue());
        } else if (dice < 1_912) {
            scan(connection, rows, row);
        } else if (dice < 1_935) {
            insert(connection, rows, row);
        } else if (dice < 1_950) {
            change(connection, rows, row == 0, row == 1, Pair.ABSENT);
        } else if (dice < 1_965) {
            change(connection, rows, true, true, row == 0 ? Pair.ABSENT : rows.newValue());
        } else if (dice < 1_975) {
            putBoth(connection, rows);
        } else if (dice < 1_999) {
            transaction(connection, rows);
        } else if (random.nextInt(4) == 0) {
            // The gateway no longer answers such sessions from lines.
            twoPhases(connection, rows);
            return false;
        }
        return true;
    }

    private void readOne(Connection connection, Watched rows, int row) throws SQLException {
        long began = System.nanoTime();
        int value = one(connection, rows, row);
        traffic.ended(rows, new ReadOne(row, value), began);
    }

    private static int one(Connection connection, Watched rows, int row) throws SQLException {
        PreparedStatement statement = Sql.READ_ONE.on(connection, rows, row);
        try (statement;
                ResultSet result = statement.executeQuery()) {
            return result.next() ? result.getInt(1) : Pair.ABSENT;
        }
    }

    private void readBoth(Connection connection, Watched rows) throws SQLException {
        int[] values = {Pair.ABSENT, Pair.ABSENT};
        Sql shape = switch (random.nextInt(9)) {
            case 0, 1 -> Sql.READ_PREFIX;
            case 2, 3 -> Sql.READ_RANGE;
            case 4 -> Sql.READ_FILTER;
            case 5 -> Sql.READ_WITHIN;
            default -> Sql.READ_BOTH;
        };
        long began = System.nanoTime();
        PreparedStatement statement = shape.on(connection, rows, 0);
        try (statement;
                ResultSet result = statement.executeQuery()) {
            while (result.next()) {
                values[result.getInt("k") % 2] = result.getInt("v");
            }
        }
        traffic.ended(rows, new ReadBoth(values[0], values[1]), began);
    }

    private void put(Connection connection, Watched rows, int row, Sql shape) throws SQLException {
        int value = rows.newValue();
        Put step = new Put(row == 0 ? value : Pair.KEPT, row == 1 ? value : Pair.KEPT);
        write(rows, step, () -> {
            update(connection, shape, rows, row, value);
            return step;
        });
    }

    private void putBoth(Connection connection, Watched rows) throws SQLException {
        int value = rows.newValue();
        Put step = new Put(value, value);
        write(rows, step, () -> {
            update(connection, Sql.UPSERT_BOTH, rows, 0, value);
            return step;
        });
    }

    private void change(Connection connection, Watched rows, boolean first, boolean second, int value)
            throws SQLException {
        boolean both = first && second;
        Sql shape = value == Pair.ABSENT ? both ? Sql.DELETE_BOTH : Sql.DELETE : both ? Sql.UPDATE_BOTH : Sql.UPDATE;
        write(rows, new Change(first, second, value, Pair.NOT_TOLD), () -> {
            int found = update(connection, shape, rows, first ? 0 : 1, value);
            return new Change(first, second, value, found);
        });
    }

    /** An update whose rows the gateway cannot derive from its text. */
    private void scan(Connection connection, Watched rows, int row) throws SQLException {
        int value = rows.newValue();
        write(rows, new Change(row == 0, row == 1, value, Pair.NOT_TOLD), () -> {
            int found = update(connection, Sql.UPDATE_SCAN, rows, row, value);
            return new Change(row == 0, row == 1, value, found);
        });
    }

    private void insert(Connection connection, Watched rows, int row) throws SQLException {
        int value = rows.newValue();
        write(rows, new Insert(row, value), () -> {
            try {
                update(connection, Sql.INSERT, rows, row, value);
                return new Insert(row, value);
            } catch (SQLException e) {
                if (e.getErrorCode() == DUPLICATE) {
                    return new InsertRefused(row);
                }
                throw e;
            }
        });
    }

    /**
     * Writes both rows in one transaction, which commits or rolls back. All clients use the same
     * order of rows, so deadlocks are rare.
     */
    private void transaction(Connection connection, Watched rows) throws SQLException {
        boolean byVariable = random.nextBoolean();
        if (byVariable) {
            connection.setAutoCommit(false);
        } else {
            run(connection, "START TRANSACTION");
        }
        Put step = fill(connection, rows);
        if (step == null) {
            run(connection, "ROLLBACK");
        } else if (random.nextInt(3) == 0) {
            run(connection, random.nextBoolean() ? "ROLLBACK" : "ROLLBACK AND NO CHAIN");
        } else {
            write(rows, step, () -> {
                run(connection, "COMMIT");
                return step;
            });
        }
        if (byVariable) {
            connection.setAutoCommit(true);
        }
    }

    /**
     * Reads both rows one after the other, in a transaction. It must show them according to its
     * isolation level.
     */
    private void readTransaction(Connection connection, Watched rows) throws SQLException {
        Isolation level = Isolation.values()[random.nextInt(Isolation.values().length)];
        run(connection, "SET TRANSACTION ISOLATION LEVEL " + level.name().replace('_', ' '));
        long began = System.nanoTime();
        boolean byVariable = random.nextInt(3) == 0;
        if (byVariable) {
            connection.setAutoCommit(false);
        } else if (level == Isolation.REPEATABLE_READ && random.nextInt(4) == 0) {
            run(connection, "START TRANSACTION WITH CONSISTENT SNAPSHOT");
        } else {
            run(connection, random.nextBoolean() ? "START TRANSACTION" : "START TRANSACTION READ ONLY");
        }
        try {
            int first = random.nextInt(2);
            int[] values = new int[2];
            for (int row : new int[] {first, 1 - first}) {
                long sent = System.nanoTime();
                values[row] = one(connection, rows, row);
                if (level == Isolation.READ_COMMITTED) {
                    traffic.ended(rows, new ReadOne(row, values[row]), sent);
                }
                LockSupport.parkNanos(random.nextInt(2) * RETRY_NANOS / 10);
            }
            if (level.isOfOneMoment()) {
                traffic.ended(rows, new ReadBoth(values[0], values[1]), began);
                if (one(connection, rows, first) != values[first]) {
                    traffic.wrong("a transaction at " + level + " reads a row of " + rows + " twice, and not the same");
                }
            }
            run(connection, random.nextBoolean() ? "COMMIT" : "ROLLBACK");
        } catch (SQLException e) {
            if (!NO_EFFECT.contains(e.getErrorCode())) {
                throw e;
            }
            traffic.failed(e.getErrorCode() + " " + e.getSQLState());
            run(connection, "ROLLBACK");
        }
        if (byVariable) {
            connection.setAutoCommit(true);
        }
    }

    /** How the reads of a transaction relate to each other. */
    private enum Isolation {
        /** The rows that were read may never have been committed, so nothing is checked. */
        READ_UNCOMMITTED,
        READ_COMMITTED,
        REPEATABLE_READ,
        SERIALIZABLE;

        boolean isOfOneMoment() {
            return this == REPEATABLE_READ || this == SERIALIZABLE;
        }
    }

    private void twoPhases(Connection connection, Watched rows) throws SQLException {
        String name = "'c" + number + "x" + ++transactions + "x" + System.nanoTime() + "'";
        run(connection, "XA START " + name);
        Put step = fill(connection, rows);
        run(connection, "XA END " + name);
        boolean prepare = random.nextBoolean();
        boolean rollBack = step == null || random.nextInt(3) == 0;
        if (prepare && step != null) {
            run(connection, "XA PREPARE " + name);
        }
        if (rollBack || step == null) {
            run(connection, "XA ROLLBACK " + name);
        } else {
            write(rows, step, () -> {
                run(connection, "XA COMMIT " + name + (prepare ? "" : " ONE PHASE"));
                return step;
            });
        }
    }

    /**
     * Writes within a transaction, and reads its own write; null if the store requires a rollback.
     */
    private @Nullable Put fill(Connection connection, Watched rows) throws SQLException {
        int first = random.nextInt(4) == 0 ? Pair.ABSENT : rows.newValue();
        int second = random.nextInt(4) == 0 ? Pair.ABSENT : rows.newValue();
        try {
            set(connection, rows, 0, first);
            if (one(connection, rows, 0) != first) {
                traffic.wrong("a transaction does not see its own write of " + rows);
            }
            set(connection, rows, 1, second);
            return new Put(first, second);
        } catch (SQLException e) {
            if (NO_EFFECT.contains(e.getErrorCode())) {
                traffic.failed(e.getErrorCode() + " " + e.getSQLState());
                return null;
            }
            throw e;
        }
    }

    private static void set(Connection connection, Watched rows, int row, int value) throws SQLException {
        update(connection, value == Pair.ABSENT ? Sql.DELETE : Sql.UPSERT, rows, row, value);
    }

    private interface Write {
        Step run() throws SQLException;
    }

    /** @param sent the possible effect of the write if no reply arrives */
    private void write(Watched rows, Step sent, Write write) throws SQLException {
        long began = System.nanoTime();
        Step told;
        try {
            told = write.run();
        } catch (SQLException e) {
            if (NO_EFFECT.contains(e.getErrorCode())) {
                traffic.failed(e.getErrorCode() + " " + e.getSQLState());
                return;
            }
            traffic.lost(rows, sent, began, faults.lostFrom(began, System.nanoTime()));
            throw e;
        }
        traffic.ended(rows, told, began);
    }

    private static int update(Connection connection, Sql shape, Watched rows, int row, int value) throws SQLException {
        try (PreparedStatement statement = shape.on(connection, rows, row, value)) {
            return statement.executeUpdate();
        }
    }

    private static void run(Connection connection, String statement) throws SQLException {
        try (Statement sql = connection.createStatement()) {
            sql.execute(statement);
        }
    }
}
