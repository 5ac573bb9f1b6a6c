package org.keyline.gateway.simulator;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.simulator.ModelTable.RowKey;

/**
 * One command of a client and its outcome. Steps order all events; {@link #NEVER} is after all of
 * them.
 */
final class Operation {
    static final long NEVER = Long.MAX_VALUE;

    /**
     * A read of some rows.
     *
     * @param wanted every row that may be in the answer, by its key
     * @param text with its values as literals
     * @param shape with placeholders, for {@code values}
     * @param lines the number of lines that it needs
     * @param filter whether its conditions bind no prefix of the key, so that a filter line has its
     *     rows
     * @param above rows with a value up to this are not in the answer
     * @param below rows with a value from this on are not in the answer
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
         * Returns the part of the answer for a row with a value; null, as for a row that does not
         * exist, if it does not meet the conditions.
         */
        @Nullable
        Long shown(@Nullable Long value) {
            return value != null && value > above && value < below ? value : null;
        }
    }

    /** The end of a command. */
    enum End {
        ROWS,
        OK,
        /** The store or the gateway refused it. */
        ERROR,
        /** The connection ended, so the outcome is unknown. */
        CLOSED
    }

    /** The index of the gateway in front of the store. */
    final int gateway;

    final int connection;
    final String user;
    final String sql;
    final @Nullable Reading reading;
    final long beganStep;
    final long beganNanos;

    /** Whether the client was in a transaction, or had autocommit off, when it began. */
    boolean inTransaction;

    /** The number of the transaction on its connection. */
    long transaction;

    /** Whether all reads of the transaction see one snapshot. */
    boolean repeatable;
    /** Whether reads of the transaction lock. */
    boolean locking;
    /** Whether the session saw uncommitted rows of others when it began. */
    boolean uncommitted;
    /** Rows that the transaction had written when it began. */
    Set<RowKey> written = Set.of();
    /** Whether the store session had a role that may read everything when it began. */
    boolean withRole;
    /**
     * Whether the store session was in the other schema or catalog when it began, or prepared the
     * statement there.
     */
    boolean elsewhere;
    /** The store's answer; null if it did not go to the store. */
    @Nullable
    Map<RowKey, Long> stored;

    /** Whether its client is to disconnect before the answer. */
    boolean losesClient;

    /** The step in which the gateway knew that the store session was lost during it. */
    long lostStep = NEVER;

    @Nullable
    End end;

    long endedStep = NEVER;
    long endedNanos;
    int errorCode;
    /** The affected rows of an OK. */
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

    /** Returns whether a client got the acknowledgement. */
    boolean isAcknowledged() {
        return end == End.OK || end == End.ROWS;
    }

    /** Returns whether the client knew its outcome before another operation began. */
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
