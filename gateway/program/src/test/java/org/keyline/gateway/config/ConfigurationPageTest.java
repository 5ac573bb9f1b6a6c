package org.keyline.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The reference page of the configuration shows the keys as {@link ConfigKeys} declares them. */
final class ConfigurationPageTest {
    private static final Path PAGE = Path.of("../../docs/configuration.md");
    private static final String BEGIN = "<!-- keys -->\n";
    private static final String END = "<!-- end of keys -->\n";
    private static final String COMMAND =
            "mvn test -pl gateway/program -am -Dtest=ConfigurationPageTest -Dkeyline.page=write";

    @Test
    void page_keys_areThoseOfTheTable() throws IOException {
        String page = Files.readString(PAGE);
        int begin = page.indexOf(BEGIN) + BEGIN.length();
        int end = page.indexOf(END);
        String keys = keys();
        if ("write".equals(System.getProperty("keyline.page"))) {
            Files.writeString(PAGE, page.substring(0, begin) + keys + page.substring(end));
            return;
        }
        assertThat(page.substring(begin, end))
                .as("docs/configuration.md is not what ConfigKeys declares; this rewrites it: " + COMMAND)
                .isEqualTo(keys);
    }

    @Test
    void page_itself_namesTheCommandThatRewritesIt() throws IOException {
        assertThat(Files.readString(PAGE)).contains(COMMAND);
    }

    private static String keys() {
        StringBuilder page = new StringBuilder();
        String section = null;
        for (ConfigKey<?> key : ConfigKeys.ALL) {
            if (!key.section().equals(section)) {
                section = key.section();
                page.append("\n## ").append(section.isEmpty() ? "The gateway" : "`" + section + "`");
                page.append("\n\n| key | value | default | `KEYLINE` | what it is for |\n|---|---|---|---|---|\n");
            }
            page.append("| `").append(key.path()).append("` | ");
            page.append(value(key)).append(" | ");
            page.append(fallback(key)).append(" | ");
            page.append(key.atRunTime() == null ? "" : key.atRunTime().replace("KEYLINE ", "") + " ")
                    .append("| ");
            page.append(key.sentence()).append(more(key)).append(" |\n");
        }
        return page.append('\n').toString();
    }

    /** Returns the values that the key accepts, without the units, which the page lists once. */
    private static String value(ConfigKey<?> key) {
        return key.type()
                .expected()
                .replaceFirst("^a whole number, ", "")
                .replaceFirst("^a duration with a unit [^,]*(?:, s, m or h)?, ", "duration, ")
                .replace("a size with a unit B, KiB, MiB or GiB", "size");
    }

    private static String fallback(ConfigKey<?> key) {
        if (!key.hasConstant()) {
            return key.fallbackWords();
        }
        return key.fallbackWords().isEmpty() ? "empty" : "`" + key.fallbackWords() + "`";
    }

    private static String more(ConfigKey<?> key) {
        StringBuilder more = new StringBuilder();
        if (key.option() != null) {
            more.append(" Option `").append(key.option()).append("`.");
        }
        if (key.variable() != null) {
            more.append(" Variable `").append(key.variable()).append("`.");
        }
        return more.append(key.isSecret() ? " Secret: printed nowhere." : "").toString();
    }
}
