package org.keyline.gateway.differential;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.Gateway;
import org.keyline.gateway.config.ConfigException;
import org.keyline.gateway.config.ConfigLoader;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.gateway.differential.GeneratedTable.Question;
import org.keyline.protocol.client.StatementArguments;

/**
 * Generated reads: of points, of ranges, by conditions, and of distinct keys. Each runs four times.
 * One gateway never answers from lines. The other one forwards the first execution, loads for the
 * second, and hits for the third. All four replies must be the same bytes, in the text and in the
 * binary protocol, with both kinds of end packets.
 */
@Tag("explores")
final class PointReadDifferentialIT {
    private static final int QUESTIONS = Integer.getInteger("keyline.differential.questions", 600);
    private static final int QUESTIONS_PER_TABLE = 50;
    private static final List<String> PREFIXES = List.of("1", "auto", "full", "0");
    private static final long SEED = Long.getLong("keyline.differential.seed", 20_261_121L);

    private Gateway plain;
    private Gateway cached;

    @BeforeEach
    void start() throws Exception {
        plain = Gateway.start(config(false));
        cached = Gateway.start(config(true));
    }

    private static GatewayConfig config(boolean cache) throws ConfigException {
        ConfigLoader loader = new ConfigLoader(Map.of())
                .set("listen", "127.0.0.1:0")
                .set("http", "127.0.0.1:0")
                .set("store.url", "duckdb:memory")
                .set("eventLoops", "1")
                .set("cache.enabled", Boolean.toString(cache))
                .set("filter.enabled", "true");
        for (int table = 0; table < tables(); table++) {
            loader.set("tables.gen.t" + table + ".prefix", PREFIXES.get(table % PREFIXES.size()));
        }
        return loader.load();
    }

    private static boolean isRanged(int table) {
        return PREFIXES.get(table % PREFIXES.size()).equals("0");
    }

    private static int tables() {
        return (QUESTIONS + QUESTIONS_PER_TABLE - 1) / QUESTIONS_PER_TABLE;
    }

    @AfterEach
    void stop() {
        plain.close();
        cached.close();
    }

    @Test
    void answers_fromStoreLoadAndLine_areTheSameBytes() throws Exception {
        int errors = 0;
        try (RawClient direct = client(plain, true);
                RawClient through = client(cached, true);
                RawClient oldDirect = client(plain, false);
                RawClient oldThrough = client(cached, false)) {
            for (RawClient client : List.of(direct, through)) {
                client.run("CREATE DATABASE gen");
            }
            for (RawClient client : List.of(direct, through, oldDirect, oldThrough)) {
                client.run("USE gen");
            }
            for (int table = 0; table < tables(); table++) {
                GeneratedTable generated = create(table, direct, through);
                Random random = new Random(SEED + table);
                for (int i = 0; i < QUESTIONS_PER_TABLE; i++) {
                    Question question = generated.question(random.nextBoolean());
                    boolean old = random.nextInt(4) == 0;
                    String context = "seed " + SEED + ", table " + table + ", question " + i + ": " + question.sql()
                            + " " + question.bound() + "\n" + generated.create();
                    errors += ask(question, old ? oldDirect : direct, old ? oldThrough : through, context) ? 1 : 0;
                }
            }
            long hits = counter(through, "Keyline_hits");
            long absent = counter(through, "Keyline_absent_hits");
            long filtered = filterHits(through);
            System.getLogger("differential")
                    .log(
                            System.Logger.Level.INFO,
                            QUESTIONS + " questions, " + hits + " hits, " + absent + " of them absent, " + filtered
                                    + " on filter lines, " + errors + " errors");
            // Without hits, the comparison would prove nothing.
            assertThat(hits).isGreaterThan(QUESTIONS / 3);
            assertThat(absent).isGreaterThan(QUESTIONS / 50);
            assertThat(filtered).isGreaterThan(QUESTIONS / 50);
            assertThat(errors).isLessThan(QUESTIONS / 5);
        }
    }

    private RawClient client(Gateway gateway, boolean deprecateEof) throws Exception {
        return new RawClient(gateway.listening().port(), deprecateEof);
    }

    private static GeneratedTable create(int table, RawClient direct, RawClient through) throws Exception {
        GeneratedTable generated = new GeneratedTable(SEED + table, "t" + table, isRanged(table));
        for (RawClient client : List.of(direct, through)) {
            client.run(generated.create());
            String insert = generated.insert();
            if (insert != null) {
                client.run(insert);
            }
        }
        return generated;
    }

    /** Returns whether the answer was an error. */
    private static boolean ask(Question question, RawClient direct, RawClient through, String context)
            throws Exception {
        StatementArguments arguments = question.arguments();
        int directId = arguments == null ? 0 : direct.prepare(question.sql());
        int throughId = arguments == null ? 0 : through.prepare(question.sql());
        assertThat(throughId < 0).as(context).isEqualTo(directId < 0);
        if (directId < 0) {
            return true;
        }
        Answer expected = arguments == null ? direct.query(question.sql()) : direct.execute(directId, arguments);
        for (int round = 0; round < 3; round++) {
            Answer actual = arguments == null ? through.query(question.sql()) : through.execute(throughId, arguments);
            if (question.ordered()) {
                assertThat(actual.packets())
                        .as("round %d of %s", round, context)
                        .isEqualTo(expected.packets());
            } else {
                assertThat(actual.asSet()).as("round %d of %s", round, context).isEqualTo(expected.asSet());
            }
        }
        if (arguments != null) {
            direct.closeStatement(directId);
            through.closeStatement(throughId);
        }
        return expected.isError();
    }

    static long counter(RawClient client, String name) throws Exception {
        return number(client.query("SHOW STATUS LIKE '" + name + "'"), 1);
    }

    private static long filterHits(RawClient client) throws Exception {
        long hits = 0;
        for (int table = 0; table < tables(); table++) {
            String of = " FROM keyline.filters WHERE table_name = 't" + table + "'";
            hits += number(client.query("SELECT exact_hits" + of), 0);
            hits += number(client.query("SELECT contained_hits" + of), 0);
        }
        return hits;
    }

    /** Returns the cell at an index of the only row. */
    private static long number(Answer answer, int cell) {
        // The packet before the last is the row, unless it is a definition.
        String row = answer.packets().get(answer.packets().size() - 2);
        byte[] cells = io.netty.buffer.ByteBufUtil.decodeHexDump(row.substring(8));
        int at = 0;
        for (int i = 0; i < cell; i++) {
            at += 1 + cells[at];
        }
        String text = new String(cells, at + 1, cells[at], java.nio.charset.StandardCharsets.US_ASCII);
        return text.matches("[0-9]+") ? Long.parseLong(text) : 0;
    }
}
