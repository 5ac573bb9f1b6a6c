package org.keyline.gateway.session.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
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

    /** Compared with Java's own search, in texts of a few letters, so that many nearly match. */
    @Test
    void mentions_aWordInAnyCase_isFoundWhereverItStands() {
        Random random = new Random(17);
        int found = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] text = new byte[random.nextInt(12)];
            for (int j = 0; j < text.length; j++) {
                text[j] = (byte) "aAbB_(\u00e4\u00c4".charAt(random.nextInt(8));
            }
            int from = random.nextInt(text.length + 1);
            int to = from + random.nextInt(text.length - from + 1);
            String word = List.of("AB", "AAB", "A_B", "(", "ABAB").get(random.nextInt(5));
            String searched = new String(text, from, to - from, StandardCharsets.ISO_8859_1).toUpperCase(Locale.ROOT);
            assertThat(new SqlStatement(StatementKind.OTHER, text, from, to).mentions(word))
                    .as("%s in %s", word, searched)
                    .isEqualTo(searched.contains(word));
            found += searched.contains(word) ? 1 : 0;
        }
        assertThat(found).isBetween(500, 19_000);
    }
}
