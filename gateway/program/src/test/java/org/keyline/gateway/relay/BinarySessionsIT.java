package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.keyline.protocol.client.StatementArguments;

/**
 * Sessions whose strings have no character set, as MediaWiki's. Lines answer them if the compared
 * columns are bytes or numbers.
 */
class BinarySessionsIT {
    private static final int ROUNDS = 4;

    @RegisterExtension
    static final TwinSessions SESSIONS = new TwinSessions();

    @Test
    void binarySession_isAnsweredFromLines_whereItComparesBytes() throws Exception {
        try (Twins owner = SESSIONS.open()) {
            for (String sql : List.of(
                    "DROP DATABASE IF EXISTS wiki",
                    "CREATE DATABASE wiki CHARACTER SET binary",
                    "CREATE TABLE wiki.page (id INT PRIMARY KEY, ns INT, title VARBINARY(60), shown VARCHAR(20)"
                            + " CHARACTER SET utf8mb4, old VARCHAR(20) CHARACTER SET latin1, UNIQUE KEY (ns, title))",
                    "INSERT INTO wiki.page VALUES (1, 0, 'Main', 'grün', 'grün'), (2, 0, 'main', 'x', 'y'),"
                            + " (3, 0, 'Grün', NULL, NULL), (4, 1, x'ff00c3', 'é', 'é')",
                    "CREATE TABLE wiki.user (name VARBINARY(60) PRIMARY KEY, n INT)",
                    "INSERT INTO wiki.user VALUES ('Ana', 1), ('ana', 2), ('Ána', 3)",
                    "CREATE TABLE wiki.words (w VARCHAR(20) CHARACTER SET latin1 PRIMARY KEY, n INT)",
                    "INSERT INTO wiki.words VALUES ('grün', 1), ('gr', 2)",
                    "CREATE TABLE wiki.texts (w VARCHAR(20) CHARACTER SET utf8mb4 PRIMARY KEY, n INT)",
                    "INSERT INTO wiki.texts VALUES ('grün', 1), ('gr', 2)")) {
                assertThat(owner.throughOnly(sql).isError()).as(sql).isFalse();
            }
        }
        try (Twins twins = SESSIONS.open().withAnyIndex();
                Twins writer = SESSIONS.open()) {
            twins.query("SET NAMES binary");
            List<String> hits = List.of(
                    "SELECT n FROM wiki.user WHERE name = 'Ana'",
                    "SELECT name, n FROM wiki.user WHERE name IN ('ana', 'Ána', 'ÁNA')",
                    "SELECT id, title, 'p' AS kind FROM wiki.page WHERE ns = 0 AND title = 'Grün' LIMIT 1",
                    "SELECT * FROM wiki.page WHERE title = 'main'",
                    "SELECT * FROM wiki.page WHERE id = 4",
                    "SELECT COUNT(*) FROM wiki.page WHERE ns = 0");
            for (String read : hits) {
                await(read).atMost(1, TimeUnit.MINUTES).untilAsserted(() -> {
                    twins.query(read);
                    assertThat(twins.readable("KEYLINE LAST")).contains("source line");
                });
            }
            // For text columns, the store compares the characters that the bytes represent in the
            // column's character set.
            for (String read : List.of(
                    "SELECT n FROM wiki.words WHERE w = 'grün'",
                    "SELECT n FROM wiki.words WHERE w = 'gr'",
                    "SELECT n FROM wiki.texts WHERE w = 'GRÜN'",
                    "SELECT id FROM wiki.page WHERE shown = 'É'",
                    "SELECT id FROM wiki.page WHERE old = 'grün'")) {
                for (int round = 0; round < ROUNDS; round++) {
                    twins.query(read);
                }
                assertThat(twins.readable("KEYLINE LAST")).as(read).contains("source store");
            }
            Twins.Statement byName = twins.prepare("SELECT n, name FROM wiki.user WHERE name = ?");
            for (int round = 0; round < ROUNDS; round++) {
                twins.execute(byName, new StatementArguments().addText("Ána"), "prepared");
            }
            assertThat(twins.readable("KEYLINE LAST")).contains("source line");
            // A write in such a session fences all keys that it may write, whatever its bytes
            // represent.
            String word = "SELECT n FROM wiki.words WHERE w = 'gr'";
            await(word).atMost(1, TimeUnit.MINUTES).until(() -> {
                writer.query(word);
                return writer.readable("KEYLINE LAST").contains("source line");
            });
            twins.throughOnly("UPDATE wiki.words SET n = 7 WHERE w = 'gr'");
            writer.query(word);
            twins.throughOnly("UPDATE wiki.user SET n = 8 WHERE name = 'Ana'");
            twins.throughOnly("UPDATE wiki.page SET title = 'Other' WHERE id = 2");
            for (String read : hits) {
                twins.query(read);
            }
        }
    }
}
