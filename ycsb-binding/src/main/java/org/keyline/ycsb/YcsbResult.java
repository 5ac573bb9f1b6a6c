package org.keyline.ycsb;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The summary that YCSB prints at the end of a run: {@code [GROUP], name, figure}. Immutable.
 *
 * @param figures the figures by "GROUP name"
 */
record YcsbResult(Map<String, Double> figures) {
    YcsbResult {
        figures = Map.copyOf(figures);
    }

    static YcsbResult parse(List<String> output) {
        Map<String, Double> figures = new HashMap<>();
        for (String line : output) {
            String[] parts = line.split(", ", -1);
            if (parts.length == 3 && parts[0].startsWith("[") && parts[0].endsWith("]")) {
                try {
                    figures.put(
                            parts[0].substring(1, parts[0].length() - 1) + " " + parts[1], Double.valueOf(parts[2]));
                } catch (NumberFormatException notFigure) {
                    // Some lines of YCSB contain words instead of a figure.
                }
            }
        }
        return new YcsbResult(figures);
    }

    /** Returns operations per second, of all kinds together. */
    double throughput() {
        return figure("OVERALL Throughput(ops/sec)");
    }

    long operations(String operation) {
        return (long) figure(operation + " Operations");
    }

    /** Returns the mean latency of an operation in microseconds. */
    double mean(String operation) {
        return figure(operation + " AverageLatency(us)");
    }

    /** Returns a percentile of the latency of an operation in microseconds. */
    double percentile(String operation, int percentile) {
        return figure(operation + " " + percentile + (percentile % 10 == 1 && percentile != 11 ? "st" : "th")
                + "PercentileLatency(us)");
    }

    /** Returns the number of failed operations, verifications included. */
    long failed() {
        return sum(false, "");
    }

    long verified() {
        return sum(true, "VERIFY");
    }

    private long sum(boolean succeeded, String operation) {
        double sum = 0;
        for (Map.Entry<String, Double> figure : figures.entrySet()) {
            int space = figure.getKey().indexOf(' ');
            String name = figure.getKey().substring(space + 1);
            if (name.startsWith("Return=")
                    && name.equals("Return=OK") == succeeded
                    && figure.getKey().startsWith(operation)) {
                sum += figure.getValue();
            }
        }
        return (long) sum;
    }

    private double figure(String key) {
        Double figure = figures.get(key);
        return figure == null ? Double.NaN : figure;
    }
}
