package org.keyline.gateway.filter;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.keyline.gateway.condition.Conjunction;
import org.keyline.gateway.condition.IntervalSet;
import org.keyline.rowcache.KeyEncoder;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A lookup of six forms among 10,000 filter lines that finds none. They are searches for a text
 * with other years, with other publishers and with both, as similar to each other as possible.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
@SuppressWarnings("NullAway.Init") // JMH calls setup before all else
public class FilterIndexBenchmark {
    private static final int LINES = 10_000;
    private static final int YEAR = 3;
    private static final int PUBLISHER = 4;
    private static final int ALIKE = 64;
    private static final String SOUGHT = "`title` LIKE '%sought%'";

    private FilterIndex index;
    private Conjunction asked;

    @Setup
    public void fill() {
        index = new FilterIndex();
        for (int i = 0; i < LINES - ALIKE; i++) {
            List<String> word = List.of("`title` LIKE '%word" + i + "%'");
            IntervalSet publisher = IntervalSet.only(key(i));
            IntervalSet years = IntervalSet.below(key(1900 + i % 120), true);
            index.add(
                    switch (i % 6) {
                        case 0 -> Conjunction.of(new int[0], new IntervalSet[0], word);
                        case 1 -> of(word, new int[] {YEAR}, years);
                        case 2 -> of(List.of(), new int[] {PUBLISHER}, publisher);
                        case 3 -> of(List.of(), new int[] {YEAR, PUBLISHER}, years, publisher);
                        case 4 -> of(word, new int[] {PUBLISHER}, publisher);
                        default -> of(word, new int[] {YEAR, PUBLISHER}, years, publisher);
                    });
        }
        for (int i = 0; i < ALIKE; i++) {
            index.add(of(List.of(SOUGHT), new int[] {YEAR}, IntervalSet.below(key(1900 + i), true)));
        }
        asked = of(
                List.of(SOUGHT),
                new int[] {YEAR, PUBLISHER},
                IntervalSet.below(key(2020), true),
                IntervalSet.only(key(-1)));
    }

    private static Conjunction of(List<String> opaque, int[] columns, IntervalSet... sets) {
        return Conjunction.of(columns, sets, opaque);
    }

    private static byte[] key(long value) {
        return new KeyEncoder().int64(value).toBytes();
    }

    /** Conditions that no line has. */
    @Benchmark
    public List<Conjunction> absent() {
        return index.impliedBy(asked);
    }
}
