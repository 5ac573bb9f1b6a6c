package org.keyline.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Experiments of a tiny size, from the command to their files. */
final class ExperimentIT {
    private static final List<String> GATEWAY = List.of("--gateway", "../gateway/target/keyline.jar");
    private static final List<String> CLIENT =
            List.of("--workloads", "workloads", "--java", "-Xmx512m", "--java", "-XX:TieredStopAtLevel=1");

    @TempDir
    private Path output;

    @Test
    void simulatedLocality_atThePublishedRates_hasThePublishedShares() throws IOException {
        run("locality-simulated", List.of(), "--seconds", "1");

        Figures figures = written("locality-simulated");
        assertThat(share(figures, "line of a user")).isBetween(4.0, 4.25);
        assertThat(share(figures, "line of a user, later")).isBetween(1.9, 2.0);
        assertThat(output.resolve("locality-simulated.png")).isNotEmptyFile();
    }

    /** GatewayIT holds that every row is right; here only the experiment itself runs. */
    @Test
    @Tag("nightly")
    void ycsb_straightAndThroughGateways_isCompared() throws IOException {
        run(
                "ycsb",
                CLIENT,
                "--mariadb",
                server(),
                "--rounds",
                "1",
                "--records",
                "200",
                "--operations",
                "200",
                "--threads",
                "2",
                "--scans",
                "50",
                "--only",
                "CE");

        assertThat(written("ycsb").each()).hasSize(6); // each in three ways
        for (String workload : List.of("C: reads", "E: scans")) {
            Figures on = written("ycsb").where("workload", workload).where("way", "cache on");
            assertThat(on.first("processor µs")).isPositive();
            assertThat(on.first("relative to straight")).isPositive();
            assertThat(on.first("p50 µs")).isPositive();
        }
        assertThat(output.resolve("ycsb.png")).isNotEmptyFile();
    }

    private static String server() {
        return MariaDb.url("mysql", "").replaceFirst("jdbc:mysql://([^/]+)/.*", "$1");
    }

    @Test
    void wrongOptions_areRefusedWithWhatWasExpected() {
        assertThatThrownBy(() -> run("locality", List.of(), "--rate", "0"))
                .hasMessageContaining("--rate 0 (expected: a number >= 1)");
        assertThatThrownBy(() -> run("fly", List.of())).hasMessageContaining("no such experiment: fly");
        assertThatThrownBy(() -> run("locality", List.of(), "--speed", "1")).hasMessageContaining("no such option");
    }

    @Test
    void clientsThatFail_failTheExperiment() {
        ClientGroups failing = new ClientGroups()
                .add(new Target(MariaDb.url("mysql", ""), "root", ""), 1, 0, connection -> () -> {
                    throw new IllegalStateException("broken");
                });
        assertThatThrownBy(() -> failing.run(1))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("a client failed: java.lang.IllegalStateException: broken");
    }

    private void run(String name, List<String> some, String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(name));
        arguments.addAll(GATEWAY);
        arguments.addAll(some);
        arguments.addAll(List.of(more));
        arguments.addAll(List.of("--output", output.toString()));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Experiments.run(arguments, new PrintStream(out, true, StandardCharsets.UTF_8));
    }

    private Figures written(String name) throws IOException {
        assertThat(output.resolve(name + ".md")).isNotEmptyFile();
        return Figures.parse(Files.readAllLines(output.resolve(name + ".csv")));
    }

    private static double share(Figures figures, String scenario) {
        return figures.where("scenario", scenario).first("load share %");
    }
}
