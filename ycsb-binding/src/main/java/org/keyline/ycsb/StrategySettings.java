package org.keyline.ycsb;

import java.util.Locale;
import java.util.Properties;
import site.ycsb.Client;
import site.ycsb.WorkloadException;
import site.ycsb.workloads.CoreWorkload;

/**
 * Size and mix of the strategy workload. Immutable.
 *
 * @param vertices the number of vertices of one graph, 1..1000. One statement inserts a graph
 * @param payloadLength the length of a payload in characters, 32..4000
 * @param requestGraphs the number of graphs in one request
 * @param requestVertices the number of vertices that a request reads in each of its graphs. Those
 *     with numbers from {@code vertices} on do not exist
 * @param shape the statements that a request consists of
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
        RequestShape shape,
        double absent,
        boolean skewed,
        double update) {
    enum RequestShape {
        /** One statement per vertex, by its full key. */
        POINT,
        /** One statement per graph, with a bound key prefix and a list of vertices. */
        IN,
        /** One statement per request, with a list of full keys. */
        TUPLES
    }

    private static final long MAX_ROWS = 100_000_000;

    StrategySettings {
        require("users", users, 1, 10_000_000);
        require("strategy.graphs", graphs, 1, 100_000);
        require("strategy.vertices", vertices, 1, 1_000);
        require("strategy.payload", payloadLength, 32, 4_000);
        require("strategy.request.graphs", requestGraphs, 1, graphs);
        require("strategy.request.vertices", requestVertices, 1, 1_000);
        require("rows", (long) users * graphs * vertices, 1, MAX_ROWS);
        requireShare("strategy.request.absent", absent);
        requireShare("strategy.update", update);
    }

    static StrategySettings of(Properties properties) throws WorkloadException {
        try {
            int graphs = integer(properties, "strategy.graphs", 10);
            int records = integer(properties, Client.RECORD_COUNT_PROPERTY, 10_000);
            if (graphs < 1 || records % graphs != 0) {
                throw new IllegalArgumentException(
                        "recordcount: " + records + " (expected: a multiple of strategy.graphs, " + graphs + ")");
            }
            return new StrategySettings(
                    properties.getProperty("table", "strategy_vertex"),
                    records / graphs,
                    graphs,
                    integer(properties, "strategy.vertices", 20),
                    integer(properties, "strategy.payload", 200),
                    integer(properties, "strategy.request.graphs", 3),
                    integer(properties, "strategy.request.vertices", 5),
                    RequestShape.valueOf(properties
                            .getProperty("strategy.request.shape", "in")
                            .toUpperCase(Locale.ROOT)),
                    Double.parseDouble(properties.getProperty("strategy.request.absent", "0.05")),
                    isSkewed(properties.getProperty(CoreWorkload.REQUEST_DISTRIBUTION_PROPERTY, "zipfian")),
                    Double.parseDouble(properties.getProperty("strategy.update", "0.05")));
        } catch (IllegalArgumentException wrong) {
            throw new WorkloadException(wrong);
        }
    }

    int rows() {
        return users * graphs * vertices;
    }

    private static boolean isSkewed(String distribution) {
        if (!distribution.equals("zipfian") && !distribution.equals("uniform")) {
            throw new IllegalArgumentException(CoreWorkload.REQUEST_DISTRIBUTION_PROPERTY + ": " + distribution
                    + " (expected: zipfian or uniform)");
        }
        return distribution.equals("zipfian");
    }

    private static int integer(Properties properties, String name, int fallback) {
        return Integer.parseInt(properties.getProperty(name, String.valueOf(fallback)));
    }

    private static void require(String name, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + min + ".." + max + ")");
        }
    }

    private static void requireShare(String name, double value) {
        if (!(value >= 0 && value <= 1)) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: 0..1)");
        }
    }
}
