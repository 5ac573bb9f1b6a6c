package org.keyline.gateway.views;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.planner.statement.KeylineViews;
import org.keyline.protocol.codec.BinaryRowReader;
import org.keyline.protocol.codec.RowReader;
import org.keyline.protocol.codec.TextRowReader;

/** What reads of views are answered where there is no embedded store. */
final class PlainScansTest {
    private static final View SHOPS = View.of(
            "shops",
            asker -> List.of(
                    Rows.row("north", 3, 1.5, "a'b"), Rows.row("south", 42, null, null), Rows.row("", 0, -2.0, "x")),
            "name TEXT",
            "visits INTEGER",
            "rate NUMBER",
            "remark TEXT");

    private final PlainScans scans = new PlainScans(Map.of("shops", SHOPS));

    private List<List<@Nullable String>> ask(String sql) {
        KeylineViews.Views reads = Objects.requireNonNull(KeylineViews.read(sql));
        ViewResult result = scans.run(new ViewRead(sql, reads), new View.Asker(List.of()), false)
                .toCompletableFuture()
                .join();
        List<List<@Nullable String>> rows = new ArrayList<>();
        for (byte[] row : result.rows()) {
            RowReader reader = new TextRowReader(result.columns().size());
            reader.read(Unpooled.wrappedBuffer(row));
            List<@Nullable String> cells = new ArrayList<>();
            for (int i = 0; i < result.columns().size(); i++) {
                cells.add(
                        reader.isNull(i)
                                ? null
                                : new String(reader.source(), reader.valueOffset(i), reader.valueLength(i), UTF_8));
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
                "SELECT * FROM keyline.shops | [[north, 3, 1.5, a'b], [south, 42, null, null], [, 0, -2, x]]",
                "select Visits, name from keyline.`shops` where NAME = 'SOUTH' | [[42, south]]",
                "SELECT name FROM keyline.shops WHERE remark = 'a''b' AND visits = 3; | [[north]]",
                "SELECT name FROM keyline.shops WHERE visits = '42.0' | [[south]]",
                "SELECT name FROM keyline.shops WHERE visits = 4 | []",
                "SELECT name FROM keyline.shops WHERE remark = 'x' LIMIT 0 | []",
                "SELECT name FROM keyline.shops LIMIT 1 | [[north]]",
                "SELECT name FROM keyline.shops ORDER BY visits DESC | [[south], [north], []]",
                "SELECT name FROM keyline.shops ORDER BY rate, name LIMIT 2 | [[south], []]",
                "SELECT name FROM keyline.shops ORDER BY remark DESC, visits ASC | [[], [north], [south]]",
                "SELECT name FROM keyline.shops WHERE visits > 2 AND rate <= 2 ORDER BY name | [[north]]",
                "SHOW TABLES FROM keyline | [[shops]]",
                "SHOW FULL TABLES IN keyline LIKE 'shops' | [[shops, VIEW]]",
                "DESCRIBE keyline.shops | [[name, varchar(8192), YES, , null, ], [visits, bigint, YES, , null, ], [rate, double, YES, , null, ], [remark, varchar(8192), YES, , null, ]]",
                "SHOW COLUMNS FROM shops FROM keyline | [[name, varchar(8192), YES, , null, ], [visits, bigint, YES, , null, ], [rate, double, YES, , null, ], [remark, varchar(8192), YES, , null, ]]"
            })
    void plainReads_areAnswered(String sql, String rows) {
        assertThat(ask(sql)).hasToString(rows);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT COUNT(*) FROM keyline.shops",
                "SELECT name FROM keyline.shops ORDER BY 1",
                "SELECT name FROM keyline.shops WHERE name > 'a'",
                "SELECT name FROM keyline.shops; SELECT name FROM keyline.shops",
                "SELECT name FROM keyline.shops WHERE visits > -1",
                "SELECT name FROM keyline.shops a JOIN keyline.shops b",
                "SELECT name FROM keyline.shops WHERE visits = 1 OR visits = 2",
                "SHOW CREATE TABLE keyline.shops"
            })
    void otherReads_areRefusedByName(String sql) {
        assertThatThrownBy(() -> ask(sql)).hasMessageContaining("without the embedded store");
    }

    @Test
    void unknownNames_areTold() {
        assertThatThrownBy(() -> ask("SELECT * FROM keyline.nothing"))
                .hasMessageContaining("'keyline.nothing' doesn't exist");
        assertThatThrownBy(() -> ask("SELECT nothing FROM keyline.shops"))
                .hasMessageContaining("Unknown column 'nothing'");
    }

    @Test
    void binaryRows_haveTheTypesOfTheirColumns() {
        String sql = "SELECT visits, name FROM keyline.shops LIMIT 1";
        ViewRead query = new ViewRead(sql, Objects.requireNonNull(KeylineViews.read(sql)));
        ViewResult result = scans.run(query, new View.Asker(List.of()), true)
                .toCompletableFuture()
                .join();
        RowReader reader = new BinaryRowReader(result.columns());
        reader.read(Unpooled.wrappedBuffer(result.rows().get(0)));
        assertThat(reader.int64(0)).isEqualTo(3);
        assertThat(scans.describe(query).toCompletableFuture().join().columns()).isEqualTo(result.columns());
    }
}
