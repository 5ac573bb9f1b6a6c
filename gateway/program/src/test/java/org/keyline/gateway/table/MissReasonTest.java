package org.keyline.gateway.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.keyline.rowcache.Decline;

final class MissReasonTest {
    @ParameterizedTest
    @EnumSource
    void page_hasEveryReason(MissReason reason) throws IOException {
        assertThat(Files.readString(Path.of("../../docs/miss-reasons.md"))).contains("\n| " + reason.name() + " | ");
    }

    @Test
    void of_refusalsOfTheCache_differ() {
        assertThat(Decline.values()).extracting(MissReason::of).doesNotHaveDuplicates();
    }
}
