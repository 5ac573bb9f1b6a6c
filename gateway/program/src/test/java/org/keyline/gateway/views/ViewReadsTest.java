package org.keyline.gateway.views;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.planner.digest.Digester;
import org.keyline.planner.digest.SqlMode;
import org.keyline.protocol.codec.RowReader;
import org.keyline.protocol.codec.TextRowReader;

/** The answers to statements about views, and those that are refused. */
final class ViewReadsTest {
    private static final View.Asker ASKER = new View.Asker(List.of());
    private static final int SECONDS = 60;

    private static final View SHOPS = View.of(
            "shops",
            "name TEXT, visits INTEGER, rate NUMBER, remark TEXT, since TIME",
            asker -> List.of(
                    Rows.row("north", 3, 1.5, "a'b", "2026-11-01 10:00:00.250"),
                    Rows.row("south", 42, null, null, "2026-11-02 10:00:00.000"),
                    Rows.row("", 0, -2.0, "x", null)));

    private final ViewReads reads = new ViewReads(Map.of("shops", SHOPS));

    @AfterEach
    void close() {
        reads.close();
    }

    static ViewRead read(String sql) {
        byte[] text = sql.getBytes(UTF_8);
        Digester digester = new Digester();
        digester.digest(text, 0, text.length, SqlMode.DEFAULT);
        return ViewRead.of(digester);
    }

    private List<List<@Nullable String>> ask(String sql) throws Exception {
        ViewResult result = reads.run(read(sql), ASKER, false).get(SECONDS, TimeUnit.SECONDS);
        assertThat(reads.describe(read(sql)).columns()).isEqualTo(result.columns());
        List<List<@Nullable String>> rows = new ArrayList<>();
        for (byte[] row : result.rows()) {
            RowReader reader = new TextRowReader(result.columns().size());
            reader.read(Unpooled.wrappedBuffer(row));
            List<@Nullable String> cells = new ArrayList<>();
            for (int i = 0; i < result.columns().size(); i++) {
                cells.add(reader.isNull(i) ? null : reader.text(i, UTF_8));
            }
            rows.add(cells);
        }
        return rows;
    }

    @ParameterizedTest
    @CsvFileSource(resources = "ViewReadsTest.reads_areAnswered.txt", delimiter = '|', quoteCharacter = '^')
    void reads_areAnswered(String sql, String rows) throws Exception {
        assertThat(ask(sql)).hasToString(rows);
    }

    /** The error names the unsupported feature, and the supported ones. */
    @ParameterizedTest
    @CsvFileSource(resources = "ViewReadsTest.others_areRefusedByName.txt", delimiter = '|', quoteCharacter = '^')
    void others_areRefusedByName(String sql, String named) {
        assertThatThrownBy(() -> ask(sql))
                .hasMessageContaining("Keyline's views do not support")
                .hasMessageContaining(named)
                .hasMessageContaining("SELECT columns (or COUNT(*)) FROM keyline.view");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT name FROM keyline.shops WHERE visits = 'many'",
                "SELECT name FROM keyline.shops WHERE visits = 0x41",
                "SELECT name FROM keyline.shops WHERE name = 5",
                "SELECT name FROM keyline.shops WHERE since > 'yesterday'",
                "SELECT name FROM keyline.shops WHERE since > 20261101"
            })
    void valuesOfOtherTypes_areRefused(String sql) {
        assertThatThrownBy(() -> ask(sql)).hasMessageContaining("of this view can be compared only with");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '#',
            value = {
                "SELECT * FROM keyline.nothing | 'keyline.nothing' doesn't exist",
                "SELECT nothing FROM keyline.shops | Unknown column 'nothing' in 'keyline.shops'",
                "SELECT shops.name FROM keyline.shops s | Unknown column 'shops.name'",
                "SELECT name FROM keyline.shops WHERE other.name = 'a' | Unknown column 'other.name'",
                "SELECT name FROM keyline.shops ORDER BY nothing | Unknown column 'nothing'",
                "DESCRIBE keyline.nothing | 'keyline.nothing' doesn't exist"
            })
    void unknownNames_areNamed(String sql, String error) {
        assertThatThrownBy(() -> ask(sql)).hasMessageContaining(error);
    }

    /** No statement exceeds the stated limits: columns, conditions and nesting are bounded. */
    @Test
    void longStatements_areRefused() {
        String columns = "SELECT " + "*, ".repeat(300) + "* FROM keyline.shops";
        assertThatThrownBy(() -> ask(columns)).hasMessageContaining("256 columns");
        String conditions = "SELECT name FROM keyline.shops WHERE visits = 1" + " AND visits = 1".repeat(100);
        assertThatThrownBy(() -> ask(conditions)).hasMessageContaining("do not support");
        String nested = "SELECT name FROM keyline.shops WHERE " + "(".repeat(30_000) + "visits = 1";
        assertThatThrownBy(() -> ask(nested)).hasMessageContaining("do not support");
    }

    /** A result ends at 16 MiB, however large the view is. */
    @Test
    void longResults_areRefused() {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            rows.add(Rows.row("x".repeat(8192)));
        }
        View texts = View.of("texts", "text TEXT", asker -> rows);
        try (ViewReads reading = new ViewReads(Map.of("texts", texts))) {
            assertThatThrownBy(() -> reading.run(read("SELECT text FROM keyline.texts"), ASKER, false)
                            .get(SECONDS, TimeUnit.SECONDS))
                    .hasMessageContaining("longer than 16777216 bytes");
        }
    }

    /** If a client disconnects, its read stops, even a waiting one. */
    @Test
    void cancelledReads_stop() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch left = new CountDownLatch(1);
        AtomicInteger asks = new AtomicInteger();
        View slow = View.of("slow", "n INTEGER", asker -> {
            asks.incrementAndGet();
            asked.countDown();
            try {
                assertThat(left.await(SECONDS, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return List.of(Rows.row(1));
        });
        View quick = View.of("quick", "n INTEGER", asker -> List.of(Rows.row(asks.get())));
        try (ViewReads both = new ViewReads(Map.of("slow", slow, "quick", quick))) {
            CompletableFuture<ViewResult> running = both.run(read("SELECT n FROM keyline.slow"), ASKER, false);
            assertThat(asked.await(SECONDS, TimeUnit.SECONDS)).isTrue();
            CompletableFuture<ViewResult> waiting = both.run(read("SELECT n FROM keyline.slow"), ASKER, false);
            CompletableFuture<ViewResult> last = both.run(read("SELECT n FROM keyline.quick"), ASKER, false);
            running.cancel(false);
            waiting.cancel(false);
            left.countDown();
            assertThat(last.get(SECONDS, TimeUnit.SECONDS).rows()).hasSize(1);
            assertThat(asks).hasValue(1);
        }
    }
}
