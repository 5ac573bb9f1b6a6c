package org.keyline.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.keyline.ycsb.Search.Publication;

final class RedisResultsIT {
    private static final long BYTES = 4 << 20;

    private static List<Publication> result(int id) {
        String text = "é".repeat(10_000);
        return List.of(
                new Publication(id, "title", "authors", 1999, null, "", text),
                new Publication(id + 1, "", "", 2000, "publisher", "venue", ""));
    }

    @Test
    void results_thatTheServerHas_areAsTheyWerePut_andThoseWithoutRoomGo() throws IOException {
        assumeTrue(ServerProcess.installed("redis-server").isPresent(), "there is no redis-server");
        try (RedisResults results = RedisResults.start("redis-server").emptied(BYTES)) {
            assertThat(results.get("a")).isEmpty();
            results.put("a", List.of());
            assertThat(results.get("a")).contains(List.of());
            for (int i = 0; i < 500; i++) {
                results.put("r" + i, result(i));
            }
            assertThat(results.get("r499")).contains(result(499));
            List<Integer> kept =
                    IntStream.range(0, 500).boxed().filter(i -> has(results, i)).toList();
            assertThat(kept).hasSizeBetween(50, (int) (BYTES / 20_000));
            assertThat(results.emptied(BYTES).get("r499")).isEmpty();
        }
    }

    private static boolean has(RedisResults results, int i) {
        try {
            return results.get("r" + i).isPresent();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
