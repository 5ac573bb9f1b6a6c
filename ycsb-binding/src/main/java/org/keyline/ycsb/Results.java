package org.keyline.ycsb;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Numbers with names, such as samples of metrics or the output of YCSB. Immutable. */
record Results(Map<String, Double> values) {
    static final Results NONE = new Results(Map.of());

    Results {
        values = Map.copyOf(values);
    }

    /** Parses the text format of Prometheus. Adds up each metric over its labels. */
    static Results ofMetrics(String page) {
        return new Results(page.lines()
                .filter(line -> !line.startsWith("#") && line.contains(" "))
                .collect(Collectors.toMap(
                        line -> line.replaceFirst("[{ ].*", ""),
                        line -> Double.valueOf(line.substring(line.lastIndexOf(' ') + 1)),
                        Double::sum)));
    }

    /** Parses lines {@code [GROUP], name, number} of YCSB. The names become "GROUP name". */
    static Results ofYcsb(List<String> output) {
        return new Results(output.stream()
                .map(line -> line.split(", ", -1))
                .filter(parts -> parts.length == 3 && parts[0].matches("\\[.*]") && parts[2].matches("[0-9.E-]+"))
                .collect(Collectors.toMap(
                        parts -> parts[0].substring(1, parts[0].length() - 1) + " " + parts[1],
                        parts -> Double.valueOf(parts[2]),
                        (first, last) -> last)));
    }

    /** Returns the medians of numbers that all runs have. */
    static Results medians(List<Results> runs) {
        Set<String> names = runs.isEmpty() ? Set.of() : runs.get(0).values.keySet();
        return new Results(names.stream().collect(Collectors.toMap(name -> name, name -> {
            double[] sorted =
                    runs.stream().mapToDouble(run -> run.get(name)).sorted().toArray();
            return (sorted[sorted.length / 2] + sorted[(sorted.length - 1) / 2]) / 2;
        })));
    }

    Results with(String name, double value) {
        Map<String, Double> more = new HashMap<>(values);
        more.put(name, value);
        return new Results(more);
    }

    Results plus(Results other) {
        return merged(other, 1);
    }

    Results since(Results earlier) {
        return merged(earlier, -1);
    }

    private Results merged(Results other, int sign) {
        Map<String, Double> merged = new HashMap<>(values);
        other.values.forEach((name, value) -> merged.merge(name, sign * value, Double::sum));
        return new Results(merged);
    }

    /** Returns a number; NaN if it is missing. */
    double get(String name) {
        return values.getOrDefault(name, Double.NaN);
    }

    /** Returns a counter; 0 if it is missing. */
    double count(String name) {
        return values.getOrDefault(name, 0.0);
    }

    /** Returns a counter of all tables in per cent of their queries; NaN if they had no queries. */
    double percentOfQueries(String counted) {
        return 100 * count("keyline_table_" + counted + "_total") / count("keyline_table_queries_total");
    }

    /** Returns the number of operations of YCSB that failed, verifications included. */
    double failed() {
        return sum(".* Return=(?!OK$).*");
    }

    double verified() {
        return sum("VERIFY Return=OK");
    }

    private double sum(String pattern) {
        return values.keySet().stream()
                .filter(name -> name.matches(pattern))
                .mapToDouble(this::count)
                .sum();
    }
}
