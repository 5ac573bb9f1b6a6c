package org.keyline.gateway.slow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.gateway.fixtures.Lines.soon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.keyline.gateway.config.ConfigException;
import org.keyline.gateway.config.ConfigLoader;
import org.keyline.gateway.config.LiveConfig;

/** The recording and writing of slow statements, without a gateway. */
final class SlowLogTest {
    @TempDir
    private Path directory;

    private static SlowStatement slow(String text) {
        return new SlowStatement(
                Instant.parse("2026-11-23T05:00:00.5Z"),
                7,
                "app\n",
                "127.0.0.1",
                "shop",
                text,
                "store",
                "RANGE",
                new Spent(1_000, 2_000, 3_000_000, 4_000),
                new SlowStatement.Replied(5, 600, 1205));
    }

    private SlowLog log(String file) throws ConfigException {
        return new SlowLog(new ConfigLoader(Map.of())
                .set("log.slow.file", directory.resolve(file).toString())
                .load());
    }

    private List<JsonNode> lines(String file) throws IOException {
        List<JsonNode> lines = new ArrayList<>();
        Path written = directory.resolve(file);
        // The first line creates the file.
        for (String line : Files.exists(written) ? Files.readAllLines(written) : List.<String>of()) {
            lines.add(new ObjectMapper().readTree(line));
        }
        return lines;
    }

    @Test
    void line_hasEveryField() throws Exception {
        try (SlowLog log = log("slow.json")) {
            log.add(slow("SELECT `a\"b` FROM t WHERE v > ?"));
        }
        assertThat(Files.readString(directory.resolve("slow.json")))
                .isEqualTo("{\"time\":\"2026-11-23T05:00:00.500Z\",\"id\":7,\"user\":\"app\\n\",\"host\":\"127.0.0.1\","
                        + "\"schema_name\":\"shop\",\"text\":\"SELECT `a\\\"b` FROM t WHERE v > ?\",\"outcome\":\"store\","
                        + "\"reason\":\"RANGE\",\"total_us\":3007,\"queue_us\":1,\"load_us\":2,\"store_us\":3000,"
                        + "\"write_us\":4,\"row_count\":5,\"byte_count\":600,\"error\":1205}\n");
    }

    @Test
    void file_isForItsOwnerAndTheGroup() throws Exception {
        try (SlowLog log = log("slow.json")) {
            log.add(slow("one"));
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("slow.json"))))
                .isEqualTo("rw-r-----");
    }

    /** As logrotate does with {@code copytruncate}. */
    @Test
    void file_thatIsTruncated_isWrittenFromItsBegin() throws Exception {
        try (SlowLog log = log("slow.json")) {
            log.add(slow("one"));
            soon("the first line").until(() -> lines("slow.json").size() == 1);
            Files.copy(directory.resolve("slow.json"), directory.resolve("slow.json.1"));
            Files.write(directory.resolve("slow.json"), new byte[0]);
            log.add(slow("two"));
        }
        assertThat(lines("slow.json.1"))
                .extracting(line -> line.get("text").asText())
                .containsExactly("one");
        assertThat(lines("slow.json"))
                .extracting(line -> line.get("text").asText())
                .containsExactly("two");
    }

    @Test
    void lines_beyondTheBudget_areCountedInTheNext() throws Exception {
        try (SlowLog log = log("slow.json")) {
            soon("a line that counts").until(() -> {
                for (int i = 0; i < 100; i++) {
                    log.add(slow("many"));
                }
                return Files.exists(directory.resolve("slow.json"))
                        && Files.readString(directory.resolve("slow.json")).contains("\"dropped\":");
            });
            assertThat(log.last().size()).isGreaterThanOrEqualTo(100);
        }
        List<JsonNode> lines = lines("slow.json");
        int written = lines.size();
        assertThat(lines.subList(0, 20)).noneMatch(line -> line.has("dropped"));
        assertThat(lines.get(20).get("dropped").asInt()).isGreaterThanOrEqualTo(80);
        assertThat(written).isLessThan(100);
    }

    @Test
    void last_isBounded() throws Exception {
        try (SlowLog log = new SlowLog(new ConfigLoader(Map.of()).load())) {
            for (int i = 0; i < SlowLog.MOST + 3; i++) {
                log.add(slow("x".repeat(i == SlowLog.MOST ? 100_000 : 0) + i));
            }
            assertThat(log.last()).hasSize(SlowLog.MOST);
            assertThat(log.last().get(0).text()).isEqualTo("3");
            assertThat(log.last()).allMatch(slow -> slow.text().length() <= 2_000);
        }
    }

    @Test
    void isSlow_fromTheThresholdOn_andNeverWithoutOne() throws Exception {
        LiveConfig live = LiveConfig.read(() -> new ConfigLoader(Map.of()).set("log.slow.threshold=50ms"));
        try (SlowLog log = new SlowLog(live)) {
            assertThat(log.isSlow(50_000_000)).isTrue();
            assertThat(log.isSlow(49_999_999)).isFalse();
            live.set(List.of("log", "slow", "threshold"), "off");
            assertThat(log.isSlow(Long.MAX_VALUE)).isFalse();
        }
    }
}
