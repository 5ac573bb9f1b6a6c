package org.keyline.stores.duckdb.meta;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableName;
import org.keyline.stores.ddl.Partitioning;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.ddl.TableIndex;
import org.keyline.stores.duckdb.engine.EngineConnection;
import org.keyline.stores.duckdb.translate.Relations.Relation;

/**
 * {@code information_schema} as tables of DuckDB, so that any SQL runs on it. They are made anew at every start and follow each
 * data definition statement in its own transaction.
 */
final class InformationSchema {
    static final String CATALOG = "def";
    static final String CHARSET = "utf8mb4";

    /** How this store compares text: byte by byte, trailing spaces included. */
    static final String COLLATION = "utf8mb4_0900_bin";

    /** Behind the view TABLES, which adds how many rows there are. */
    static final String TABLES = "DECLARED_TABLES";

    private static final List<String> BY_TABLE = List.of(
            TABLES,
            "COLUMNS",
            "STATISTICS",
            "KEY_COLUMN_USAGE",
            "TABLE_CONSTRAINTS",
            "PARTITIONS",
            "TABLE_OPTIONS",
            "VIEWS");

    private InformationSchema() {}

    /** Makes all tables and fills them. */
    static void build(EngineConnection connection, CatalogSnapshot snapshot) throws SQLException {
        connection.execute("DROP SCHEMA IF EXISTS " + SystemViews.SHARED_SCHEMA + " CASCADE");
        connection.execute("CREATE SCHEMA " + SystemViews.SHARED_SCHEMA);
        for (Relation view : SystemViews.all()) {
            if (!SystemViews.isOfSession(view)) {
                connection.execute("CREATE TABLE " + SystemViews.SHARED_SCHEMA + "." + SystemViews.columns(view));
            }
        }
        connection.execute("ALTER TABLE " + SystemViews.SHARED_SCHEMA + ".TABLES RENAME TO " + TABLES);
        connection.execute(("CREATE VIEW %s.TABLES AS SELECT t.* REPLACE (CASE t.TABLE_TYPE WHEN 'VIEW' THEN NULL ELSE"
                        + " CAST(coalesce(d.estimated_size, 0) AS UBIGINT) END AS TABLE_ROWS) FROM %s.%s AS t LEFT JOIN duckdb_tables() AS d ON d.schema_name = t.TABLE_SCHEMA"
                        + " AND d.table_name = t.TABLE_NAME")
                .formatted(SystemViews.SHARED_SCHEMA, SystemViews.SHARED_SCHEMA, TABLES));
        InformationRows rows = new InformationRows();
        FixedRows.fill(rows);
        for (String schema : SystemViews.schemas()) {
            addDatabase(rows, schema);
        }
        for (Relation view : SystemViews.all()) {
            rows.add("TABLES", ColumnRows.systemTable(view));
            ColumnRows.of(view).forEach(row -> rows.add("COLUMNS", row));
        }
        snapshot.databases().values().forEach(database -> addDatabase(rows, database));
        snapshot.allTables().forEach(table -> add(rows, table));
        rows.append(connection);
    }

    static void addDatabase(EngineConnection connection, String name) throws SQLException {
        InformationRows rows = new InformationRows();
        addDatabase(rows, name);
        rows.append(connection);
    }

    private static void addDatabase(InformationRows rows, String name) {
        String collation = SystemViews.isSystem(name) ? "utf8mb4_0900_ai_ci" : COLLATION;
        rows.add("SCHEMATA", CATALOG, name, CHARSET, collation, null, "NO");
    }

    static void removeDatabase(EngineConnection connection, String name) throws SQLException {
        delete(connection, "SCHEMATA", "SCHEMA_NAME = ?", List.of(name));
        for (String view : BY_TABLE) {
            delete(connection, view, "TABLE_SCHEMA = ?", List.of(name));
        }
    }

    static void remove(EngineConnection connection, TableName name) throws SQLException {
        for (String view : BY_TABLE) {
            delete(connection, view, "TABLE_SCHEMA = ? AND TABLE_NAME = ?", List.of(name.schema(), name.table()));
        }
    }

    static void add(EngineConnection connection, StoredTable stored) throws SQLException {
        InformationRows rows = new InformationRows();
        add(rows, stored);
        rows.append(connection);
    }

    private static void add(InformationRows rows, StoredTable stored) {
        TableDefinition table = stored.definition();
        rows.add("TABLES", ColumnRows.table(stored));
        for (List<@Nullable Object> row : ColumnRows.of(table)) {
            rows.add("COLUMNS", row);
        }
        if (table.model() == TableModel.UNIQUE) {
            List<String> key = table.keyColumns().stream()
                    .map(ordinal -> table.columns().get(ordinal).name())
                    .toList();
            index(rows, table, "PRIMARY", key, true, "BTREE", "");
            constraint(rows, table, "PRIMARY", "PRIMARY KEY", key);
        }
        for (TableIndex index : table.indexes()) {
            String using = index.using();
            index(
                    rows,
                    table,
                    index.name(),
                    index.columns(),
                    index.unique(),
                    using == null ? "BTREE" : using,
                    index.comment());
            if (index.unique()) {
                constraint(rows, table, index.name(), "UNIQUE", index.columns());
            }
        }
        partitions(rows, stored);
        options(rows, table);
    }

    private static void index(
            InformationRows rows,
            TableDefinition table,
            String name,
            List<String> columns,
            boolean unique,
            String using,
            String comment) {
        TableName t = table.name();
        for (int i = 0; i < columns.size(); i++) {
            boolean nullable =
                    table.columns().get(table.ordinal(columns.get(i))).schema().nullable();
            rows.add(
                    "STATISTICS",
                    row(
                            CATALOG,
                            t.schema(),
                            t.table(),
                            unique ? 0 : 1,
                            t.schema(),
                            name,
                            i + 1,
                            columns.get(i),
                            "A",
                            0,
                            null,
                            null,
                            nullable ? "YES" : "",
                            using,
                            "",
                            comment,
                            "YES",
                            null));
        }
    }

    private static void constraint(
            InformationRows rows, TableDefinition table, String name, String type, List<String> columns) {
        TableName t = table.name();
        rows.add("TABLE_CONSTRAINTS", row(CATALOG, t.schema(), name, t.schema(), t.table(), type, "YES"));
        for (int i = 0; i < columns.size(); i++) {
            rows.add(
                    "KEY_COLUMN_USAGE",
                    row(
                            CATALOG,
                            t.schema(),
                            name,
                            CATALOG,
                            t.schema(),
                            t.table(),
                            columns.get(i),
                            i + 1,
                            null,
                            null,
                            null,
                            null));
        }
    }

    private static void partitions(InformationRows rows, StoredTable stored) {
        TableDefinition table = stored.definition();
        Partitioning partitioning = table.partitioning();
        TableName t = table.name();
        if (partitioning == null) {
            rows.add("PARTITIONS", partition(stored, t, null, null, null, null));
            return;
        }
        for (int i = 0; i < partitioning.partitions().size(); i++) {
            rows.add(
                    "PARTITIONS",
                    partition(
                            stored,
                            t,
                            partitioning.partitions().get(i).name(),
                            i + 1,
                            partitioning.method().name(),
                            String.join(",", partitioning.columns())));
        }
    }

    private static List<@Nullable Object> partition(
            StoredTable stored,
            TableName t,
            @Nullable String name,
            @Nullable Integer position,
            @Nullable String method,
            @Nullable String expression) {
        return row(
                CATALOG,
                t.schema(),
                t.table(),
                name,
                null,
                position,
                null,
                method,
                null,
                expression,
                null,
                null,
                0,
                0,
                0,
                null,
                0,
                0,
                stored.created(),
                null,
                null,
                null,
                "",
                null,
                null);
    }

    private static void options(InformationRows rows, TableDefinition table) {
        TableName t = table.name();
        String model = switch (table.model()) {
            case UNIQUE -> "UNI";
            case DUPLICATE -> "DUP";
            case AGGREGATE -> "AGG";
            case NONE -> "";
        };
        String buckets = table.buckets();
        boolean counted = buckets != null && buckets.chars().allMatch(Character::isDigit);
        rows.add(
                "TABLE_OPTIONS",
                row(
                        CATALOG,
                        t.schema(),
                        t.table(),
                        model,
                        names(table, table.keyColumns()),
                        names(table, table.bucketColumns()),
                        table.bucketColumns().isEmpty() ? "RANDOM" : "HASH",
                        counted ? Integer.valueOf(String.valueOf(buckets)) : null,
                        1));
    }

    private static String names(TableDefinition table, List<Integer> ordinals) {
        List<String> names = new ArrayList<>();
        ordinals.forEach(ordinal -> names.add(table.columns().get(ordinal).name()));
        return String.join(",", names);
    }

    static List<@Nullable Object> row(@Nullable Object... cells) {
        return Arrays.asList(cells);
    }

    private static void delete(EngineConnection connection, String view, String condition, List<String> values)
            throws SQLException {
        connection.update("DELETE FROM " + SystemViews.SHARED_SCHEMA + "." + view + " WHERE " + condition, values);
    }
}
