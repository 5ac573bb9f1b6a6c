package org.keyline.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The parts of the harness that need no server. */
final class HarnessTest {
    private static final String USAGE = """
            usage: some command

              --threads LIST        of clients [1,2]
              --option O            repeatable
              --client WHICH        ycsb or light [ycsb]
            """;

    private static Options options(String... arguments) {
        return new Options(USAGE, List.of(arguments));
    }

    @Test
    void options_haveTheDefaultsOfTheUsage() {
        assertThat(options().counts("threads")).containsExactly(1, 2);
        assertThat(options().all("option")).isEmpty();
        assertThat(options("--option", "a", "--option", "b").all("option")).containsExactly("a", "b");
        assertThat(options("--threads", "3", "--threads", "4").text("threads")).isEqualTo("4");
    }

    @Test
    void options_fillATextByTheirNames() {
        assertThat(options("--option", "$a", "--option", "b").filled("{threads} threads, {option}"))
                .isEqualTo("1,2 threads, $a b");
    }

    @Test
    void options_thatAreWrong_areRefused() {
        assertThatThrownBy(() -> options("--thread", "1")).hasMessageContaining("no such option: --thread");
        assertThatThrownBy(() -> options("--threads")).hasMessageContaining("--threads needs a value");
        assertThatThrownBy(() -> options("--threads", "x").counts("threads"))
                .hasMessageContaining("--threads x (expected: a number >= 1)");
        assertThatThrownBy(() -> options("--client", "none").choices("client", "ycsb", "light", "other"))
                .hasMessage("--client none (expected: ycsb, light or other)");
    }

    @Test
    void turns_runAllContendersInEachRound_andCountNoWarmUp() throws IOException {
        List<String> order = new ArrayList<>();
        Map<String, Results> medians = Harness.turns(List.of("a", "b"), 1, 3, contender -> {
            order.add(contender);
            return Results.NONE.with("size", order.size());
        });

        assertThat(order).containsExactly("a", "b", "a", "b", "a", "b", "a", "b");
        assertThat(medians.getOrDefault("a", Results.NONE).get("size")).isEqualTo(5);
        Results one = Results.NONE.with("size", 1);
        assertThat(Results.medians(List.of(one.with("size", 4), one)).get("size"))
                .isEqualTo(2.5);
    }

    @Test
    void counters_areSummedOverLabels_andSubtracted() {
        Results before = Results.ofMetrics("""
                # HELP hits of tables
                keyline_table_hits_total{table="a"} 1.0
                keyline_table_hits_total{table="b"} 2.0
                keyline_table_queries_total 4.0
                """);
        Results grown = before.plus(before).since(before);

        assertThat(grown.get("keyline_table_hits_total")).isEqualTo(3);
        assertThat(grown.percentOfQueries("hits")).isEqualTo(75);
        assertThat(grown.count("other")).isZero();
        assertThat(grown.get("other")).isNaN();
        assertThat(Results.NONE.percentOfQueries("hits")).isNaN();
    }

    private static final Results RESULT = Results.ofYcsb(List.of(
            "Command line: -t -db x",
            "[OVERALL], RunTime(ms), 2000",
            "[OVERALL], Throughput(ops/sec), 500.5",
            "[READ], 99thPercentileLatency(us), 900",
            "[READ], Return=OK, 990",
            "[READ], Return=NOT_FOUND, 3",
            "[VERIFY], Return=OK, 988",
            "[VERIFY], Return=UNEXPECTED_STATE, 2"));

    @Test
    void outputOfYcsb_isReadByGroupAndName() {
        assertThat(RESULT.get("OVERALL Throughput(ops/sec)")).isEqualTo(500.5);
        assertThat(RESULT.get("READ 99thPercentileLatency(us)")).isEqualTo(900);
        assertThat(RESULT.get("SCAN 99thPercentileLatency(us)")).isNaN();
    }

    @Test
    void failed_countsWhateverIsNotOk() {
        assertThat(RESULT.failed()).isEqualTo(5);
        assertThat(RESULT.verified()).isEqualTo(988);
    }
}
