package org.keyline.gateway.session.state;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.stores.StoreThread;

final class ConnectionIdsTest {
    private final ConnectionIds ids = new ConnectionIds();

    ConnectionIdsTest() {
        ids.opened(5, new StoreThread(1234, null, null));
        ids.opened(6, new StoreThread(-1, null, null));
    }

    private String translated(String sql) {
        byte[] command = ("\3" + sql).getBytes(UTF_8);
        byte[] translated = ids.translate(command, 1, command.length);
        return translated == null ? "" : new String(translated, UTF_8);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            KILL 5                                      | KILL 1234
            kill soft query 5;                          | kill soft query 1234;
            KILL HARD CONNECTION 6                      | KILL HARD CONNECTION 4294967295
            KILL 5; SELECT SLEEP(5)                     | KILL 1234; SELECT SLEEP(5)
            SELECT 5, 'é'; KILL /* ö */ 5; KILL QUERY 6 | SELECT 5, 'é'; KILL /* ö */ 1234; KILL QUERY 4294967295
            KILL 7; KILL 5                              | KILL 7; KILL 1234
            """)
    void translate_ofAClient_namesItsSessionOfTheStore(String sql, String expected) {
        assertThat(translated(sql)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "KILL 7",
                "KILL 4294967301",
                "KILL 99999999999",
                "KILL 4294967300",
                "SELECT 5",
                "SELECT 'KILL 5'",
                "SELECT `KILL`, 5",
                "KILL USER app",
                "KILL QUERY ID 5",
                "KILL ?"
            })
    void translate_ofNoClient_leavesTheText(String sql) {
        assertThat(translated(sql)).isEmpty();
    }

    @Test
    void translate_ofAClientThatIsGone_leavesTheText() {
        ids.closed(5);
        assertThat(translated("KILL 5")).isEmpty();
    }
}
