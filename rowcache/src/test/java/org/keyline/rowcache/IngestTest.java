package org.keyline.rowcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Reads of a table that is loaded frequently, on the real cache with a simulated clock. A signal
 * reads versions every 900 ms; loads of lines take no time. {@code -Dingest.keys=1000000} prints
 * the table of docs/stores.md.
 */
final class IngestTest {
    private static final int PARTITIONS = 32;
    private static final int READS_PER_SECOND = 2_000;
    private static final boolean PRINTS = System.getProperty("ingest.keys") != null;
    private static final int MEASURED_SECONDS = PRINTS ? 120 : 20;
    private static final long SECOND = 1_000_000_000L;
    private static final long PERIOD = 900_000_000L;
    private static final double ZIPFIAN = 0.99;

    /** The lines that a change of some partitions drops. */
    private enum Drop {
        TABLE,
        PARTITION,
        /** There is no signal; lines live for a minute. */
        NOTHING
    }

    /** @param medianAge the age of answers from lines, in seconds */
    private record Outcome(double hitShare, double loadsPerSecond, double medianAge, double maxAge) {}

    private final SplittableRandom random = new SplittableRandom(47);
    private final int keys = Integer.getInteger("ingest.keys", 20_000);
    private final double zeta = LongStream.rangeClosed(1, keys)
            .mapToDouble(rank -> Math.pow((double) rank, -ZIPFIAN))
            .sum();

    /** The sampling of Gray et al., "Quickly generating billion-record synthetic databases". */
    private long rank() {
        double u = random.nextDouble() * zeta;
        if (u < 1) {
            return 0;
        }
        double half = Math.pow(0.5, ZIPFIAN);
        if (u < 1 + half) {
            return 1;
        }
        double eta = (1 - Math.pow(2.0 / keys, 1 - ZIPFIAN)) / (1 - (1 + half) / zeta);
        return (long) (keys * Math.pow(eta * (u / zeta) - eta + 1, 1 / (1 - ZIPFIAN)));
    }

    /** @param newest whether batches write only the newest partition */
    private Outcome run(int secondsBetweenBatches, boolean newest, Drop drop) {
        Duration minute = Duration.ofMinutes(1);
        Duration ttl = drop == Drop.NOTHING ? minute : Duration.ofSeconds(1);
        Fixture fixture =
                new Fixture(512L << 20, TableOptions.DEFAULT.withPrefixCells(2).withTtl(ttl, minute));
        LineTable table = fixture.table;
        table.partitions((key, from, to) -> new KeyReader().wrap(key, from, to).int64());
        List<Long> changed = newest
                ? List.of(PARTITIONS - 1L)
                : LongStream.range(0, PARTITIONS).boxed().toList();
        LineProbe probe = new LineProbe(table);
        int reads = 0;
        long loads = 0;
        double[] ages = new double[READS_PER_SECOND * MEASURED_SECONDS];
        int hits = 0;
        long batches = secondsBetweenBatches * SECOND;
        long nextBatch = fixture.now() + batches;
        long asked = 0;
        for (long read = 0; read < 2L * READS_PER_SECOND * MEASURED_SECONDS; read++) {
            fixture.clock.advance(Duration.ofNanos(SECOND / READS_PER_SECOND));
            long now = fixture.now();
            boolean measured = read >= (long) READS_PER_SECOND * MEASURED_SECONDS;
            if (now - asked >= PERIOD && drop != Drop.NOTHING) {
                asked = now;
                if (now >= nextBatch) {
                    nextBatch += ((now - nextBatch) / batches + 1) * batches;
                    if (drop == Drop.PARTITION) {
                        table.flushPartitions(changed);
                    } else {
                        table.flush();
                    }
                }
                table.extendFreshness(now);
            }
            long rank = rank();
            probe.aim(table, Fixture.TEXT, Fixture.key(Math.floorMod(rank * 0x9E3779B1L, PARTITIONS), rank));
            Line line = table.find(probe, now);
            reads += measured ? 1 : 0;
            if (line == null) {
                table.load(probe, Load::succeed, new Fixture.SessionAnswer());
                loads += measured ? 1 : 0;
            } else if (measured) {
                ages[hits++] = (double) (now - line.loadBeganNanos()) / SECOND;
            }
        }
        double[] sorted = Arrays.copyOf(ages, hits);
        Arrays.sort(sorted);
        return new Outcome(
                (double) hits / reads, (double) loads / MEASURED_SECONDS, sorted[hits / 2], sorted[hits - 1]);
    }

    @Test
    void loadsIntoTheNewestPartition_leaveTheLinesOfTheOthers() {
        List<String> lines = new ArrayList<>();
        for (int seconds : PRINTS ? new int[] {1, 10, 60} : new int[] {1, 10}) {
            Outcome before = run(seconds, true, Drop.TABLE);
            Outcome after = run(seconds, true, Drop.PARTITION);
            Outcome all = run(seconds, false, Drop.PARTITION);
            lines.add(row(seconds + " s, all partitions", all));
            lines.add(row(seconds + " s, newest, table dropped", before));
            lines.add(row(seconds + " s, newest", after));
            assertThat(after.loadsPerSecond()).as("every %d s", seconds).isLessThan(0.95 * before.loadsPerSecond());
            assertThat(all.loadsPerSecond()).isCloseTo(before.loadsPerSecond(), withinPercentage(5));
            assertThat(after.maxAge()).isLessThanOrEqualTo(60);
        }
        if (PRINTS) {
            lines.add(row("none", run(1_000_000, true, Drop.PARTITION)));
            lines.add(row("no signal, ttl 1 m", run(1, true, Drop.NOTHING)));
            lines.forEach(System.out::println);
        }
    }

    private static String row(String name, Outcome outcome) {
        return String.format(
                Locale.ROOT,
                "| %s | %.1f %% | %.0f | %.1f s | %.1f s |",
                name,
                100 * outcome.hitShare(),
                outcome.loadsPerSecond(),
                outcome.medianAge(),
                outcome.maxAge());
    }
}
