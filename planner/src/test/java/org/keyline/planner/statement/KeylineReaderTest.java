package org.keyline.planner.statement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.planner.KeyPart;
import org.keyline.planner.Plans;
import org.keyline.planner.TableSchema;
import org.keyline.planner.TestCatalog;

final class KeylineReaderTest {
    @Test
    void read_statements_areRecognised() {
        assertThat(read("keyline last;")).isEqualTo(new KeylineStatement.Last());
        assertThat(read("KEYLINE FLUSH ALL")).isEqualTo(new KeylineStatement.FlushAll());
        assertThat(read("KEYLINE RELOAD")).isEqualTo(new KeylineStatement.Reload(false));
        assertThat(read("KEYLINE RELOAD FORCE;")).isEqualTo(new KeylineStatement.Reload(true));
        assertThat(read("KEYLINE tier;")).isEqualTo(new KeylineStatement.Tier());
        assertThat(read("KEYLINE TELL 'AA=='")).isEqualTo(new KeylineStatement.Tell("AA=="));
        assertThat(read("KEYLINE SET tables.d.`t.x`.ttl = '5s';"))
                .isEqualTo(new KeylineStatement.SetKey(List.of("tables", "d", "t.x", "ttl"), "5s"));
        assertThat(read("KEYLINE SET cache.autoRows = 7"))
                .isEqualTo(new KeylineStatement.SetKey(List.of("cache", "autoRows"), "7"));
        assertThat(read("KEYLINE SET cache.enabled = false"))
                .isEqualTo(new KeylineStatement.SetKey(List.of("cache", "enabled"), "false"));
        assertThat(read("KEYLINE SET cache.ttl = DEFAULT"))
                .isEqualTo(new KeylineStatement.SetKey(List.of("cache", "ttl"), null));
        assertThat(read("KEYLINE FLUSH TABLE t")).isEqualTo(new KeylineStatement.FlushTable(null, "t"));
        assertThat(read("KEYLINE FLUSH FILTERS d.t")).isEqualTo(new KeylineStatement.FlushFilters("d", "t"));
        assertThat(read("KEYLINE FLUSH TABLE `d`.`t`")).isEqualTo(new KeylineStatement.FlushTable("d", "t"));
    }

    @Test
    void read_explain_hasThePlaceOfItsStatement() {
        String sql = "/* x */ KEYLINE EXPLAIN SELECT v FROM t WHERE k = 'a' ;";
        KeylineStatement.Explain explain = (KeylineStatement.Explain) present(sql);
        assertThat(sql.substring(explain.start(), explain.end())).isEqualTo("SELECT v FROM t WHERE k = 'a'");
    }

    @Test
    void read_flushRows_bindsSlots() {
        KeylineStatement.FlushRows flush =
                (KeylineStatement.FlushRows) present("KEYLINE FLUSH ROWS d.c WHERE k2 = 'x' AND k1 = -5");
        assertThat(flush.conditions())
                .containsExactly(
                        new KeylineStatement.Condition("k2", KeyPart.of(0)),
                        new KeylineStatement.Condition("k1", new KeyPart(1, true)));
        assertThat(flush.prefix(table("c"))).containsExactly(new KeyPart(1, true), KeyPart.of(0));
    }

    @Test
    void prefix_notTheFirstColumns_isNone() {
        for (String conditions :
                List.of("k2 = 1", "k1 = 1 AND k3 = 2", "k1 = 1 AND k1 = 2", "v = 1", "k1 = 1 AND v = 2")) {
            KeylineStatement.FlushRows flush =
                    (KeylineStatement.FlushRows) present("KEYLINE FLUSH ROWS c WHERE " + conditions);
            assertThat(flush.prefix(table("c"))).as(conditions).isNull();
        }
    }

    @Test
    void read_showStatus_isOursByItsPattern() {
        assertThat(read("SHOW STATUS LIKE 'keyline%'")).isEqualTo(new KeylineStatement.ShowStatus("keyline%"));
        assertThat(read("show global status like 'Keyline\\_h%'"))
                .isEqualTo(new KeylineStatement.ShowStatus("Keyline\\_h%"));
        assertThat(read("SHOW STATUS LIKE 'key%'")).isNull();
        assertThat(read("SHOW STATUS")).isNull();
        assertThat(read("SHOW VARIABLES LIKE 'keyline%'")).isEqualTo(new KeylineStatement.ShowVariables("keyline%"));
        assertThat(read("SHOW VARIABLES LIKE 'key%'")).isNull();
    }

    @Test
    void read_maxStaleness_isTheGatewaysVariable() {
        for (String sql : List.of(
                "SET keyline_max_staleness = '200ms'",
                "set session KEYLINE_MAX_STALENESS := '200ms';",
                "SET @@session.keyline_max_staleness='200ms'",
                "SET @@keyline_max_staleness = '200ms'")) {
            assertThat(read(sql)).as(sql).isEqualTo(new KeylineStatement.SetMaxStaleness("200ms"));
        }
        assertThat(read("SET keyline_max_staleness = 0")).isEqualTo(new KeylineStatement.SetMaxStaleness("0"));
        assertThat(read("SET keyline_max_staleness = DEFAULT")).isEqualTo(new KeylineStatement.SetMaxStaleness(null));
        assertThat(read("SELECT @@keyline_max_staleness"))
                .isEqualTo(new KeylineStatement.SelectMaxStaleness("@@keyline_max_staleness"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET keyline_max_staleness",
                "SET keyline_max_staleness = ",
                "SET keyline_max_staleness = -1",
                "SET keyline_max_staleness = 1.5",
                "SET keyline_max_staleness = soon",
                "SET keyline_max_staleness = '1s', autocommit = 0"
            })
    void read_maxStalenessOtherwise_isInvalid(String sql) {
        assertThat(read(sql)).isInstanceOf(KeylineStatement.Invalid.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET GLOBAL keyline_max_staleness = '1s'",
                "SET autocommit = 0, keyline_max_staleness = '1s'",
                "SET keyline_other = 1",
                "SET @keyline_max_staleness = 1",
                "SELECT @@keyline_max_staleness, 1"
            })
    void read_whatTheStoreWillRefuse_isForTheStore(String sql) {
        assertThat(read(sql)).isNull();
    }

    @Test
    void directive_isTheFirstCommentForTheGateway() {
        assertThat(Plans.digest("SELECT 1").directive()).isNull();
        assertThat(Plans.digest("/* other */ SELECT /*keyline_a = 1*/ 1 /* keyline_b */")
                        .directive())
                .isEqualTo("keyline_a = 1");
        assertThat(Plans.digest("SELECT '/* keyline_a */'").directive()).isNull();
        assertThat(Plans.digest("SELECT 1 /* not keyline_a */").directive()).isNull();
    }

    @ParameterizedTest
    @CsvFileSource(
            resources = "KeylineReaderTest.read_anythingElseAfterKeyline_isInvalid.txt",
            delimiter = '\t',
            quoteCharacter = '~')
    void read_anythingElseAfterKeyline_isInvalid(String sql) {
        assertThat(read(sql)).isInstanceOf(KeylineStatement.Invalid.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"SELECT 1", "SELECT keyline", "", "KEYLINE LAST; SELECT 1", "KEYLINE 'x"})
    void read_otherTexts_areForTheStore(String sql) {
        assertThat(read(sql)).isNull();
    }

    private static @Nullable KeylineStatement read(String sql) {
        return KeylineReader.read(Plans.digest(sql));
    }

    private static KeylineStatement present(String sql) {
        return Objects.requireNonNull(read(sql), sql);
    }

    private static TableSchema table(String name) {
        return Objects.requireNonNull(TestCatalog.shared().table("d", name), name);
    }
}
