package org.keyline.gateway.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.keyline.gateway.fixtures.Lines.run;
import static org.keyline.gateway.fixtures.Lines.status;
import static org.keyline.gateway.tier.TierGateways.NAMES;
import static org.keyline.gateway.tier.TierGateways.read;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RedisServer;

/**
 * Three gateways read the store hardly more often than one, by the store's own counters. Clients
 * read rows of which some are much more popular than others.
 */
@Tag("explores")
final class TierLoadsIT {
    private static final int ROWS = 20_000;
    private static final List<String> TABLES = List.of("one", "two", "two_again", "three", "three_again", "apart");
    private static final int CLIENTS = 6;
    private static final int READS = Integer.getInteger("keyline.tier.reads", 2_000);

    /** The number of additional periodic statements of the gateways. */
    private static final int BESIDE = 20;

    /**
     * The work of the store.
     *
     * @param rows that it looked up by their key; one statement may ask for several
     * @param late loads for which the tier was too slow
     * @param waited loads that waited for another gateway's
     */
    private record Asked(long rows, long statements, long late, long waited) {}

    @Test
    void loads_ofThreeGateways_areHardlyMoreThanThoseOfOne() throws Exception {
        assumeTrue(RedisServer.isInstalled(), "there is no redis-server");
        MariaDb store = MariaDb.get("second");
        try (Connection straight = store.connect("")) {
            run(straight, "DROP DATABASE IF EXISTS tierloads", "CREATE DATABASE tierloads", "USE tierloads");
            for (String table : TABLES) {
                run(
                        straight,
                        "CREATE TABLE " + table + " (id INT PRIMARY KEY, n INT)",
                        "INSERT INTO " + table + " SELECT seq, seq FROM seq_0_to_" + (ROWS - 1));
            }
        }
        try (RedisServer redis = RedisServer.start();
                TierGateways gateways = new TierGateways(store, redis, "tables.tierloads.apart.tierUse=local")) {
            Asked one = asked(gateways, "one", 1);
            Asked two = shared(gateways, "two", 2, one);
            Asked three = shared(gateways, "three", NAMES.size(), one);
            Asked apart = asked(gateways, "apart", NAMES.size());
            System.out.printf("%d reads of %d clients%n", READS * CLIENTS, CLIENTS);
            report("one gateway", one, one);
            report("two", two, one);
            report("three", three, one);
            report("three that do not share lines", apart, one);
            for (Asked several : new Asked[] {two, three}) {
                assertThat(several.rows() - several.late()).isLessThanOrEqualTo(most(one));
            }
            assertThat(apart.rows()).isGreaterThan(one.rows() + one.rows() / 5);
        }
    }

    private static long most(Asked one) {
        return one.rows() + one.rows() / 10 + BESIDE;
    }

    /**
     * Gateways that share lines read a table, and another one if necessary: a gateway whose links a
     * busy machine delays for longer than the staleness drops its lines.
     */
    private static Asked shared(TierGateways gateways, String table, int used, Asked one) throws Exception {
        Asked first = asked(gateways, table, used);
        return first.rows() - first.late() <= most(one) ? first : asked(gateways, table + "_again", used);
    }

    private static void report(String gateways, Asked asked, Asked one) {
        System.out.printf(
                "%s: the store looked up %d rows (%.3fx) in %d statements; the tier was late %d times, %d loads waited for another"
                        + " gateway's%n",
                gateways,
                asked.rows(),
                (double) asked.rows() / one.rows(),
                asked.statements(),
                asked.late(),
                asked.waited());
    }

    private static Asked asked(TierGateways gateways, String table, int used) throws Exception {
        for (int gateway = 0; gateway < used; gateway++) {
            try (Connection client = gateways.connect(gateway, "tierloads")) {
                // The first answers of a statement, and of a table, come from the store.
                await().atMost(Duration.ofMinutes(1)).until(() -> {
                    read(client, sql(table, 0));
                    return read(client, "SELECT source FROM keyline.last").equals("line");
                });
            }
        }
        Asked before = counts(gateways);
        List<CompletableFuture<Void>> clients = new ArrayList<>();
        for (int client = 0; client < CLIENTS; client++) {
            int number = client;
            clients.add(CompletableFuture.runAsync(
                    () -> readAll(gateways, number % used, table, new Random(number)),
                    task -> new Thread(task).start()));
        }
        clients.forEach(CompletableFuture::join);
        Asked after = counts(gateways);
        return new Asked(
                after.rows() - before.rows(),
                after.statements() - before.statements(),
                after.late() - before.late(),
                after.waited() - before.waited());
    }

    private static void readAll(TierGateways gateways, int gateway, String table, Random random) {
        try (Connection client = gateways.connect(gateway, "tierloads")) {
            for (int i = 0; i < READS; i++) {
                // Ranks of a Zipf distribution with an exponent near one.
                int id = (int) Math.exp(random.nextDouble() * Math.log(ROWS));
                assertThat(read(client, sql(table, id))).isEqualTo(String.valueOf(id));
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String sql(String table, int id) {
        return "SELECT n FROM " + table + " WHERE id = " + id;
    }

    private static Asked counts(TierGateways gateways) throws SQLException {
        long late = 0;
        long waited = 0;
        for (int gateway = 0; gateway < NAMES.size(); gateway++) {
            try (Connection client = gateways.connect(gateway, "tierloads")) {
                late += status(client, "keyline_tier_late");
                waited += status(client, "keyline_tier_waited");
            }
        }
        try (Connection straight = gateways.store.connect("tierloads")) {
            return new Asked(count(straight, "HANDLER_READ_KEY"), count(straight, "COM_SELECT"), late, waited);
        }
    }

    private static long count(Connection straight, String name) throws SQLException {
        return Long.parseLong(read(
                straight,
                "SELECT CAST(variable_value AS SIGNED) FROM information_schema.global_status WHERE variable_name = '"
                        + name + "'"));
    }
}
