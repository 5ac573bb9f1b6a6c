package org.keyline.gateway.metrics;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What this gateway and others told each other, at one moment.
 *
 * @param connected whether there is a connection to the server that carries it
 * @param sent entries that were made for the others, heartbeats included
 * @param lost entries of these that could be sent by no way to all others
 * @param heard entries of others
 * @param gaps how often one was missing, so that all lines were dropped
 * @param unreadable what came and was no entry
 * @param values what became of lines in the tier; empty where there are none
 */
public record TierFigures(
        boolean connected,
        long sent,
        long lost,
        long heard,
        long gaps,
        long unreadable,
        Map<Value, Long> values,
        List<Member> members) {
    /** There is no tier. */
    public static final TierFigures NONE = new TierFigures(false, 0, 0, 0, 0, 0, Map.of(), List.of());

    /** What became of a line in the tier. */
    public enum Value {
        HIT("Loads that were answered by the tier."),
        MISS("Loads that the tier had no line for."),
        PUT("Lines put into the tier."),
        WAITED("Loads that waited for one of another gateway."),
        LATE("Loads that the tier did not answer in time."),
        FAILED("Loads that the tier answered with an error."),
        /** What its rows are made by, or their key, is another one than here. */
        FOREIGN("Lines in the tier that were not used: loaded by another definition, account or store."),
        DAMAGED("Lines in the tier that were not used: damaged, or of another version of Keyline."),
        /** None of the numbers that this gateway remembers is in it. */
        UNDATED("Lines in the tier that were not used: their age is not known."),
        OVERTAKEN("Lines in the tier that were not used: loaded before a write that is known here."),
        OLD("Lines in the tier that were not used: too old, or a write is under way.");

        private final String description;

        Value(String description) {
            this.description = description;
        }

        /** Whether there was a line that was not used. */
        public boolean isRefused() {
            return switch (this) {
                case FOREIGN, DAMAGED, UNDATED, OVERTAKEN, OLD -> true;
                case HIT, MISS, PUT, WAITED, LATE, FAILED -> false;
            };
        }

        String description() {
            return description;
        }

        /** As metrics call it. */
        String id() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** How often that became of one. */
    public long values(Value what) {
        return values.getOrDefault(what, 0L);
    }

    /** Lines in the tier that were not used. */
    public long refused() {
        return values.entrySet().stream()
                .filter(each -> each.getKey().isRefused())
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /**
     * Another gateway.
     *
     * @param silentNanos since something new was heard of it; -1: never
     * @param vouchedNanos since the moment up to which it vouches for having told its writes; -1: it does not
     * @param linked whether it is told directly; null where its address is not known
     */
    public record Member(
            String name,
            long silentNanos,
            long vouchedNanos,
            @Nullable Boolean linked) {}

    public TierFigures {
        values = Map.copyOf(values);
        members = List.copyOf(members);
    }
}
