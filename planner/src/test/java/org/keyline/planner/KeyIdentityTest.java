package org.keyline.planner;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.planner.digest.Digester;
import org.keyline.planner.digest.SlotKind;
import org.keyline.planner.digest.SqlMode;

/**
 * Defects of other products in distinguishing statements and keys, each by its number in the list
 * of known traps.
 */
final class KeyIdentityTest {
    @Test
    void quotedAndUnquotedNames_meanTheSameTable() {
        assertThat(Plans.text(Plans.plan("SELECT `v` FROM `t` WHERE `k` = 1"))).isEqualTo("t (0) -> 1");
        assertThat(Plans.digest("SELECT \"v\" FROM t WHERE k=1").normalised())
                .isNotEqualTo(Plans.digest("SELECT \"v\" FROM t WHERE k=1", new SqlMode(true, false, false))
                        .normalised());
    }

    @ParameterizedTest
    @ValueSource(strings = {"'01'", "1.0", "1e0", "0x01", "b'1'", "?", "99999999999999999999"})
    void literalOfAnotherType_isDistinguishedByItsSlot(String literal) {
        Digester integer = Plans.digest("SELECT v FROM t WHERE k = 1");
        Digester other = Plans.digest("SELECT v FROM t WHERE k = " + literal);
        assertThat(other.normalised()).isEqualTo(integer.normalised());
        assertThat(integer.slotKind(0)).isEqualTo(SlotKind.INTEGER);
        assertThat(other.slotKind(0)).isNotEqualTo(SlotKind.INTEGER);
    }

    @ParameterizedTest
    @ValueSource(strings = {"k = 1 AND k = 2", "k = 1 AND 1 = k", "k = 1 AND k IN (1)"})
    void twoPredicatesOnOneKeyColumn_areBothRetained(String condition) {
        assertThat(Plans.text(Plans.plan("SELECT v FROM t WHERE " + condition))).isEqualTo("t (0) 0: EQUAL 1 -> 1");
    }

    @Test
    void aTupleAndAPredicateOnOneOfItsColumns_areForwarded() {
        assertThat(Plans.reason("SELECT v FROM c WHERE (k1, k2) = (1, 2) AND k2 = 2"))
                .isEqualTo(ForwardReason.KEY_BOUND_TWICE);
    }

    /** The values of the slots must be a 1 in the text, or a literal among the columns. */
    @Test
    void placeholderOutsideTheCondition_mustBeTheLiteralOne() {
        assertThat(Plans.text(Plans.plan("SELECT ?, v FROM t WHERE k = ?"))).isEqualTo("t (1) -> -1,1 constants [0]");
        assertThat(Plans.text(Plans.plan("SELECT v FROM t WHERE k = ? ORDER BY ?")))
                .isEqualTo("t (0) -> 1 ones [1]");
        assertThat(Plans.reason("SELECT v FROM c WHERE k1 = ? ORDER BY ?")).isEqualTo(ForwardReason.ORDER_NOT_BY_KEY);
    }

    @ParameterizedTest
    @ValueSource(strings = {"k = 1 AND FALSE", "k = 1 AND NULL", "k IN ()"})
    void conditionThatPrunes_isForwarded(String condition) {
        assertThat(Plans.plan("SELECT v FROM t WHERE " + condition)).isInstanceOf(Forward.class);
    }

    @Test
    void literalAsACondition_mustBeAOne() {
        assertThat(Plans.text(Plans.plan("SELECT v FROM t WHERE k IN (1) AND 0")))
                .isEqualTo("t (0) -> 1 ones [1]");
    }

    @Test
    void comparisonOfTwoLiterals_mustBeOfOnes() {
        assertThat(Plans.text(Plans.plan("SELECT v FROM t WHERE k = 5 AND 1 = 0")))
                .isEqualTo("t (0) -> 1 ones [1, 2]");
    }

    @Test
    void comments_makeNoNewIdentity() {
        String plain = Plans.digest("SELECT v FROM t WHERE k = 1").normalised();
        for (int i = 0; i < 100; i++) {
            String sql = "/* trace " + i + " */ SELECT v # " + i + "\n FROM t WHERE k = " + i + " -- " + i;
            assertThat(Plans.digest(sql).normalised()).isEqualTo(plain);
        }
    }

    @Test
    void limitIsBoundAgainForEachValue() {
        PointRead read = (PointRead) Plans.plan("SELECT v FROM c WHERE k1 = 1 ORDER BY k2, k3 LIMIT 0");
        assertThat(read.limit()).isEqualTo(KeyPart.of(1));
    }

    @Test
    void modifiersOfBegin_stayInTheForwardedText() {
        Digester digester = Plans.digest("START TRANSACTION READ ONLY, WITH CONSISTENT SNAPSHOT");
        assertThat(digester.normalised()).isEqualTo("START TRANSACTION READ ONLY , WITH CONSISTENT SNAPSHOT");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT v FROM t WHERE k=1 FOR UPDATE",
                "SELECT v FROM t WHERE k=1 FOR UPDATE;",
                "SELECT v FROM t WHERE k=1 for/**/update -- x",
                "SELECT v FROM t WHERE k=1 FOR UPDATE /* x */",
                "SELECT v FROM t WHERE k=1 LOCK IN SHARE MODE",
                "SELECT v FROM t WHERE k=1 FOR SHARE SKIP LOCKED",
                "SELECT v FROM t WHERE k=1 LIMIT 1 FOR UPDATE NOWAIT"
            })
    void lockingRead_isForwarded(String sql) {
        assertThat(Plans.reason(sql)).isEqualTo(ForwardReason.LOCKING_READ);
    }

    @Test
    void statementsWithSessionMeaning_areForwarded() {
        assertThat(Plans.reason("SELECT SQL_CALC_FOUND_ROWS v FROM t WHERE k=1"))
                .isEqualTo(ForwardReason.SELECT_MODIFIER);
        assertThat(Plans.reason("SELECT v, @a FROM t WHERE k=1")).isEqualTo(ForwardReason.USER_VARIABLE);
        assertThat(Plans.reason("SELECT v FROM t WHERE k=@a")).isEqualTo(ForwardReason.USER_VARIABLE);
        assertThat(Plans.reason("SELECT v FROM t WHERE k=1 INTO @a")).isEqualTo(ForwardReason.INTO);
        assertThat(Plans.reason("SELECT v FROM t WHERE k=LAST_INSERT_ID()")).isEqualTo(ForwardReason.FUNCTION);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET_LOCK('a',1)",
                "SLEEP(1)",
                "f(v)",
                "d.f(v)",
                "NEXTVAL(s)",
                "LAST_INSERT_ID(5)",
                "whatever ( )"
            })
    void function_isForwarded(String function) {
        assertThat(Plans.reason("SELECT v, " + function + " FROM t WHERE k=1")).isEqualTo(ForwardReason.FUNCTION);
    }

    @Test
    void ddlBehindAQuery_closesItsTable() {
        Forward forward = (Forward) Plans.plan("SELECT v FROM t WHERE k=1; DROP TABLE t");
        assertThat(forward.reason()).isEqualTo(ForwardReason.MULTI_STATEMENT);
        assertThat(Plans.text(forward.effect())).isEqualTo("d.t");
        assertThat(Plans.text(((Forward) Plans.plan("SELECT 1 /*! ; DROP TABLE t */")).effect()))
                .isEqualTo("everything");
    }
}
