package org.keyline.gateway;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Locale;

/**
 * Measures the cost that {@code prefix: auto} adds to a hit, as a program. Two gateways in one
 * process take turns; one of them has a fixed prefix. Each turn is timed by the processor time of
 * its thread, so that a busy machine changes little. Arguments: whether statements are prepared,
 * the number of commands that arrive together, the number of turns, and the number of visitors,
 * whose rows are read in turn. Each visitor is a prefix; with one visitor, all reads are in the
 * sample.
 */
final class PrefixOverhead {
    private static final int READS_PER_TURN = 20_000;
    /** Meanwhile the sample reaches its size, and the granularity is chosen for the first time. */
    private static final long WARM_NANOS = 20_000_000_000L;

    private static final String[] PREFIXES = {"full", "auto"};

    private PrefixOverhead() {}

    public static void main(String[] args) throws Exception {
        boolean prepared = Boolean.parseBoolean(args[0]);
        int together = Integer.parseInt(args[1]);
        int turns = Integer.parseInt(args[2]);
        int visitors = Integer.parseInt(args[3]);
        EmbeddedClient[] clients = new EmbeddedClient[2];
        for (int i = 0; i < 2; i++) {
            System.setProperty("keyline.prefix", PREFIXES[i]);
            clients[i] = EmbeddedGateway.start(EmbeddedGateway.VISITS, visitors).connect();
        }
        byte[][][] batches = batches(clients, prepared, together, visitors);
        long until = System.nanoTime() + WARM_NANOS;
        while (System.nanoTime() < until) {
            for (int i = 0; i < 2; i++) {
                turn(clients[i], batches[i], together);
            }
        }
        batches = batches(clients, prepared, together, visitors);
        double[][] nanos = new double[2][turns];
        double[] ratios = new double[turns];
        for (int turn = -1; turn < turns; turn++) {
            // The second of two consecutive turns finds warm processor caches, so each gateway has
            // one first and one second turn.
            double[] took = new double[2];
            for (int which : new int[] {0, 1, 1, 0}) {
                took[which] += turn(clients[which], batches[which], together) / 2;
            }
            if (turn >= 0) {
                nanos[0][turn] = took[0];
                nanos[1][turn] = took[1];
                ratios[turn] = took[1] / took[0];
            }
        }
        System.out.printf(
                Locale.ROOT,
                "fixed %.0f ns, auto %.0f ns; ratio: median %.3f, quartiles %.3f and %.3f%n",
                quantile(nanos[0], 2),
                quantile(nanos[1], 2),
                quantile(ratios, 2),
                quantile(ratios, 1),
                quantile(ratios, 3));
        System.exit(0);
    }

    /** Batches of each client, whose reads have all been hits. */
    private static byte[][][] batches(EmbeddedClient[] clients, boolean prepared, int together, int visitors) {
        byte[][][] batches = new byte[clients.length][Math.max(1, visitors / together)][];
        for (int client = 0; client < clients.length; client++) {
            for (int i = 0; i < batches[client].length; i++) {
                int first = i * together;
                batches[client][i] = clients[client].batch(
                        Read.VISIT, prepared, together, command -> (first + command) % visitors, visitors);
            }
        }
        return batches;
    }

    private static double turn(EmbeddedClient client, byte[][] batches, int together) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long began = threads.getCurrentThreadCpuTime();
        for (int i = 0; i < READS_PER_TURN / together; i++) {
            client.send(batches[i % batches.length]);
        }
        return (double) (threads.getCurrentThreadCpuTime() - began) / READS_PER_TURN;
    }

    private static double quantile(double[] values, int quarters) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length * quarters / 4];
    }
}
