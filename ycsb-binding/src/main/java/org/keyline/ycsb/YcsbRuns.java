package org.keyline.ycsb;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Runs {@link Ycsb} in processes, and counts failures. Confined to one thread. */
final class YcsbRuns {
    private final Harness harness;
    private long failed;
    private long verified;

    YcsbRuns(Harness harness) {
        this.harness = harness;
    }

    void load(String workload, Target target, Map<String, String> properties) throws IOException {
        run("create-table", workload, target, properties, "drop=true");
        run("load", workload, target, properties);
    }

    /** Runs a command of {@link Ycsb}. Throws an IOException if its exit status is not 0. */
    Results run(String command, String workload, Target target, Map<String, String> properties, String... more)
            throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                ServerProcess.java(),
                "-cp",
                System.getProperty("java.class.path"),
                Ycsb.class.getName(),
                command,
                "-P",
                harness.options().path("workloads").resolve(workload).toString()));
        List<String> all = new ArrayList<>(List.of(more));
        all.addAll(List.of(
                "db.url=" + target.url(),
                "db.user=" + target.user(),
                "db.passwd=" + target.password(),
                "hdrhistogram.percentiles=50,99"));
        properties.forEach((name, value) -> all.add(name + "=" + value));
        all.forEach(property -> arguments.addAll(List.of("-p", property)));
        harness.out().println("# " + command + " " + workload + ", " + target.url());
        Results result = Results.ofYcsb(ServerProcess.output(arguments));
        failed += (long) result.failed();
        verified += (long) result.verified();
        return result.with("operations/s", result.get("OVERALL Throughput(ops/sec)"));
    }

    /** Prints how many rows or requests were verified. Throws IOException if operations failed. */
    void finish() throws IOException {
        harness.out().printf("%n%d rows or requests verified by YCSB, %d operations failed.%n", verified, failed);
        if (failed > 0) {
            throw new IOException(failed + " operations failed");
        }
    }
}
