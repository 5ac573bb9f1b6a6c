package org.keyline.gateway.metrics;

import java.util.List;

/**
 * What this gateway and others told each other, at one moment.
 *
 * @param connected whether there is a connection to the server that carries it
 * @param sent entries that were made for the others, heartbeats included
 * @param lost entries of these that could not be sent
 * @param heard entries of others
 * @param gaps how often one was missing, so that all lines were dropped
 * @param unreadable what came and was no entry
 */
public record TierFigures(
        boolean connected, long sent, long lost, long heard, long gaps, long unreadable, List<Member> members) {
    /** There is no tier. */
    public static final TierFigures NONE = new TierFigures(false, 0, 0, 0, 0, 0, List.of());

    /**
     * Another gateway.
     *
     * @param silentNanos since something new was heard of it; -1: never
     * @param vouchedNanos since the moment up to which it vouches for having told its writes; -1: it does not
     */
    public record Member(String name, long silentNanos, long vouchedNanos) {}

    public TierFigures {
        members = List.copyOf(members);
    }
}
