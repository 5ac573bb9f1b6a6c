package org.keyline.gateway.table;

import java.util.concurrent.atomic.LongAdder;

/** Figures of a table's filter lines. Thread-safe. */
public final class FilterFigures {
    private final LongAdder exact = new LongAdder();
    private final LongAdder contained = new LongAdder();
    private final LongAdder examined = new LongAdder();
    private final LongAdder answered = new LongAdder();

    /**
     * The figures of one moment.
     *
     * @param exact hits on a line of exactly the requested conditions
     * @param contained hits on a line of weaker conditions
     * @param examined the number of rows in the lines that answered these hits
     * @param answered the number of examined rows that met the conditions of the read
     */
    public record Snapshot(long exact, long contained, long examined, long answered) {
        public long hits() {
            return exact + contained;
        }

        public Snapshot plus(Snapshot other) {
            return new Snapshot(
                    exact + other.exact,
                    contained + other.contained,
                    examined + other.examined,
                    answered + other.answered);
        }
    }

    public void hit(boolean ofTheVeryConditions, long rowsExamined, long rowsAnswered) {
        (ofTheVeryConditions ? exact : contained).increment();
        examined.add(rowsExamined);
        answered.add(rowsAnswered);
    }

    /** Returns approximate figures. */
    public Snapshot snapshot() {
        return new Snapshot(exact.sum(), contained.sum(), examined.sum(), answered.sum());
    }
}
