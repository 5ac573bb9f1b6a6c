package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.keyline.gateway.differential.Answer;
import org.keyline.gateway.relay.RangeQuestions.Question;

/**
 * Generated reads of ranges, some with further conditions, of every type and collation that keys may have, each asked of a MariaDB and three times of a gateway in front of
 * it, which forwards, loads and hits: the same packets, in the text and in the binary protocol.
 *
 * <p>{@code -Dkeyline.ranges.questions=N} sets how many, {@code -Dkeyline.ranges.seed=N} which.
 */
class RangeReadsIT {
    private static final int QUESTIONS = Integer.getInteger("keyline.ranges.questions", 1_500);
    private static final long SEED = Long.getLong("keyline.ranges.seed", 20_261_122);
    private static final int ROUNDS = 3;

    @RegisterExtension
    static final TwinSessions SESSIONS = new TwinSessions(
            // Of tables that are kept as ranges, several lines have the rows.
            Stream.concat(Stream.of("cache.maxRowsPerLine=30"), Arrays.stream(RangeQuestions.prefixes()))
                    .toArray(String[]::new));

    @Test
    void range_generated_isAnsweredByteForByte() throws Exception {
        List<RangeQuestions> all = IntStream.range(0, RangeQuestions.tables())
                .mapToObj(table -> new RangeQuestions(SEED, table))
                .toList();
        // Where there are stored functions, a session that makes tables is no longer answered from lines.
        try (Twins owner = SESSIONS.open()) {
            run(owner, "DROP DATABASE IF EXISTS ranges");
            run(owner, "CREATE DATABASE ranges CHARACTER SET utf8mb4");
            for (RangeQuestions questions : all) {
                for (String sql : questions.schema()) {
                    run(owner, sql);
                }
            }
        }
        try (Twins twins = SESSIONS.open();
                Twins anyIndex = SESSIONS.open().withAnyIndex()) {
            for (int table = 0; table < all.size(); table++) {
                String known = "KEYLINE EXPLAIN SELECT COUNT(*) FROM ranges.t" + table + " WHERE a = 1";
                await(known).until(() -> text(twins.throughOnly(known)).contains("SHORT-CIRCUIT"));
                RangeQuestions questions = all.get(table);
                boolean ranged = table >= RangeQuestions.types();
                for (int i = 0; i < QUESTIONS / RangeQuestions.tables(); i++) {
                    if (i % 8 == 7) {
                        run(twins, questions.write());
                    }
                    boolean scan = ranged && i % 3 > 0;
                    Question question = scan ? questions.nextScan() : questions.next();
                    // Whether MariaDB takes an index for a scan may differ from one execution to the next.
                    ask(scan ? anyIndex : twins, question, "seed " + SEED + ", table " + table + ", question " + i);
                }
            }
            long hits = hits(twins);
            System.out.println(QUESTIONS + " questions of ranges, " + hits + " hits");
            // Without hits all of this would show nothing.
            assertThat(hits).as(text(twins.throughOnly("KEYLINE LAST"))).isGreaterThan(QUESTIONS / 3);
        }
    }

    /** The rows that scans have loaded are all of the table only when the last of them came to its end. */
    @Test
    void readOfAllRows_isAnsweredOnceAllOfThemAreInLines() throws Exception {
        try (Twins owner = SESSIONS.open()) {
            run(owner, "DROP DATABASE IF EXISTS whole");
            run(owner, "CREATE DATABASE whole");
            run(owner, "CREATE TABLE whole.t (k INT PRIMARY KEY, v INT)");
            run(owner, "INSERT INTO whole.t SELECT seq, seq FROM whole.seq_1_to_100");
        }
        try (Twins twins = SESSIONS.open().withAnyIndex()) {
            run(twins, "KEYLINE SET tables.whole.t.prefix = 0");
            String page = "SELECT * FROM whole.t ORDER BY k LIMIT 10";
            answeredFromLines(twins, page);
            answeredFromLines(twins, "SELECT k FROM whole.t ORDER BY k DESC LIMIT 3 OFFSET 2");
            List<String> ofAll = List.of(
                    "SELECT COUNT(*) FROM whole.t",
                    "SELECT MIN(k), MAX(k) FROM whole.t",
                    "SELECT v, k FROM whole.t ORDER BY k",
                    "SELECT DISTINCT k FROM whole.t ORDER BY k");
            for (String sql : ofAll) {
                await(sql).until(() -> {
                    twins.query(sql);
                    return received(twins, "KEYLINE LAST").contains("MANY_LINES");
                });
            }
            answeredFromLines(twins, "SELECT * FROM whole.t ORDER BY k LIMIT 200");
            for (String sql : ofAll) {
                answeredFromLines(twins, sql);
            }
            run(twins, "DELETE FROM whole.t WHERE k = 50");
            for (String sql : ofAll) {
                twins.query(sql);
                assertThat(received(twins, "KEYLINE LAST")).as(sql).contains("MANY_LINES");
            }
            answeredFromLines(twins, page);
        }
    }

    private static void answeredFromLines(Twins twins, String sql) throws Exception {
        await(sql).until(() -> {
            twins.query(sql);
            return received(twins, "KEYLINE LAST").replaceAll("[^ -~]+", " ").contains("source line");
        });
    }

    private static String received(Twins twins, String sql) throws Exception {
        return text(twins.throughOnly(sql));
    }

    /** MariaDB takes the bounds for one value where the connection's collation does, and answers that value's rows. */
    @Test
    void between_boundsThatAreEqualToTheConnection_isTheStoresAnswer() throws Exception {
        try (Twins owner = SESSIONS.open()) {
            run(owner, "CREATE DATABASE IF NOT EXISTS rangetraps");
            run(
                    owner,
                    "CREATE OR REPLACE TABLE rangetraps.b (k INT, t VARCHAR(9) COLLATE utf8mb4_bin, PRIMARY KEY (k, t))");
            run(owner, "INSERT INTO rangetraps.b VALUES (1, 'A'), (1, 'B'), (1, 'Z'), (1, 'a'), (1, 'b')");
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

    private static void ask(Twins twins, Question question, String where) throws Exception {
        String context = where + ": " + question.values();
        if (question.arguments() == null) {
            for (int round = 0; round < ROUNDS; round++) {
                twins.query(question.sql());
            }
            return;
        }
        Twins.Statement prepared = twins.prepare(question.sql());
        for (int round = 0; round < ROUNDS; round++) {
            twins.execute(prepared, question.arguments(), context);
        }
        twins.close(prepared);
    }

    private static void run(Twins twins, String sql) throws Exception {
        assertThat(twins.throughOnly(sql).isError()).as(sql).isFalse();
    }

    private static long hits(Twins twins) throws Exception {
        Answer answer = twins.throughOnly("SHOW STATUS LIKE 'Keyline_hits'");
        String row = answer.packets().get(answer.packets().size() - 2);
        byte[] cells = HexFormat.of().parseHex(row.substring(8));
        int value = 1 + cells[0];
        return Long.parseLong(new String(cells, value + 1, cells[value], StandardCharsets.US_ASCII));
    }

    private static String text(Answer answer) {
        return new String(HexFormat.of().parseHex(String.join("", answer.packets())), StandardCharsets.ISO_8859_1);
    }
}
