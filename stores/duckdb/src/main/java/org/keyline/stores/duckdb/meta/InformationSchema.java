package org.keyline.stores.duckdb.meta;

import java.sql.SQLException;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableName;
import org.keyline.protocol.Collation;
import org.keyline.stores.ddl.DeclaredColumn;
import org.keyline.stores.ddl.Partitioning;
import org.keyline.stores.ddl.SqlText;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.ddl.TableDefinition.Flavour;
import org.keyline.stores.ddl.TableIndex;
import org.keyline.stores.duckdb.engine.EngineConnection;
import org.keyline.stores.duckdb.translate.DuckDdl;
import org.keyline.stores.duckdb.translate.Relations.Relation;
import org.keyline.stores.duckdb.translate.Resources;

/**
 * Builds {@code information_schema} in DuckDB at each start. It consists of the views of {@code
 * catalog.sql} and a few underlying tables, which list the declared databases, tables and columns.
 * Each data definition statement fills these tables again in its own transaction.
 */
final class InformationSchema {
    /** The collation by which this store compares text: byte by byte, trailing spaces included. */
    static final String COLLATION = "utf8mb4_0900_bin";

    private static final int MAX_COLLATION = 323;
    private static final String PREFIX = "DECLARED_";
    private static final List<String> CHANGING = List.of("DATABASES", "TABLES", "COLUMNS", "KEYS", "PARTITIONS");

    private final EngineConnection connection;

    /** The rows to append to each table. At each start, there are more than a thousand. */
    private final Map<String, List<List<@Nullable Object>>> rows = new HashMap<>();

    private InformationSchema(EngineConnection connection) {
        this.connection = connection;
    }

    /** Creates all tables and views and fills them. */
    static void build(EngineConnection connection, CatalogSnapshot snapshot) throws SQLException {
        connection.execute("DROP SCHEMA IF EXISTS " + SystemViews.SHARED_SCHEMA + " CASCADE");
        connection.execute("CREATE SCHEMA " + SystemViews.SHARED_SCHEMA);
        Map<String, String> views = new HashMap<>();
        for (String statement : statements()) {
            if (statement.startsWith("-- ")) {
                int end = statement.indexOf('\n');
                views.put(statement.substring("-- ".length(), end), statement.substring(end + 1));
            } else {
                connection.execute(statement);
            }
        }
        for (Relation view : SystemViews.all()) {
            if (!SystemViews.isOfSession(view)) {
                connection.execute(SystemViews.create(view, views.remove(view.duckTable())));
            }
        }
        if (!views.isEmpty()) {
            throw new IllegalStateException("catalog.sql: unknown views " + views.keySet());
        }
        InformationSchema schema = new InformationSchema(connection);
        for (int id = 1; id <= MAX_COLLATION; id++) {
            schema.add(Collation.byId(id));
        }
        schema.append();
        fill(connection, snapshot);
    }

    /** Replaces the databases and tables that the tables list. */
    static void fill(EngineConnection connection, CatalogSnapshot snapshot) throws SQLException {
        for (String table : CHANGING) {
            connection.execute("DELETE FROM " + SystemViews.SHARED_SCHEMA + "." + PREFIX + table);
        }
        InformationSchema schema = new InformationSchema(connection);
        SystemViews.all().forEach(schema::add);
        SystemViews.schemas().forEach(schema::addSchema);
        snapshot.databases().values().forEach(schema::addSchema);
        snapshot.allTables().forEach(schema::addTable);
        schema.append();
    }

    private static List<String> statements() {
        String text = Resources.text(InformationSchema.class, "catalog.sql")
                .replaceAll("(?m)^---.*\n", "")
                .replace(PREFIX, SystemViews.SHARED_SCHEMA + "." + PREFIX);
        return Arrays.stream(text.split(";\n", -1))
                .map(String::strip)
                .filter(statement -> !statement.isEmpty())
                .toList();
    }

    private void add(String table, @Nullable Object... cells) {
        rows.computeIfAbsent(table, first -> new ArrayList<>()).add(Arrays.asList(cells));
    }

    private void append() throws SQLException {
        for (Map.Entry<String, List<List<@Nullable Object>>> entry : rows.entrySet()) {
            connection.append(null, SystemViews.SHARED_SCHEMA, PREFIX + entry.getKey(), entry.getValue());
        }
    }

    private void addSchema(String name) {
        add("DATABASES", name, SystemViews.isSystem(name) ? "utf8mb4_0900_ai_ci" : COLLATION);
    }

    private void add(@Nullable Collation collation) {
        if (collation != null) {
            Collation first = Collation.defaultOf(collation.charset());
            String isDefault = first != null && first.id() == collation.id() ? "Yes" : "";
            int bytes = collation.maxBytesPerCharacter();
            add("COLLATIONS", collation.name(), collation.charset(), collation.id(), isDefault, bytes);
        }
    }

    private void add(Relation view) {
        TableName name = view.name();
        LocalDateTime created = LocalDateTime.of(2000, 1, 1, 0, 0);
        add("TABLES", name.schema(), name.table(), null, created, "");
        int position = 0;
        for (ColumnSchema column : view.columns()) {
            add(name, ++position, column, SystemViews.typeText(column.type()), "", "");
        }
    }

    private void addTable(StoredTable stored) {
        TableDefinition table = stored.definition();
        TableName name = table.name();
        add(
                "TABLES",
                name.schema(),
                name.table(),
                table.flavour() == Flavour.DORIS ? "OLAP" : "InnoDB",
                stored.created(),
                table.comment());
        for (int i = 0; i < table.columns().size(); i++) {
            DeclaredColumn column = table.columns().get(i);
            add(name, i + 1, column.schema(), column.type().text(), key(table, i), extra(column));
        }
        if (table.model() == TableModel.UNIQUE) {
            List<String> columns = DuckDdl.names(table, table.keyColumns());
            key(table, new TableIndex(DuckDdl.PRIMARY, columns, true, "BTREE", Map.of(), ""));
        }
        table.indexes().forEach(index -> key(table, index));
        Partitioning partitioning = table.partitioning();
        if (partitioning == null) {
            add("PARTITIONS", name.schema(), name.table(), null, null, null, null, stored.created());
            return;
        }
        for (int i = 0; i < partitioning.partitions().size(); i++) {
            add(
                    "PARTITIONS",
                    name.schema(),
                    name.table(),
                    partitioning.partitions().get(i).name(),
                    i + 1,
                    partitioning.method().name(),
                    String.join(",", partitioning.columns()),
                    stored.created());
        }
    }

    private void add(TableName table, int position, ColumnSchema column, String typeText, String key, String extra) {
        ColumnType type = column.type();
        String declared = column.defaultSql();
        add(
                "COLUMNS",
                table.schema(),
                table.table(),
                position,
                column.name(),
                declared == null || declared.equalsIgnoreCase("NULL") ? null : SqlText.plain(declared),
                column.nullable() ? "YES" : "NO",
                typeText,
                type.kind().name(),
                (long) type.length(),
                type.scale(),
                type.unsigned() ? 1 : 0,
                key,
                extra,
                column.comment());
    }

    private void key(TableDefinition table, TableIndex index) {
        for (int i = 0; i < index.columns().size(); i++) {
            String column = index.columns().get(i);
            boolean nullable =
                    table.columns().get(table.ordinal(column)).schema().nullable();
            add(
                    "KEYS",
                    table.name().schema(),
                    table.name().table(),
                    index.name(),
                    i + 1,
                    column,
                    nullable ? "YES" : "NO",
                    index.unique() ? 0 : 1,
                    index.using() == null ? "BTREE" : index.using(),
                    index.comment());
        }
    }

    private static String key(TableDefinition table, int ordinal) {
        if (table.model() == TableModel.UNIQUE && table.keyColumns().contains(ordinal)) {
            return "PRI";
        }
        String name = table.columns().get(ordinal).name();
        String key = "";
        for (TableIndex index : table.indexes()) {
            if (index.columns().get(0).equalsIgnoreCase(name)) {
                key = index.unique() && index.columns().size() == 1 ? "UNI" : key.isEmpty() ? "MUL" : key;
            }
        }
        return key;
    }

    private static String extra(DeclaredColumn column) {
        List<String> words = new ArrayList<>();
        if (column.schema().autoIncrement()) {
            words.add("auto_increment");
        }
        String declared = column.schema().defaultSql();
        if (DuckDdl.isNow(declared)) {
            words.add("DEFAULT_GENERATED");
        }
        if (column.onUpdate() != null) {
            words.add("on update " + column.onUpdate());
        }
        return String.join(" ", words);
    }
}
