package org.keyline.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Experiments of a tiny size, from the command to their files. Those of many processes run on
 * demand ({@code -Dkeyline.experiments=true}); JMH's benchmark is not built here.
 */
final class ExperimentIT {
    private static final List<String> GATEWAY = List.of("--gateway", "../gateway/target/keyline.jar");
    private static final List<String> CLIENT =
            List.of("--workloads", "workloads", "--java", "-Xmx512m", "--java", "-XX:TieredStopAtLevel=1");

    @TempDir
    private Path output;

    @Test
    @EnabledIfSystemProperty(named = "keyline.experiments", matches = "true")
    void locality_granularitiesOfTheKey_haveTheLoadSharesOfTheArrivals() throws IOException {
        run("locality", CLIENT, "--rate", "10", "--seconds", "2", "--threads", "4");

        Figures figures = written("locality");
        assertThat(share(figures, "line of a row")).isGreaterThan(80);
        assertThat(share(figures, "line of (user, graph)")).isBetween(15.0, 30.0);
        assertThat(share(figures, "line of a user")).isBetween(3.0, 8.0);
        // The buckets of the definition are users.
        assertThat(share(figures, "as auto chooses")).isBetween(3.0, 8.0);
        assertThat(output.resolve("locality.png")).isNotEmptyFile();
    }

    @Test
    void simulatedLocality_atThePublishedRates_hasThePublishedShares() throws IOException {
        run("locality-simulated", List.of(), "--seconds", "1");

        Figures figures = written("locality-simulated");
        assertThat(share(figures, "line of a user")).isBetween(4.0, 4.25);
        assertThat(share(figures, "line of a user, later")).isBetween(1.9, 2.0);
        assertThat(output.resolve("locality-simulated.png")).isNotEmptyFile();
    }

    @Test
    @EnabledIfSystemProperty(named = "keyline.experiments", matches = "true")
    void pointQueries_everyWayToTheEmbeddedStore_isMeasured() throws IOException {
        run(
                "point-queries",
                CLIENT,
                "--stores",
                "embedded",
                "--records",
                "100",
                "--seconds",
                "1",
                "--warm",
                "1",
                "--threads",
                "2");

        assertThat(written("point-queries").each()).hasSize(6);
        assertThat(written("point-queries")
                        .where("on", "short circuit, row cache, prepared")
                        .first("hit rate %"))
                .isGreaterThan(90);
        assertThat(output.resolve("point-queries-embedded.png")).isNotEmptyFile();
    }

    @Test
    @EnabledIfSystemProperty(named = "keyline.experiments", matches = "true")
    void searchWithinResults_everyWayToTheEmbeddedStore_hasTheRowsOfNoCache() throws IOException {
        run(
                "search-within-results",
                List.of("--java", "-Xmx512m"),
                "--stores",
                "embedded",
                "--records",
                "20000",
                "--words",
                "2",
                "--warm",
                "1",
                "--queries",
                "500");

        assertThat(written("search-within-results-steps")
                        .where("way", "Keyline")
                        .each())
                .hasSize(11);
        Figures mixed = written("search-within-results-mixed");
        assertThat(mixed.where("way", "Keyline").first("hit rate %"))
                .isGreaterThan(mixed.where("way", "the published rule").first("hit rate %"));
        assertThat(output.resolve("search-within-results-mixed-embedded.png")).isNotEmptyFile();
    }

    @Test
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

        assertThat(written("ycsb").each()).hasSize(3); // the load, too
        Figures scans = written("ycsb").where("workload", "E: scans");
        assertThat(scans.first("cache on: ops/s")).isPositive();
        assertThat(scans.first("processor µs of an operation, cache on")).isPositive();
        Figures reads = written("ycsb").where("workload", "C: reads");
        assertThat(reads.first("on / straight")).isPositive();
        assertThat(reads.first("p50 µs, cache on")).isPositive();
        assertThat(output.resolve("ycsb.png")).isNotEmptyFile();
    }

    @Test
    @EnabledIfSystemProperty(named = "keyline.experiments", matches = "true")
    void gateways_withATierBetweenThem_shareTheirLoads() throws IOException {
        assumeTrue(ServerProcess.installed("redis-server").isPresent(), "there is no redis-server");
        run(
                "gateways",
                List.of("--java", "-Xmx256m"),
                "--mariadb",
                server(),
                "--gateways",
                "1,2",
                "--records",
                "300",
                "--rate",
                "400",
                "--threads",
                "2",
                "--seconds",
                "3");

        Figures figures = written("gateways");
        assertThat(figures.each()).hasSize(4);
        for (Figures row : figures.each()) {
            assertThat(row.first("hit rate %")).as("%s", row.csv()).isBetween(1.0, 100.0);
            assertThat(row.first("store queries/s")).as("%s", row.csv()).isPositive();
        }
        Figures two = figures.where("gateways", "2");
        assertThat(two.where("tier", "lines").first("loads answered by the tier %"))
                .isPositive();
        // The maximum without a tier is a ttl of one second; with one it is 200 ms, and the delay
        // of a busy machine.
        assertThat(two.where("tier", "none").first("max ms")).isGreaterThan(200);
        for (String told : List.of("links", "lines")) {
            assertThat(two.where("tier", told).first("max ms"))
                    .as(told)
                    .isLessThan(two.where("tier", "none").first("max ms"));
        }
        assertThat(output.resolve("gateways.png")).isNotEmptyFile();
        assertThatThrownBy(() -> run("gateways", List.of(), "--tiers", "some"))
                .hasMessageContaining("--tiers some (expected: none, links or lines)");
    }

    @Test
    @EnabledIfSystemProperty(named = "keyline.experiments", matches = "true")
    void tier_itsAnswersAndItsLoss_areMeasured() throws IOException {
        assumeTrue(ServerProcess.installed("redis-server").isPresent(), "there is no redis-server");
        run(
                "tier",
                List.of("--java", "-Xmx256m"),
                "--mariadb",
                server(),
                "--records",
                "200",
                "--rounds",
                "2",
                "--threads",
                "2",
                "--seconds",
                "1");

        Figures answers = written("tier-answers");
        assertThat(answers.each()).hasSize(5);
        assertThat(answers.where("answered from", "the tier").first("so answered %"))
                .isGreaterThan(50);
        assertThat(answers.where("answered from", "memory").first("so answered %"))
                .isGreaterThan(50);
        Figures lost = written("tier-lost");
        assertThat(lost.each()).hasSize(4);
        for (Figures row : lost.each()) {
            assertThat(row.first("reads/s")).isPositive();
            assertThat(row.first("errors")).isZero();
        }
        assertThat(output.resolve("tier-answers.png")).isNotEmptyFile();
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
