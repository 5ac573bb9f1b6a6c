package org.keyline.planner;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The README of this module names for each reason the rule by which a statement is forwarded. */
final class ForwardReasonPageTest {
    @Test
    void page_hasEveryReason() throws IOException {
        String page = Files.readString(Path.of("README.md"));
        List<String> missing = Arrays.stream(ForwardReason.values())
                .map(ForwardReason::name)
                .filter(name -> !page.contains('`' + name + '`'))
                .toList();
        assertThat(missing).isEmpty();
    }

    @Test
    void sentences_areSentences() {
        for (ForwardReason reason : ForwardReason.values()) {
            assertThat(reason.sentence()).as(reason.name()).matches("[A-Z].*\\.");
        }
    }
}
