package org.keyline.gateway.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.keyline.gateway.fixtures.Lines.run;
import static org.keyline.gateway.fixtures.Lines.soon;
import static org.keyline.gateway.fixtures.Lines.status;
import static org.keyline.gateway.tier.TierGateways.read;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RedisCluster;
import org.keyline.gateway.fixtures.RedisServer;

/**
 * A cluster of three primaries as the tier: each has a part of the lines, and if one is lost, so is
 * its part.
 */
final class TierClusterIT {
    private static final int ROWS = 20_000;
    private static final int COUNT = 150;

    private static String source(Connection client) throws SQLException {
        return read(client, "SELECT source FROM keyline.last");
    }

    private static String byId(int id) {
        return "SELECT n FROM numbers WHERE id = " + id;
    }

    /**
     * Reads rows through one gateway, then through another one; returns the sources of the second
     * one's answers.
     */
    private static Map<String, Integer> answers(Connection first, Connection second, int from) throws SQLException {
        for (int id = from; id < from + COUNT; id++) {
            assertThat(read(first, byId(id))).isEqualTo(String.valueOf(10 * id));
        }
        Map<String, Integer> answers = new TreeMap<>();
        for (int id = from; id < from + COUNT; id++) {
            assertThat(read(second, byId(id))).isEqualTo(String.valueOf(10 * id));
            answers.merge(source(second), 1, Integer::sum);
        }
        return answers;
    }

    @Test
    void lines_areOnAllServersOfACluster_andThoseOfOneThatIsGoneAreLoaded() throws Exception {
        assumeTrue(RedisServer.isInstalled(), "there is no redis-server");
        MariaDb store = MariaDb.get("second");
        store.run(
                "DROP DATABASE IF EXISTS tiercluster",
                "CREATE DATABASE tiercluster",
                "USE tiercluster",
                "CREATE TABLE numbers (id INT PRIMARY KEY, n INT)",
                "INSERT INTO numbers SELECT seq, 10 * seq FROM seq_0_to_" + (ROWS - 1));
        try (RedisCluster cluster = RedisCluster.start(3);
                TierGateways gateways =
                        new TierGateways(store, cluster.servers().get(0), "tier.url=" + cluster.url());
                Connection first = gateways.connect(0, "tiercluster");
                Connection second = gateways.connect(1, "tiercluster")) {
            int[] from = {1};
            // The first answers of a statement and a table come from the store, and each server's
            // connection is opened on demand.
            soon("the other gateways").until(() -> {
                Map<String, Integer> answers = answers(first, second, from[0]);
                from[0] += COUNT;
                return answers.getOrDefault("tier", 0) > COUNT * 3 / 4;
            });
            for (RedisServer server : cluster.servers()) {
                assertThat(Integer.parseInt(server.run("DBSIZE").substring(1)))
                        .as("lines on one of three servers")
                        .isGreaterThan(COUNT / 10);
            }
            assertThat(status(second, "keyline_tier_connected")).isEqualTo(1);

            // A write is seen, whichever server has its row's line.
            for (int id = from[0] - 9; id < from[0]; id++) {
                int written = id;
                run(first, "UPDATE numbers SET n = -1 WHERE id = " + id);
                soon("the other gateways")
                        .until(() -> read(second, byId(written)).equals("-1"));
            }

            cluster.servers().get(2).kill();
            soon("the other gateways").until(() -> {
                Map<String, Integer> answers = answers(first, second, from[0]);
                from[0] += COUNT;
                // Two thirds of the lines are left; no read waits for the others.
                return answers.getOrDefault("tier", 0) > COUNT / 3 && answers.getOrDefault("load", 0) > COUNT / 10;
            });
        }
    }
}
