package org.keyline.planner.statement;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.planner.Catalog;
import org.keyline.planner.Forward;
import org.keyline.planner.Planner;
import org.keyline.planner.StatementKind;
import org.keyline.planner.TableSchema;
import org.keyline.planner.digest.Digester;
import org.keyline.planner.digest.SqlMode;

final class KeylineViewsTest {
    /** A store without tables, which may have a schema of the views' name. */
    private record Named(boolean hasKeyline) implements Catalog {
        @Override
        public @Nullable TableSchema table(String schema, String table) {
            return null;
        }

        @Override
        public long version() {
            return 1;
        }

        @Override
        public boolean hasSchema(String schema) {
            return hasKeyline;
        }
    }

    private static StatementKind kind(String sql, Catalog catalog) {
        byte[] text = sql.getBytes(UTF_8);
        Digester digester = new Digester();
        digester.digest(text, 0, text.length, SqlMode.DEFAULT);
        Planner planner = new Planner(List.of(new StatementClassifier()));
        return ((Forward) planner.plan(digester, "", catalog).plan()).kind();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT * FROM keyline.last",
                "select a.x from KEYLINE . `last` a where a.x = 'y' order by 1",
                "SELECT 1 FROM (keyline.last JOIN keyline.tables)",
                "WITH a AS (SELECT * FROM keyline.tables) SELECT * FROM a",
                "(SELECT * FROM keyline.tables) UNION (SELECT * FROM keyline.tables)",
                "SHOW TABLES FROM keyline",
                "SHOW FULL TABLES IN `keyline` LIKE 'x'",
                "SHOW FULL COLUMNS FROM `last` FROM `keyline`",
                "SHOW CREATE TABLE keyline.last",
                "DESCRIBE keyline.last",
                "EXPLAIN SELECT * FROM keyline.last",
                "TABLE keyline.last",
                "SELECT * FROM orders, keyline.last",
                "INSERT INTO t SELECT * FROM keyline.last",
                "CREATE TABLE t AS SELECT * FROM keyline.last",
                "UPDATE t JOIN keyline.last ON true SET t.a = 1",
                "DELETE t FROM t JOIN keyline.last",
                "DELETE FROM t WHERE a IN (SELECT source FROM keyline.last)",
                "SET @a = (SELECT source FROM keyline.last)",
                "SHOW INDEX FROM last FROM keyline"
            })
    void readsOfViews_areTheGatewaysOwn(String sql) {
        assertThat(kind(sql, new Named(false))).isEqualTo(StatementKind.KEYLINE);
        assertThat(kind(sql, new Named(true))).isNotEqualTo(StatementKind.KEYLINE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT keyline.last FROM orders keyline",
                "SELECT a, keyline.last FROM orders keyline",
                "SELECT * FROM shop.keyline",
                "SELECT * FROM shop.keyline.last",
                "SELECT 'FROM keyline.last'",
                "DELETE FROM keyline.last",
                "INSERT INTO keyline.last VALUES (1)",
                "CREATE TABLE keyline.last (a INT)",
                "DROP TABLE keyline.last",
                "REVOKE SELECT ON t FROM keyline@localhost",
                "SELECT * FROM orders keyline WHERE 3 IN (keyline.last, 4)",
                "SELECT EXTRACT(YEAR FROM keyline.since) FROM orders AS keyline",
                "INSERT INTO t SELECT TRIM(LEADING 'x' FROM keyline.a) FROM shop.keyline",
                "SELECT a, keyline.rate(a) FROM orders",
                "SHOW COLUMNS FROM keyline FROM shop",
                "SHOW INDEX FROM keyline",
                "SHOW TABLES FROM shop LIKE 'keyline'",
                "USE keyline",
                "SELECT 1; SELECT * FROM keyline.last"
            })
    void others_areTheStores(String sql) {
        assertThat(kind(sql, new Named(false))).isNotEqualTo(StatementKind.KEYLINE);
    }

    /** Rights hang on these names: none may be missed. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '#',
            value = {
                "SELECT 'keyline.no', ä FROM keyline.A JOIN (SELECT (SELECT 1 FROM Keyline /* x */ .`b`)) c, keyline.d WHERE"
                        + " x = ? AND y IN (SELECT z FROM keyline.e WHERE \"keyline.f\" = ?) | a,b,d,e",
                "SHOW FULL COLUMNS FROM `Clients` FROM `keyline` | clients",
                "SHOW COLUMNS FROM keyline.last WHERE 1 = (SELECT 1 FROM keyline.clients) | clients,last",
                "SHOW INDEX IN clients IN keyline | clients",
                "SHOW TABLES FROM keyline | ##"
            })
    void everyView_isFound(String sql, String named) {
        byte[] text = sql.getBytes(UTF_8);
        Digester digester = new Digester();
        digester.digest(text, 0, text.length, SqlMode.DEFAULT);
        assertThat(String.join(",", KeylineViews.named(KeylineReader.tokens(digester))))
                .isEqualTo(named);
    }
}
