package org.keyline.gateway;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Locale;

/**
 * What {@code prefix: auto} adds to a hit, as a program: two gateways in one process, of which one has a fixed prefix, take turns; each turn
 * is timed by the processor time of its thread, so that a busy machine changes little. All reads are of one prefix, which is in the sample.
 * Arguments: whether statements are prepared, how many come together, turns.
 */
final class PrefixOverhead {
    private static final int READS_PER_TURN = 20_000;
    private static final int WARM_TURNS = 15;
    private static final String[] PREFIXES = {"1", "auto"};

    private PrefixOverhead() {}

    public static void main(String[] args) throws Exception {
        boolean prepared = Boolean.parseBoolean(args[0]);
        int together = Integer.parseInt(args[1]);
        int turns = Integer.parseInt(args[2]);
        EmbeddedClient[] clients = new EmbeddedClient[2];
        byte[][] batches = new byte[2][];
        for (int i = 0; i < 2; i++) {
            System.setProperty("keyline.prefix", PREFIXES[i]);
            clients[i] = EmbeddedGateway.start(EmbeddedGateway.VISITS, 1).connect();
            batches[i] = clients[i].batch(Read.VISIT, prepared, together, command -> 0, EmbeddedGateway.VISITS);
        }
        double[][] nanos = new double[2][turns];
        double[] ratios = new double[turns];
        for (int turn = -WARM_TURNS; turn < turns; turn++) {
            double[] took = new double[2];
            for (int i = 0; i < 2; i++) {
                int which = turn % 2 == 0 ? i : 1 - i;
                took[which] = turn(clients[which], batches[which], together);
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

    private static double turn(EmbeddedClient client, byte[] batch, int together) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long began = threads.getCurrentThreadCpuTime();
        for (int i = 0; i < READS_PER_TURN / together; i++) {
            client.send(batch);
        }
        return (double) (threads.getCurrentThreadCpuTime() - began) / READS_PER_TURN;
    }

    private static double quantile(double[] values, int quarters) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length * quarters / 4];
    }
}
