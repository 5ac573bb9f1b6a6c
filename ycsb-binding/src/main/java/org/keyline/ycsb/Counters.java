package org.keyline.ycsb;

import java.util.HashMap;
import java.util.Map;

/** Samples of a gateway's metrics by name, added up over all labels. Immutable. */
record Counters(Map<String, Double> samples) {
    static final Counters NONE = new Counters(Map.of());

    Counters {
        samples = Map.copyOf(samples);
    }

    /** Reads the text format of Prometheus. */
    static Counters parse(String page) {
        Map<String, Double> samples = new HashMap<>();
        for (String line : page.lines().toList()) {
            int value = line.lastIndexOf(' ');
            if (!line.startsWith("#") && value > 0) {
                int labels = line.indexOf('{');
                String name = line.substring(0, labels < 0 ? value : labels);
                samples.merge(name, Double.valueOf(line.substring(value + 1)), Double::sum);
            }
        }
        return new Counters(samples);
    }

    Counters plus(Counters other) {
        return merged(other, 1);
    }

    Counters since(Counters earlier) {
        return merged(earlier, -1);
    }

    private Counters merged(Counters other, int sign) {
        Map<String, Double> merged = new HashMap<>(samples);
        other.samples.forEach((name, value) -> merged.merge(name, sign * value, Double::sum));
        return new Counters(merged);
    }

    /** Returns the value of a metric; 0 if it is missing. */
    double get(String name) {
        return samples.getOrDefault(name, 0.0);
    }

    /** Returns the value of a metric; NaN if it is missing. */
    double orNone(String name) {
        return samples.getOrDefault(name, Double.NaN);
    }

    /** Returns a counter of all tables in per cent of their queries; NaN if they had no queries. */
    double percentOfQueries(String counted) {
        return 100 * get("keyline_table_" + counted + "_total") / get("keyline_table_queries_total");
    }
}
