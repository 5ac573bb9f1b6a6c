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
import org.keyline.gateway.relay.RangeQuestions.Question;

/**
 * Generated reads of ranges, some with further conditions, of every type and collation that keys
 * may have. Each runs at a MariaDB, and three times at a gateway in front of it, which forwards,
 * loads and hits: the same packets, in the text and in the binary protocol.
 *
 * <p>{@code -Dkeyline.ranges.questions=N} sets the number, {@code -Dkeyline.ranges.seed=N} the
 * seed.
 */
@Tag("explores")
class RangeReadsIT {
    private static final int QUESTIONS = Integer.getInteger("keyline.ranges.questions", 600);
    private static final long SEED = Long.getLong("keyline.ranges.seed", 20_261_122);
    private static final int ROUNDS = 3;

    @RegisterExtension
    static final TwinSessions SESSIONS = new TwinSessions(
            // In tables with lines of ranges, several lines have the rows.
            Stream.concat(Stream.of("cache.maxRowsPerLine=30"), Arrays.stream(RangeQuestions.prefixes()))
                    .toArray(String[]::new));

    @Test
    void range_generated_isAnsweredByteForByte() throws Exception {
        List<RangeQuestions> all = IntStream.range(0, RangeQuestions.tables())
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
        try (Twins twins = SESSIONS.open();
                Twins anyIndex = SESSIONS.open().withAnyIndex()) {
            for (int table = 0; table < all.size(); table++) {
                String known = "KEYLINE EXPLAIN SELECT COUNT(*) FROM ranges.t" + table + " WHERE a = 1";
                soon(known).until(() -> twins.readable(known).contains("SHORT-CIRCUIT"));
                RangeQuestions questions = all.get(table);
                boolean ranged = table >= RangeQuestions.types();
                for (int i = 0; i < QUESTIONS / RangeQuestions.tables(); i++) {
                    if (i % 8 == 7) {
                        twins.run(questions.write());
                    }
                    boolean scan = ranged && i % 3 > 0;
                    Question question = scan ? questions.nextScan() : questions.next();
                    // MariaDB's choice of an index for a scan may vary from one execution to the
                    // next.
                    (scan ? anyIndex : twins)
                            .ask(ROUNDS, question, "seed " + SEED + ", table " + table + ", question " + i);
                }
            }
            long hits = Long.parseLong(Twins.row(twins.throughOnly("SHOW STATUS LIKE 'Keyline_hits'"))
                    .split(" ", -1)[1]);
            System.out.println(QUESTIONS + " questions of ranges, " + hits + " hits");
            // Without hits, the comparison would prove nothing.
            assertThat(hits).as(twins.readable("KEYLINE LAST")).isGreaterThan(QUESTIONS / 3);
        }
    }

    /**
     * The rows that scans have loaded are the whole table only once the last of them has reached
     * its end.
     */
    @Test
    void readOfAllRows_isAnsweredOnceAllOfThemAreInLines() throws Exception {
        try (Twins owner = SESSIONS.open()) {
            owner.run("DROP DATABASE IF EXISTS whole");
            owner.run("CREATE DATABASE whole");
            owner.run("CREATE TABLE whole.t (k INT PRIMARY KEY, v INT)");
            owner.run("INSERT INTO whole.t SELECT seq, seq FROM whole.seq_1_to_100");
        }
        try (Twins twins = SESSIONS.open().withAnyIndex()) {
            twins.run("KEYLINE SET tables.whole.t.prefix = 0");
            String page = "SELECT * FROM whole.t ORDER BY k LIMIT 10";
            answeredFromLines(twins, page);
            answeredFromLines(twins, "SELECT k FROM whole.t ORDER BY k DESC LIMIT 3 OFFSET 2");
            List<String> ofAll = List.of(
                    "SELECT COUNT(*) FROM whole.t",
                    "SELECT MIN(k), MAX(k) FROM whole.t",
                    "SELECT v, k FROM whole.t ORDER BY k",
                    "SELECT DISTINCT k FROM whole.t ORDER BY k");
            for (String sql : ofAll) {
                soon(sql).until(() -> {
                    twins.query(sql);
                    return twins.readable("KEYLINE LAST").contains("MANY_LINES");
                });
            }
            answeredFromLines(twins, "SELECT * FROM whole.t ORDER BY k LIMIT 200");
            for (String sql : ofAll) {
                answeredFromLines(twins, sql);
            }
            twins.run("DELETE FROM whole.t WHERE k = 50");
            for (String sql : ofAll) {
                twins.query(sql);
                assertThat(twins.readable("KEYLINE LAST")).as(sql).contains("MANY_LINES");
            }
            answeredFromLines(twins, page);
        }
    }

    private static void answeredFromLines(Twins twins, String sql) throws Exception {
        soon(sql).until(() -> {
            twins.query(sql);
            return twins.readable("KEYLINE LAST").contains("source line");
        });
    }

    /**
     * If the bounds are equal in the connection's collation, MariaDB takes them for one value, and
     * answers that value's rows.
     */
    @Test
    void between_boundsThatAreEqualToTheConnection_isTheStoresAnswer() throws Exception {
        try (Twins owner = SESSIONS.open()) {
            owner.run("CREATE DATABASE IF NOT EXISTS rangetraps");
            owner.run(
                    "CREATE OR REPLACE TABLE rangetraps.b (k INT, t VARCHAR(9) COLLATE utf8mb4_bin, PRIMARY KEY (k, t))");
            owner.run("INSERT INTO rangetraps.b VALUES (1, 'A'), (1, 'B'), (1, 'Z'), (1, 'a'), (1, 'b')");
        }
        try (Twins twins = SESSIONS.open()) {
            for (String bounds : List.of("'B' AND 'a'", "'A' AND 'a'", "'A' AND 'A '", "'a' AND 'á'", "'b' AND 'b'")) {
                for (int round = 0; round < ROUNDS; round++) {
                    twins.query("SELECT t FROM rangetraps.b WHERE k = 1 AND t BETWEEN " + bounds + " ORDER BY t");
                    twins.query("SELECT COUNT(*) FROM rangetraps.b WHERE k = 1 AND t <> 'x' AND t BETWEEN " + bounds);
                }
            }
        }
    }
}
