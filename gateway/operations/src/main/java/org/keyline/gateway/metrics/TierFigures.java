package org.keyline.gateway.metrics;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Figures of entries (messages between gateways) and of shared lines at one moment.
 *
 * @param connected whether the server for shared lines accepts commands
 * @param sent entries sent to the other gateways, heartbeats included
 * @param lost entries that could not be sent to all other gateways
 * @param received entries received from other gateways
 * @param gaps how often an entry was missing. Each time, all lines were dropped
 * @param unreadable received messages that were not valid entries
 * @param values outcomes of lookups of lines in the tier; empty if no lines are shared
 */
public record TierFigures(
        boolean connected,
        long sent,
        long lost,
        long received,
        long gaps,
        long unreadable,
        Map<Value, Long> values,
        List<Member> members) {
    public static final TierFigures NONE = new TierFigures(false, 0, 0, 0, 0, 0, Map.of(), List.of());

    public enum Value {
        HIT("Loads that were answered by the tier."),
        MISS("Loads for which the tier had no line."),
        PUT("Lines put into the tier."),
        WAITED("Loads that waited for a load of another gateway."),
        LATE("Loads that the tier did not answer in time."),
        FAILED("Loads that the tier answered with an error."),
        /** The definition, account, store or key of the line differs from the local one. */
        FOREIGN("Lines in the tier that were not used: loaded by another definition, account or store."),
        DAMAGED("Lines in the tier that were not used: damaged, or of another version of Keyline."),
        /**
         * The line's age is unknown. This gateway remembers the time of none of its message
         * numbers.
         */
        UNDATED("Lines in the tier that were not used: their age is unknown."),
        OVERTAKEN("Lines in the tier that were not used: loaded before a known write."),
        OLD("Lines in the tier that were not used: too old, or a write is in progress.");

        private final String description;

        Value(String description) {
            this.description = description;
        }

        /** Returns whether a line was present but not used. */
        public boolean isRefused() {
            return switch (this) {
                case FOREIGN, DAMAGED, UNDATED, OVERTAKEN, OLD -> true;
                case HIT, MISS, PUT, WAITED, LATE, FAILED -> false;
            };
        }

        String description() {
            return description;
        }

        String id() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public long values(Value what) {
        return values.getOrDefault(what, 0L);
    }

    /** Returns how many lines in the tier were not used. */
    public long refused() {
        return values.entrySet().stream()
                .filter(each -> each.getKey().isRefused())
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /**
     * Another gateway.
     *
     * @param silentNanos time since its last message; -1 if it sent none
     * @param freshnessLagNanos time since the moment up to which this gateway has received the
     * writes of that gateway; -1 if unknown
     * @param linked whether the link to it is open
     */
    public record Member(String name, long silentNanos, long freshnessLagNanos, boolean linked) {}

    public TierFigures {
        values = Map.copyOf(values);
        members = List.copyOf(members);
    }
}
