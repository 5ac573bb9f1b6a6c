package org.keyline.packaging;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The check of libraries against advisories: which versions are within a range, as Maven orders them. */
final class AdvisoriesTest {
    private static final Path SCRIPT = Path.of("..", ".ci", "advisories").toAbsolutePath();

    @TempDir
    private Path work;

    @ParameterizedTest
    @CsvSource({
        "1.4.9, true",
        "1.5.0-rc1, true",
        "1.5.0-SNAPSHOT, true",
        "1.5, false",
        "1.5.0.Final, false",
        "1.10.1, false",
        "1.5.1-jre, false",
        "2.0.0-beta2, true",
        "2.0.0, true",
        "2.0.3, true",
        "2.0.10, false",
        "0.9, false",
    })
    void library_withinARangeOfAnAdvisory_isFound(String version, boolean found) throws Exception {
        Files.writeString(work.resolve("advisory.json"), """
                {"id": "TEST-1", "summary": "a hole", "affected": [{"package": {"ecosystem": "Maven", "name": "org.example:lib"},
                 "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "1.0"}, {"fixed": "1.5.0"},
                   {"introduced": "2.0.0-beta1"}, {"last_affected": "2.0.3"}]}]}]}""");
        Path bill = Files.createDirectory(work.resolve("bill")).resolve("program.cdx");
        Files.writeString(
                bill,
                "{\"components\": [{\"group\": \"org.example\", \"name\": \"lib\", \"version\": \"" + version
                        + "\"}]}");
        Process check = new ProcessBuilder("python3", SCRIPT.toString(), work.toString(), bill.toString())
                .redirectErrorStream(true)
                .start();
        assertThat(new String(check.getInputStream().readAllBytes(), UTF_8))
                .endsWith("1 advisories, 1 libraries, " + (found ? 1 : 0) + " found\n");
        assertThat(check.waitFor()).isEqualTo(found ? 1 : 0);
    }
}
