package org.keyline.gateway.session.relay;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.session.settings.SqlStatement;
import org.keyline.planner.StatementKind;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;

final class ParseErrorsTest {
    private static final ErrPacket SYNTAX = ErrPacket.of(ErrorCode.ER_PARSE_ERROR);

    private static boolean proves(ErrPacket error, String sql, boolean functions) {
        byte[] command = ("\3" + sql).getBytes(UTF_8);
        return ParseErrors.prove(error, new SqlStatement(StatementKind.UNKNOWN, command, 1, command.length), functions);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELEC * FROM t",
                "  insrt INTO t VALUES (1)",
                "x",
                "ALTER TABEL t ADD c int",
                "DROP TABEL t",
                "TRUNCATE TABEL t"
            })
    void syntaxError_ofWhatRunsNoCode_provesThatNothingRan(String sql) {
        assertThat(proves(SYNTAX, sql, true)).isTrue();
        assertThat(proves(ErrPacket.of(ErrorCode.ER_NO_SUCH_TABLE), sql, true)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"SELECT 'abc", "CREATE TABEL t (k int)", "select f( FROM t"})
    void syntaxError_ofWhatCallsFunctions_provesItWhereThereAreNone(String sql) {
        assertThat(proves(SYNTAX, sql, false)).isTrue();
        assertThat(proves(SYNTAX, sql, true)).isFalse();
    }

    /**
     * The error may come from a statement that a procedure prepares, or from SIGNAL, after rows
     * were written.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "CALL p()",
                "call p()",
                "EXECUTE s",
                "PURGE BINARY LOGS BEFORE f()",
                "BEGIN NOT ATOMIC INSERT INTO t VALUES (1); EXECUTE IMMEDIATE 'x'; END",
                "IF 1 THEN CALL p(); END IF",
                "label: BEGIN NOT ATOMIC CALL p(); END",
                "label : LOOP CALL p(); END LOOP",
                "`label`: LOOP CALL p(); END LOOP",
                "/*! CALL p() */",
                "/* c */ CALL p()",
                "SET STATEMENT max_statement_time = 1 FOR CALL p()",
                "INSERT INTO t VALUES (1)",
                "(SELECT 1",
                "",
                "ANALYZE UPDATE t SET v = 1",
                "CALL`p`()",
                "<<label>> BEGIN NULL; END"
            })
    void syntaxError_ofWhatMayRunCode_provesNothing(String sql) {
        assertThat(proves(SYNTAX, sql, false)).isFalse();
    }

    @Test
    void dorisError_thatNamesTheFirstWord_provesThatNothingRan() {
        ErrPacket first = new ErrPacket(
                1105,
                "HY000",
                "errCode = 2, detailMessage = \nmismatched input 'SELEC' expecting {<EOF>, ';'}(line 1, pos 0)\n");
        assertThat(proves(first, "SELEC 1", true)).isTrue();
        assertThat(proves(first, "CALL p('SELEC')", true)).isFalse();
        assertThat(proves(new ErrPacket(1105, "HY000", "errCode = 2, detailMessage = no"), "SELEC 1", true))
                .isFalse();
    }
}
