package org.keyline.stores.mysql.catalog;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.TableModel;
import org.keyline.stores.ddl.DdlReader;

/**
 * A Doris or StarRocks table, read with DESC because its CREATE TABLE cannot be parsed. Immutable.
 *
 * @param print the whole output of {@code DESC}
 * @param derivedKey whether the store computes a column of the key
 */
record DescribedTable(
        TableModel model, List<ColumnSchema> columns, List<Integer> keyColumns, boolean derivedKey, String print) {
    /**
     * Matches the line of CREATE TABLE that declares the key. If a comment contains a similar line,
     * the table is not understood.
     */
    private static final Pattern KEY = Pattern.compile(
            "^\\) ENGINE=OLAP *\\R(UNIQUE|PRIMARY|DUPLICATE|AGGREGATE) KEY(\\(.*\\)) *$", Pattern.MULTILINE);

    /** Name prefix of columns that StarRocks adds for partitions and {@code SELECT *} omits. */
    private static final String OF_PARTITIONS = "__generated_partition_column_";

    private static final String BEGIN = "CREATE TABLE `";

    /** Reads a table. Returns null if DESC does not show the same key as CREATE TABLE. */
    static @Nullable DescribedTable read(CatalogRows rows, String table, String text, DdlReader ddl)
            throws ReadFailure {
        Matcher key = KEY.matcher(text);
        if (!text.startsWith(BEGIN) || !key.find()) {
            return null;
        }
        String kind = key.group(1);
        String named = key.group(2);
        List<ColumnSchema> columns = new ArrayList<>();
        List<Integer> keys = new ArrayList<>();
        StringBuilder print = new StringBuilder(kind);
        boolean[] derived = {false};
        rows.query("DESC " + table, row -> {
            String name = row.required("Field");
            if (name.startsWith(OF_PARTITIONS)) {
                return;
            }
            String type = row.required("Type");
            String extra = row.text("Extra");
            String more = extra == null ? "" : extra.toUpperCase(Locale.ROOT);
            if (row.required("Key").equalsIgnoreCase("true")) {
                keys.add(columns.size());
                derived[0] |= more.contains("GENERATED");
            }
            columns.add(new ColumnSchema(
                    name,
                    ddl.printedType(type),
                    row.required("Null").equalsIgnoreCase("yes"),
                    row.text("Default"),
                    more.contains("AUTO_INCREMENT"),
                    ""));
            print.append('\n')
                    .append(columns.get(columns.size() - 1))
                    .append(type)
                    .append(more);
        });
        String shown = keys.stream()
                .map(ordinal -> '`' + columns.get(ordinal).name() + '`')
                .collect(Collectors.joining(", ", "(", ")"));
        if (key.find() || keys.isEmpty() || !shown.equals(named)) {
            return null;
        }
        TableModel model = switch (kind) {
            case "DUPLICATE" -> TableModel.DUPLICATE;
            case "AGGREGATE" -> TableModel.AGGREGATE;
            default -> TableModel.UNIQUE;
        };
        return new DescribedTable(model, List.copyOf(columns), List.copyOf(keys), derived[0], print.toString());
    }
}
