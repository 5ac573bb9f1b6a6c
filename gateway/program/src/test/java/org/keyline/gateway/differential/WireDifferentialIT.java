package org.keyline.gateway.differential;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.differential.GeneratedTable.Question;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.StatementArguments;

/**
 * The generated point reads of {@link PointReadDifferentialIT} in front of a store over the wire.
 * Each runs once at the store itself, and three times through the gateway, which forwards, loads
 * and hits. The replies must be the same bytes.
 *
 * <p>{@code -Dkeyline.mysql=PORT -Dkeyline.foreign=true} names a running store of another vendor;
 * fewer of its reads are answered from lines.
 */
@Tag("explores")
final class WireDifferentialIT {
    private static final int QUESTIONS = Integer.getInteger("keyline.differential.wire", 1_000);
    private static final int QUESTIONS_PER_TABLE = 50;
    private static final List<String> PREFIXES = List.of("1", "auto", "full", "0");
    private static final long SEED = Long.getLong("keyline.differential.seed", 20_261_121L);

    private final List<GeneratedTable> tables = new ArrayList<>();
    private MariaDb store;

    @BeforeEach
    void tables() throws Exception {
        store = MariaDb.get("second");
        try (RawClient straight = client(store.port(), true, null)) {
            straight.query("DROP DATABASE IF EXISTS gen");
            straight.run("CREATE DATABASE gen");
            straight.run("USE gen");
            for (int i = 0; i < (QUESTIONS + QUESTIONS_PER_TABLE - 1) / QUESTIONS_PER_TABLE; i++) {
                boolean ranged = PREFIXES.get(i % PREFIXES.size()).equals("0");
                GeneratedTable table = new GeneratedTable(SEED + i, "t" + i, ranged, true);
                straight.run(table.create());
                String insert = table.insert();
                if (insert != null) {
                    straight.run(insert);
                }
                tables.add(table);
            }
        }
    }

    private RawClient client(int port, boolean deprecateEof, @Nullable String schema) throws Exception {
        ClientOptions options = ClientOptions.of("127.0.0.1", port, MariaDb.USER)
                .password(MariaDb.PASSWORD)
                .capabilities(ClientOptions.DEFAULT_CAPABILITIES
                        & ~(deprecateEof ? 0 : Capabilities.CLIENT_DEPRECATE_EOF)
                        & ~Capabilities.CLIENT_SSL)
                .database(schema)
                .retrievePublicKey(true)
                .build();
        return new RawClient(options);
    }

    @Test
    void answers_ofStoreLoadAndLine_areTheSameBytes() throws Exception {
        List<String> settings = new ArrayList<>(List.of("filter.enabled=true"));
        for (int i = 0; i < tables.size(); i++) {
            settings.add("tables.gen.t" + i + ".prefix=" + PREFIXES.get(i % PREFIXES.size()));
        }
        try (RelayGateway gateway = RelayGateway.start(store, settings.toArray(String[]::new));
                RawClient straight = client(store.port(), true, "gen");
                RawClient through = client(gateway.port(), true, "gen");
                RawClient oldStraight = client(store.port(), false, "gen");
                RawClient oldThrough = client(gateway.port(), false, "gen")) {
            int errors = 0;
            for (int i = 0; i < QUESTIONS; i++) {
                GeneratedTable table = tables.get(i / QUESTIONS_PER_TABLE);
                Random random = new Random(SEED + i);
                Question question = table.question(random.nextBoolean());
                boolean old = random.nextInt(4) == 0;
                String context = "seed " + SEED + ", question " + i + ": " + question.sql() + " " + question.bound()
                        + "\n" + table.create();
                errors += ask(question, old ? oldStraight : straight, old ? oldThrough : through, context) ? 1 : 0;
            }
            long hits = PointReadDifferentialIT.counter(through, "Keyline_hits");
            System.getLogger("differential")
                    .log(System.Logger.Level.INFO, QUESTIONS + " questions, " + hits + " hits, " + errors + " errors");
            // Without hits, the comparison would prove nothing.
            assertThat(hits).isGreaterThan(QUESTIONS / (MariaDb.isForeign() ? 20 : 5));
            assertThat(errors).isLessThan(QUESTIONS / 3);
        }
    }

    /** Returns whether the answer was an error. */
    private static boolean ask(Question question, RawClient straight, RawClient through, String context)
            throws Exception {
        StatementArguments arguments = question.arguments();
        int straightId = arguments == null ? 0 : straight.prepare(question.sql());
        int throughId = arguments == null ? 0 : through.prepare(question.sql());
        assertThat(throughId < 0).as(context).isEqualTo(straightId < 0);
        if (straightId < 0) {
            return true;
        }
        Answer told = arguments == null ? straight.query(question.sql()) : straight.execute(straightId, arguments);
        // The gateway supports CLIENT_DEPRECATE_EOF even if the store does not.
        Answer expected = through.deprecatesEof() && !straight.deprecatesEof() ? told.withDeprecatedEof() : told;
        for (int round = 0; round < 3; round++) {
            Answer actual = arguments == null ? through.query(question.sql()) : through.execute(throughId, arguments);
            if (question.ordered()) {
                assertThat(actual.withAnyIndex().packets())
                        .as("round %d of %s", round, context)
                        .isEqualTo(expected.withAnyIndex().packets());
            } else {
                assertThat(actual.withAnyIndex().asSet())
                        .as("round %d of %s", round, context)
                        .isEqualTo(expected.withAnyIndex().asSet());
            }
        }
        if (arguments != null) {
            straight.closeStatement(straightId);
            through.closeStatement(throughId);
        }
        return expected.isError();
    }
}
