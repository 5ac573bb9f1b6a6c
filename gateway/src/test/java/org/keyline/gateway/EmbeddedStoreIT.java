package org.keyline.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.DemoGateway;
import org.keyline.gateway.fixtures.TestClient;

/** The gateway in front of its own store: lines and rows agree, and users have the rights they are given. */
final class EmbeddedStoreIT {
    @Test
    void keysUnderADeclaredCollation_areComparedAsTheStoreComparesThem() throws Exception {
        try (DemoGateway demo = DemoGateway.start();
                TestClient client = TestClient.connect(demo.address(), "demo")) {
            for (String type : List.of("VARCHAR(10)", "CHAR(10)")) {
                client.query("CREATE TABLE c (k " + type + " COLLATE utf8mb4_general_ci PRIMARY KEY, v INT)");
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
}
