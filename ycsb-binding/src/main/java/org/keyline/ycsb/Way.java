package org.keyline.ycsb;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * A way in which clients reach rows, such as through a gateway. Immutable.
 *
 * @param gateways the gateways that clients use, or none
 */
record Way(String name, Target target, List<GatewayProcess> gateways, Backend store) {
    interface Measured {
        /** Returns the figures of the run, at least the number "operations". */
        Results run() throws IOException;
    }

    Way(String name, GatewayProcess gateway, String database, Backend store) {
        this(name, gateway.target().withDatabase(database), List.of(gateway), store);
    }

    /**
     * Adds to the figures of a run. For each operation, adds the processor times of client,
     * gateways and store, and the number of statements at the store. Also adds the shares of hits
     * and loads in the queries, and the increase of all metrics and status variables.
     */
    Results measured(Measured run) throws IOException {
        Results before = sofar();
        Results figures = run.run();
        Results grown = sofar().since(before);
        double operations = figures.get("operations");
        return figures.plus(grown)
                .with("client µs", grown.get("client") / operations)
                .with("gateway µs", grown.get("gateway") / operations)
                .with("store µs", grown.get("store") / operations)
                .with("processor µs", (grown.get("gateway") + grown.get("store")) / operations)
                .with("statements", grown.get("questions") / operations)
                .with("hit rate %", grown.percentOfQueries("hits"))
                .with("load share %", grown.percentOfQueries("loads"));
    }

    private Results sofar() throws IOException {
        Results sofar = store.status();
        for (GatewayProcess gateway : gateways) {
            sofar = sofar.plus(gateway.counters());
        }
        Duration client = ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
        return sofar.with("store", micros(store.processorTime()))
                .with("client", micros(client))
                .with(
                        "gateway",
                        gateways.stream()
                                .mapToDouble(each -> micros(each.process().processorTime()))
                                .sum());
    }

    private static double micros(Duration time) {
        return time.toNanos() / 1e3;
    }
}
