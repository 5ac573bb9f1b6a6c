package org.keyline.gateway.session.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.keyline.gateway.session.settings.SqlStatement;
import org.keyline.planner.StatementKind;

final class ForwardingTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            KILL    | KILL 5                                  | true
            MULTI   | kill 5; SELECT 1                        | true
            MULTI   | SELECT 1; SELECT 2                      | false
            EXECUTE | EXECUTE IMMEDIATE 'KILL 5'              | true
            EXECUTE | EXECUTE s                               | false
            CALL    | CALL mysql.rds_kill(5)                  | true
            UNKNOWN | BEGIN NOT ATOMIC KILL 5; END            | true
            SELECT  | SELECT 'KILL'                           | false
            INSERT  | INSERT INTO kills VALUES (1)            | false
            """)
    void mayKill_isToldByKindAndText(StatementKind kind, String sql, boolean kills) {
        byte[] text = sql.getBytes(StandardCharsets.US_ASCII);
        assertThat(Forwarding.mayKill(SqlStatement.of(kind, text))).isEqualTo(kills);
    }
}
