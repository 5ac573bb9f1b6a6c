package org.keyline.gateway.table;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;
import org.keyline.gateway.key.KeyColumn;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.Partitions;
import org.keyline.stores.PartitionSpans;

/** The partition of a key, in a table of an id and of a column of another type. */
final class KeyPartitionsTest {
    private static TableSchema schema(ColumnType.Kind kind, boolean first) {
        ColumnSchema id = new ColumnSchema(
                "id", new ColumnType(ColumnType.Kind.BIGINT, false, 0, 0, null), false, null, false, "");
        ColumnType type =
                new ColumnType(kind, false, 20, 6, kind == ColumnType.Kind.VARCHAR ? "utf8mb4_0900_bin" : null);
        ColumnSchema by = new ColumnSchema("by", type, false, null, false, "");
        return new TableSchema(
                new TableName("d", "t"),
                1,
                TableModel.UNIQUE,
                first ? List.of(by, id) : List.of(id, by),
                List.of(0, 1),
                List.of(),
                "",
                Map.of());
    }

    private static @Nullable KeyPartitions of(TableSchema schema, String type, String... spans) {
        List<PartitionSpans.Span> read = new ArrayList<>();
        for (String span : spans) {
            String[] parts = span.split("~", -1);
            read.add(new PartitionSpans.Span(Long.parseLong(parts[0]), parts[1], parts[2].isEmpty() ? null : parts[2]));
        }
        return KeyPartitions.of(
                new PartitionSpans("BY", type, read), schema, requireNonNull(CachedTable.keyColumns(schema)));
    }

    private static long of(KeyPartitions partitions, TableSchema schema, String... cells) {
        List<KeyColumn> keys = requireNonNull(CachedTable.keyColumns(schema));
        KeyEncoder key = new KeyEncoder();
        for (int i = 0; i < cells.length; i++) {
            byte[] cell = cells[i].getBytes(StandardCharsets.UTF_8);
            assertThat(keys.get(i).text(cell, 0, cell.length, key)).isTrue();
        }
        return partitions.of(key.buffer(), 0, key.length());
    }

    @ParameterizedTest
    @CsvFileSource(
            resources = "KeyPartitionsTest.key_belongsToThePartitionWhoseSpanHasItsValue.txt",
            quoteCharacter = '\'')
    void key_belongsToThePartitionWhoseSpanHasItsValue(
            ColumnType.Kind kind, String one, String other, String value, String expected) {
        long id = expected.equals("none") ? Partitions.NONE : Long.parseLong(expected);
        for (boolean first : new boolean[] {true, false}) {
            TableSchema schema = schema(kind, first);
            KeyPartitions partitions = requireNonNull(of(schema, kind.name(), one, other));
            String[] key = first ? new String[] {value, "7"} : new String[] {"7", value};
            assertThat(of(partitions, schema, key)).isEqualTo(id);
        }
    }

    @Test
    void prefixWithoutTheColumn_orWithNull_hasNoPartition() {
        TableSchema schema = schema(ColumnType.Kind.INT, false);
        KeyPartitions partitions = requireNonNull(of(schema, "INT", "1~-2147483648~"));
        assertThat(of(partitions, schema, "7")).isEqualTo(Partitions.NONE);
        byte[] withNull = new KeyEncoder().int64(7).nullCell().toBytes();
        assertThat(partitions.of(withNull, 0, withNull.length)).isEqualTo(Partitions.NONE);
        assertThat(of(partitions, schema, "7", "0")).isEqualTo(1);
    }

    @Test
    void valueThatIsNotRead_takesItsSpanAlone() {
        TableSchema schema = schema(ColumnType.Kind.INT, true);
        KeyPartitions partitions = requireNonNull(of(schema, "INT", "1~default key~default key", "2~3~3"));
        assertThat(of(partitions, schema, "3")).isEqualTo(2);
        assertThat(of(partitions, schema, "4")).isEqualTo(Partitions.NONE);
    }

    @ParameterizedTest
    @CsvSource({
        "INT, INT, 1~1~5, 2~4~9", // a temporary partition over the same values
        "INT, INT, 1~5~1, 2~7~9",
        "INT, BIGINT, 1~1~5, 2~5~9", // an expression
        "DATETIME, DATE, 1~2025-01-01~2025-01-02, 2~2025-01-02~2025-01-03",
        "LARGEINT, LARGEINT, 1~1~5, 2~5~9",
        "VARCHAR, VARCHAR, 1~a~b, 2~b~c",
    })
    void othersHaveNoPartitions(ColumnType.Kind kind, String type, String one, String other) {
        assertThat(of(schema(kind, true), type, one, other)).isNull();
    }
}
