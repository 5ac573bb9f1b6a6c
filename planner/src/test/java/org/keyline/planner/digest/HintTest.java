package org.keyline.planner.digest;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Hints that do not affect a reply are not part of a statement's identity; all others are. */
final class HintTest {
    private static final String PLAIN = "SELECT v FROM t WHERE k = 1";

    private final Digester digester = new Digester(Set.of("query_timeout", "enable_short_circuit_query"), false);

    private String normalised(Digester by, String sql) {
        byte[] bytes = sql.getBytes(StandardCharsets.UTF_8);
        by.digest(bytes, 0, bytes.length, SqlMode.DEFAULT);
        return by.normalised();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT /*+ SET_VAR(query_timeout=10) */ v FROM t WHERE k = 1",
                "SELECT /*+SET_VAR(query_timeout = '10', ENABLE_SHORT_CIRCUIT_QUERY=false)*/ v FROM t WHERE k = 1",
                "SELECT /*+ set_var ( query_timeout=1.5 ) */ v FROM t WHERE k = 1"
            })
    void hint_ofHarmlessVariables_isLeftOut(String sql) {
        assertThat(normalised(digester, sql)).isEqualTo(normalised(digester, PLAIN));
        assertThat(normalised(digester, sql)).isEqualTo(normalised(digester, PLAIN));
        assertThat(normalised(new Digester(), sql)).isNotEqualTo(normalised(new Digester(), PLAIN));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT /*+ SET_VAR(skip_delete_sign=true) */ v FROM t WHERE k = 1",
                "SELECT /*+ SET_VAR(query_timeout=10, skip_delete_sign=true) */ v FROM t WHERE k = 1",
                "SELECT /*+ SET_VAR(query_timeout=10 skip_delete_sign=true) */ v FROM t WHERE k = 1",
                "SELECT /*+ SET_VAR(query_timeout='1\\'') */ v FROM t WHERE k = 1",
                "SELECT /*+ SET_VAR() */ v FROM t WHERE k = 1",
                "SELECT /*+ SET_VAR(query_timeout=10) LEADING(a b) */ v FROM t WHERE k = 1",
                "SELECT /*+ MAX_EXECUTION_TIME(10) SET_VAR(sql_mode='') */ v FROM t WHERE k = 1",
                "SELECT /*+ MAX_EXECUTION_TIME(10 */ v FROM t WHERE k = 1",
                "SELECT /*+ RESOURCE_GROUP(a) */ v FROM t WHERE k = 1"
            })
    void hint_ofAnythingElse_staysAHint(String sql) {
        assertThat(normalised(digester, sql)).contains("/*+ */");
    }

    /** The store may warn about one hint and not about the other. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT /*+ MAX_EXECUTION_TIME(1000) */ v FROM t WHERE k = ?",
                "SELECT /*+MAX_EXECUTION_TIME(1000) QB_NAME(`a`) no_index(t i, j) */ v FROM t WHERE k = ?",
                "SELECT /*!40001 SQL_NO_CACHE */ v FROM t WHERE k = ?",
                "SELECT /*M!100101 high_priority*/ v FROM t WHERE k = ?"
            })
    void hint_thatChangesNoRow_isPartOfTheText(String sql) {
        assertThat(normalised(digester, sql)).isEqualTo(sql);
        assertThat(normalised(digester, sql)).isEqualTo(sql);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT /*!40001 SQL_CALC_FOUND_ROWS */ v FROM t WHERE k = 1",
                "SELECT /*!40001 SQL_NO_CACHE 1, */ v FROM t WHERE k = 1",
                "SELECT v FROM t WHERE k = 1 /*! OR 1 */",
                "SELECT /*! */ v FROM t WHERE k = 1"
            })
    void executableComment_ofAnythingElse_isNotDigested(String sql) {
        assertThat(normalised(digester, sql)).isEmpty();
        assertThat(digester.outcome()).isEqualTo(Outcome.EXECUTABLE_COMMENT);
    }

    @Test
    void hint_nearlyHarmlessAndLong_isReadInGoodTime() {
        String sql =
                "SELECT /*+ SET_VAR(" + "query_timeout=1,".repeat(50) + " ".repeat(150) + "x */ v FROM t WHERE k = 1";
        assertThat(normalised(digester, sql)).contains("/*+ */");
    }
}
