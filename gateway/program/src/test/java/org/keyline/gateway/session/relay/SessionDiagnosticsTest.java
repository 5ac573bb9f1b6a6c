package org.keyline.gateway.session.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.session.settings.SqlStatement;
import org.keyline.planner.StatementKind;

/** Recognises statements that only read the diagnostics of their predecessor. */
final class SessionDiagnosticsTest {
    private static boolean asks(String sql) {
        byte[] text = (">" + sql + "<").getBytes(StandardCharsets.UTF_8);
        return SessionDiagnostics.asks(new SqlStatement(StatementKind.OTHER, text, 1, text.length - 1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SHOW WARNINGS",
                " show\twarnings limit 2, 3 ;",
                "SHOW ERRORS",
                "SHOW COUNT(*) WARNINGS",
                "show count ( * ) errors",
                "GET DIAGNOSTICS @n = NUMBER",
                "GET CURRENT DIAGNOSTICS @n = NUMBER",
                "SELECT ROW_COUNT()",
                "\n select\r\n\u000b\frow_count( )",
                "SELECT @@warning_count, @@session.error_count",
                "SET @n = ROW_COUNT()",
                "SET @n := @@error_count"
            })
    void asks_aboutItsPredecessor(String sql) {
        assertThat(asks(sql)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "SELECT",
                "SHOW ",
                "SHOW WARNINGS, ERRORS",
                "SHOW CREATE TABLE t",
                "SELECT ROW_COUNT() + f()",
                "SELECT ROW_COUNT() AS n",
                "SELECT row FROM t",
                "SELECT @@warning_count FROM t",
                "SELECT(ROW_COUNT())",
                "SET autocommit = 0",
                "SET @n = ROW_COUNT(), @m = 1",
                "GET DIAGNOSTICS @n = f()",
                "EXPLAIN SELECT ROW_COUNT()"
            })
    void asks_somethingElse(String sql) {
        assertThat(asks(sql)).isFalse();
    }
}
