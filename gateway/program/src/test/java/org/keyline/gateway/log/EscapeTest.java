package org.keyline.gateway.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class EscapeTest {
    @Test
    void line_withControlCharacters_isOneHarmlessLine() {
        String forged = "x'\n2026-11-22T12:00:00Z INFO  Gateway: fine\r\t\u001b[31m\u0085\u2028\u202e";
        assertThat(Escape.line(forged))
                .isEqualTo("x'\\n2026-11-22T12:00:00Z INFO  Gateway: fine\\r\\t\\u001b[31m\\u0085\\u2028\\u202e");
    }

    @Test
    void line_plainText_isItself() {
        assertThat(Escape.line("connection 7: 'Größe' 日本 \\ ok")).isEqualTo("connection 7: 'Größe' 日本 \\ ok");
    }

    @Test
    void line_veryLong_isCut() {
        assertThat(Escape.line("y".repeat(60_000)))
                .endsWith("y… (60000 characters)")
                .hasSizeLessThan(2_100);
    }

    @Test
    void trace_everyLineButTheFirst_beginsWithATab() {
        String trace = "java.lang.IllegalStateException: a\n2026 INFO forged\u001b\n\tat X.y(X.java:1)";
        assertThat(Escape.trace(trace))
                .isEqualTo("java.lang.IllegalStateException: a\n\t2026 INFO forged\\u001b\n\tat X.y(X.java:1)");
    }
}
