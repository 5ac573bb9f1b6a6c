package org.keyline.gateway.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

final class MemoryExhaustedTest {
    @Test
    void isExhausted_errorOrItsWrapping_isTrue() {
        assertThat(MemoryExhausted.isExhausted(new OutOfMemoryError("heap"))).isTrue();
        assertThat(MemoryExhausted.isExhausted(
                        new IllegalStateException(new CompletionException(new OutOfMemoryError("direct")))))
                .isTrue();
        assertThat(MemoryExhausted.isExhausted(new IllegalStateException("OutOfMemoryError")))
                .isFalse();
        assertThat(MemoryExhausted.isExhausted(null)).isFalse();
    }
}
