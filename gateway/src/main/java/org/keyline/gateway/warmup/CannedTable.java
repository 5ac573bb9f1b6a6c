package org.keyline.gateway.warmup;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.planner.WriteReach;
import org.keyline.protocol.Collation;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.codec.RowWriter;

/** The tables of the canned store: every row that is asked for is there, and its cells tell its key. */
enum CannedTable {
    /** A number is the key. */
    ITEMS(1, List.of("id"), List.of("id", "stock", "name", "note"), false),
    /** A text is the key, and rows are those of YCSB. */
    USERS(
            2,
            List.of("name"),
            Stream.concat(Stream.of("name"), IntStream.range(0, 10).mapToObj(field -> "field" + field))
                    .toList(),
            true),
    /** Lines have {@value #PARTS_ROWS} rows. */
    PARTS(3, List.of("item", "part"), List.of("item", "part", "stock", "note"), false);

    static final String SCHEMA = "canned";
    /** Rows with the same first key column. */
    static final int PARTS_ROWS = 12;

    private static final String COLLATION = "utf8mb4_bin";
    private static final int CHARACTERS = 100;
    private static final String TEXT = "x".repeat(CHARACTERS);
    private static final Pattern NAMED = Pattern.compile("(?:from|into|update)\\s+[`\\w.]*?(items|users|parts)\\b");
    private static final Pattern NUMBER = Pattern.compile("\\d+");

    private final long number;

    @SuppressWarnings("ImmutableEnumChecker") // a copy
    private final List<String> keys;

    @SuppressWarnings("ImmutableEnumChecker") // a copy
    private final List<String> columns;

    private final boolean named;

    CannedTable(long number, List<String> keys, List<String> columns, boolean named) {
        this.number = number;
        this.keys = List.copyOf(keys);
        this.columns = List.copyOf(columns);
        this.named = named;
    }

    /** The tables that a statement in lower case names: one or none. */
    static List<CannedTable> in(String statement) {
        Matcher name = NAMED.matcher(statement);
        return name.find() ? List.of(valueOf(name.group(1).toUpperCase(Locale.ROOT))) : List.of();
    }

    TableName tableName() {
        return new TableName(SCHEMA, name().toLowerCase(Locale.ROOT));
    }

    TableSchema schema() {
        return new TableSchema(
                tableName(),
                number,
                TableModel.UNIQUE,
                columns.stream()
                        .map(column -> ColumnSchema.of(column, type(column), !keys.contains(column)))
                        .toList(),
                keys.stream().map(columns::indexOf).toList(),
                List.of(),
                "",
                Map.of("ENGINE", "InnoDB"),
                WriteReach.CELLS);
    }

    private org.keyline.planner.ColumnType type(String column) {
        return isNumber(column)
                ? org.keyline.planner.ColumnType.of(org.keyline.planner.ColumnType.Kind.BIGINT)
                : new org.keyline.planner.ColumnType(
                        org.keyline.planner.ColumnType.Kind.VARCHAR, false, CHARACTERS, 0, COLLATION);
    }

    private boolean isNumber(String column) {
        return column.equals("stock") || (!named && keys.contains(column));
    }

    /** The columns that a SELECT in lower case asks for. */
    List<String> columnsOf(String select) {
        String list =
                select.substring("select".length(), select.indexOf(" from ")).strip();
        if (list.equals("*")) {
            return columns;
        }
        List<String> asked = Stream.of(list.split(",")).map(String::strip).toList();
        return columns.containsAll(asked) ? asked : List.of("stock");
    }

    ColumnDefinition definition(String column) {
        String table = tableName().table();
        return new ColumnDefinition(
                "def",
                SCHEMA,
                table,
                table,
                column,
                column,
                isNumber(column) ? Collation.BINARY : Collation.UTF8MB4_GENERAL_CI,
                isNumber(column) ? 20 : 4L * CHARACTERS,
                isNumber(column) ? ColumnType.LONGLONG : ColumnType.VAR_STRING,
                0,
                0);
    }

    /** The keys of the rows that conditions ask for. */
    List<List<Long>> rows(String conditions) {
        List<Long> numbers = new ArrayList<>();
        Matcher number = NUMBER.matcher(conditions.replaceFirst(" limit .*", ""));
        while (number.find()) {
            numbers.add(Long.parseLong(number.group()));
        }
        if (numbers.isEmpty()) {
            return List.of();
        }
        if (this != PARTS) {
            return numbers.stream().sorted().distinct().map(List::of).toList();
        }
        if (numbers.size() > 1 && !conditions.contains(">")) {
            return List.of(numbers.subList(0, 2));
        }
        long from = numbers.size() > 1 ? numbers.get(1) + 1 : 0;
        List<List<Long>> rows = new ArrayList<>();
        for (long part = from; part < PARTS_ROWS; part++) {
            rows.add(List.of(numbers.get(0), part));
        }
        return Collections.unmodifiableList(rows);
    }

    void write(List<String> asked, List<Long> key, RowWriter row) {
        for (String column : asked) {
            int place = keys.indexOf(column);
            if (place >= 0 && named) {
                row.string("user" + key.get(place));
            } else if (place >= 0) {
                row.int64(key.get(place));
            } else if (isNumber(column)) {
                row.int64(key.get(0));
            } else {
                row.string(TEXT);
            }
        }
    }
}
