package org.keyline.gateway.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

final class FatalErrorsTest {
    @Test
    void isOutOfMemory_theErrorOrWhatItCaused() {
        assertThat(FatalErrors.isOutOfMemory(new OutOfMemoryError("heap"))).isTrue();
        assertThat(FatalErrors.isOutOfMemory(
                        new IllegalStateException(new CompletionException(new OutOfMemoryError("direct")))))
                .isTrue();
        assertThat(FatalErrors.isOutOfMemory(new IllegalStateException("OutOfMemoryError")))
                .isFalse();
    }
}
