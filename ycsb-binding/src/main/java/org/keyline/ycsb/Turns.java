package org.keyline.ycsb;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Runs all contenders alternately, so that a change of the machine's speed affects all of them. The
 * figures are medians over the rounds. Immutable.
 *
 * @param runs the runs of each contender
 */
record Turns<C, R>(Map<C, List<R>> runs) {
    interface Measured<C, R> {
        R run(C contender) throws IOException;
    }

    /** Runs {@code warm} rounds that do not count, then {@code rounds} that do. */
    static <C, R> Turns<C, R> of(Collection<C> contenders, int warm, int rounds, Measured<C, R> measured)
            throws IOException {
        Map<C, List<R>> runs = new LinkedHashMap<>();
        for (int round = -warm; round < rounds; round++) {
            for (C contender : contenders) {
                R run = measured.run(contender);
                if (round >= 0) {
                    runs.computeIfAbsent(contender, first -> new ArrayList<>()).add(run);
                }
            }
        }
        return new Turns<>(runs);
    }

    /** Returns the median of a contender's figure; NaN if it has no runs. */
    double median(C contender, ToDoubleFunction<R> figure) {
        return median(runs.getOrDefault(contender, List.of()), figure);
    }

    double ratio(C contender, C other, ToDoubleFunction<R> figure) {
        return median(contender, figure) / median(other, figure);
    }

    static <R> double median(List<R> runs, ToDoubleFunction<R> figure) {
        double[] sorted = runs.stream().mapToDouble(figure).sorted().toArray();
        int middle = sorted.length / 2;
        if (sorted.length == 0) {
            return Double.NaN;
        }
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
