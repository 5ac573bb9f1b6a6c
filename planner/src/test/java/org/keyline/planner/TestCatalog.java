package org.keyline.planner;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A catalog in memory that ignores case. */
public final class TestCatalog implements Catalog {
    private final Map<String, TableSchema> tables = new HashMap<>();
    private long version = 1;
    private boolean storedFunctions = true;
    private Set<String> keywords = Set.of();

    /** Returns tables of schema {@code d} that the tests share. */
    public static TestCatalog shared() {
        TestCatalog catalog = new TestCatalog();
        catalog.add(table("d", "t", 1, "k", "v", "w"));
        catalog.add(table("d", "c", 3, "k1", "k2", "k3", "v", "w"));
        catalog.add(table("d", "kv", 1, "id", "value", "order", "date"));
        catalog.add(table("d", "usertable", 1, "YCSB_KEY", "FIELD0", "FIELD1"));
        catalog.add(table("other", "t", 1, "k", "v"));
        catalog.add(table("d", "words", 1, "current_role", "v"));
        catalog.add(table("d", "modifiers", 1, "k", "v", "HIGH_PRIORITY"));
        TableSchema plain = table("d", "x", 1, "k", "v");
        catalog.add(with(plain, "dup", TableModel.DUPLICATE, WriteScope.ROWS));
        catalog.add(with(plain, "trig", TableModel.UNIQUE, WriteScope.ANYWHERE));
        catalog.add(with(plain, "twokeys", TableModel.UNIQUE, WriteScope.TABLE));
        catalog.add(with(plain, "cells", TableModel.UNIQUE, WriteScope.CELLS));
        ColumnSchema nullable = ColumnSchema.of("n", ColumnType.of(ColumnType.Kind.BIGINT), true);
        catalog.add(new TableSchema(
                new TableName("d", "nulls"),
                catalog.tables.size(),
                TableModel.UNIQUE,
                List.of(plain.columns().get(0), nullable),
                List.of(0),
                List.of(),
                "",
                Map.of()));
        ColumnSchema id = new ColumnSchema("id", ColumnType.of(ColumnType.Kind.BIGINT), false, null, true, "");
        catalog.add(new TableSchema(
                new TableName("d", "auto"),
                catalog.tables.size(),
                TableModel.UNIQUE,
                List.of(id, plain.columns().get(1)),
                List.of(0),
                List.of(),
                "",
                Map.of()));
        catalog.add(new TableSchema(
                new TableName("d", "docs"),
                catalog.tables.size(),
                TableModel.UNIQUE,
                List.of(
                        plain.columns().get(0),
                        ColumnSchema.of("title", ColumnType.of(ColumnType.Kind.VARCHAR), false),
                        ColumnSchema.of("day", ColumnType.of(ColumnType.Kind.DATE), false),
                        ColumnSchema.of("year", ColumnType.of(ColumnType.Kind.INT), false)),
                List.of(0),
                List.of(),
                "",
                Map.of()));
        TableSchema c = java.util.Objects.requireNonNull(catalog.table("d", "c"));
        catalog.add(new TableSchema(
                new TableName("d", "indexed"),
                catalog.tables.size(),
                TableModel.UNIQUE,
                c.columns(),
                c.keyColumns(),
                List.of(),
                "",
                Map.of(TableSchema.OTHER_INDEXES, "3,0;1")));
        return catalog;
    }

    /** Returns a table whose first columns are the key. */
    public static TableSchema table(String schema, String name, int keyColumns, String... columns) {
        List<ColumnSchema> definitions = Arrays.stream(columns)
                .map(column -> ColumnSchema.of(column, ColumnType.of(ColumnType.Kind.BIGINT), false))
                .toList();
        List<Integer> key =
                java.util.stream.IntStream.range(0, keyColumns).boxed().toList();
        return new TableSchema(
                new TableName(schema, name), 1, TableModel.UNIQUE, definitions, key, List.of(), "", Map.of());
    }

    private static TableSchema with(TableSchema table, String name, TableModel model, WriteScope reach) {
        return new TableSchema(
                new TableName(table.name().schema(), name),
                table.id(),
                model,
                table.columns(),
                table.keyColumns(),
                List.of(),
                "",
                Map.of(),
                reach);
    }

    public void add(TableSchema table) {
        version++;
        tables.put(key(table.name().schema(), table.name().table()), table);
    }

    void remove(String schema, String table) {
        version++;
        tables.remove(key(schema, table));
    }

    public TestCatalog withoutStoredFunctions() {
        storedFunctions = false;
        return this;
    }

    /** Sets the words of the store's grammar; without any, all words may be keywords. */
    public TestCatalog withKeywords(String... words) {
        keywords = Set.of(words);
        return this;
    }

    @Override
    public boolean isKeyword(String word) {
        return keywords.isEmpty() || keywords.contains(word);
    }

    @Override
    public @Nullable TableSchema table(String schema, String table) {
        return tables.get(key(schema, table));
    }

    @Override
    public long version() {
        return version;
    }

    @Override
    public boolean storedFunctions() {
        return storedFunctions;
    }

    /** Only names that are declared as views are views here. */
    @Override
    public boolean mayCallFunctions(String view) {
        return storedFunctions && view.startsWith("calling_");
    }

    @Override
    public boolean isBuiltIn(String function) {
        return !function.equals("SPLIT_PART");
    }

    private static String key(String schema, String table) {
        return (schema + "." + table).toLowerCase(Locale.ROOT);
    }
}
