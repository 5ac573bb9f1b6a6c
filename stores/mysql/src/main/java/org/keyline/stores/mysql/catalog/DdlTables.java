package org.keyline.stores.mysql.catalog;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.planner.WriteReach;
import org.keyline.planner.digest.SqlMode;
import org.keyline.stores.ddl.DdlReader;
import org.keyline.stores.ddl.DdlStatement;
import org.keyline.stores.ddl.TableDefinition;

/** Tables by what Doris and StarRocks print as their CREATE TABLE; a text that stays the same is read once. Confined to one thread. */
final class DdlTables {
    /** Text is compared byte by byte there, and trailing spaces count. */
    private static final String BYTES = "utf8mb4_0900_bin";

    private static final String ROW_POLICY = "keyline.row_policy";

    private final DdlReader ddl = new DdlReader(SqlMode.DEFAULT);
    private Map<TableName, Read> known = new HashMap<>();
    private Map<TableName, Read> reading = new HashMap<>();

    /** A text and what it says; null if it is not understood. */
    private record Read(String text, @Nullable TableDefinition definition) {}

    /** Begins a reading; what the last one had and this one does not is forgotten. */
    void begin() {
        known = reading;
        reading = new HashMap<>();
    }

    /**
     * The table of a text; null if it is none, or has what is not understood.
     *
     * @param policy whether rows are hidden from some users: the table is listed and has no key, so that it has no lines
     */
    @Nullable
    ListedTable table(TableName name, String text, boolean policy) {
        Read before = known.get(name);
        Read read = before != null && before.text().equals(text) ? before : new Read(text, parse(name, text));
        reading.put(name, read);
        return read.definition() == null ? null : listed(name, read.definition(), policy);
    }

    private @Nullable TableDefinition parse(TableName name, String text) {
        try {
            DdlStatement statement = ddl.read(text, name.schema());
            return statement instanceof DdlStatement.CreateTable create ? create.definition() : null;
        } catch (StatementRefusedException notUnderstood) {
            return null;
        }
    }

    private static ListedTable listed(TableName name, TableDefinition table, boolean policy) {
        List<ColumnSchema> columns = new ArrayList<>();
        table.columns().forEach(column -> columns.add(collated(column.schema())));
        Map<String, String> properties = new HashMap<>(table.properties());
        if (policy) {
            properties.put(ROW_POLICY, "true");
        }
        TableModel model = policy ? TableModel.NONE : table.model();
        TableSchema schema = new TableSchema(
                name,
                0,
                model,
                columns,
                table.keyColumns(),
                table.bucketColumns(),
                table.comment(),
                properties,
                model == TableModel.UNIQUE ? WriteReach.ROWS : WriteReach.TABLE);
        // Partitions come and go by themselves, and properties say how rows are stored.
        String definition =
                model + "\n" + table.columns() + "\n" + table.keyColumns() + table.bucketColumns() + table.comment();
        return new ListedTable(schema, sha256(definition));
    }

    private static ColumnSchema collated(ColumnSchema column) {
        ColumnType type = column.type();
        return switch (type.kind()) {
            case CHAR, VARCHAR, TEXT ->
                new ColumnSchema(
                        column.name(),
                        new ColumnType(type.kind(), false, type.length(), 0, BYTES),
                        column.nullable(),
                        column.defaultSql(),
                        column.autoIncrement(),
                        column.comment());
            default -> column;
        };
    }

    private static String sha256(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
