package org.keyline.planner.statement;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;
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
    @CsvFileSource(
            resources = "KeylineViewsTest.readsOfViews_areTheGatewaysOwn.txt",
            delimiter = '\t',
            quoteCharacter = '~')
    void readsOfViews_areTheGatewaysOwn(String sql) {
        assertThat(kind(sql, new Named(false))).isEqualTo(StatementKind.KEYLINE);
        assertThat(kind(sql, new Named(true))).isNotEqualTo(StatementKind.KEYLINE);
    }

    @ParameterizedTest
    @CsvFileSource(resources = "KeylineViewsTest.others_areTheStores.txt", delimiter = '\t', quoteCharacter = '~')
    void others_areTheStores(String sql) {
        assertThat(kind(sql, new Named(false))).isNotEqualTo(StatementKind.KEYLINE);
    }

    /** Rights depend on these names, so none may be missed. */
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
