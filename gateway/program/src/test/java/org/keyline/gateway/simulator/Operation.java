package org.keyline.gateway.simulator;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.simulator.ModelTable.RowKey;

/**
 * One command of a client and what came of it. Steps order all events; {@link #NEVER} is behind all
 * of them.
 */
final class Operation {
    static final long NEVER = Long.MAX_VALUE;

    /**
     * A read of some rows.
     *
     * @param wanted every row that may be in the answer, by its key
     * @param text with its values as literals
     * @param shape with placeholders, for {@code values}
     * @param lines how many lines it needs
     * @param filter whether its conditions bind no prefix of the key, so that a filter line has its
     *     rows
     * @param above rows with a value up to this are not in the answer
     * @param below nor are those with a value from this on
     */
    record Reading(
            List<RowKey> wanted,
            String text,
            String shape,
            List<Long> values,
            int lines,
            boolean filter,
            long above,
            long below) {
        /**
         * What the answer has to show of a row with a value; null, as where there is no row, if it
         * does not meet the conditions.
         */
        @Nullable
        Long shown(@Nullable Long value) {
            return value != null && value > above && value < below ? value : null;
        }
    }

    /** How a command ended. */
    enum End {
        ROWS,
        OK,
        /** The store, or the gateway, refused it. */
        ERROR,
        /** The connection ended: who knows. */
        CLOSED
    }

    /** Of those in front of the store. */
    final int gateway;

    final int connection;
    final String user;
    final String sql;
    final @Nullable Reading reading;
    final long beganStep;
    final long beganNanos;

    /** Whether the client was in a transaction, or had autocommit off, as it began. */
    boolean inTransaction;

    /** Tells the transactions of a connection apart. */
    long transaction;

    /** Whether all reads of the transaction see one snapshot. */
    boolean repeatable;
    /** Whether reads of the transaction lock. */
    boolean locking;
    /** Whether the session saw what others had not committed, as it began. */
    boolean uncommitted;
    /** Rows that the transaction had written when it began. */
    Set<RowKey> written = Set.of();
    /** Whether the store's session had a role that may read everything, as it began. */
    boolean withRole;
    /**
     * Whether the store's session was in the other schema or catalog as it began, or prepared the
     * statement there.
     */
    boolean elsewhere;
    /** What the store answered to it; null if the store was not asked. */
    @Nullable
    Map<RowKey, Long> stored;

    /** Whether its client is to leave before it is answered. */
    boolean losesClient;

    /** When the gateway heard that the store session had been lost over it. */
    long lostStep = NEVER;

    @Nullable
    End end;

    long endedStep = NEVER;
    long endedNanos;
    int errorCode;
    /** Of an OK. */
    long affected;

    int warnings;
    /** The rows of the answer. */
    Map<RowKey, Long> rows = Map.of();

    Operation(World world, int gateway, int connection, String user, String sql, @Nullable Reading reading) {
        this.gateway = gateway;
        this.connection = connection;
        this.user = user;
        this.sql = sql;
        this.reading = reading;
        beganStep = world.step();
        beganNanos = world.now();
    }

    /** Whether a client was answered that it is done. */
    boolean isAcknowledged() {
        return end == End.OK || end == End.ROWS;
    }

    /** Whether its outcome was known to the client before something else began. */
    boolean endedBefore(Operation other) {
        return endedStep < other.beganStep;
    }

    @Override
    public String toString() {
        return "gateway " + gateway + ", connection " + connection + " of " + user + ", steps " + beganStep + ".."
                + endedStep + ": " + sql
                + " -> " + end + " " + (end == End.ERROR ? errorCode : rows)
                + (stored == null ? " from the gateway" : " from the store");
    }
}
