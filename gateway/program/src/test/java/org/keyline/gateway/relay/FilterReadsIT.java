package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.keyline.gateway.differential.Answer;
import org.keyline.protocol.client.StatementArguments;

/**
 * Generated reads by conditions on any columns, of every type and collation that is compared; often
 * one within the result of another. Each runs at a MariaDB and at a gateway in front of it: the
 * same packets, in the text and in the binary protocol, except for the flags about indexes.
 *
 * <p>{@code -Dkeyline.filters.questions=N} sets the number, {@code -Dkeyline.filters.seed=N} the
 * seed.
 */
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
                await(known).until(() -> twins.readable(known).contains("SHORT-CIRCUIT"));
                for (int i = 0; i < QUESTIONS / RangeQuestions.types(); i++) {
                    twins.ask(
                            ROUNDS,
                            all.get(table).nextFilter(),
                            "seed " + SEED + ", table " + table + ", question " + i);
                }
                String of = " FROM keyline.filters WHERE table_name = 't" + table + "'";
                exact += number(twins, "SELECT exact_hits" + of);
                contained += number(twins, "SELECT contained_hits" + of);
            }
            System.out.println(QUESTIONS + " questions by conditions, " + exact + " hits on the very conditions, "
                    + contained + " on weaker ones");
            // Without hits, the comparison would prove nothing.
            assertThat(exact).isGreaterThan(QUESTIONS / 5);
            assertThat(contained).isGreaterThan(QUESTIONS / 10);
        }
    }

    /**
     * Each read runs often enough that its last answer would come from a line, had nothing changed.
     */
    @Test
    void filter_ofATableThatIsWritten_isTheStoresAnswer() throws Exception {
        try (Twins owner = SESSIONS.open()) {
            owner.run("DROP DATABASE IF EXISTS sought");
            owner.run("CREATE DATABASE sought");
            owner.run("CREATE TABLE sought.t (k INT PRIMARY KEY, a INT, b VARCHAR(9), KEY (a))");
            owner.run("INSERT INTO sought.t VALUES (1, 10, 'x'), (2, 20, 'y'), (3, 30, NULL), (4, 40, 'x')");
        }
        try (Twins writer = SESSIONS.open();
                Twins twins = SESSIONS.open().withAnyIndex()) {
            String count = "SELECT COUNT(*) FROM sought.t WHERE a >= 20";
            String rows = "SELECT * FROM sought.t WHERE a >= 20 AND b IS NOT NULL ORDER BY k";
            List<String> reads = List.of(count, rows);
            answeredFromLines(twins, reads);
            assertThat(twins.readable("KEYLINE LAST")).contains("filter line", "of weaker conditions");
            assertThat(twins.readable("KEYLINE EXPLAIN " + rows)).contains("SHORT-CIRCUIT", "(`a` >= 20)", "in memory");
            for (String write : List.of(
                    "UPDATE sought.t SET b = 'z' WHERE k = 2",
                    "INSERT INTO sought.t VALUES (5, 50, 'n')",
                    "DELETE FROM sought.t WHERE k = 4",
                    "UPDATE sought.t SET a = 19 WHERE k = 5",
                    "REPLACE INTO sought.t VALUES (1, 21, 'q')",
                    "UPDATE sought.t SET a = a + 1",
                    "TRUNCATE sought.t")) {
                answeredFromLines(twins, reads);
                writer.run(write);
                for (String read : reads) {
                    twins.query(read);
                }
            }
            writer.run("BEGIN");
            writer.run("INSERT INTO sought.t VALUES (1, 30, 'x')");
            for (String read : reads) {
                twins.query(read);
            }
            writer.run("COMMIT");
            for (String read : reads) {
                twins.query(read);
            }
            answeredFromLines(twins, reads);
            twins.run("KEYLINE FLUSH FILTERS sought.t");
            assertThat(twins.readable("KEYLINE EXPLAIN " + rows)).contains("not in memory");
            // Without ORDER BY, the store answers if an index may have another order, unless the
            // result has at most one row.
            for (int round = 0; round < ROUNDS; round++) {
                twins.query("SELECT * FROM sought.t WHERE a IN (30, 31)");
            }
            assertThat(twins.readable("KEYLINE LAST")).contains("of these conditions");
            writer.run("INSERT INTO sought.t VALUES (2, 31, 'y')");
            for (int round = 0; round < ROUNDS; round++) {
                twins.query("SELECT * FROM sought.t WHERE a IN (30, 31)");
            }
            assertThat(twins.readable("KEYLINE LAST")).contains("SEVERAL_ROWS");
        }
    }

    /**
     * An added row drops only the lines that may contain it: the very next read of any other line
     * is a hit.
     */
    @Test
    void insert_ofARowOutsideOfTheConditions_leavesTheLine() throws Exception {
        try (Twins owner = SESSIONS.open()) {
            owner.run("DROP DATABASE IF EXISTS added");
            owner.run("CREATE DATABASE added CHARACTER SET utf8mb4");
            owner.run("CREATE TABLE added.t (k INT PRIMARY KEY, a INT, b VARCHAR(9), c INT, KEY (a))");
            owner.run("INSERT INTO added.t VALUES (1, 10, 'x', 1), (2, 20, 'y', 1), (3, 30, NULL, 1)");
        }
        try (Twins writer = SESSIONS.open();
                Twins twins = SESSIONS.open().withAnyIndex()) {
            String above = "SELECT COUNT(*) FROM added.t WHERE a >= 20";
            String nulls = "SELECT COUNT(*) FROM added.t WHERE b IS NULL";
            answeredFromLines(twins, List.of(above));
            for (String outside : List.of(
                    "INSERT INTO added.t VALUES (4, 19, 'n', 1)",
                    "INSERT INTO added.t (c, k, a) VALUES (1, 5, -20)",
                    "INSERT INTO added.t SET k = 6, a = 0",
                    "INSERT IGNORE INTO added.t VALUES (7, 3, 'z', 1)",
                    "INSERT INTO added.t VALUES (10, 4, 'n', 1), (11, 5, 'n', 1), (12, 19, 'n', 1)",
                    "INSERT INTO added.t VALUES (10, 4, 'n', 1), (15, 5, 'n', 1) ON DUPLICATE KEY UPDATE c = 2",
                    "REPLACE INTO added.t VALUES (10, 6, 'm', 1), (16, 7, 'm', 1)")) {
                writer.run(outside);
                stillFromLines(twins, List.of(above), outside);
            }
            writer.throughOnly("INSERT INTO added.t VALUES (1, 19, 'there already', 1)");
            answeredFromLines(twins, List.of(above));
            Twins.Statement prepared = writer.prepare("INSERT INTO added.t VALUES (?, ?, 'p', 1)");
            writer.executeThroughOnly(
                    prepared, new StatementArguments().addInt64(8).addInt64(7));
            stillFromLines(twins, List.of(above), "prepared");
            for (String inside : List.of(
                    "INSERT INTO added.t VALUES (20, 20, 'n', 1)",
                    "INSERT INTO added.t VALUES (21, '21', 'n', 1)",
                    "INSERT INTO added.t VALUES (22, 21.7, 'n', 1)",
                    "INSERT INTO added.t VALUES (23, 1 + 40, 'n', 1)",
                    "INSERT INTO added.t VALUES (24, 5, 'n', 1), (25, 50, 'n', 1)",
                    "INSERT INTO added.t VALUES (2, 5, 'n', 1) ON DUPLICATE KEY UPDATE a = 5",
                    "REPLACE INTO added.t VALUES (3, 5, 'n', 1)",
                    "REPLACE INTO added.t VALUES (17, 5, 'n', 1), (18, 51, 'n', 1)",
                    "INSERT INTO added.t VALUES (10, 5, 'n', 1), (19, 5, 'n', 1) ON DUPLICATE KEY UPDATE a = 52",
                    "INSERT INTO added.t SELECT k + 100, 60, b, c FROM added.t WHERE k = 1")) {
                answeredFromLines(twins, List.of(above));
                writer.run(inside);
                twins.query(above);
                assertThat(twins.readable("KEYLINE LAST")).as(inside).doesNotContain("source line");
            }
            answeredFromLines(twins, List.of(nulls));
            writer.run("INSERT INTO added.t VALUES (30, 5, 'n', 1)");
            stillFromLines(twins, List.of(nulls), "no NULL");
            // A column without a given value is unknown.
            writer.run("INSERT INTO added.t (k, a) VALUES (31, 5)");
            twins.query(nulls);
            assertThat(twins.readable("KEYLINE LAST")).doesNotContain("source line");
            answeredFromLines(twins, List.of(above, nulls));
            writer.run("BEGIN");
            writer.run("INSERT INTO added.t VALUES (40, 5, 'n', 1)");
            writer.run("UPDATE added.t SET b = NULL WHERE k = 40");
            twins.query(nulls);
            stillFromLines(twins, List.of(above), "writes in a transaction");
            writer.run("COMMIT");
            twins.query(nulls);
            stillFromLines(twins, List.of(above), "its end");
            answeredFromLines(twins, List.of(above, nulls));
            writer.run("BEGIN");
            // The store cuts the text, and warns.
            writer.run("SET sql_mode = ''");
            writer.run("INSERT INTO added.t VALUES (41, 5, 'nnnnnnnnnnnn', 1)");
            writer.run("COMMIT");
            twins.query(above);
            twins.query(nulls);
        }
    }

    /**
     * A row that is changed by its key drops only the lines that contain it or may contain it
     * afterwards.
     */
    @Test
    void update_ofARowByItsKey_leavesTheLinesThatItIsNotIn() throws Exception {
        try (Twins owner = SESSIONS.open()) {
            owner.run("DROP DATABASE IF EXISTS changed");
            owner.run("CREATE DATABASE changed CHARACTER SET utf8mb4");
            owner.run(
                    "CREATE TABLE changed.t (k INT PRIMARY KEY, a INT, b VARCHAR(9), c INT, UNIQUE KEY (b), KEY (a))");
            owner.run(
                    "INSERT INTO changed.t VALUES (1, 10, 'x', 1), (2, 20, 'y', 1), (3, 30, NULL, 1), (4, 10, 'z', 1)");
        }
        try (Twins writer = SESSIONS.open();
                Twins twins = SESSIONS.open().withAnyIndex()) {
            String tens = "SELECT k, a, b, c FROM changed.t WHERE a = 10";
            String x = "SELECT k, a, c FROM changed.t WHERE b = 'x' LIMIT 1";
            List<String> both = List.of(tens, x);
            for (int round = 0; round < 2; round++) {
                // A write before the catalog has the table closes all fences.
                answeredFromLines(twins, both);
                writer.run("UPDATE changed.t SET a = 20, b = 'y' WHERE k = 2");
                writer.run("UPDATE changed.t SET a = 10, b = 'x' WHERE k = 1");
                for (String outside : List.of(
                        "UPDATE changed.t SET c = c + 1 WHERE k = 2",
                        "UPDATE changed.t SET a = 11 WHERE k = 2",
                        "UPDATE changed.t SET a = 21, b = 'yy' WHERE k = 2",
                        "UPDATE changed.t SET c = 9 WHERE k = 999",
                        "DELETE FROM changed.t WHERE k = 999",
                        "DELETE FROM changed.t WHERE k = 3 AND c = 1",
                        "INSERT INTO changed.t VALUES (5, 12, 'v', 1), (6, 13, 'w', 1)",
                        "UPDATE changed.t SET c = c + 1 WHERE k IN (2, 5, 6)",
                        "UPDATE changed.t SET a = 14 WHERE k IN (5, 6, 998)",
                        "DELETE FROM changed.t WHERE k IN (5, 6)")) {
                    answeredFromLines(twins, both);
                    writer.run(outside);
                    stillFromLines(twins, both, outside);
                }
                Twins.Statement prepared = writer.prepare("UPDATE changed.t SET c = ? WHERE k = ?");
                answeredFromLines(twins, both);
                writer.executeThroughOnly(
                        prepared, new StatementArguments().addInt64(77 + round).addInt64(2));
                stillFromLines(twins, both, "prepared");
                for (String inside : List.of(
                        "UPDATE changed.t SET c = c + 1 WHERE k = 1",
                        "UPDATE changed.t SET a = 10, b = 'x2' WHERE k = 2",
                        "UPDATE changed.t SET a = 5 + 6 WHERE k = 4",
                        "UPDATE changed.t SET b = 'xx' WHERE k = 1",
                        "UPDATE changed.t SET b = 'X' WHERE k = 1",
                        "UPDATE changed.t SET b = NULL WHERE k = 2",
                        "UPDATE changed.t SET a = '10' WHERE k = 4",
                        "UPDATE changed.t SET c = 3 WHERE b = 'x'",
                        "UPDATE changed.t SET c = 4 WHERE k IN (1, 2)",
                        "UPDATE changed.t SET a = 10 WHERE k IN (2, 998)",
                        "INSERT INTO changed.t VALUES (5, 12, 'v', 1), (6, 10, 'w', 1)",
                        "DELETE FROM changed.t WHERE k IN (5, 6)",
                        "DELETE FROM changed.t WHERE k = 4",
                        "REPLACE INTO changed.t VALUES (4, 10, 'z', 1)",
                        "INSERT INTO changed.t VALUES (4, 10, 'z', 1) ON DUPLICATE KEY UPDATE a = 11",
                        "UPDATE changed.t SET a = 10 WHERE k = 4")) {
                    answeredFromLines(twins, both);
                    writer.run(inside);
                    for (String read : both) {
                        twins.query(read);
                    }
                }
            }
            answeredFromLines(twins, both);
            writer.run("BEGIN");
            writer.run("UPDATE changed.t SET a = 10 WHERE k = 2");
            for (String read : both) {
                twins.query(read);
            }
            writer.run("ROLLBACK");
            for (String read : both) {
                twins.query(read);
            }
        }
    }

    private static void stillFromLines(Twins twins, List<String> reads, String as) throws Exception {
        for (String read : reads) {
            twins.query(read);
            for (int again = 0; again < ROUNDS && twins.readable("KEYLINE LAST").contains("NO_TEMPLATE"); again++) {
                // The definitions of other tests' tables were read meanwhile, so the statement was
                // planned again.
                twins.query(read);
            }
            assertThat(twins.readable("KEYLINE LAST"))
                    .as("%s after %s", read, as)
                    .contains("source line");
        }
    }

    /**
     * Such conditions are compared as texts. If other state determines their result, the read is
     * forwarded.
     */
    @Test
    void filter_opaqueConditions_areAnsweredWithinTheSameOnesOnly() throws Exception {
        try (Twins owner = SESSIONS.open()) {
            owner.run("DROP DATABASE IF EXISTS papers");
            owner.run("CREATE DATABASE papers CHARACTER SET utf8mb4");
            owner.run("CREATE TABLE papers.p (k INT PRIMARY KEY, t VARCHAR(40), l VARCHAR(20) CHARACTER SET latin1,"
                    + " y INT, FULLTEXT (t))");
            owner.run(
                    "INSERT INTO papers.p VALUES (1, 'Network flow', 'a_b', 2018), (2, 'A neural network', 'axb', 2019),"
                            + " (3, 'network', 'été', 2020), (4, 'trees', 'A\\\\b', 2020), (5, NULL, NULL, 2021)");
        }
        try (Twins twins = SESSIONS.open().withAnyIndex()) {
            String from = "SELECT COUNT(*) FROM papers.p WHERE ";
            String search = "MATCH(t) AGAINST('network')";
            answeredFromLines(twins, List.of(from + search + " AND y <= 2020"));
            answeredFromLines(twins, List.of(from + "y<=2019 AND MATCH (`T`) against ('network')"));
            assertThat(twins.readable("KEYLINE LAST")).contains("of weaker conditions");
            String explain = "KEYLINE EXPLAIN " + from + "y = 2018 AND ";
            assertThat(twins.readable(explain + search)).contains("(opaque)", "(exact)", "in memory");
            for (String other : List.of(
                    "MATCH(t) AGAINST('networks')",
                    "MATCH(t) AGAINST('network' IN BOOLEAN MODE)",
                    search + " AND t LIKE 'n%'",
                    "t LIKE 'network'")) {
                assertThat(twins.readable(explain + other)).as(other).contains("not in memory");
            }
            answeredFromLines(twins, List.of(from + "y <= 2020"));
            assertThat(twins.readable("KEYLINE EXPLAIN " + from + "y <= 2020 AND t LIKE '%net%'"))
                    .contains("not in memory");
            answeredFromLines(twins, List.of(from + "t LIKE '%net%'"));
            answeredFromLines(twins, List.of(from + "t LIKE '%NET%'"));
            assertThat(twins.readable("KEYLINE LAST")).contains("of these conditions");
            // If the column's character set lacks that character, the connection's collation
            // decides.
            answeredFromLines(twins, List.of(from + "l LIKE 'a%'"));
            twins.query(from + "l LIKE 'é%'");
            twins.query(from + "l LIKE 'é%'");
            assertThat(twins.readable("KEYLINE LAST")).contains("VALUE");
            // A backslash is an escape character, depending on the mode.
            String escape = from + "l LIKE 'a\\_b'";
            answeredFromLines(twins, List.of(escape));
            twins.query("SET sql_mode = 'NO_BACKSLASH_ESCAPES'");
            twins.query(escape);
            twins.query(escape);
            assertThat(twins.readable("KEYLINE LAST")).contains("SQL_MODE");
        }
    }

    /**
     * If a text is repeated with other bounds, all rows of the text are loaded; other bounds are
     * answered from them.
     */
    @Test
    void textThatComesAgain_isLoadedWithoutItsBounds() throws Exception {
        try (Twins owner = SESSIONS.open()) {
            owner.run("DROP DATABASE IF EXISTS journals");
            owner.run("CREATE DATABASE journals");
            owner.run("CREATE TABLE journals.j (k INT PRIMARY KEY, t VARCHAR(40), y INT, KEY (y))");
            owner.run(
                    "INSERT INTO journals.j WITH RECURSIVE s (seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM s WHERE seq < 300)"
                            + " SELECT seq, CONCAT('w', seq MOD 5, IF(seq MOD 7 = 0, 'é', 'e')), seq MOD 30 FROM s");
        }
        try (Twins twins = SESSIONS.open().withAnyIndex()) {
            String from = "SELECT k, t, y FROM journals.j WHERE t LIKE 'w%' AND y <= ";
            for (int word = 1; word < 5; word++) {
                answeredFromLines(twins, List.of(from.replace("%", word + "%") + "20 ORDER BY k"));
            }
            String text = "t LIKE 'w1%'";
            assertThat(twins.readable("KEYLINE EXPLAIN " + from.replace("%", "1%") + "21 ORDER BY k"))
                    .contains("not in memory", "(`t` LIKE 'w1%')")
                    .doesNotContain(" AND ");
            for (int bound = 29; bound >= 0; bound--) {
                twins.query(from.replace("%", "1%") + bound + " ORDER BY k");
                twins.query("SELECT COUNT(*) FROM journals.j WHERE y > " + bound + " AND " + text);
            }
            assertThat(twins.readable("KEYLINE LAST")).contains("filter line", "of weaker conditions");
            try (Twins writer = SESSIONS.open()) {
                writer.run("UPDATE journals.j SET y = 0 WHERE k = 1");
            }
            twins.query(from.replace("%", "1%") + "3 ORDER BY k");
            // Reads with another text, each bound once.
            for (int bound = 29; bound >= 0; bound--) {
                twins.query(from.replace("%", "2%") + bound + " AND t <> 'w2é' ORDER BY k");
            }
        }
    }

    /**
     * Repeats each read until a line answers it, before the next one: a load may also serve later
     * reads.
     */
    private static void answeredFromLines(Twins twins, List<String> reads) {
        for (String read : reads) {
            await(read).atMost(1, TimeUnit.MINUTES).until(() -> {
                twins.query(read);
                return twins.readable("KEYLINE LAST").contains("filter line");
            });
        }
    }

    /** Returns the number in the first cell of the first row. */
    private static long number(Twins twins, String sql) throws Exception {
        Answer answer = twins.throughOnly(sql);
        assertThat(answer.isError()).as(sql).isFalse();
        String row = answer.packets().get(answer.packets().size() - 2);
        byte[] cells = HexFormat.of().parseHex(row.substring(8));
        return Long.parseLong(new String(cells, 1, cells[0], StandardCharsets.US_ASCII));
    }
}
