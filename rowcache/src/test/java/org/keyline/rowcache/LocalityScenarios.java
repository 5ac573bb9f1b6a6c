package org.keyline.rowcache;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.keyline.rowcache.LocalitySimulation.Outcome;
import org.keyline.rowcache.LocalitySimulation.Settings;

/**
 * The published locality figures and further scenarios, as a program. Prints a CSV with a line for
 * each scenario, from which the command {@code experiment locality-simulated} of ycsb-binding makes
 * a report.
 */
final class LocalityScenarios {
    static final double EARLIER = 68_000;
    static final double LATER = 717_000;

    /** Load times in units of that of one row: published amortised time over published share. */
    private static final double[] LOAD_MILLIS = {3.88, 1.49, 1};

    private static final double LATER_LOAD_MILLIS = 1.03;
    private static final int GATEWAYS = 24;
    private static final long MILLISECOND = 1_000_000;

    private static final String HEADER =
            "scenario,queries/s,ttl s,load ms,queries,loads,loads/s,load share %,published share %,amortised ms,"
                    + "published amortised,hit rate %,waits %,rows loaded/s,peak lines,evictions,oldest answer s,GC ms";

    private LocalityScenarios() {}

    /**
     * A simulated scenario, and the published figures for it.
     *
     * @param share in percent, or empty
     * @param amortised in units of the load time of one row, or empty
     */
    record Scenario(String name, Settings settings, String share, String amortised) {}

    static List<Scenario> all() {
        return List.of(
                new Scenario("line of a row", earlier(3), "100", "1"),
                new Scenario("line of (user, graph)", earlier(2), "23.5", "0.35"),
                new Scenario("line of a user", earlier(1), "4.12", "0.16"),
                new Scenario("line of a user, later", later(1, false, 1, 1, 0), "1.95", "0.02"),
                new Scenario("the same, one gateway of 24", later(GATEWAYS, false, 1, 1, 0), "1.95", "0.02"),
                new Scenario("users by Zipf's law", later(1, true, 1, 1, 0), "", ""),
                new Scenario("line of 8 users", later(1, false, 8, 1, 0), "", ""),
                new Scenario("one of 24, ttl 10 s: older answers", later(GATEWAYS, false, 1, 10, 0), "", ""),
                new Scenario("one of 24, ttl 10 s, signals", later(GATEWAYS, false, 1, 10, 100), "", ""),
                new Scenario("one of 24, ttl 60 s, signals", later(GATEWAYS, false, 1, 60, 100), "", ""));
    }

    private static Settings earlier(int prefixCells) {
        return Settings.published(EARLIER, LocalitySimulation.USERS, prefixCells, LOAD_MILLIS[prefixCells - 1]);
    }

    /** Returns the settings of one of several gateways, each with separate users. */
    private static Settings later(int gateways, boolean skewed, int usersPerLine, int ttlSeconds, int signalMillis) {
        return new Settings(
                LATER / gateways,
                LocalitySimulation.USERS / gateways,
                skewed,
                usersPerLine,
                1,
                Duration.ofSeconds(ttlSeconds),
                (long) (LATER_LOAD_MILLIS * MILLISECOND),
                signalMillis * MILLISECOND);
    }

    /**
     * Arguments: measured simulated seconds, default 5, and the seed, default 1. At least a whole
     * ttl is measured, because lines that were loaded together expire together.
     */
    public static void main(String[] args) {
        int least = args.length > 0 ? Integer.parseInt(args[0]) : 5;
        long seed = args.length > 1 ? Long.parseLong(args[1]) : 1;
        System.out.println(HEADER);
        for (Scenario scenario : all()) {
            long collecting = collectionMillis();
            int seconds = Math.max(least, (int) scenario.settings().ttl().toSeconds());
            Outcome outcome = LocalitySimulation.run(scenario.settings(), seconds, seed);
            System.out.println(line(scenario, outcome, seconds, collectionMillis() - collecting));
        }
    }

    private static String line(Scenario scenario, Outcome outcome, int seconds, long collectionMillis) {
        Settings settings = scenario.settings();
        double loadMillis = (double) outcome.loadNanos() / MILLISECOND / outcome.loads();
        return String.format(
                Locale.ROOT,
                "\"%s\",%.0f,%d,%.2f,%d,%d,%.0f,%.2f,%s,%.3f,%s,%.2f,%.3f,%.0f,%d,%d,%.2f,%d",
                scenario.name(),
                settings.queriesPerSecond(),
                settings.ttl().toSeconds(),
                loadMillis,
                outcome.queries(),
                outcome.loads(),
                (double) outcome.loads() / seconds,
                100 * outcome.loadShare(),
                scenario.share(),
                loadMillis * outcome.loadShare(),
                scenario.amortised(),
                100 * outcome.hitShare(),
                100.0 * outcome.waits() / outcome.queries(),
                (double) outcome.rowsLoaded() / seconds,
                outcome.peakLines(),
                outcome.evictions(),
                (double) outcome.maxStaleNanos() / 1_000_000_000,
                collectionMillis);
    }

    private static long collectionMillis() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                .sum();
    }
}
