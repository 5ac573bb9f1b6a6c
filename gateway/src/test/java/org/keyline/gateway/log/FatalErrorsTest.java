package org.keyline.gateway.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.log.FatalErrors.Fatal;

final class FatalErrorsTest {
    @Test
    void find_outOfMemoryOrItsWrapping_isMemory() {
        assertThat(FatalErrors.find(new OutOfMemoryError("heap"), () -> true)).isEqualTo(Fatal.MEMORY);
        assertThat(FatalErrors.find(
                        new IllegalStateException(new CompletionException(new OutOfMemoryError("direct"))),
                        () -> false))
                .isEqualTo(Fatal.MEMORY);
        assertThat(FatalErrors.find(new IllegalStateException("OutOfMemoryError"), () -> true))
                .isNull();
    }

    @Test
    void find_classThatCannotBeLoaded_isFatalOnlyWhereTheFileWasOverwritten() {
        Throwable missing = new CompletionException(new NoClassDefFoundError("org/keyline/Some"));
        assertThat(FatalErrors.find(missing, () -> true)).isEqualTo(Fatal.PROGRAM);
        assertThat(FatalErrors.find(new ClassNotFoundException("org.keyline.Some"), () -> true))
                .isEqualTo(Fatal.PROGRAM);
        assertThat(FatalErrors.find(missing, () -> false)).isNull();
    }
}
