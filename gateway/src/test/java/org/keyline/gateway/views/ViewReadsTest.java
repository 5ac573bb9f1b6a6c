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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.planner.digest.Digester;
import org.keyline.planner.digest.SqlMode;
import org.keyline.protocol.codec.RowReader;
import org.keyline.protocol.codec.TextRowReader;

/** What statements about views are answered, and which are refused. */
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
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '#',
            value = {
                "select Visits, s.name from keyline.`shops` as s where s.NAME = 'SOUTH' | [[42, south]]",
                "SELECT shops.name, keyline.shops.visits v FROM KEYLINE.shops ORDER BY v DESC LIMIT 1 | [[south, 42]]",
                "SELECT s.*, name FROM keyline.shops s WHERE visits = 42 | [[south, 42, null, null, 2026-11-02 10:00:00.000, south]]",
                "SELECT name FROM keyline.shops WHERE ((remark = 'a''b') AND visits = 3); | [[north]]",
                "SELECT name FROM keyline.shops WHERE visits = '42.0' | [[south]]",
                "SELECT name FROM keyline.shops WHERE rate IS NOT NULL AND rate > -3e0 LIMIT 1, 5 | [[]]",
                "SELECT name FROM keyline.shops LIMIT 18446744073709551615 OFFSET 2 | [[]]",
                "SELECT name FROM keyline.shops LIMIT 0 | []",
                "SELECT name FROM keyline.shops WHERE since >= '2026-11-02' | [[south]]",
                "SELECT name FROM keyline.shops WHERE since = '2026-11-01 10:00:00.25' | [[north]]",
                "SELECT COUNT(*) FROM keyline.shops WHERE name NOT LIKE 'n%' | [[2]]",
                "SELECT COUNT(*) AS n FROM keyline.shops ORDER BY name LIMIT 1 | [[3]]",
                "SELECT COUNT(*) FROM keyline.shops LIMIT 1 OFFSET 1 | []",
                "SHOW TABLES FROM keyline | [[shops]]",
                "SHOW FULL TABLES IN keyline LIKE 's%' | [[shops, VIEW]]",
                "SHOW TABLES FROM keyline LIKE 'x%' | []",
                "DESCRIBE keyline.shops | [[name, varchar(8192), YES, , null, ], [visits, bigint, YES, , null, ], [rate, double, YES, , null, ], [remark, varchar(8192), YES, , null, ], [since, datetime(3), YES, , null, ]]",
                "SHOW COLUMNS FROM shops FROM keyline LIKE 'v%' | [[visits, bigint, YES, , null, ]]",
                "SHOW FULL FIELDS FROM keyline.shops LIKE 'n%' | [[name, varchar(8192), utf8mb4_general_ci, YES, , null, , select, ]]"
            })
    void reads_areAnswered(String sql, String rows) throws Exception {
        assertThat(ask(sql)).hasToString(rows);
    }

    /** The error names what the views do not know, and what they do. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '#',
            value = {
                "WITH a AS (SELECT * FROM keyline.shops) SELECT * FROM a | 'WITH a AS",
                "(SELECT name FROM keyline.shops) | '( SELECT",
                "TABLE keyline.shops | 'TABLE keyline.shops'",
                "SELECT DISTINCT name FROM keyline.shops | 'DISTINCT name",
                "SELECT SPACE(1000) FROM keyline.shops | 'SPACE (",
                "SELECT COUNT(name) FROM keyline.shops | 'COUNT (",
                "SELECT COUNT(*), name FROM keyline.shops | ', name",
                "SELECT name, COUNT(*) FROM keyline.shops | 'COUNT (",
                "SELECT visits > 1 FROM keyline.shops | '> ?",
                "SELECT (SELECT 1) FROM keyline.shops | '( SELECT",
                "SELECT 1 FROM keyline.shops | '? FROM",
                "SELECT name FROM (SELECT * FROM keyline.shops) a | '( SELECT",
                "SELECT name FROM keyline.shops, shop.orders | ', shop.orders'",
                "SELECT name FROM shop.orders JOIN keyline.shops | 'JOIN keyline.shops'",
                "SELECT name FROM keyline.shops JOIN shop.orders USING (name) | 'JOIN shop.orders USING",
                "SELECT name FROM keyline.shops WHERE visits = 1 OR visits = 2 | 'OR visits",
                "SELECT name FROM keyline.shops WHERE NOT visits = 1 | 'NOT visits",
                "SELECT name FROM keyline.shops WHERE visits IN (SELECT 1) | 'SELECT ?",
                "SELECT name FROM keyline.shops WHERE name = remark | 'remark'",
                "SELECT name FROM keyline.shops WHERE LENGTH(name) = 1 | 'LENGTH (",
                "SELECT name FROM keyline.shops WHERE visits LIKE '4%' | 'LIKE ?'",
                "SELECT name FROM keyline.shops WHERE (visits = 1 | the end of the statement",
                "SELECT name FROM keyline.shops GROUP BY name | 'GROUP BY name'",
                "SELECT name FROM keyline.shops HAVING name = 'a' | 'HAVING name",
                "SELECT name FROM keyline.shops ORDER BY 1 | '?'",
                "SELECT name FROM keyline.shops ORDER BY RAND() | 'RAND (",
                "SELECT name FROM keyline.shops LIMIT -1 | the end of the statement",
                "SELECT name FROM keyline.shops LIMIT '1' | the end of the statement",
                "SELECT name FROM keyline.shops UNION SELECT 1 | 'UNION SELECT",
                "SELECT name FROM keyline.shops INTO @kept | 'INTO @kept'",
                "SELECT name FROM keyline.shops FOR UPDATE | 'FOR UPDATE'",
                "SELECT name FROM keyline.shops PROCEDURE ANALYSE() | 'PROCEDURE ANALYSE",
                "SELECT /*+ MAX_EXECUTION_TIME(1) */ name FROM keyline.shops | MAX_EXECUTION_TIME",
                "INSERT INTO t SELECT * FROM keyline.shops | 'INSERT INTO t SELECT",
                "SHOW CREATE TABLE keyline.shops | 'CREATE TABLE keyline.shops'",
                "SHOW INDEX FROM shops FROM keyline | 'INDEX FROM",
                "SHOW COLUMNS FROM keyline.shops WHERE 1 = 1 | 'WHERE ?",
                "SHOW TABLES FROM keyline WHERE (SELECT 1) = 1 | 'WHERE (",
                "EXPLAIN SELECT * FROM keyline.shops | 'SELECT *"
            })
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
        assertThatThrownBy(() -> ask(sql)).hasMessageContaining("of this view is compared with");
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

    /** No statement takes more than stated: columns, conditions and nesting are bounded. */
    @Test
    void longStatements_areRefused() {
        String columns = "SELECT " + "*, ".repeat(300) + "* FROM keyline.shops";
        assertThatThrownBy(() -> ask(columns)).hasMessageContaining("256 columns");
        String conditions = "SELECT name FROM keyline.shops WHERE visits = 1" + " AND visits = 1".repeat(100);
        assertThatThrownBy(() -> ask(conditions)).hasMessageContaining("do not support");
        String nested = "SELECT name FROM keyline.shops WHERE " + "(".repeat(30_000) + "visits = 1";
        assertThatThrownBy(() -> ask(nested)).hasMessageContaining("do not support");
    }

    /** A result ends at 16 MiB, however much the view has. */
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

    /** A client that leaves takes its read with it, also one that waits. */
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
