package org.keyline.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
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
        Turns<String, Integer> turns = Turns.of(List.of("a", "b"), 1, 3, contender -> {
            order.add(contender);
            return order.size();
        });

        assertThat(order).containsExactly("a", "b", "a", "b", "a", "b", "a", "b");
        assertThat(turns.median("a", Integer::doubleValue)).isEqualTo(5);
        assertThat(Turns.median(List.of(4, 1), Integer::doubleValue)).isEqualTo(2.5);
        assertThat(turns.median("c", Integer::doubleValue)).isNaN();
    }

    @Test
    void counters_areSummedOverLabels_andSubtracted() {
        Counters before = Counters.parse("""
                # HELP hits of tables
                keyline_table_hits_total{table="a"} 1.0
                keyline_table_hits_total{table="b"} 2.0
                keyline_table_queries_total 4.0
                """);
        Counters grown = before.plus(before).since(before);

        assertThat(grown.get("keyline_table_hits_total")).isEqualTo(3);
        assertThat(grown.percentOfQueries("hits")).isEqualTo(75);
        assertThat(grown.get("other")).isZero();
        assertThat(grown.orNone("other")).isNaN();
        assertThat(Counters.NONE.percentOfQueries("hits")).isNaN();
    }

    @Test
    void clients_thatFail_failTheRun() {
        ParallelClients.Work failing = end -> {
            throw new IllegalStateException("broken");
        };
        assertThatThrownBy(() -> ParallelClients.run(List.of(failing), 1))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("a client failed: java.lang.IllegalStateException: broken");
    }
}
