package org.keyline.ycsb;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Runs {@link Ycsb} in processes, and counts failures. Confined to one thread. */
final class YcsbRuns {
    private final Path workloads;
    private final PrintStream out;
    private long failed;
    private long verified;

    /**
     * @param workloads directory of the workload files
     * @param out receives a line for each command
     */
    YcsbRuns(Path workloads, PrintStream out) {
        this.workloads = workloads;
        this.out = out;
    }

    YcsbResult load(String workload, Target target, Map<String, String> properties) throws IOException {
        run("create-table", workload, target, properties, "drop=true");
        return run("load", workload, target, properties);
    }

    /** Runs a command of {@link Ycsb}. Throws an IOException if its exit status is not 0. */
    YcsbResult run(String command, String workload, Target target, Map<String, String> properties, String... more)
            throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                java(),
                "-cp",
                System.getProperty("java.class.path"),
                Ycsb.class.getName(),
                command,
                "-P",
                workloads.resolve(workload).toString()));
        List<String> all = new ArrayList<>(List.of(
                "db.url=" + target.url(),
                "db.user=" + target.user(),
                "db.passwd=" + target.password(),
                "hdrhistogram.percentiles=50,99"));
        properties.forEach((name, value) -> all.add(name + "=" + value));
        all.addAll(List.of(more));
        all.forEach(property -> arguments.addAll(List.of("-p", property)));
        out.println("# " + command + " " + workload + ", " + target.url());
        YcsbResult result = YcsbResult.parse(output(arguments));
        failed += result.failed();
        verified += result.verified();
        return result;
    }

    long failed() {
        return failed;
    }

    void failIfAnyFailed() throws IOException {
        if (failed > 0) {
            throw new IOException(failed + " operations failed");
        }
    }

    long verified() {
        return verified;
    }

    static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /**
     * Runs a process, and returns the lines of its output. Its standard error is inherited.
     *
     * @throws IOException if the process's exit status is not 0
     */
    static List<String> output(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        List<String> output;
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
            output = reader.lines().toList();
        }
        int status = process.onExit().join().exitValue();
        if (status != 0) {
            throw new IOException(
                    String.join(" ", command) + " exited with status " + status + "\n" + String.join("\n", output));
        }
        return output;
    }
}
