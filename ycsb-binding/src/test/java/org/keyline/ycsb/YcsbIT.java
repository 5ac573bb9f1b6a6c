package org.keyline.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The command line in a separate process, as a user runs it. */
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
        assertThat(Results.ofYcsb(ycsb("load", options)).failed()).isZero();

        List<String> output = ycsb("run", options);
        Results result = Results.ofYcsb(output);
        assertThat(output).anyMatch(line -> line.matches(".* 600 operations;.*"));
        assertThat(result.failed()).isZero();
        assertThat(result.verified()).isPositive();
        assertThat(result.get("OVERALL Throughput(ops/sec)")).isPositive();
    }

    @Test
    void unknownCommand_isRefused() throws Exception {
        assertThat(ycsb("fly", List.of())).anyMatch(line -> line.contains("no such command: fly"));
    }

    @Test
    void commands_thatDoNothing_endWithStatus1() throws Exception {
        List<String> workload = List.of("-P", "workloads/workloadc", "-p", "recordcount=10", "-p", "operationcount=10");
        List<String> nowhere = plus(workload, "-p", "db.url=jdbc:mysql://127.0.0.1:1/ycsb");
        String noTable = "db.url=" + MariaDb.url("mysql", "no_such_tables");
        assertThat(status("fly", List.of())).isEqualTo(1);
        assertThat(status("create-table", plus(workload, "-p", "db.url=jdbc:mysql://127.0.0.1:1/ycsb")))
                .isEqualTo(1);
        assertThat(status("load", nowhere)).isEqualTo(1);
        assertThat(status("run", nowhere)).isEqualTo(1);
        assertThat(status("run", plus(workload, "-p", noTable, "-p", "table=missing")))
                .isEqualTo(1);
        assertThat(status("run", List.of("-P", "workloads/no-such-file"))).isEqualTo(1);
        assertThat(status("create-table", List.of("-P", "workloads/no-such-file")))
                .isEqualTo(1);
        assertThat(status("report", List.of("--gateway", "no-such.jar"))).isEqualTo(1);
    }

    private static List<String> plus(List<String> options, String... more) {
        List<String> all = new ArrayList<>(options);
        all.addAll(List.of(more));
        return all;
    }

    private static int status(String command, List<String> options) throws Exception {
        Process process = start(command, options);
        process.getInputStream().readAllBytes();
        return process.waitFor();
    }

    private static List<String> ycsb(String command, List<String> options) throws Exception {
        Process process = start(command, options);
        try (var output = process.inputReader(StandardCharsets.UTF_8)) {
            List<String> lines = output.lines().toList();
            assertThat(process.waitFor()).isEqualTo(command.equals("fly") ? 1 : 0);
            return lines;
        }
    }

    private static Process start(String command, List<String> options) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Ycsb.class.getName(),
                command));
        arguments.addAll(options);
        return new ProcessBuilder(arguments).redirectErrorStream(true).start();
    }
}
