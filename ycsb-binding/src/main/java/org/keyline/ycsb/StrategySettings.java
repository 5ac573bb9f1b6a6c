package org.keyline.ycsb;

import java.util.List;
import java.util.Properties;
import site.ycsb.Client;
import site.ycsb.WorkloadException;
import site.ycsb.workloads.CoreWorkload;

/**
 * Size and mix of the strategy workload. Immutable.
 *
 * @param vertices the number of vertices of one graph. One statement inserts a graph
 * @param payloadLength the length of a payload in characters
 * @param requestGraphs the number of graphs in one request
 * @param requestVertices the number of vertices that a request reads in each of its graphs. Those
 *     with numbers from {@code vertices} on do not exist
 * @param points whether a request has one statement for each vertex instead of one for each graph
 * @param absent share of the requested vertices that do not exist, 0..1
 * @param skewed whether users are chosen by a Zipfian instead of a uniform distribution
 * @param update share of the operations that change a vertex, 0..1
 */
record StrategySettings(
        String table,
        int users,
        int graphs,
        int vertices,
        int payloadLength,
        int requestGraphs,
        int requestVertices,
        boolean points,
        double absent,
        boolean skewed,
        double update) {
    private static final long MAX_ROWS = 100_000_000;

    static StrategySettings of(Properties properties) throws WorkloadException {
        try {
            int graphs = (int) number(properties, "strategy.graphs", 10, 1, 100_000);
            int vertices = (int) number(properties, "strategy.vertices", 20, 1, 1_000);
            double most = (double) MAX_ROWS / vertices;
            int records = (int) number(properties, Client.RECORD_COUNT_PROPERTY, 10_000, graphs, most);
            if (records % graphs != 0) {
                throw new IllegalArgumentException(
                        "recordcount: " + records + " (expected: a multiple of strategy.graphs, " + graphs + ")");
            }
            return new StrategySettings(
                    properties.getProperty("table", "strategy_vertex"),
                    records / graphs,
                    graphs,
                    vertices,
                    (int) number(properties, "strategy.payload", 200, 32, 4_000),
                    (int) number(properties, "strategy.request.graphs", 3, 1, graphs),
                    (int) number(properties, "strategy.request.vertices", 5, 1, 1_000),
                    isFirst(properties, "strategy.request.shape", "in", List.of("point", "in")),
                    number(properties, "strategy.request.absent", 0.05, 0, 1),
                    isFirst(
                            properties,
                            CoreWorkload.REQUEST_DISTRIBUTION_PROPERTY,
                            "zipfian",
                            List.of("zipfian", "uniform")),
                    number(properties, "strategy.update", 0.05, 0, 1));
        } catch (IllegalArgumentException wrong) {
            throw new WorkloadException(wrong);
        }
    }

    int rows() {
        return users * graphs * vertices;
    }

    private static boolean isFirst(Properties properties, String name, String fallback, List<String> allowed) {
        String value = properties.getProperty(name, fallback);
        if (!allowed.contains(value)) {
            throw new IllegalArgumentException(
                    name + ": " + value + " (expected: " + String.join(" or ", allowed) + ")");
        }
        return value.equals(allowed.get(0));
    }

    private static double number(Properties properties, String name, double fallback, double min, double max) {
        double value = Double.parseDouble(properties.getProperty(name, String.valueOf(fallback)));
        if (!(value >= min && value <= max)) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + min + ".." + max + ")");
        }
        return value;
    }
}
