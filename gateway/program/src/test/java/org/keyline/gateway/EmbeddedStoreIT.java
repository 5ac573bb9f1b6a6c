package org.keyline.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.DemoGateway;
import org.keyline.gateway.fixtures.TestClient;

/**
 * The gateway in front of the embedded store: lines and rows agree, and users have exactly their
 * rights.
 */
final class EmbeddedStoreIT {
    @Test
    void keysUnderADeclaredCollation_areComparedAsTheStoreComparesThem() throws Exception {
        try (DemoGateway demo = DemoGateway.start();
                TestClient client = TestClient.connect(demo.address(), "demo")) {
            for (String type : List.of("VARCHAR(10)", "CHAR(10)")) {
                client.query("CREATE TABLE c (k " + type
                        + " PRIMARY KEY, v INT) CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci");
                client.query("INSERT INTO c VALUES ('a', 1), ('A', 2)");
                for (int round = 0; round < 3; round++) {
                    assertThat(client.query("SELECT v FROM c WHERE k = 'a'").rows())
                            .containsExactly(List.of("1"));
                    assertThat(client.query("SELECT v FROM c WHERE k = 'A'").rows())
                            .containsExactly(List.of("2"));
                    assertThat(client.query("SELECT v FROM c WHERE k IN ('a ')").rows())
                            .isEqualTo(client.query("SELECT v FROM c WHERE k IN ('a ') AND 1 = 1")
                                    .rows());
                    assertThat(client.query("SELECT v FROM c WHERE k = '\u00e1'")
                                    .rows())
                            .isEmpty();
                }
                assertThat(client.query("KEYLINE LAST").rows().get(0)).containsExactly("source", "line");
                client.query("REPLACE INTO c VALUES ('A', 3)");
                assertThat(client.query("SELECT v FROM c WHERE k = 'a'").rows()).containsExactly(List.of("1"));
                assertThat(client.query("SELECT v FROM c WHERE k = 'A'").rows()).containsExactly(List.of("3"));
                client.query("DROP TABLE c");
            }
        }
    }

    /** Hints and variables of Doris that choose how a statement runs have no effect on lines. */
    @Test
    void variablesOfDorisThatChangeNoAnswer_leaveHitsOn() throws Exception {
        try (DemoGateway demo = DemoGateway.start();
                TestClient client = TestClient.connect(demo.address(), "demo")) {
            client.query("CREATE TABLE h (k INT PRIMARY KEY, v INT)");
            client.query("INSERT INTO h VALUES (1, 10)");
            client.query("SET enable_short_circuit_query = true, parallel_pipeline_task_num = 4");
            String hinted =
                    "SELECT /*+ SET_VAR(enable_nereids_planner=true, enable_short_circuit_query=false) */ * FROM h WHERE k = 1";
            for (int round = 0; round < 3; round++) {
                assertThat(client.query(hinted).rows()).containsExactly(List.of("1", "10"));
            }
            assertThat(client.query("KEYLINE LAST").rows().get(0)).containsExactly("source", "line");
            for (int round = 0; round < 3; round++) {
                client.query("SELECT /*+ SET_VAR(skip_delete_sign=true) */ * FROM h WHERE k = 1");
            }
            assertThat(client.query("KEYLINE LAST").rows().get(0)).containsExactly("source", "store");
        }
    }

    /** Doris uses its short circuit only for equality on the whole key. */
    @Test
    void explain_tellsOfDorisShortCircuit_whereDorisTakesIt() throws Exception {
        try (DemoGateway demo = DemoGateway.start();
                TestClient client = TestClient.connect(demo.address(), "demo")) {
            client.query("CREATE TABLE e (k INT NOT NULL, v INT) UNIQUE KEY(k) DISTRIBUTED BY HASH(k)"
                    + " PROPERTIES('store_row_column' = 'true')");
            for (String sql :
                    List.of("k = 1", "k IN (1)", "k = 1 AND v = 2", "k = 1 LIMIT 1", "k IN (1, 2)", "k > 1")) {
                boolean shortCircuit = sql.equals("k = 1") || sql.equals("k IN (1)");
                String read = "SELECT * FROM e WHERE " + sql;
                assertThat(client.query("EXPLAIN " + read).rows().contains(List.of("  SHORT-CIRCUIT")))
                        .as(read)
                        .isEqualTo(shortCircuit);
                assertThat(client.query("KEYLINE EXPLAIN " + read)
                                .rows()
                                .contains(List.of("at the store", "SHORT-CIRCUIT")))
                        .as(read)
                        .isEqualTo(shortCircuit);
            }
        }
    }
}
