package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.gateway.fixtures.Lines.soon;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Generated reads by conditions on any columns, of every type and collation that is compared; often
 * one within the result of another. Each runs at a MariaDB and at a gateway in front of it: the
 * same packets, in the text and in the binary protocol, except for the flags about indexes.
 *
 * <p>{@code -Dkeyline.filters.questions=N} sets the number, {@code -Dkeyline.filters.seed=N} the
 * seed.
 */
@Tag("explores")
class FilterReadsIT {
    private static final int QUESTIONS = Integer.getInteger("keyline.filters.questions", 200);
    private static final long SEED = Long.getLong("keyline.filters.seed", 20_261_123);
    private static final int ROUNDS = 3;

    @RegisterExtension
    static final TwinSessions SESSIONS =
            new TwinSessions(Stream.concat(Stream.of("filter.enabled=true"), Arrays.stream(RangeQuestions.prefixes()))
                    .toArray(String[]::new));

    @Test
    void filter_generated_isAnsweredByteForByte() throws Exception {
        List<RangeQuestions> all = IntStream.range(0, RangeQuestions.types())
                .mapToObj(table -> new RangeQuestions(SEED, table))
                .toList();
        // If stored functions exist, a session that creates tables is no longer answered from
        // lines.
        try (Twins owner = SESSIONS.open()) {
            owner.run("DROP DATABASE IF EXISTS ranges");
            owner.run("CREATE DATABASE ranges CHARACTER SET utf8mb4");
            for (RangeQuestions questions : all) {
                for (String sql : questions.schema()) {
                    owner.run(sql);
                }
            }
        }
        try (Twins twins = SESSIONS.open().withAnyIndex()) {
            long exact = 0;
            long contained = 0;
            for (int table = 0; table < all.size(); table++) {
                String known = "KEYLINE EXPLAIN SELECT COUNT(*) FROM ranges.t" + table + " WHERE a = 1";
                soon(known).until(() -> twins.readable(known).contains("SHORT-CIRCUIT"));
                for (int i = 0; i < QUESTIONS / RangeQuestions.types(); i++) {
                    twins.ask(
                            ROUNDS,
                            all.get(table).nextFilter(),
                            "seed " + SEED + ", table " + table + ", question " + i);
                }
                String of = " FROM keyline.filters WHERE table_name = 't" + table + "'";
                exact += Long.parseLong(Twins.row(twins.throughOnly("SELECT exact_hits" + of)));
                contained += Long.parseLong(Twins.row(twins.throughOnly("SELECT contained_hits" + of)));
            }
            System.out.println(QUESTIONS + " questions by conditions, " + exact + " hits on the very conditions, "
                    + contained + " on weaker ones");
            // Without hits, the comparison would prove nothing.
            assertThat(exact).isGreaterThan(QUESTIONS / 5);
            assertThat(contained).isGreaterThan(QUESTIONS / 10);
        }
    }
}
