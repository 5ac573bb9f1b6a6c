package org.keyline.gateway.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.planner.WriteScope;

/**
 * The tables of the model store: lines of one are single rows, lines of the other are the rows of a
 * prefix.
 */
enum ModelTable {
    SINGLES(0, "singles", List.of("id", "v")),
    PAIRS(1, "pairs", List.of("a", "b", "v"));

    static final String SCHEMA = "shop";
    /** Another schema with the same tables, always empty. */
    static final String ELSEWHERE = "elsewhere";

    /** The catalog of the history's tables. */
    static final String OWN_CATALOG = "internal";
    /** Another catalog with the same schema and tables, always empty. */
    static final String OTHER_CATALOG = "j";

    static final int NUMBERED = 500;

    private static final int PREFIXES = 2;
    private static final int KEYS = 3;

    /** Its index among the tables. */
    final int number;

    final String table;

    @SuppressWarnings("ImmutableEnumChecker") // a List.of
    final List<String> columns;

    ModelTable(int number, String table, List<String> columns) {
        this.number = number;
        this.table = table;
        this.columns = columns;
    }

    /** A row's key: its cells, the second one 0 if there is none. */
    record RowKey(ModelTable table, long first, long second) {
        long cell(String column) {
            return table.columns.indexOf(column) == 0 ? first : second;
        }

        /** Returns the last cell of the key. */
        long last() {
            return table == PAIRS ? second : first;
        }

        @Override
        public String toString() {
            return table.table + (table == PAIRS ? "(" + first + "," + second + ")" : "(" + first + ")");
        }
    }

    int keyColumns() {
        return columns.size() - 1;
    }

    /** Returns all possible rows, in key order. */
    List<RowKey> keys() {
        List<RowKey> keys = new ArrayList<>();
        for (long first = 1; first <= (this == PAIRS ? PREFIXES : KEYS); first++) {
            for (long second = 1; second <= (this == PAIRS ? KEYS : 1); second++) {
                keys.add(new RowKey(this, first, this == PAIRS ? second : 0));
            }
        }
        return keys;
    }

    static List<RowKey> allKeys() {
        List<RowKey> keys = new ArrayList<>(SINGLES.keys());
        keys.addAll(PAIRS.keys());
        return keys;
    }

    TableName tableName() {
        return new TableName(SCHEMA, table);
    }

    /**
     * Returns the definition with a number: DDL creates the next one. From {@link #NUMBERED} on,
     * the store generates the last cell of the key.
     */
    TableSchema schema(int definition) {
        List<ColumnSchema> definitions = columns.stream()
                .map(column -> new ColumnSchema(
                        column,
                        ColumnType.of(ColumnType.Kind.BIGINT),
                        false,
                        null,
                        definition >= NUMBERED && columns.indexOf(column) == keyColumns() - 1,
                        ""))
                .toList();
        List<Integer> keys = keyColumns() == 1 ? List.of(0) : List.of(0, 1);
        return new TableSchema(
                tableName(),
                1000L * (number + 1) + definition,
                TableModel.UNIQUE,
                definitions,
                keys,
                List.of(),
                "",
                Map.of("ENGINE", "InnoDB"),
                WriteScope.CELLS);
    }
}
