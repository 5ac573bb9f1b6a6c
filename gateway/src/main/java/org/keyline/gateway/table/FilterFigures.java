package org.keyline.gateway.table;

import java.util.concurrent.atomic.LongAdder;

/** What a table's filter lines answered. Thread-safe. */
public final class FilterFigures {
    private final LongAdder exact = new LongAdder();
    private final LongAdder contained = new LongAdder();
    private final LongAdder examined = new LongAdder();
    private final LongAdder answered = new LongAdder();

    /**
     * The figures of one moment.
     *
     * @param exact hits on a line of the very conditions that were asked for
     * @param contained hits on a line of weaker ones
     * @param examined rows of the lines of these
     * @param answered those of them that met the conditions
     */
    public record Snapshot(long exact, long contained, long examined, long answered) {
        /** All hits. */
        public long hits() {
            return exact + contained;
        }

        /** The sums of two tables' figures. */
        public Snapshot plus(Snapshot other) {
            return new Snapshot(
                    exact + other.exact,
                    contained + other.contained,
                    examined + other.examined,
                    answered + other.answered);
        }
    }

    /** Counts a hit. */
    public void hit(boolean ofTheVeryConditions, long rowsExamined, long rowsAnswered) {
        (ofTheVeryConditions ? exact : contained).increment();
        examined.add(rowsExamined);
        answered.add(rowsAnswered);
    }

    /** The figures at about this moment. */
    public Snapshot snapshot() {
        return new Snapshot(exact.sum(), contained.sum(), examined.sum(), answered.sum());
    }
}
