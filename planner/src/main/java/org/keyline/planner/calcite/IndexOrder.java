package org.keyline.planner.calcite;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.keyline.planner.ColumnType;
import org.keyline.planner.Condition;
import org.keyline.planner.KeyRange;
import org.keyline.planner.PointRead;
import org.keyline.planner.TableSchema;

/**
 * The order in which the store may return rows without ORDER BY, given the indexes that it may use.
 * Confined to one thread.
 */
final class IndexOrder {
    /*
     * A store that clusters rows by the primary key returns them in the order of the index that it
     * reads. Equal index entries come in the order of the key. So if each column of the index has a
     * single value, the rows come in the order of the key. The same holds if the store reads the
     * table itself or merges indexes. The optimizer's choice is unknown. So this class considers
     * every index whose first column has a condition, or that contains all columns of the read.
     */
    private static final Set<ColumnType.Kind> WHOLE_NUMBERS = Set.of(
            ColumnType.Kind.TINYINT,
            ColumnType.Kind.SMALLINT,
            ColumnType.Kind.MEDIUMINT,
            ColumnType.Kind.INT,
            ColumnType.Kind.BIGINT);

    /** Follows the ordinal of a column of which only a prefix is indexed. */
    private static final String BEGINNING = "*";

    private static final String DESCENDING = "-";

    private final TableSchema table;
    /** Columns with a single value in all rows of the read. */
    private final Set<Integer> constant = new HashSet<>();
    /** Columns with a condition. */
    private final Set<Integer> compared = new HashSet<>();

    private final Set<Integer> shown;

    private IndexOrder(PointRead read) {
        this.table = read.table();
        this.shown = new HashSet<>(read.projection());
        for (Condition condition : read.conditions()) {
            compared.add(condition.column());
            if (condition.equates() && condition.alternatives().size() == 1) {
                constant.add(condition.column());
            }
        }
        List<KeyRange> ranges = read.ranges();
        compared.addAll(table.keyColumns()
                .subList(0, read.hasBounds() ? table.keyColumns().size() : read.boundColumns()));
        if (ranges.size() == 1) {
            constant.addAll(table.keyColumns().subList(0, ranges.get(0).tuple().size()));
        }
    }

    /** Returns whether the store can return the rows in an order other than the key's. */
    static boolean mayBeAnother(PointRead read) {
        String indexes = read.table().properties().get(TableSchema.OTHER_INDEXES);
        return indexes != null && (indexes.equals(TableSchema.ANY_ORDER) || new IndexOrder(read).mayDiffer(indexes));
    }

    /** Returns whether rows are ordered by key; false if a key column that varies is no integer. */
    static boolean isOfKey(PointRead read) {
        TableSchema table = read.table();
        return table.properties().containsKey(TableSchema.IN_KEY_ORDER)
                && read.opaque().isEmpty()
                && new IndexOrder(read)
                        .rest(keyParts(table))
                        .allMatch(key -> WHOLE_NUMBERS.contains(
                                table.columns().get(ordinal(key)).type().kind()))
                && !mayBeAnother(read);
    }

    private static Stream<String> keyParts(TableSchema table) {
        return table.keyColumns().stream().map(String::valueOf);
    }

    private boolean mayDiffer(String indexes) {
        List<String> ofKey = rest(keyParts(table)).toList();
        return Stream.of(indexes.split(";"))
                .map(index -> List.of(index.split(",")))
                .anyMatch(index ->
                        mayBeRead(index) && !isBeginningOf(rest(index.stream()).toList(), ofKey));
    }

    private boolean mayBeRead(List<String> index) {
        if (compared.contains(ordinal(index.get(0)))) {
            return true;
        }
        Set<Integer> left = new HashSet<>(compared);
        left.addAll(shown);
        left.remove(PointRead.ONE);
        table.keyColumns().forEach(left::remove);
        index.stream().filter(part -> !part.endsWith(BEGINNING)).forEach(part -> left.remove(ordinal(part)));
        return left.isEmpty();
    }

    private Stream<String> rest(Stream<String> columns) {
        return columns.filter(part -> !constant.contains(ordinal(part)));
    }

    /** Returns the ordinal of an indexed column; {@link Integer#MAX_VALUE} for an expression. */
    private static int ordinal(String part) {
        String column = part.replace(BEGINNING, "").replace(DESCENDING, "");
        return column.equals("?") ? Integer.MAX_VALUE : Integer.parseInt(column);
    }

    private static boolean isBeginningOf(List<String> columns, List<String> all) {
        return columns.size() <= all.size() && all.subList(0, columns.size()).equals(columns);
    }
}
