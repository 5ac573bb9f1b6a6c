package org.keyline.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The command line in a process of its own, as a user runs it. */
final class YcsbIT {
    @Test
    void commands_createLoadAndRun_printWhatYcsbPrints() throws Exception {
        List<String> options = List.of(
                "-P",
                "workloads/workloadb",
                "-p",
                "db.url=" + MariaDb.url("mysql", "command_line"),
                "-p",
                "ddl=mysql",
                "-p",
                "recordcount=300",
                "-p",
                "operationcount=600",
                "-threads",
                "2",
                "-s");

        assertThat(ycsb("create-table", options)).contains("created usertable");
        assertThat(YcsbResult.parse(ycsb("load", options)).failed()).isZero();

        List<String> output = ycsb("run", options);
        YcsbResult result = YcsbResult.parse(output);
        assertThat(output).anyMatch(line -> line.matches(".* 600 operations;.*"));
        assertThat(result.failed()).isZero();
        assertThat(result.verified()).isPositive();
        assertThat(result.throughput()).isPositive();
    }

    @Test
    void unknownCommand_isRefused() throws Exception {
        assertThat(ycsb("fly", List.of())).anyMatch(line -> line.contains("no such command: fly"));
    }

    private static List<String> ycsb(String command, List<String> options) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Ycsb.class.getName(),
                command));
        arguments.addAll(options);
        Process process =
                new ProcessBuilder(arguments).redirectErrorStream(true).start();
        try (var output = process.inputReader(StandardCharsets.UTF_8)) {
            return output.lines().toList();
        }
    }
}
